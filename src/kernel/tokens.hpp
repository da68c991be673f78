// The words, numbers and signs of a text in the grammar, one after the other; space between them means nothing.
// What is not as it must be throws GrammarError with the column.
#pragma once

#include <string>
#include <string_view>

#include "base/fail.hpp"

namespace mercer::detail {

class Tokens {
 protected:
  explicit Tokens(std::string_view text) : text_(text) {}

  std::size_t skip_space();
  bool at_end() { return skip_space() == text_.size(); }
  char peek() { return at_end() ? '\0' : text_[position_]; }
  bool take(char c);
  bool take_word(std::string_view word);
  void need(char c, const std::string& why);
  bool starts_number();
  double literal(const std::string& what);
  std::string identifier(const std::string& what);
  std::string quoted_text(const std::string& what);

  template <class... Args>
  [[noreturn]] void error(fmt::format_string<Args...> text, Args&&... args) {
    fail(ErrorKind::grammar, "column {}: {}", position_ + 1, fmt::format(text, std::forward<Args>(args)...));
  }
  [[noreturn]] void expected(const std::string& what);

  std::string_view text_;
  std::size_t position_ = 0;
};

}  // namespace mercer::detail
