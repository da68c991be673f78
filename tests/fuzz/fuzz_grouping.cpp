// Grouped files from hostile bytes. The first byte chooses the options.
#include <cstdint>
#include <string>
#include <vector>

#include "fuzz/target.hpp"
#include "io/readers.hpp"
#include "mercer/error.hpp"
#include "mercer/grouping.hpp"

namespace mercer::fuzz_grouping {

namespace {

std::vector<std::string> seeds() {
  return {
      "abag,x,y,class\nb,1,2,yes\na,3,4,no\nb,5,6,yes\n",
      "b1,0\n2,5\n1,3\n1,1\n",
      "cid,word,n\n1,abc,1\n1,bcd,2\n2,abc,3\n",
      "dbag,x,c\na,1,1\na,2,0\n",
      "e,\n1,2\n1,NA\n\"1\",3\n",
      "f1\n2\n",
  };
}

void run(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return;
  ReadOptions options;
  options.format = Format::csv;
  if ((data[0] & 2) != 0) options.last_is_target = true;
  const std::string content(reinterpret_cast<const char*>(data) + 1, size - 1);
  try {
    const Dataset rows = parse_csv(content, "fuzz.csv", options);
    const Dataset groups =
        grouped(rows, (data[0] & 1) != 0 ? "1" : "bag", (data[0] & 4) != 0 ? Grouping::series : Grouping::bags);
    if (groups.points.size() > rows.points.size()) __builtin_trap();
  } catch (const Error&) {
  }
}

[[maybe_unused]] const bool added = FuzzTarget::add({"grouping", seeds, run});

}  // namespace

}  // namespace mercer::fuzz_grouping
