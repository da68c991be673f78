// LIBSVM text from hostile bytes.
#include <cstdint>
#include <string>
#include <vector>

#include "fuzz/target.hpp"
#include "io/readers.hpp"
#include "mercer/error.hpp"

namespace mercer::fuzz_libsvm {

namespace {

std::vector<std::string> seeds() {
  return {
      "+1 1:0.5 3:-2 7:1e-3\n-1 2:1\n",   "# comment\n1\n2 5:1 # more\n\n3 1:0\r\n", "1 qid:3 1:1\n", "1 3:1 2:1\n",
      "1 2147483647:1\n1 2147483648:1\n",
  };
}

void run(const std::uint8_t* data, std::size_t size) {
  const std::string content(reinterpret_cast<const char*>(data), size);
  try {
    parse_libsvm(std::vector<FileContent>{{{content, nullptr}, "fuzz.svm"}}, {});
  } catch (const Error&) {
  }
}

[[maybe_unused]] const bool added = FuzzTarget::add({"libsvm", seeds, run});

}  // namespace

}  // namespace mercer::fuzz_libsvm
