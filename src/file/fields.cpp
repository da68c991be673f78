#include "file/fields.hpp"

#include <algorithm>
#include <cstdlib>

#include "base/fail.hpp"
#include "base/text.hpp"

namespace mercer {

std::string shown(std::string_view text) {
  constexpr std::size_t most = 40;
  std::size_t length = std::min(text.size(), most);
  // Not in the middle of a UTF-8 character.
  while (length > 0 && length < text.size() && (static_cast<unsigned char>(text[length]) & 0xC0) == 0x80) --length;
  std::string out(text.substr(0, length));
  for (char& c : out) {
    if (static_cast<unsigned char>(c) < 0x20 || c == 0x7F) c = ' ';
  }
  return quoted(length < text.size() ? out + "..." : out);
}

bool is_missing(std::string_view text) {
  constexpr std::string_view words[] = {"", "NA", "N/A", "NaN", "nan", "NAN", "null", "NULL", "?"};
  return std::find(std::begin(words), std::end(words), trim(text)) != std::end(words);
}

bool take_tiny_number(const char* at, const char* end, double& value) {
  value = std::strtod(std::string(at, end).c_str(), nullptr);
  return std::abs(value) < 1;
}

void require_text(std::string_view text, const std::string& name) {
  const std::size_t zero = text.find('\0');
  if (zero != std::string_view::npos) {
    fail(ErrorKind::data, "{}: not a text file (byte {} is zero); save it as UTF-8 text, or name its format", name,
         zero + 1);
  }
  if (text.find('\n') == std::string_view::npos &&
      text.substr(0, text.size() - !text.empty()).find('\r') != text.npos) {
    fail(ErrorKind::data, "{}: lines end in a carriage return alone; convert them to newlines", name);
  }
}

}  // namespace mercer
