#include "mercer/prior.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <vector>

#include "base/fail.hpp"
#include "base/text.hpp"

namespace mercer {

namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

const std::array<std::string, 4> kNames = {"lognormal", "gamma", "halfnormal",
                                           "normal"};  // in the order of Prior::Kind
constexpr std::string_view kForms =
    "lognormal(mu, sigma), gamma(shape, rate), halfnormal(sigma) or normal(mean, sigma)";

void require_above_zero(const std::string& prior, const char* what, double value) {
  if (!(value > 0) || std::isinf(value)) {
    fail(ErrorKind::usage, "prior: {} of {} must be a finite number above 0, not {}", what, prior, number(value));
  }
}

void require_finite(const std::string& prior, const char* what, double value) {
  if (std::isfinite(value)) return;
  fail(ErrorKind::usage, "prior: {} of {} must be a finite number, not {}", what, prior, number(value));
}

// What stands between `open` and a `close` that ends the text, or nothing.
std::optional<std::string_view> between(std::string_view text, char open, char close) {
  text = trim(text);
  if (text.size() < 2 || text.front() != open || text.back() != close) return std::nullopt;
  return text.substr(1, text.size() - 2);
}

// What follows a word at the start of the text, or nothing.
std::optional<std::string_view> after_word(std::string_view text, std::string_view word) {
  text = trim(text);
  if (!text.starts_with(word)) return std::nullopt;
  text.remove_prefix(word.size());
  if (!text.empty() && is_identifier(text.substr(0, 1))) return std::nullopt;  // a longer word
  return trim(text);
}

std::string bounds(const Learnable& p) { return fmt::format("[{}, {}]", number(p.lower), number(p.upper)); }

void read_range(std::string_view name, std::string_view text, Learnable& p) {
  const auto inside = between(text, '[', ']');
  const std::vector<std::string> ends = inside ? split(*inside, ',') : std::vector<std::string>{};
  const auto lower = ends.size() == 2 ? parse_number(ends[0]) : std::nullopt;
  const auto upper = ends.size() == 2 ? parse_number(ends[1]) : std::nullopt;
  if (!lower || !upper) {
    fail(ErrorKind::usage, "{}: a range is written in [lower, upper], such as in [0.01, 10], not in {}", name,
         trim(text));
  }
  p.lower = *lower;
  p.upper = *upper;
  if (!(p.lower >= 0) || !(p.upper > p.lower) || std::isinf(p.lower)) {
    fail(ErrorKind::usage, "{}: the range {} must begin at 0 or above and end higher", name, bounds(p));
  }
}

}  // namespace

Prior Prior::log_normal(double mu, double sigma) {
  require_finite("lognormal", "mu", mu);
  require_above_zero("lognormal", "sigma", sigma);
  return {Kind::log_normal, mu, sigma};
}

Prior Prior::gamma(double shape, double rate) {
  require_above_zero("gamma", "shape", shape);
  require_above_zero("gamma", "rate", rate);
  return {Kind::gamma, shape, rate};
}

Prior Prior::half_normal(double sigma) {
  require_above_zero("halfnormal", "sigma", sigma);
  return {Kind::half_normal, sigma, 0};
}

Prior Prior::normal(double mean, double sigma) {
  require_finite("normal", "mean", mean);
  require_above_zero("normal", "sigma", sigma);
  return {Kind::normal, mean, sigma};
}

Prior Prior::parse(std::string_view text) {
  const std::size_t open = text.find('(');
  const std::string name(trim(text.substr(0, open)));
  const auto known = std::find(kNames.begin(), kNames.end(), name);
  if (known == kNames.end()) {
    fail(ErrorKind::usage, "prior: \"{}\" is none; write {}{}", trim(text), kForms, did_you_mean(name, kNames));
  }
  const Kind kind = static_cast<Kind>(known - kNames.begin());
  const auto inside = open == std::string_view::npos ? std::nullopt : between(text.substr(open), '(', ')');
  std::vector<double> numbers;
  for (const std::string& piece : inside ? split(*inside, ',') : std::vector<std::string>{}) {
    if (const auto value = parse_number(piece)) numbers.push_back(*value);
  }
  const std::size_t wanted = kind == Kind::half_normal ? 1 : 2;
  if (!inside || numbers.size() != wanted || split(*inside, ',').size() != wanted) {
    fail(ErrorKind::usage, "prior: {} takes {}, not \"{}\"; write {}", name, wanted == 1 ? "one number" : "two numbers",
         trim(text), kForms);
  }
  switch (kind) {
    case Kind::log_normal: return log_normal(numbers[0], numbers[1]);
    case Kind::gamma: return gamma(numbers[0], numbers[1]);
    case Kind::normal: return normal(numbers[0], numbers[1]);
    default: return half_normal(numbers[0]);
  }
}

