// The grammar:
//     expression := term ('+' term)*
//     term       := factor ('*' factor)*
//     factor     := primary ['^' integer]
//     primary    := number | 'fixed(' number ')' | '(' number 'in' range ')' | call | '(' expression ')'
//     call       := name '(' [argument (',' argument)*] ')'
//     argument   := [name '='] value;  what a value looks like is the catalog's to say
//     number arguments: 0.5, [1, 2, 4], auto, [auto], fixed(2), 0.3 in [0.01, 10]
#include <cmath>
#include <optional>

#include "base/fail.hpp"
#include "base/text.hpp"
#include "kernel/build.hpp"
#include "kernel/tokens.hpp"
#include "mercer/kernels.hpp"

namespace mercer {

namespace detail {

namespace {

constexpr int kDeepest = 200;

class Parser : private Tokens {
 public:
  explicit Parser(std::string_view text) : Tokens(text) {}

  Kernel whole() {
    skip_space();
    if (at_end()) fail(ErrorKind::grammar, "an empty text; write a kernel such as rbf(ell=1)");
    Kernel k = expression();
    if (!at_end()) {
      refuse_difference();
      expected("+, *, ^ or the end");
    }
    return k;
  }

 private:
  // A number standing where a kernel could: a constant, or a scale of what it is multiplied with.
  struct Factor {
    std::optional<Kernel> kernel;
    Param number;
  };

  // ---- expressions ----

  Kernel expression() {
    if (++depth_ > kDeepest) error("more than {} levels of parentheses", kDeepest);
    Kernel k = term();
    while (take('+')) {
      const Kernel next = term();
      k = located([&] { return sum(k, next); });
    }
    refuse_difference();
    --depth_;
    return k;
  }

  Kernel term() {
    std::vector<Param> numbers;
    std::optional<Kernel> k;
    do {
      Factor next = factor();
      if (!next.kernel) {
        numbers.push_back(next.number);
      } else {
        k = k ? located([&] { return product(*k, *next.kernel); }) : *next.kernel;
      }
    } while (take('*'));
    if (!k) {
      Param c = numbers.back();
      c.name = "c";
      for (std::size_t i = 0; i + 1 < numbers.size(); ++i) c.values.front() *= numbers[i].values.front();
      return located([&] { return axiom("const", {c}); });
    }
    for (std::size_t i = numbers.size(); i-- > 0;) k = located([&] { return scale(numbers[i], *k); });
    return *k;
  }

  Factor factor() {
    Factor base = primary();
    if (!take('^')) return base;
    const std::size_t where = position_;
    const double degree = literal("a whole number");
    if (!base.kernel) {
      base.number.values.front() = std::pow(base.number.values.front(), degree);
      return base;
    }
    if (degree != std::floor(degree) || degree < 1) {
      position_ = where;
      error("{} is not a power that keeps a kernel one; it must be a whole number >= 1", number(degree));
    }
    base.kernel = located([&] { return rule("power", *base.kernel, {}, {degree}); });
    return base;
  }

  Factor primary() {
    if (peek() == '(') {
      const std::size_t start = position_;
      take('(');
      if (starts_number()) {
        Param c = scale_param(literal("a number"));
        if (take_word("in")) {
          range(c, nullptr);
          need(')', "after the range");
          return {std::nullopt, c};
        }
        position_ = start;
        take('(');
      }
      const Kernel k = expression();
      need(')', "to close the parenthesis");
      return {k, {}};
    }
    if (peek() == '-') {
      error("a minus sign; a kernel times a number < 0 is not a kernel: use numbers >= 0");
    }
    if (starts_number()) return {std::nullopt, scale_param(literal("a number"))};
    const std::size_t start = position_;
    const std::string name = identifier("a kernel, such as rbf(ell=1), or a number");
    if (name == "fixed" && peek() == '(') {
      take('(');
      Param c = scale_param(literal("a number"));
      c.fixed = true;
      need(')', "after fixed(" + number(c.values.front()));
      return {std::nullopt, c};
    }
    if (name == "bounded" && peek() == '(') {
      take('(');
      Param c = scale_param(literal("a number"));
      need(',', "before the ends of bounded(");
      ends(c, nullptr);
      need(')', "to close bounded(");
      return {std::nullopt, c};
    }
    return {call(name, start), {}};
  }

