// Text to formula: recursive descent that writes the postfix program as it goes.
#include <algorithm>
#include <array>
#include <charconv>
#include <optional>
#include <string>
#include <utility>

#include "base/fail.hpp"
#include "base/text.hpp"
#include "check/program.hpp"

namespace mercer {

using checking::Function;
using checking::is_reduction;
using checking::Op;
using checking::OpCode;

namespace {

constexpr std::size_t longest_text = 1 << 16;
// Recursion is bounded by this, so that no text can overflow the stack.
constexpr int deepest_nesting = 200;
constexpr Index largest_component = 256;

constexpr std::array function_table = {
    Function{"sin", OpCode::sin, 1},      Function{"cos", OpCode::cos, 1},      Function{"tan", OpCode::tan, 1},
    Function{"asin", OpCode::asin, 1},    Function{"acos", OpCode::acos, 1},    Function{"atan", OpCode::atan, 1},
    Function{"sinh", OpCode::sinh, 1},    Function{"cosh", OpCode::cosh, 1},    Function{"tanh", OpCode::tanh, 1},
    Function{"exp", OpCode::exp, 1},      Function{"log", OpCode::log, 1},      Function{"log1p", OpCode::log1p, 1},
    Function{"sqrt", OpCode::sqrt, 1},    Function{"abs", OpCode::abs, 1},      Function{"sign", OpCode::sign, 1},
    Function{"floor", OpCode::floor, 1},  Function{"step", OpCode::step, 1},    Function{"min", OpCode::minimum, 2},
    Function{"max", OpCode::maximum, 2},  Function{"pow", OpCode::power, 2},    Function{"dot", OpCode::dot, 2},
    Function{"norm", OpCode::norm, 1},    Function{"norm1", OpCode::norm1, 1},  Function{"sum", OpCode::sum, 1},
    Function{"prod", OpCode::product, 1}, Function{"min", OpCode::smallest, 1}, Function{"max", OpCode::largest, 1},
};

bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }
bool is_function(std::string_view word) {
  return std::any_of(function_table.begin(), function_table.end(), [&](const Function& f) { return f.name == word; });
}

std::string suggestion(std::string_view word) {
  std::vector<std::string> names;
  for (const Function& f : function_table) names.emplace_back(f.name);
  return did_you_mean(word, names);
}

bool is_digit(char c) { return c >= '0' && c <= '9'; }

}  // namespace

std::span<const Function> checking::functions() { return function_table; }

class FormulaParser {
 public:
  static std::span<const Op> ops_of(const Formula& formula) { return formula.program_->ops; }

  explicit FormulaParser(std::string_view text) : text_(text) {
    if (text.size() > longest_text) {
      fail(ErrorKind::grammar, "column {}: a formula has at most {} characters, this one has {}", longest_text + 1,
           longest_text, text.size());
    }
  }

  Formula parse() {
    comparison();
    skip_space();
    if (at_ < text_.size()) expected_operator();
    if (shapes_.back() && program_.min_dimension > 1) {
      fail(ErrorKind::grammar,
           "column 1: expected a number as the value, found a point: x[{}] asks for vectors, but whole points remain; "
           "reduce them with dot, norm or sum",
           program_.min_dimension);
    }
    return Formula(std::make_shared<const Formula::Program>(std::move(program_)));
  }

 private:
  // ---- text ----