double Prior::log_density(double v) const {
  if (!(v > 0) && !of_any_sign()) return -kInfinity;
  switch (kind_) {
    case Kind::normal: {
      const double z = (v - a_) / b_;
      return -z * z / 2 - std::log(b_) - std::log(2 * std::numbers::pi) / 2;
    }
    case Kind::log_normal: {
      const double z = (std::log(v) - a_) / b_;
      return -z * z / 2 - std::log(v) - std::log(b_) - std::log(2 * std::numbers::pi) / 2;
    }
    case Kind::gamma: return (a_ - 1) * std::log(v) - b_ * v + a_ * std::log(b_) - std::lgamma(a_);
    default: return -v * v / (2 * a_ * a_) - std::log(a_) + std::log(2 / std::numbers::pi) / 2;
  }
}

double Prior::slope(double v) const {
  switch (kind_) {
    case Kind::log_normal: return -((std::log(v) - a_) / (b_ * b_) + 1) / v;
    case Kind::gamma: return (a_ - 1) / v - b_;
    case Kind::normal: return -(v - a_) / (b_ * b_);
    default: return -v / (a_ * a_);
  }
}

std::string Prior::str() const {
  const std::string& name = kNames[static_cast<std::size_t>(kind_)];
  if (kind_ == Kind::half_normal) return fmt::format("{}({})", name, number(a_));
  return fmt::format("{}({}, {})", name, number(a_), number(b_));
}

Learnable Learnable::parse(std::string_view name, std::string_view text) {
  const auto bad = [&]() {
    fail(ErrorKind::usage, "{}: \"{}\" is no number to learn; write 0.1, fixed(0.1), 0.3 in [0.01, 10] or auto", name,
         trim(text));
  };
  Learnable p;
  std::string_view start = trim(text);
  if (const auto rest = after_word(start, "fixed")) {
    const auto inside = between(*rest, '(', ')');
    if (!inside) bad();
    p.fixed = true;
    start = trim(*inside);
  } else if (const auto ends = after_word(start, "bounded")) {
    const auto inside = between(*ends, '(', ')');
    const std::size_t comma = inside ? inside->find(',') : std::string_view::npos;
    if (comma == std::string_view::npos) bad();
    read_range(name, "[" + std::string(inside->substr(comma + 1)) + "]", p);
    start = trim(inside->substr(0, comma));
  } else if (const std::size_t bracket = start.find('['); bracket != std::string_view::npos) {
    std::string_view before = trim(start.substr(0, bracket));
    if (!before.ends_with("in") || before.size() < 4) bad();
    read_range(name, start.substr(bracket), p);
    before.remove_suffix(2);
    if (trim(before).size() == before.size()) bad();  // 0.3in
    start = trim(before);
  }
  if (start == "auto" && !p.fixed) return p;
  p.value = parse_number(start);
  if (!p.value) bad();
  if (!(*p.value >= 0) || std::isinf(*p.value)) {
    fail(ErrorKind::usage, "{}: must be a finite number, 0 or above, not {}", name, number(*p.value));
  }
  if (*p.value < p.lower || *p.value > p.upper) {
    fail(ErrorKind::usage, "{}: the start {} lies outside its bounds {}; move one or the other", name, number(*p.value),
         bounds(p));
  }
  p.fixed = p.fixed || *p.value == 0;  // from where no logarithm leads away
  return p;
}

}  // namespace mercer
