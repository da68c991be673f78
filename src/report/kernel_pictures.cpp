#include "report/kernel_pictures.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "base/fail.hpp"
#include "mercer/machines/gp.hpp"

namespace mercer::report {

namespace {

Vector column(const Matrix& m, Index j) {
  Vector out(static_cast<std::size_t>(m.rows()));
  for (Index i = 0; i < m.rows(); ++i) out[static_cast<std::size_t>(i)] = m(i, j);
  return out;
}

// Where nothing is read off data, `auto` has to mean something: what it is on the grid.
Kernel resolved(const Kernel& k, const Points& x) {
  Kernel out = k.resolve(x);
  (void)diagonal(out, x);
  return out;
}

std::string shown(double value) { return fmt::format("{:.3g}", value); }

}  // namespace

Matrix Grid::points() const {
  if (!(from < to) || count < 2) fail(ErrorKind::usage, "grid: from {} to {} are no places to draw at", from, to);
  Matrix out(count, 1);
  for (Index i = 0; i < count; ++i) {
    out(i, 0) = from + (to - from) * static_cast<double>(i) / static_cast<double>(count - 1);
  }
  return out;
}

Exhibit kernel_curve(const Kernel& k, const Grid& grid) {
  const Matrix at = grid.points();
  const Points x = rows(at);
  const Kernel known = resolved(k, x);
  const double middle = 0.5 * (grid.from + grid.to), width = grid.to - grid.from;
  const Matrix places = {{middle}, {middle - width / 3}, {middle + width / 4}};
  const Matrix values = cross(known, x, rows(places));
  const Vector own = diagonal(known, x);
  // Of a stationary kernel the other two are the same curve, moved.
  const Matrix pairs = cross(known, rows(Matrix{{places(1, 0)}, {places(2, 0)}}),
                             rows(Matrix{{places(1, 0) + width / 8}, {places(2, 0) + width / 8}}));
  const auto [low, high] = std::minmax_element(own.begin(), own.end());
  const double tolerance = 1e-9 * (std::abs(*high) + 1e-300);
  const bool stationary = *high - *low <= tolerance && std::abs(pairs(0, 0) - pairs(1, 1)) <= tolerance;
  Json lines = Json::array();
  for (Index j = 0; j < (stationary ? 1 : 3); ++j) {
    lines.push_back({{"name", fmt::format("k({}, x)", shown(places(j, 0)))}, {"y", numbers(column(values, j))}});
  }
  std::string finding;
  if (stationary) {
    // Where it has fallen to half: how far points know of each other.
    const double half = 0.5 * values(grid.count / 2, 0);
    Index i = grid.count / 2;
    while (i + 1 < grid.count && values(i, 0) > half) ++i;
    const bool falls = values(i, 0) <= half;
    finding = falls ? fmt::format(
                          "Points know of each other by how far they are apart alone; at a distance of {} "
                          "half of it is left.",
                          shown(at(i, 0) - middle))
                    : "Points know of each other by how far they are apart alone.";
  } else {
    finding =
        fmt::format("It depends on where the points are: k(x, x) goes from {} to {} here.", shown(*low), shown(*high));
  }
  return {"kernel",
          "curve",
          stationary ? fmt::format("k({}, x)", shown(middle)) : "k(a, x) for three a",
          finding,
          {{"x", {{"label", "x"}, {"domain", {grid.from, grid.to}}}},
           {"y", {{"label", "k"}}},
           {"at", numbers(column(at, 0))},
           {"lines", lines}}};
}

Exhibit prior_draws(const Kernel& k, const Grid& grid, Index draws, std::uint64_t seed, const Execution& how) {
  const Matrix at = grid.points();
  const Points x = rows(at);
  const Kernel known = resolved(k, x);
  const Matrix drawn = sample_prior(known, x, {.draws = draws, .seed = seed}, how);
  const Vector variance = diagonal(known, x);
  Json lines = Json::array(), bands = Json::array();
  for (Index d = 0; d < draws; ++d) {
    lines.push_back({{"name", fmt::format("draw {}", d + 1)}, {"y", numbers(column(drawn, d))}});
  }
  for (const auto& [level, quantile] : {std::pair(0.5, 0.67448975), std::pair(0.95, 1.95996398)}) {
    Vector low, high;
    for (const double v : variance) {
      high.push_back(quantile * std::sqrt(std::max(v, 0.0)));
      low.push_back(-high.back());
    }
    bands.push_back({{"level", level}, {"of", "f"}, {"low", numbers(low)}, {"high", numbers(high)}});
  }
  return {"prior",
          "curve",
          "Functions before any data",
          fmt::format("{} functions that the kernel holds for likely; at each place 95 of 100 lie in the wide band.",
                      draws),
          {{"x", {{"label", "x"}, {"domain", {grid.from, grid.to}}}},
           {"y", {{"label", "f(x)"}}},
           {"at", numbers(column(at, 0))},
           {"lines", lines},
           {"bands", bands}}};
}

Exhibit kernel_matrix(const Kernel& k, const Points& x, const Labels& labels, const std::string& order, Index size,
                      const Execution& how) {
  const Index n = x.size();
  std::vector<Index> which(static_cast<std::size_t>(n));
  std::iota(which.begin(), which.end(), Index{0});
  const bool by_class = order == "class" && labels.size() == n;
  const auto class_of = [&](Index i) { return labels.of[static_cast<std::size_t>(i)]; };
  if (by_class) {
    std::stable_sort(which.begin(), which.end(), [&](Index a, Index b) { return class_of(a) < class_of(b); });
  }
  const Index m = std::min(n, size);
  std::vector<Index> taken;
  for (Index i = 0; i < m; ++i) taken.push_back(which[static_cast<std::size_t>(i * n / m)]);
  const Points some = x.select(taken);
  const Matrix K = gram(k.resolve(x), some, how);
  const auto [low, high] = std::minmax_element(K.data(), K.data() + K.rows() * K.cols());
  Json rows = Json::array(), blocks = Json::array();
  for (std::size_t i = 0; i < taken.size(); ++i) {
    rows.push_back(taken[i] + 1);
    if (!by_class) continue;
    const std::string& name = labels.classes[static_cast<std::size_t>(class_of(taken[i]))];
    if (blocks.empty() || blocks.back()["name"] != name) blocks.push_back({{"name", name}, {"from", i}, {"to", i}});
    blocks.back()["to"] = i + 1;
  }
  Json data = {{"size", m},
               {"n", n},
               {"values", bytes(VectorView(K.data(), static_cast<std::size_t>(m * m)))},
               {"order", by_class ? "by class" : "as in the file"},
               {"rows", rows}};
  if (by_class) data["blocks"] = blocks;
  return {"gram", "gram", "What the kernel says of every two points",
          fmt::format("Values from {} to {}{}.", shown(*low), shown(*high),
                      m < n ? fmt::format("; {} of {} points, evenly taken", m, n) : ""),
          data};
}

}  // namespace mercer::report
