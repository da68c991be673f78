// IDX from hostile bytes.
#include <cstdint>
#include <string>
#include <vector>

#include "io/readers.hpp"
#include "mercer/error.hpp"

namespace {

std::string idx(char type, std::initializer_list<char> shape, std::size_t bytes) {
  std::string out = {0, 0, type, static_cast<char>(shape.size())};
  for (const char extent : shape) out += std::string(3, '\0') + extent;
  for (std::size_t i = 0; i < bytes; ++i) out += static_cast<char>(i);
  return out;
}

}  // namespace

extern const std::vector<std::string> fuzz_seeds;
const std::vector<std::string> fuzz_seeds = {
    idx(0x08, {5}, 5),     idx(0x08, {2, 3, 4}, 24), idx(0x09, {3, 2}, 6),     idx(0x0B, {2, 2}, 8),
    idx(0x0C, {2, 2}, 16), idx(0x0D, {2, 2}, 16),    idx(0x0E, {1, 2, 1}, 16),
};

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string content(reinterpret_cast<const char*>(data), size);
  try {
    mercer::parse_idx(content, "fuzz.idx", {});
  } catch (const mercer::Error&) {
  }
  return 0;
}
