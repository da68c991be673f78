// What parsers of text files share: numbers, missing values, pieces of the file for messages.
#pragma once

#include <charconv>
#include <cmath>
#include <string>
#include <string_view>

namespace mercer {

// std::from_chars refuses numbers too small for a double as it does those too large; the small ones are zero.
bool take_tiny_number(const char* at, const char* end, double& value);

// Reads a finite number at `at`, a leading + allowed. Returns the place after it, or `at` if there is none.
inline const char* take_number(const char* at, const char* end, double& value) {
  const char* const start = at != end && *at == '+' && at + 1 != end && at[1] != '-' ? at + 1 : at;
  const auto [next, error] = std::from_chars(start, end, value);
  if (error == std::errc::result_out_of_range) return take_tiny_number(start, next, value) ? next : at;
  return error == std::errc() && std::isfinite(value) ? next : at;
}

// A piece of the file to put into a one-line message: in quotes, not too long, without control characters.
std::string shown(std::string_view text);

// Nothing, or a word for it: NA, NaN, null, ?
bool is_missing(std::string_view text);

// Throws unless the content can be a text file.
void require_text(std::string_view text, const std::string& name);

}  // namespace mercer
