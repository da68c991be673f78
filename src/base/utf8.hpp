// Characters of UTF-8.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace mercer {

struct Character {
  std::uint32_t number;
  std::size_t bytes;  // 0: what is here is no UTF-8
};

// The first character of a text, in its shortest form and not one half of a pair, as the standard has it.
Character first_character(std::string_view text);

}  // namespace mercer
