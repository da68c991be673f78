#include "kernel/tokens.hpp"

#include <cctype>
#include <charconv>

#include "base/text.hpp"

namespace mercer::detail {

std::size_t Tokens::skip_space() {
  while (position_ < text_.size() && std::isspace(static_cast<unsigned char>(text_[position_])) != 0) ++position_;
  return position_;
}

bool Tokens::take(char c) {
  if (peek() != c || at_end()) return false;
  ++position_;
  return true;
}

bool Tokens::take_word(std::string_view word) {
  skip_space();
  const std::string_view rest = text_.substr(position_);
  if (!rest.starts_with(word)) return false;
  if (rest.size() > word.size() &&
      (std::isalnum(static_cast<unsigned char>(rest[word.size()])) != 0 || rest[word.size()] == '_')) {
    return false;
  }
  position_ += word.size();
  return true;
}

void Tokens::need(char c, const std::string& why) {
  if (!take(c)) expected(fmt::format("{} {}", c, why));
}

bool Tokens::starts_number() {
  const char c = peek();
  if (std::isdigit(static_cast<unsigned char>(c)) != 0) return true;
  return c == '.' && position_ + 1 < text_.size() &&
         std::isdigit(static_cast<unsigned char>(text_[position_ + 1])) != 0;
}

double Tokens::literal(const std::string& what) {
  skip_space();
  const char* first = text_.data() + position_;
  const char* last = text_.data() + text_.size();
  const bool signed_number = first != last && (*first == '-' || *first == '+');
  double value = 0;
  const auto [end, code] = std::from_chars(first + (first != last && *first == '+' ? 1 : 0), last, value);
  const char* letter = first + (signed_number ? 1 : 0);
  const bool word = letter < last && std::isalpha(static_cast<unsigned char>(*letter)) != 0;
  if (code == std::errc::invalid_argument || word) expected(what);
  if (code != std::errc()) error("a number too large or too small for double precision");
  position_ = static_cast<std::size_t>(end - text_.data());
  return value;
}

std::string Tokens::identifier(const std::string& what) {
  const std::size_t start = skip_space();
  const auto letter = [&](char c) { return is_identifier(std::string_view(&c, 1)); };
  const auto inner = [&](char c) { return letter(c) || c == '.' || std::isdigit(static_cast<unsigned char>(c)) != 0; };
  if (start < text_.size() && letter(text_[start])) ++position_;
  while (position_ > start && position_ < text_.size() && inner(text_[position_])) ++position_;
  if (position_ == start) expected(what);
  return std::string(text_.substr(start, position_ - start));
}

std::string Tokens::quoted_text(const std::string& what) {
  if (!take('"')) expected(what);
  std::string out;
  while (position_ < text_.size() && text_[position_] != '"') {
    if (text_[position_] == '\\' && position_ + 1 < text_.size()) ++position_;
    out += text_[position_++];
  }
  if (!take('"')) error("a text in quotes that does not end");
  return out;
}

void Tokens::expected(const std::string& what) {
  skip_space();
  error("expected {}, found {}", what, position_ == text_.size() ? "the end" : quoted(text_.substr(position_, 12)));
}

}  // namespace mercer::detail