  // ---- calls ----

  Kernel call(const std::string& name, std::size_t start) {
    const Entry* entry = find_entry(name);
    const bool infix = name == "sum" || name == "product" || name == "scale" || name == "power";
    if (entry == nullptr || infix) {
      position_ = start;
      if (name == "x" || name == "y") error("{} is not a kernel; formulas in x and y are for `mercer check`", name);
      error("no kernel or rule is called \"{}\"{}", name, did_you_mean(name, call_names()));
    }
    const std::size_t count = entry->args.size();
    std::vector<std::optional<Param>> params(count);
    std::vector<std::optional<Option>> options(count);
    std::vector<std::optional<Kernel>> premises(count);
    need('(', "after " + name);
    const auto filled = [&](std::size_t a) { return params[a] || options[a] || premises[a]; };
    if (peek() != ')') {
      do {
        const std::size_t where = skip_space();
        double (*convert)(double) = nullptr;
        const std::size_t a = which_argument(*entry, filled, convert);
        if (filled(a)) {
          position_ = where;
          error("{}() has its {} already", name, entry->args[a].name);
        }
        const Arg& arg = entry->args[a];
        if (arg.is_param()) {
          params[a] = param_value(*entry, arg, convert);
        } else if (arg.kind == ArgKind::kernel) {
          premises[a] = expression();
        } else {
          options[a] = option_value(*entry, arg);
        }
      } while (take(','));
    }
    need(')', fmt::format("or , after an argument of {}()", name));

    std::vector<Param> all_params;
    std::vector<Option> all_options;
    std::vector<NodePtr> children;
    for (std::size_t a = 0; a < count; ++a) {
      const Arg& arg = entry->args[a];
      if (!filled(a) && arg.required()) {
        position_ = start;
        error("{}() needs {}; its form is {}", name, arg.name == "k" ? "a kernel" : arg.name, signature_of(name));
      }
      if (arg.is_param()) {
        all_params.push_back(params[a] ? *params[a] : plain(arg, arg.fallback));
      } else if (arg.kind == ArgKind::kernel) {
        if (premises[a]) children.push_back(premises[a]->share());
      } else if (arg.kind == ArgKind::word) {
        all_options.push_back(options[a] ? *options[a] : Option(arg.words.front()));
      } else {
        all_options.push_back(options[a] ? *options[a] : Option(arg.fallback));
      }
    }
    const std::size_t end = position_;
    position_ = start;
    Kernel k = located([&] {
      return TrustedCore::theorem(*entry, std::move(all_params), std::move(all_options), std::move(children));
    });
    position_ = end;
    return k;
  }

  // The argument that comes next: the named one, or the first not yet given.
  template <class Filled>
  std::size_t which_argument(const Entry& entry, Filled filled, double (*&convert)(double)) {
    const std::size_t start = position_;
    if (!at_end() && (std::isalpha(static_cast<unsigned char>(text_[position_])) != 0 || text_[position_] == '_')) {
      const std::string name = identifier("an argument");
      if (take('=')) {
        std::vector<std::string> known;
        for (std::size_t a = 0; a < entry.args.size(); ++a) {
          if (entry.args[a].name == name) return a;
          known.push_back(entry.args[a].name);
          for (const Alias& alias : entry.args[a].aliases) {
            if (alias.name == name) {
              convert = alias.to_value;
              return a;
            }
            known.push_back(alias.name);
          }
        }
        position_ = start;
        error("{}() has no argument \"{}\"; its form is {}{}", entry.name, name, signature_of(entry.name),
              did_you_mean(name, known));
      }
      position_ = start;
    }
    for (std::size_t a = 0; a < entry.args.size(); ++a) {
      if (!filled(a)) return a;
    }
    error("{}() takes no more arguments; its form is {}", entry.name, signature_of(entry.name));
  }

  // ---- values ----

