#include "base/utf8.hpp"

namespace mercer {

Character first_character(std::string_view text) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned lead = byte(0);
  if (lead < 0x80) return {lead, 1};
  const std::size_t bytes = lead >= 0xF0 ? 4 : lead >= 0xE0 ? 3 : 2;
  if (lead < 0xC2 || lead > 0xF4 || text.size() < bytes) return {0, 0};
  std::uint32_t number = lead & (0x7FU >> bytes);
  for (std::size_t i = 1; i < bytes; ++i) {
    if ((byte(i) & 0xC0U) != 0x80) return {0, 0};
    number = number << 6 | (byte(i) & 0x3FU);
  }
  const std::uint32_t least = bytes == 4 ? 0x10000 : bytes == 3 ? 0x800 : 0x80;
  const bool half = number >= 0xD800 && number < 0xE000;
  return {number, number < least || number > 0x10FFFF || half ? 0 : bytes};
}

}  // namespace mercer
