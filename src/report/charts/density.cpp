// Densities: over one input, over the plane, and the points that are least likely.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "base/at.hpp"
#include "points/rep.hpp"
#include "report/charts.hpp"
#include "report/matrix_of.hpp"
#include "report/parts.hpp"

namespace mercer::report {

namespace {

constexpr Index kCurve = 241, kCells = 90, kMostRanked = 10;
constexpr double kMargin = 0.1;  // of the range, at either end

bool is_density(const Subject& subject) {
  return subject.model.parts().reading == Reading::density && subject.model.expansion().parts().kernel &&
         find_reals(subject.x) != nullptr && subject.x.size() > 0;
}

Vector densities(const Subject& subject, const Points& x) {
  const Matrix scores = subject.model.scores(x, subject.how);
  Vector out;
  for (Index i = 0; i < scores.rows(); ++i) out.push_back(scores(i, 0));
  return out;
}

}  // namespace

bool is_density_of_one(const Subject& subject) { return is_density(subject) && subject.x.domain().dimension == 1; }

Exhibit density_curve_picture(const Subject& subject) {
  const MatrixView x = dense_rows(subject.x).values;
  const Extent range = with_margin(extent(column_of(x, 0)), kMargin);
  const Vector places = spaced(range, kCurve);
  Matrix grid(kCurve, 1);
  for (Index i = 0; i < kCurve; ++i) grid(i, 0) = places[at(i)];
  const Vector f = densities(subject, like(subject.x, std::move(grid)));
  double inside = 0;
  for (std::size_t i = 1; i < f.size(); ++i) inside += (f[i] + f[i - 1]) / 2 * (places[i] - places[i - 1]);
  const std::vector<Index> which = evenly(x.rows(), kMostPoints);
  Vector at_points, zeros(which.size());
  for (const Index i : which) at_points.push_back(x(i, 0));
  const auto top = std::ranges::max_element(f) - f.begin();
  return {"density",
          "curve",
          "The density",
          fmt::format("Most likely near {} = {:.4g}; {:.1f} % of it lies within what is shown.",
                      input_name(subject.x, 0), places[at(top)], 100 * inside),
          {{"x", {{"label", input_name(subject.x, 0)}}},
           {"y", {{"label", "density"}}},
           {"at", numbers(places)},
           {"lines", Json::array({{{"name", "density"}, {"y", numbers(f)}}})},
           {"points", {{"x", numbers(at_points)}, {"y", numbers(zeros)}}}}};
}

bool is_density_of_two(const Subject& subject) { return is_density(subject) && subject.x.domain().dimension == 2; }

Exhibit density_levels_picture(const Subject& subject) {
  const DenseRows held = dense_rows(subject.x);
  const MatrixView x = held.values;
  const Extent across = with_margin(extent(column_of(x, 0)), kMargin),
               up = with_margin(extent(column_of(x, 1)), kMargin);
  const Vector columns = spaced(across, kCells), rows_up = spaced(up, kCells);
  Matrix grid(kCells * kCells, 2);
  for (Index j = 0; j < kCells; ++j) {
    for (Index i = 0; i < kCells; ++i) {
      grid(j * kCells + i, 0) = columns[at(i)];
      grid(j * kCells + i, 1) = rows_up[at(j)];
    }
  }
  const Vector field = densities(subject, like(subject.x, std::move(grid)));
  const std::vector<Index> which = evenly(x.rows(), kMostPoints);
  Vector first, second, sorted = densities(subject, subject.x.select(which));
  Json rows = Json::array();
  for (const Index i : which) {
    first.push_back(x(i, 0));
    second.push_back(x(i, 1));
    rows.push_back(i + 1);
  }
  std::ranges::sort(sorted, std::greater<>());
  Json levels = Json::array();
  for (const double share : {0.25, 0.5, 0.75, 0.95}) {
    const auto place = static_cast<std::size_t>(share * static_cast<double>(sorted.size() - 1));
    levels.push_back({{"value", sorted[place]}, {"name", fmt::format("{:.0f} %", 100 * share)}});
  }
  return {"density",
          "regions",
          "The density",
          "Lines of equal density; each holds the share of the points that it is called by.",
          {{"x", {{"label", input_name(subject.x, 0)}}},
           {"y", {{"label", input_name(subject.x, 1)}}},
           {"nx", kCells},
           {"ny", kCells},
           {"box", {across.low, across.high, up.low, up.high}},
           {"field", numbers(field)},
           {"levels", levels},
           {"points", {{"x", numbers(first)}, {"y", numbers(second)}, {"rows", rows}}}}};
}

bool has_density(const Subject& subject) { return is_density(subject) && subject.x.size() >= 2; }

Exhibit least_likely_picture(const Subject& subject) {
  const Vector f = densities(subject, subject.x);
  std::vector<Index> order(f.size());
  std::iota(order.begin(), order.end(), Index{0});
  std::ranges::stable_sort(order, {}, [&](Index i) { return f[at(i)]; });
  const Index shown = std::min<Index>(kMostRanked, static_cast<Index>(order.size()));
  const DenseRows held = dense_rows(subject.x);
  const Index columns = std::min<Index>(held.values.cols(), 6);
  Json names = {"row", "density"}, rows = Json::array();
  for (Index j = 0; j < columns; ++j) names.push_back(input_name(subject.x, j));
  for (Index i = 0; i < shown; ++i) {
    const Index which = order[at(i)];
    Json row = {which + 1, f[at(which)]};
    for (Index j = 0; j < columns; ++j) row.push_back(held.values(which, j));
    rows.push_back(std::move(row));
  }
  return {"least_likely",
          "table",
          "The least likely points",
          fmt::format("Row {} is the least likely of {}: density {:.3g}, half of them have more than {:.3g}.",
                      order[0] + 1, f.size(), f[at(order[0])], f[at(order[order.size() / 2])]),
          {{"columns", names}, {"rows", rows}, {"more", static_cast<Index>(order.size()) - shown}}};
}

}  // namespace mercer::report