  Param param_value(const Entry& entry, const Arg& arg, double (*convert)(double)) {
    Param p = plain(arg, std::isnan(arg.fallback) ? 1.0 : arg.fallback);
    const std::size_t start = skip_space();
    const bool fixed = take_word("fixed"), bounded = !fixed && take_word("bounded");
    if (fixed || bounded) need('(', fixed ? "after fixed" : "after bounded");
    if (take_word("auto")) {
      p.automatic = true;
    } else if (peek() == '[') {
      if (arg.kind == ArgKind::real) error("{}() takes one number for {}, not a list", entry.name, arg.name);
      p.list = true;
      take('[');
      p.values.clear();
      if (take_word("auto")) {
        p.automatic = true;
        p.values = {1.0};
      } else if (peek() != ']') {
        do list_element(p, arg, convert);
        while (take(','));
      }
      need(']', "to close the list");
    } else {
      if (arg.kind == ArgKind::coefficients) error("{}() takes a list for {}, such as [1, 0, 2]", entry.name, arg.name);
      p.values = {literal(fmt::format("a number for {} of {}()", arg.name, entry.name))};
    }
    if (convert != nullptr && !p.automatic) {
      for (double& value : p.values) {
        if (!(value > 0)) {
          position_ = start;
          error("{}(): {} must be > 0", entry.name, number(value));
        }
        value = convert(value);
      }
    }
    if (fixed) {
      need(')', "after fixed(...");
      p.fixed = true;
    } else if (bounded) {
      need(',', "before the ends of bounded(");
      ends(p, convert);
      need(')', "to close bounded(");
    } else if (take_word("in")) {
      range(p, convert);
    }
    return p;
  }

  // A number, or bounded(0.3, 0.01, 10); ends are those of the list.
  void list_element(Param& p, const Arg& arg, double (*convert)(double)) {
    const std::size_t start = skip_space();
    Param own = plain(arg, 1);
    const bool bounded = take_word("bounded");
    if (bounded) need('(', "after bounded");
    p.values.push_back(literal("a number"));
    if (bounded) {
      need(',', "before the ends of bounded(");
      ends(own, convert);
      need(')', "to close bounded(");
    }
    if (p.values.size() == 1) {
      p.lower = own.lower;
      p.upper = own.upper;
    } else if (own.lower != p.lower || own.upper != p.upper) {
      position_ = start;
      error("the numbers of a list have one pair of ends: {}=bounded([0.3, 1], 0.01, 10), or the same ends at each",
            arg.name);
    }
  }

  void range(Param& p, double (*convert)(double)) {
    need('[', "to start the range");
    ends(p, convert);
    need(']', "to close the range");
  }

  void ends(Param& p, double (*convert)(double)) {
    p.lower = take_word("-inf") ? -std::numeric_limits<double>::infinity() : literal("the lower end of the range");
    need(',', "between the ends of the range");
    p.upper = take_word("inf") ? std::numeric_limits<double>::infinity() : literal("the upper end of the range");
    if (convert == nullptr) return;
    p.lower = convert(p.lower);
    p.upper = convert(p.upper);
    if (p.lower > p.upper) std::swap(p.lower, p.upper);
  }

  Option option_value(const Entry& entry, const Arg& arg) {
    switch (arg.kind) {
      case ArgKind::integer:
      case ArgKind::number:
      case ArgKind::choice: return literal(fmt::format("a number for {} of {}()", arg.name, entry.name));
      case ArgKind::word: return identifier(fmt::format("one of {}", fmt::join(arg.words, ", ")));
      case ArgKind::matrix: return matrix();
      case ArgKind::columns: return columns();
      case ArgKind::map: return map(entry);
      case ArgKind::weight: return NamedWeight{identifier("the name of a weight"), nullptr};
      case ArgKind::similarity: return similarity();
      default: return quoted_text("a reason in quotes");
    }
  }

  Option map(const Entry& entry) {
    const std::size_t start = skip_space();
    const std::string name = identifier("the name of a map");
    if (entry.name == "features") {
      position_ = start;
      error("features({}) comes from C++ or Python and cannot be read from text", name);
    }
    return NamedMap{name, nullptr};
  }

