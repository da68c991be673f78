// CSV and TSV from hostile bytes. The first byte chooses the options.
#include <cstdint>
#include <string>
#include <vector>

#include "fuzz/target.hpp"
#include "io/readers.hpp"
#include "mercer/error.hpp"

namespace mercer::fuzz_csv {

namespace {

std::vector<std::string> seeds() {
  return {
      "a1,2,3\n4,5,6\n",
      "aage,dose\n30,0.5\n40,1e-3\n",
      "aname;size\r\n\"Bob; \"\"B\"\"\";1\r\n\"two\nlines\";2\r\n",
      "blabel\ttext\nham\t\"hello\" there\nspam\tbuy\nham\tyes\nspam\tno\n",
      "c\xEF\xBB\xBFx,y,z\n1,,3\nNA,?,6\n",
      "dx,y\n1,2\n3,4,5\n",
      "e1,2\n\n3,4\n",
      "fa,b\n1,abc\n2,3\n3,4\n4,5\n5,6\n6,7\n7,8\n8,9\n9,10\n1,2\n2,3\n3,4\n",
  };
}

void run(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return;
  ReadOptions options;
  options.format = (data[0] & 1) != 0 ? Format::csv : Format::tsv;
  if ((data[0] & 4) != 0) options.header = (data[0] & 8) != 0;
  if ((data[0] & 2) != 0) options.target = "1";
  const std::string content(reinterpret_cast<const char*>(data) + 1, size - 1);
  try {
    parse_csv(content, "fuzz.csv", options);
  } catch (const Error&) {
  }
}

[[maybe_unused]] const bool added = FuzzTarget::add({"csv", seeds, run});

}  // namespace

}  // namespace mercer::fuzz_csv
