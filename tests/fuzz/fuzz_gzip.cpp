// gzip from hostile bytes, and what comes out of it as a file of any format.
#include <cstdint>
#include <string>
#include <vector>

#include "../io/gzip.hpp"
#include "fuzz/target.hpp"
#include "io/readers.hpp"
#include "mercer/error.hpp"

namespace mercer::fuzz_gzip {

namespace {

using io_test::gzip;

std::vector<std::string> seeds() {
  return {
      gzip("a,b\n1,2\n3,4\n"),          gzip("1,2\n") + gzip("3,4\n"),
      gzip("") + std::string(16, '\0'), gzip(std::string("\0\0\x08\x01\0\0\0\x03\x01\x02\x03", 11)),
      gzip("1 1:2 3:4\n-1 2:1\n"),
  };
}

void run(const std::uint8_t* data, std::size_t size) {
  const std::string content(reinterpret_cast<const char*>(data), size);
  try {
    parse_data(gunzip(content, "fuzz.gz"), "fuzz", {});
  } catch (const Error&) {
  }
}

[[maybe_unused]] const bool added = FuzzTarget::add({"gzip", seeds, run});

}  // namespace

}  // namespace mercer::fuzz_gzip
