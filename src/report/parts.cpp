#include "report/parts.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <numeric>

#include "base/at.hpp"
#include "points/rep.hpp"

namespace mercer::report {

Extent extent(VectorView values) {
  bool any = false;
  Extent out;
  for (const double v : values) {
    if (!std::isfinite(v)) continue;
    out = any ? Extent{std::min(out.low, v), std::max(out.high, v)} : Extent{v, v};
    any = true;
  }
  return out;
}

Extent with_margin(Extent range, double share) {
  const double width = range.high - range.low;
  const double size = std::max(std::abs(range.low), std::abs(range.high));
  if (width > 1e-12 * size) return {range.low - share * width, range.high + share * width};
  const double half = size > 0 ? 0.5 * size : 0.5;
  return {range.low - half, range.high + half};
}

Vector spaced(Extent range, Index count) {
  Vector out;
  const double steps = static_cast<double>(std::max<Index>(1, count - 1));
  for (Index i = 0; i < count; ++i) {
    const double share = static_cast<double>(i) / steps;
    out.push_back((1 - share) * range.low + share * range.high);
  }
  return out;
}

Vector log_spaced(Extent range, Index count) {
  Vector out = spaced({std::log(range.low), std::log(range.high)}, count);
  for (double& v : out) v = std::exp(v);
  return out;
}

Vector column_of(MatrixView m, Index column) {
  Vector out;
  out.reserve(at(m.rows()));
  for (Index i = 0; i < m.rows(); ++i) out.push_back(m(i, column));
  return out;
}

Vector picked(VectorView values, std::span<const Index> which) {
  Vector out;
  out.reserve(which.size());
  for (const Index i : which) out.push_back(values[at(i)]);
  return out;
}

double quantile(Vector values, double share) {
  std::sort(values.begin(), values.end());
  const double place = share * static_cast<double>(values.size() - 1);
  const auto below = static_cast<std::size_t>(std::floor(place));
  const std::size_t above = std::min(below + 1, values.size() - 1);
  const double part = place - static_cast<double>(below);
  return (1 - part) * values[below] + part * values[above];
}

double mean_of(VectorView values) {
  double sum = 0;
  for (const double v : values) sum += v;
  return values.empty() ? 0 : sum / static_cast<double>(values.size());
}

bool all_finite(VectorView values) {
  return std::all_of(values.begin(), values.end(), [](double v) { return std::isfinite(v); });
}

double normal_cdf(double z) { return 0.5 * std::erfc(-z / std::numbers::sqrt2); }

// Newton's method on the logarithm of the smaller tail, which is concave: it does not overshoot.
double normal_quantile(double p) {
  if (p > 0.5) return -normal_quantile(1 - p);
  double z = p < 0.1 ? -std::sqrt(-2 * std::log(p)) : 0;
  for (int i = 0; i < 50; ++i) {
    const double tail = normal_cdf(z);
    const double density = std::exp(-0.5 * z * z) / std::sqrt(2 * std::numbers::pi);
    const double step = (std::log(p) - std::log(tail)) * tail / density;
    z += step;
    if (std::abs(step) <= 1e-14 * std::max(1.0, std::abs(z))) break;
  }
  return z;
}

CountRange binomial_band(Index n, double p) {
  CountRange out{-1, n};
  const double count = static_cast<double>(n);
  double below = 0;
  for (Index k = 0; k <= n; ++k) {
    const double hits = static_cast<double>(k);
    below += std::exp(std::lgamma(count + 1) - std::lgamma(hits + 1) - std::lgamma(count - hits + 1) +
                      hits * std::log(p) + (count - hits) * std::log1p(-p));
    if (out.low < 0 && below >= 0.025) out.low = k;
    if (below >= 0.975) return {out.low, k};
  }
  return {std::max<Index>(0, out.low), n};
}

Extent wilson(double hits, double n) {
  if (!(n > 0)) return {0, 1};
  const double z2 = kBand95 * kBand95, p = hits / n;
  const double centre = (p + z2 / (2 * n)) / (1 + z2 / n);
  const double half = kBand95 * std::sqrt(p * (1 - p) / n + z2 / (4 * n * n)) / (1 + z2 / n);
  return {std::clamp(centre - half, 0.0, p), std::clamp(centre + half, p, 1.0)};
}

Histogram counts_in(VectorView values, Extent range, Index bins) {
  Histogram out{spaced(range, bins + 1), std::vector<Index>(at(bins))};
  const double scale = static_cast<double>(bins) / (range.high - range.low);
  for (const double v : values) {
    if (!std::isfinite(v)) continue;
    const double place = std::clamp((v - range.low) * scale, 0.0, static_cast<double>(bins - 1));
    ++out.counts[static_cast<std::size_t>(place)];
  }
  return out;
}

Json to_json(const Histogram& histogram) { return {{"edges", numbers(histogram.edges)}, {"counts", histogram.counts}}; }

std::vector<Index> sample_by(VectorView key, Index most) {
  const auto n = static_cast<Index>(key.size());
  std::vector<Index> order(at(n));
  std::iota(order.begin(), order.end(), Index{0});
  if (n <= most) return order;
  std::stable_sort(order.begin(), order.end(), [&](Index a, Index b) { return key[at(a)] < key[at(b)]; });
  std::vector<Index> out;
  for (Index i = 0; i < most; ++i) out.push_back(order[at((2 * i + 1) * n / (2 * most))]);
  std::sort(out.begin(), out.end());
  return out;
}

std::vector<Index> sample_by(std::span<const Index> groups, Index most) {
  return sample_by(Vector(groups.begin(), groups.end()), most);
}

std::string sample_words(std::size_t drawn, std::size_t all) {
  return drawn < all ? fmt::format("; {} of the {} points are drawn", drawn, all) : "";
}

std::string figure(double value) { return fmt::format("{:.4g}", value); }

std::string percent(double share) { return fmt::format("{:.1f} %", 100 * share); }

Json axis(const std::string& label, bool log) {
  Json out = {{"label", label}};
  if (log) out["log"] = true;
  return out;
}

std::string input_name(const Points& x, Index column) {
  const std::vector<std::string> names = x.column_names();
  const bool named = at(column) < names.size() && !names[at(column)].empty();
  return named ? names[at(column)] : fmt::format("x{}", column + 1);
}

std::string target_name(const Model& model, Index target) {
  const std::vector<std::string>& names = model.parts().targets;
  if (at(target) < names.size() && !names[at(target)].empty()) return names[at(target)];
  return target == 0 && names.size() <= 1 ? "y" : fmt::format("y{}", target + 1);
}

std::vector<Index> row_numbers(std::span<const Index> which) {
  std::vector<Index> out;
  for (const Index i : which) out.push_back(i + 1);
  return out;
}

Borders borders_of(const Subject& subject) {
  const auto& borders = machine(subject.model.parts().machine).borders;
  if (!borders) return {};
  return borders(subject.model, subject.training ? &*subject.training : nullptr);
}

Index real_columns(const Points& x) {
  const Reals* const reals = find_reals(x);
  return reals == nullptr || reals->sparse() != nullptr ? 0 : x.domain().dimension;
}

Points like(const Points& x, Matrix values) { return named_like(rows(std::move(values)), x); }

Vector support_of(const Subject& subject, Index output) {
  const Expansion& f = subject.model.expansion();
  const std::vector<Index>& support = subject.model.support();
  if (!subject.fitted_to || f.parts().training_size != subject.x.size() || support.empty() ||
      f.size() != static_cast<Index>(support.size()) || f.size() == subject.x.size()) {
    return {};
  }
  Vector out(at(subject.x.size()));
  for (std::size_t s = 0; s < support.size(); ++s) {
    out[at(support[s])] = std::abs(f.parts().alpha(static_cast<Index>(s), output));
  }
  return out;
}

}  // namespace mercer::report
