// IDX from hostile bytes.
#include <cstdint>
#include <string>
#include <vector>

#include "fuzz/target.hpp"
#include "io/readers.hpp"
#include "mercer/error.hpp"

namespace mercer::fuzz_idx {

namespace {

std::string idx(char type, std::initializer_list<char> shape, std::size_t bytes) {
  std::string out = {0, 0, type, static_cast<char>(shape.size())};
  for (const char extent : shape) out += std::string(3, '\0') + extent;
  for (std::size_t i = 0; i < bytes; ++i) out += static_cast<char>(i);
  return out;
}

std::vector<std::string> seeds() {
  return {
      idx(0x08, {5}, 5),     idx(0x08, {2, 3, 4}, 24), idx(0x09, {3, 2}, 6),     idx(0x0B, {2, 2}, 8),
      idx(0x0C, {2, 2}, 16), idx(0x0D, {2, 2}, 16),    idx(0x0E, {1, 2, 1}, 16),
  };
}

void run(const std::uint8_t* data, std::size_t size) {
  const std::string content(reinterpret_cast<const char*>(data), size);
  try {
    parse_idx(content, "fuzz.idx", {});
  } catch (const Error&) {
  }
}

[[maybe_unused]] const bool added = FuzzTarget::add({"idx", seeds, run});

}  // namespace

}  // namespace mercer::fuzz_idx
