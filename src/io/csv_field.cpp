#include "io/csv_field.hpp"

#include "base/text.hpp"

namespace mercer {

std::string csv_field(const std::string& text) {
  const bool plain = text.find_first_of(",;|\t\"\r\n") == text.npos && trim(text).size() == text.size();
  if (plain && !text.empty()) return text;
  std::string out = "\"";
  for (const char c : text) out.append(c == '"' ? 2 : 1, c);
  return out + '"';
}

}  // namespace mercer
