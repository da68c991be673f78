// IDX: two zero bytes, a type, the number of dimensions, the dimensions as 32-bit integers, the values; big-endian.
#include <algorithm>
#include <bit>
#include <cstdint>
#include <cstring>
#include <vector>

#include "base/fail.hpp"
#include "io/readers.hpp"

namespace mercer {

namespace {

template <class T>
T big_endian(const char* at) {
  char bytes[sizeof(T)];
  std::memcpy(bytes, at, sizeof(T));
  if constexpr (std::endian::native == std::endian::little) std::reverse(bytes, bytes + sizeof(T));
  T value;
  std::memcpy(&value, bytes, sizeof(T));
  return value;
}

// Values of type From, stored as Real: the smaller of float and double that holds them exactly.
template <class From, class Real>
Dataset convert(const char* at, Index rows, Index cols, const std::string& name, const ReadOptions& options) {
  auto values = std::make_shared<std::vector<Real>>(static_cast<std::size_t>(rows * cols));
  for (Real& value : *values) {
    value = static_cast<Real>(big_endian<From>(at));
    at += sizeof(From);
  }
  return dense_dataset(BasicMatrixView<const Real>(values->data(), rows, cols), values, name, options);
}

std::size_t size_of(unsigned type) {
  switch (type) {
    case 0x08:
    case 0x09: return 1;
    case 0x0B: return 2;
    case 0x0C:
    case 0x0D: return 4;
    case 0x0E: return 8;
    default: return 0;
  }
}

}  // namespace

Dataset parse_idx(std::string_view text, const std::string& name, const ReadOptions& options) {
  if (text.size() < 4) fail(ErrorKind::file, "{}: truncated: {} bytes are too few for an IDX file", name, text.size());
  const auto type = static_cast<unsigned char>(text[2]);
  const auto dimensions = static_cast<unsigned char>(text[3]);
  const std::size_t width = size_of(type);
  if (text[0] != 0 || text[1] != 0 || width == 0 || dimensions == 0) {
    fail(ErrorKind::file, "{}: not an IDX file: it starts with bytes {:02x} {:02x} {:02x} {:02x}; check its format",
         name, static_cast<unsigned char>(text[0]), static_cast<unsigned char>(text[1]), type, dimensions);
  }
  const std::size_t header = 4 + 4 * std::size_t{dimensions};
  if (text.size() < header) {
    fail(ErrorKind::file, "{}: truncated: its header takes {} bytes, the file has {}; fetch it again", name, header,
         text.size());
  }
  // The product is only followed while it is within the file, so it cannot overflow.
  std::size_t cells = 1;
  bool too_large = false;
  Index rows = 0;
  Index cols = 1;
  for (std::size_t d = 0; d < dimensions; ++d) {
    const auto extent = big_endian<std::uint32_t>(text.data() + 4 + 4 * d);
    if (extent == 0) fail(ErrorKind::data, "{}: dimension {} is 0: the file holds no values", name, d + 1);
    too_large = too_large || extent > text.size() / cells;
    if (!too_large) cells *= extent;
    if (d == 0) {
      rows = extent;
    } else if (!too_large) {
      cols *= extent;
    }
  }
  if (too_large || cells > (text.size() - header) / width) {
    fail(ErrorKind::file, "{}: truncated: its header promises {} bytes, the file has {}; fetch it again", name,
         too_large ? "more than " + std::to_string(text.size()) : std::to_string(header + cells * width), text.size());
  }
  if (header + cells * width != text.size()) {
    fail(ErrorKind::file, "{}: {} bytes expected from its header, {} found; fetch it again", name,
         header + cells * width, text.size());
  }
  const char* const at = text.data() + header;
  switch (type) {
    case 0x08: return convert<std::uint8_t, float>(at, rows, cols, name, options);
    case 0x09: return convert<std::int8_t, float>(at, rows, cols, name, options);
    case 0x0B: return convert<std::int16_t, float>(at, rows, cols, name, options);
    case 0x0C: return convert<std::int32_t, double>(at, rows, cols, name, options);
    case 0x0D: return convert<float, float>(at, rows, cols, name, options);
    default: return convert<double, double>(at, rows, cols, name, options);
  }
}

}  // namespace mercer
