// What a check has to say, for people and for programs.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/json.hpp"
#include "base/text.hpp"
#include "check/suspect.hpp"
#include "mercer/check.hpp"

namespace mercer {

namespace {

using checking::row;

std::string point_text(VectorView x) {
  if (x.size() == 1) return number(x[0]);
  std::string text = "(";
  for (const double v : x) text += (text.size() > 1 ? ", " : "") + number(v);
  return text + ")";
}

// The sign of a NaN means nothing.
std::string digits(double value, int count) { return std::isnan(value) ? "nan" : fmt::format("{:.{}g}", value, count); }

// Enough digits that a reader who copies the printed matrix finds the value with its sign.
int gram_digits(const Counterexample& found) {
  for (int count = 6; count < 17; ++count) {
    double value = 0;
    for (Index i = 0; i < found.gram.rows(); ++i) {
      for (Index j = 0; j < found.gram.cols(); ++j) {
        value += found.weights[i] * found.weights[j] * *parse_number(digits(found.gram(i, j), count));
      }
    }
    if (std::abs(value - found.value) < 0.01 * std::abs(found.value)) return count;
  }
  return 17;
}

// Columns aligned to the right, each line led by three spaces.
std::string as_table(const std::vector<std::vector<std::string>>& rows) {
  std::vector<std::size_t> widths;
  for (const auto& cells : rows) {
    widths.resize(std::max(widths.size(), cells.size()));
    for (std::size_t j = 0; j < cells.size(); ++j) widths[j] = std::max(widths[j], cells[j].size());
  }
  std::string text;
  for (const auto& cells : rows) {
    text += "\n ";
    for (std::size_t j = 0; j < cells.size(); ++j) text += fmt::format("  {:>{}}", cells[j], widths[j]);
  }
  return text;
}

std::string indefinite_text(const Counterexample& found) {
  const Index n = found.points.rows(), d = found.points.cols();
  const std::string value = digits(found.value, 4);
  if (n == 1) {
    return fmt::format("at x = {}, k(x, x) = {} < 0", point_text(row(found.points, 0)), digits(found.gram(0, 0), 4));
  }
  std::string text = fmt::format("with these {} points and weights c, sum_ij c_i c_j k(x_i, x_j) = {} < 0", n, value);
  std::vector<std::vector<std::string>> rows(1);
  for (Index j = 0; j < d; ++j) rows[0].push_back(d == 1 ? "x" : fmt::format("x[{}]", j + 1));
  rows[0].emplace_back("c");
  for (Index i = 0; i < n; ++i) {
    rows.emplace_back();
    for (Index j = 0; j < d; ++j) rows.back().push_back(number(found.points(i, j)));
    rows.back().push_back(number(found.weights[i]));
  }
  text += as_table(rows);
  if (n > 12) return text + fmt::format("\n   k(x_i, x_j): {} x {} numbers, in the JSON form of this report", n, n);
  const int count = gram_digits(found);
  rows.clear();
  for (Index i = 0; i < n; ++i) {
    rows.emplace_back();
    for (Index j = 0; j < n; ++j) rows.back().push_back(digits(found.gram(i, j), count));
  }
  return text + "\n   k(x_i, x_j):" + as_table(rows);
}

std::string inputs_text(Inputs inputs) {
  switch (inputs) {
    case Inputs::nonnegative: return "nonnegative inputs";
    case Inputs::unit_ball: return "points inside the unit ball";
    default: return "real inputs";
  }
}

std::string dimensions_text(const std::vector<Index>& dimensions) {
  std::string text = dimensions.size() == 1 ? "dimension " : "dimensions ";
  for (std::size_t i = 0; i < dimensions.size(); ++i) {
    if (i > 0) text += i + 1 == dimensions.size() ? " and " : ", ";
    text += std::to_string(dimensions[i]);
  }
  return text;
}

Json number_json(double v) {
  // JSON has no NaN or infinity; a text says more than the null it would become.
  if (!std::isfinite(v)) return digits(v, 6);
  return v;
}

Json matrix_json(const Matrix& m) {
  auto rows = Json::array();
  for (Index i = 0; i < m.rows(); ++i) {
    auto cells = Json::array();
    for (Index j = 0; j < m.cols(); ++j) cells.push_back(number_json(m(i, j)));
    rows.push_back(std::move(cells));
  }
  return rows;
}

Json counterexample_json(const std::optional<Counterexample>& found) {
  if (!found) return nullptr;
  return {{"kind", name_of(found->kind)},
          {"points", matrix_json(found->points)},
          {"weights", found->weights},
          {"gram", matrix_json(found->gram)},
          {"value", number_json(found->value)}};
}

}  // namespace

std::string Counterexample::str() const {
  if (kind == Kind::indefinite) return indefinite_text(*this);
  const std::string x = point_text(row(points, 0)), y = point_text(row(points, points.rows() - 1));
  if (kind == Kind::asymmetric) {
    return fmt::format("not symmetric: at x = {}, y = {}, k(x, y) = {} but k(y, x) = {}", x, y, digits(gram(0, 1), 6),
                       digits(gram(1, 0), 6));
  }
  const std::string where = points.rows() == 1 ? "x = y = " + x : "x = " + x + ", y = " + y;
  return fmt::format("not defined: at {}, k(x, y) = {}", where, digits(value, 6));
}

std::string CheckResult::str() const {
  std::string text;
  if (counterexample) {
    text = "not a kernel: " + counterexample->str();
  } else if (derived) {
    text = fmt::format("a kernel: by its form it is {}", derived->kernel);
    if (derived->inputs == Inputs::nonnegative) text += " on nonnegative inputs";
  } else {
    text = fmt::format("no counterexample in {} tries, not a proof\n   searched: {}, {}", tries, inputs_text(inputs),
                       dimensions_text(dimensions));
    if (match) {
      text += fmt::format("\n   same values as the catalog kernel {}", match->kernel);
      if (match->inputs == Inputs::nonnegative) text += " on nonnegative inputs";
    }
  }
  if (outside) {
    const bool negative = inputs == Inputs::nonnegative;
    text += fmt::format("\n   for {} inputs it {} {}", negative ? "negative" : "other",
                        outside->kind == Counterexample::Kind::indefinite ? "fails:" : "is", outside->str());
  }
  if (skipped) text += "\n   left out: isolated points where it is " + skipped->str();
  return text;
}

std::string CheckResult::json() const {
  Json out;
  // null: neither proved nor disproved.
  out["kernel"] = counterexample ? Json(false) : Json(nullptr);
  if (derived) out["kernel"] = true;
  out["counterexample"] = counterexample_json(counterexample);
  out["tries"] = tries;
  out["dimensions"] = dimensions;
  out["inputs"] = name_of(inputs);
  out["outside"] = counterexample_json(outside);
  out["skipped"] = counterexample_json(skipped);
  const auto kernel_json = [](const std::optional<CatalogMatch>& one) {
    return one ? Json{{"kernel", one->kernel}, {"inputs", name_of(one->inputs)}} : Json(nullptr);
  };
  out["match"] = kernel_json(match);
  out["derived"] = kernel_json(derived);
  return out.dump({.indent = 2});
}

}  // namespace mercer