  Option matrix() {
    std::vector<Vector> rows;
    need('[', "to start a matrix such as [[2, 1], [1, 2]]");
    do {
      need('[', "to start a row of the matrix");
      Vector row;
      do row.push_back(literal("a number"));
      while (take(','));
      need(']', "to close the row");
      if (!rows.empty() && row.size() != rows.front().size()) {
        error("a row of {} numbers after one of {}", row.size(), rows.front().size());
      }
      rows.push_back(std::move(row));
    } while (take(','));
    need(']', "to close the matrix");
    Matrix out(static_cast<Index>(rows.size()), static_cast<Index>(rows.front().size()));
    for (std::size_t i = 0; i < rows.size(); ++i)
      std::copy(rows[i].begin(), rows[i].end(), out.row(static_cast<Index>(i)));
    return out;
  }

  Option columns() {
    std::vector<Columns::Item> items;
    const bool list = take('[');
    do {
      const Columns::Name first = column();
      items.push_back({first, take(':') ? column() : first});
    } while (list && take(','));
    if (list) need(']', "to close the list of columns");
    return Columns(std::move(items));
  }

  // on(my col, ...), on(sepal-length, ...), on(height (cm), ...)
  void refuse_unquoted(std::size_t start) {
    const bool call = position_ < text_.size() && text_[position_] == '(';
    if (call || at_end() || std::string_view(",:])").find(peek()) != std::string_view::npos) return;
    const std::size_t stop = std::min(text_.find_first_of(",:]", position_), text_.size());
    const std::string name(trim(text_.substr(start, stop - start)));
    position_ = start;
    error("{} is no plain name; put it in quotes: on({}, ...)", name, quoted(name));
  }

  Columns::Name column() {
    if (peek() == '"') return quoted_text("a column");
    const std::size_t start = skip_space();
    if (!starts_number()) {
      std::string name = identifier("a column name or number (other names in quotes)");
      refuse_unquoted(start);
      return name;
    }
    const double value = literal("a column number");
    if (value != std::floor(value) || value < 1 || value > 1e9) {
      position_ = start;
      error("there is no column {}; columns are counted from 1", number(value));
    }
    refuse_unquoted(start);
    return static_cast<Index>(value);
  }

  // A formula runs to the comma or parenthesis that ends the argument.
  Option similarity() {
    const std::size_t start = skip_space();
    int open = 0;
    while (position_ < text_.size() && (open > 0 || (text_[position_] != ',' && text_[position_] != ')'))) {
      open += text_[position_] == '(' || text_[position_] == '[';
      open -= text_[position_] == ')' || text_[position_] == ']';
      ++position_;
    }
    const std::string formula(text_.substr(start, position_ - start));
    const std::size_t end = position_;
    position_ = start;
    Option out = located([&] { return Similarity::formula(formula); });
    position_ = end;
    return out;
  }

  // ---- errors ----

  void refuse_difference() {
    if (peek() != '-') return;
    error("a difference of kernels need not be a kernel; write a sum, or assume_psd(FORMULA, \"reason\")");
  }
  // Runs a rule; if its side condition fails, the error also says where in the text.
  template <class Make>
  auto located(Make make) -> decltype(make()) {
    try {
      return make();
    } catch (const Error& e) {
      if (e.kind() != ErrorKind::kernel && e.kind() != ErrorKind::grammar) throw;
      const std::string message = e.message();
      if (message.starts_with("column ")) {
        if (e.kind() == ErrorKind::kernel || position_ == 0) throw;
        throw Error(e.kind(), fmt::format("column {}, inside: {}", position_ + 1, message));
      }
      throw Error(e.kind(), fmt::format("column {}: {}", position_ + 1, message));
    }
  }

  static std::vector<std::string> call_names() {
    std::vector<std::string> names;
    for (const Entry& entry : entries()) {
      if (entry.name != "sum" && entry.name != "product" && entry.name != "scale" && entry.name != "power") {
        names.push_back(entry.name);
      }
    }
    return names;
  }
  static std::string signature_of(std::string_view name) {
    for (const CatalogRow& row : catalog()) {
      if (row.name == name) return row.signature;
    }
    return std::string(name);
  }

  int depth_ = 0;
};

}  // namespace

}  // namespace detail

Kernel parse(std::string_view text) { return detail::Parser(text).whole(); }

}  // namespace mercer