  void skip_space() {
    while (at_ < text_.size() &&
           (text_[at_] == ' ' || text_[at_] == '\t' || text_[at_] == '\n' || text_[at_] == '\r')) {
      ++at_;
    }
  }
  char peek() {
    skip_space();
    return at_ < text_.size() ? text_[at_] : '\0';
  }
  bool accept(std::string_view symbol) {
    skip_space();
    if (!text_.substr(at_).starts_with(symbol)) return false;
    at_ += symbol.size();
    return true;
  }
  // Characters, not bytes, so that the column is right after a "²".
  std::size_t column(std::size_t at) const {
    return 1 + static_cast<std::size_t>(std::count_if(text_.begin(), text_.begin() + static_cast<std::ptrdiff_t>(at),
                                                      [](char c) { return (c & 0xC0) != 0x80; }));
  }
  // The offending piece of text, fit for one line.
  std::string found() {
    skip_space();
    if (at_ >= text_.size()) return "the end";
    std::size_t end = at_ + 1;
    const auto lead = static_cast<unsigned char>(text_[at_]);
    bool whole = lead >= 0x20 && lead < 0x7F;  // fit to be shown as it is
    if (is_letter(text_[at_]) || is_digit(text_[at_])) {
      while (end < text_.size() && end - at_ < 20 && (is_letter(text_[end]) || is_digit(text_[end]))) ++end;
    } else if (lead >= 0xC2) {
      const std::size_t length = lead < 0xE0 ? 2 : lead < 0xF0 ? 3 : 4;
      while (end < text_.size() && end - at_ < length && (text_[end] & 0xC0) == 0x80) ++end;
      whole = end - at_ == length;
    }
    const std::string_view piece = text_.substr(at_, end - at_);
    std::string shown;
    for (const char c : piece) {
      shown += whole ? std::string(1, c) : fmt::format("\\x{:02x}", static_cast<unsigned char>(c));
    }
    return shown == "\"" ? "'\"'" : '"' + shown + '"';
  }
  [[noreturn]] void expected(std::string_view what) {
    const std::string f = found();
    fail(ErrorKind::grammar, "column {}: expected {}, found {}", column(at_), what, f);
  }
  [[noreturn]] void expected_operator() {
    const char c = peek();
    const bool operand = is_letter(c) || is_digit(c) || c == '(';
    const std::string f = found();
    fail(ErrorKind::grammar, "column {}: expected an operator{}, found {}{}", column(at_),
         nesting_ > 0 ? " or \")\"" : " or the end", f, operand ? "; for a product write *" : "");
  }

  // ---- program ----

  void leaf(Op op) {
    shapes_.push_back(op.point);
    program_.depth = std::max(program_.depth, static_cast<Index>(shapes_.size()));
    program_.ops.push_back(op);
  }
  void apply(OpCode code, int operands) {
    Op op{.code = code};
    op.right_point = shapes_.back();
    shapes_.pop_back();
    if (operands == 2) {
      op.left_point = shapes_.back();
      shapes_.pop_back();
    }
    op.point = !is_reduction(code) && (op.left_point || op.right_point);
    program_.reductions |= is_reduction(code);
    shapes_.push_back(op.point);
    program_.ops.push_back(op);
  }

  // ---- grammar ----

  struct Nested {
    FormulaParser& parser;
    explicit Nested(FormulaParser& p) : parser(p) {
      if (++parser.depth_ > deepest_nesting) {
        fail(ErrorKind::grammar, "column {}: expected at most {} levels of nesting, found more",
             parser.column(parser.at_), deepest_nesting);
      }
    }
    ~Nested() { --parser.depth_; }
  };

  void comparison() {
    sum();
    const auto comparison_sign = [this]() -> std::optional<OpCode> {
      if (accept("<=")) return OpCode::less_equal;
      if (accept(">=")) return OpCode::greater_equal;
      if (accept("<")) return OpCode::less;
      if (accept(">")) return OpCode::greater;
      return std::nullopt;
    };
    if (const auto code = comparison_sign()) {
      sum();
      apply(*code, 2);
      if (const char c = peek(); c == '<' || c == '>') {
        fail(ErrorKind::grammar, "column {}: comparisons do not chain; put one of them in parentheses", column(at_));
      }
    }
  }

  void sum() {
    product();
    while (true) {
      if (accept("+")) {
        product();
        apply(OpCode::add, 2);
      } else if (accept("-")) {
        product();
        apply(OpCode::subtract, 2);
      } else {
        return;
      }
    }
  }

  void product() {
    sign();
    while (true) {
      if (accept("**")) {
        at_ -= 2;
        fail(ErrorKind::grammar, "column {}: expected an operator, found \"**\"; a power is written ^", column(at_));
      }
      if (accept("*")) {
        sign();
        apply(OpCode::multiply, 2);
      } else if (accept("/")) {
        sign();
        apply(OpCode::divide, 2);
      } else {
        return;
      }
    }
  }

  void sign() {
    const Nested nested(*this);
    if (accept("-")) {
      sign();
      apply(OpCode::negate, 1);
    } else if (accept("+")) {
      sign();
    } else {
      primary();
      if (accept("^")) {
        sign();
        apply(OpCode::power, 2);
      }
    }
  }

  void primary() {
    const char c = peek();
    if (is_digit(c) || c == '.') {
      number();
    } else if (is_letter(c)) {
      name();
    } else if (accept("(")) {
      ++nesting_;
      comparison();
      close();
    } else {
      expected("a number, x, y, a function or \"(\"");
    }
  }

