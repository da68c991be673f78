// What each input does to the prediction: how much hangs on it, and how the prediction moves with it.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "base/at.hpp"
#include "base/fail.hpp"
#include "base/random.hpp"
#include "points/rep.hpp"
#include "report/answers.hpp"
#include "report/charts.hpp"
#include "report/parts.hpp"

namespace mercer::report {

namespace {

constexpr Index kMostColumns = 30, kPanels = 9, kGrid = 25;
constexpr Index kShuffledRows = 1000, kShuffles = 5, kAveragedRows = 200;
// A band of a process costs n^2 a row: as many rows as take this much work.
constexpr double kWork = 2e10;

Matrix some_rows(const Subject& subject, Index most) {
  Vector order(at(subject.x.size()));
  std::iota(order.begin(), order.end(), 0.0);
  return Matrix(dense_rows(subject.x.select(sample_by(order, most))).values);
}

// One number per point and output that an input can move: values, probabilities, else scores.
Matrix answers_at(const Subject& subject, const Points& x) {
  const Model& model = subject.model;
  if (!model.is_classifier()) return model.predict_targets(x, subject.how);
  return model.has_probabilities() ? model.probabilities(x, subject.how) : model.scores(x, subject.how);
}

struct Relevance {
  Index column;
  double value, low, high;
};

// How far answers move, root mean square, when a column is shuffled.
std::vector<Relevance> relevances(const Subject& subject) {
  const Matrix x = some_rows(subject, kShuffledRows);
  const Matrix before = answers_at(subject, like(subject.x, Matrix(x)));
  std::vector<Relevance> out;
  for (Index c = 0; c < std::min(kMostColumns, x.cols()); ++c) {
    Vector moved;
    for (Index repeat = 0; repeat < kShuffles; ++repeat) {
      Random random(static_cast<std::uint64_t>(1 + repeat));
      Matrix shuffled(x);
      for (Index i = x.rows() - 1; i > 0; --i) std::swap(shuffled(i, c), shuffled(random.below(i + 1), c));
      const Matrix after = answers_at(subject, like(subject.x, std::move(shuffled)));
      double squares = 0;
      const Index count = after.rows() * after.cols();
      for (Index i = 0; i < count; ++i) squares += std::pow(after.data()[i] - before.data()[i], 2);
      moved.push_back(std::sqrt(squares / static_cast<double>(count)));
    }
    const Extent range = extent(moved);
    out.push_back({c, mean_of(moved), range.low, range.high});
    if (!std::isfinite(out.back().value)) fail(ErrorKind::numeric, "report: some predictions are not finite numbers");
  }
  std::stable_sort(out.begin(), out.end(), [](const Relevance& a, const Relevance& b) { return a.value > b.value; });
  return out;
}

// The deviation of the mean of f over rows, at one place of the grid.
double deviation_of_mean(const Subject& subject, const Points& x) {
  const Matrix covariance = subject.model.covariance(x, 0, subject.how);
  double sum = 0;
  for (Index i = 0; i < covariance.rows() * covariance.cols(); ++i) sum += covariance.data()[i];
  return std::sqrt(std::max(0.0, sum)) / static_cast<double>(covariance.rows());
}

// Whether there is a band to draw: that of f, averaged over the rows, by a model that knows how sure it is of f.
bool knows_band(const Model& model) { return model.has_posterior() && !model.is_classifier(); }

struct Moved {
  Json curve;
  Extent range;
};

Moved partial_of(const Subject& subject, const Matrix& x, Index column) {
  const Model& model = subject.model;
  const Vector all = column_of(x, column);
  const Vector places = spaced(with_margin({quantile(all, 0.02), quantile(all, 0.98)}, 0), kGrid);
  const Index m = x.rows();
  Matrix grid(kGrid * m, x.cols());
  for (Index g = 0; g < kGrid; ++g) {
    for (Index i = 0; i < m; ++i) {
      std::copy_n(x.row(i), x.cols(), grid.row(g * m + i));
      grid(g * m + i, column) = places[at(g)];
    }
  }
  const Points points = like(subject.x, std::move(grid));
  const Matrix found = answers_at(subject, points);
  const double n = static_cast<double>(std::max<Index>(1, model.expansion().size()));
  const Index rows_of_band =
      std::clamp(static_cast<Index>(kWork / (static_cast<double>(kPanels * kGrid) * n * n)), Index{5}, Index{200});
  const bool of_class = model.is_classifier() && model.has_probabilities();
  const std::vector<std::string> names = of_class ? model.classes() : model.score_names();
  Json lines = Json::array(), bands = Json::array();
  Extent range;
  // Of two classes, and of several targets, one line says it.
  const Index first = of_class && found.cols() == 2 ? 1 : 0;
  const Index last = model.is_classifier() ? std::min<Index>(found.cols(), first + 5) : 1;
  for (Index t = first; t < last; ++t) {
    Vector mean, low, high;
    for (Index g = 0; g < kGrid; ++g) {
      double sum = 0;
      for (Index i = 0; i < m; ++i) sum += found(g * m + i, t);
      mean.push_back(sum / static_cast<double>(m));
      if (!knows_band(model)) continue;
      const double half =
          kBand95 * deviation_of_mean(subject, points.slice({g * m, g * m + std::min(m, rows_of_band)}));
      low.push_back(mean.back() - half);
      high.push_back(mean.back() + half);
    }
    lines.push_back(
        {{"name", model.is_classifier() && at(t) < names.size() ? names[at(t)] : "mean"}, {"y", numbers(mean)}});
    if (t == first) range = extent(mean);
    if (knows_band(model)) {
      bands.push_back({{"level", 0.95}, {"of", "f"}, {"low", numbers(low)}, {"high", numbers(high)}});
    }
  }
  Json curve = {{"x", axis(input_name(subject.x, column))},
                {"y", axis(of_class                ? "probability"
                           : model.is_classifier() ? "score"
                                                   : target_name(model, 0))},
                {"at", numbers(places)},
                {"lines", std::move(lines)}};
  if (!bands.empty()) curve["bands"] = std::move(bands);
  return {std::move(curve), range};
}

}  // namespace

bool inputs_apply(const Subject& subject) {
  const Model::Parts& parts = subject.model.parts();
  const Task task = machine(parts.machine).task_for(parts.settings);
  return parts.f.parts().kernel && real_columns(subject.x) >= 2 && subject.x.size() > 0 &&
         (task == Task::regression || task == Task::classification);
}

Exhibit relevance_picture(const Subject& subject) {
  const std::vector<Relevance> found = relevances(subject);
  Json bars = Json::array();
  for (const Relevance& one : found) {
    bars.push_back(
        {{"name", input_name(subject.x, one.column)}, {"value", one.value}, {"low", one.low}, {"high", one.high}});
  }
  std::string finding = fmt::format("Most hangs on {}: shuffled among the points, it moves the predictions by {}",
                                    input_name(subject.x, found.front().column), figure(found.front().value));
  if (found.size() > 1) {
    finding +=
        fmt::format("; {} moves them by {}", input_name(subject.x, found.back().column), figure(found.back().value));
  }
  return {"relevance",
          "bars",
          "What the predictions hang on",
          finding + ".",
          {{"x", axis("change of the prediction, root mean square")}, {"bars", std::move(bars)}}};
}

Exhibit partial_picture(const Subject& subject) {
  std::vector<Relevance> order = relevances(subject);
  order.resize(std::min(order.size(), at(kPanels)));
  const Matrix x = some_rows(subject, kAveragedRows);
  Json panels = Json::array();
  std::string most;
  Extent range;
  for (const Relevance& one : order) {
    Moved moved = partial_of(subject, x, one.column);
    if (most.empty() || moved.range.high - moved.range.low > range.high - range.low) {
      most = input_name(subject.x, one.column);
      range = moved.range;
    }
    panels.push_back({{"title", input_name(subject.x, one.column)}, {"curve", std::move(moved.curve)}});
  }
  return {"partial",
          "curves",
          "How the prediction moves with each input",
          fmt::format("Averaged over {} points, the prediction moves most with {}: from {} to {}{}.", x.rows(), most,
                      figure(range.low), figure(range.high),
                      knows_band(subject.model) ? "; the bands hold the average of f with 95 %, as the model sees it"
                                                : "; how sure it is of that, this machine does not say"),
          {{"panels", std::move(panels)}, {"sharedY", true}}};
}

}  // namespace mercer::report