  void close() {
    if (!accept(")")) expected_operator();
    --nesting_;
  }

  void number() {
    double value = 0;
    const auto [end, error] = std::from_chars(text_.data() + at_, text_.data() + text_.size(), value);
    if (error == std::errc::result_out_of_range) {
      fail(ErrorKind::grammar, "column {}: expected a number between 1e-308 and 1e308, found {}", column(at_), found());
    }
    if (error != std::errc()) expected("a number");
    at_ = static_cast<std::size_t>(end - text_.data());
    leaf({.code = OpCode::number, .value = value});
  }

  void name() {
    const std::size_t begin = at_;
    while (at_ < text_.size() && (is_letter(text_[at_]) || is_digit(text_[at_]))) ++at_;
    const std::string_view word = text_.substr(begin, at_ - begin);
    if (word == "pi") return leaf({.code = OpCode::pi});
    if (word == "e") return leaf({.code = OpCode::e});
    if (word == "x" || word == "y") return point(word == "x");
    const bool call = peek() == '(';
    const bool known = is_function(word);
    if (known && call) return function(word, begin);
    if (known) {
      const std::string f = found();
      fail(ErrorKind::grammar, "column {}: expected \"(\" after the function {}, found {}", column(at_), word, f);
    }
    const std::string shown = quoted(word.substr(0, 40));
    if (call) {
      fail(ErrorKind::grammar, "column {}: unknown function {}{}", column(begin), shown, suggestion(word));
    }
    const bool component = (word[0] == 'x' || word[0] == 'y') && std::all_of(word.begin() + 1, word.end(), is_digit);
    fail(ErrorKind::grammar, "column {}: unknown name {}; {}", column(begin), shown,
         component ? fmt::format("a component is written {}[{}]", word[0], word.substr(1, 40))
                   : "the points are x and y, the constants pi and e");
  }

  void point(bool is_x) {
    if (!accept("[")) return leaf({.code = is_x ? OpCode::x : OpCode::y, .point = true});
    skip_space();
    const std::size_t begin = at_;
    Index component = 0;
    const auto [end, error] = std::from_chars(text_.data() + at_, text_.data() + text_.size(), component);
    if (error != std::errc() || component < 1 || component > largest_component) {
      expected(fmt::format("a component from 1 to {}", largest_component));
    }
    at_ = static_cast<std::size_t>(end - text_.data());
    if (at_ < text_.size() && text_[at_] == '.') {
      at_ = begin;
      expected("a whole number and \"]\"");
    }
    if (!accept("]")) expected("\"]\"");
    program_.min_dimension = std::max(program_.min_dimension, component);
    program_.components = true;
    leaf({.code = is_x ? OpCode::x_component : OpCode::y_component, .component = component - 1});
  }

  void function(std::string_view word, std::size_t begin) {
    accept("(");
    ++nesting_;
    int given = 0;
    do {
      comparison();
      ++given;
    } while (accept(","));
    close();
    const Function* match = nullptr;
    std::string arities;
    for (const Function& f : function_table) {
      if (f.name != word) continue;
      if (f.operands == given) match = &f;
      arities = arities.empty() ? std::to_string(f.operands) : "1 or 2";
    }
    if (match == nullptr) {
      fail(ErrorKind::grammar, "column {}: expected {} argument{} of {}, found {}", column(begin), arities,
           arities == "1" ? "" : "s", word, given);
    }
    // dot(2, x) could mean 2*sum(x) or 2*x[1]: refuse rather than guess.
    if (match->code == OpCode::dot && shapes_[shapes_.size() - 1] != shapes_[shapes_.size() - 2]) {
      fail(ErrorKind::grammar,
           "column {}: expected two points in dot, found a point and a number; for a multiple write *", column(begin));
    }
    apply(match->code, given);
  }

  std::string_view text_;
  std::size_t at_ = 0;
  int depth_ = 0;             // of the recursion
  int nesting_ = 0;           // open parentheses
  std::vector<bool> shapes_;  // of the values alive: is it a point?
  Formula::Program program_;
};

Formula Formula::parse(std::string_view text) { return FormulaParser(text).parse(); }

std::span<const Op> checking::ops_of(const Formula& formula) { return FormulaParser::ops_of(formula); }

}  // namespace mercer
