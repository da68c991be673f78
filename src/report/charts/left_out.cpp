// Numbers predicted for points that were left out: against the truth, what is left, whether the bands are honest, and
// the points that are missed most.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "base/at.hpp"
#include "base/fail.hpp"
#include "mercer/metrics.hpp"
#include "points/rep.hpp"
#include "report/answers.hpp"
#include "report/charts.hpp"
#include "report/parts.hpp"

namespace mercer::report {

namespace {

// Of the first target.
struct Predictions {
  Vector truth, value, deviation;  // deviation: of an observation; empty where it is not known
  std::string words;               // "leave-one-out"; of several targets also which
};

Predictions predictions(const Subject& subject) {
  const Answers& found = answers(subject);
  Predictions out{column_of(subject.y, 0), column_of(found.said.values, 0), {}, found.words};
  if (subject.y.cols() > 1) {
    out.words += fmt::format("; {}, the first of {} targets", target_name(subject.model, 0), subject.y.cols());
  }
  if (found.said.variances.rows() > 0) {
    out.deviation = column_of(found.said.variances, 0);
    for (double& v : out.deviation) v = std::sqrt(v);
  }
  if (!all_finite(out.value)) fail(ErrorKind::numeric, "report: some predictions are not finite numbers");
  return out;
}

double spread_of(const Vector& residuals) {
  double squares = 0;
  for (const double r : residuals) squares += r * r;
  return std::sqrt(squares / static_cast<double>(residuals.size()));
}

Vector residuals_of(const Predictions& p) {
  Vector out = p.truth;
  for (std::size_t i = 0; i < out.size(); ++i) out[i] -= p.value[i];
  return out;
}

// The z of each point: so many deviations is it from its prediction.
Vector standardised(const Predictions& p) {
  Vector out = residuals_of(p);
  for (std::size_t i = 0; i < out.size(); ++i) out[i] /= p.deviation[i];
  if (!all_finite(out)) fail(ErrorKind::numeric, "report: a prediction claims to be certain, so nothing is calibrated");
  return out;
}

}  // namespace

Exhibit predicted_actual_picture(const Subject& subject) {
  const Predictions p = predictions(subject);
  const std::vector<Index> which = sample_by(p.truth);
  const std::string name = target_name(subject.model, 0);
  Json data = {{"x", axis(name + ", predicted")},
               {"y", axis(name + ", observed")},
               {"predicted", numbers(picked(p.value, which))},
               {"actual", numbers(picked(p.truth, which))},
               {"rows", row_numbers(which)}};
  if (!p.deviation.empty()) {
    Vector low = p.value, high = p.value;
    for (std::size_t i = 0; i < low.size(); ++i) {
      low[i] -= kBand95 * p.deviation[i];
      high[i] += kBand95 * p.deviation[i];
    }
    data["low"] = numbers(picked(low, which));
    data["high"] = numbers(picked(high, which));
    data["level"] = 0.95;
  }
  return {"predicted_actual", "predicted_actual", "Predicted and observed",
          fmt::format("Predictions are off by {} (root mean square) and explain {} of the variance ({}){}.",
                      figure(rmse(p.truth, p.value)), percent(r2(p.truth, p.value)), p.words,
                      sample_words(which.size(), p.truth.size())),
          std::move(data)};
}

Exhibit residuals_picture(const Subject& subject) {
  const Predictions p = predictions(subject);
  const Vector residuals = residuals_of(p);
  const std::vector<Index> which = sample_by(residuals);
  const bool over_input = real_columns(subject.x) == 1 && subject.model.expansion().parts().kernel;
  const Vector over = over_input ? column_of(dense_rows(subject.x).values, 0) : p.value;
  const std::string name = target_name(subject.model, 0);
  const double spread = spread_of(residuals), mean = mean_of(residuals);
  double far = 0;
  for (const double r : residuals) far += std::abs(r) > 2 * spread ? 1 : 0;
  return {"residuals",
          "residuals",
          "What is left",
          fmt::format("Observed less predicted has mean {} and standard deviation {}; {} of {} points are beyond two "
                      "of these ({}){}.",
                      figure(mean), figure(spread), far, residuals.size(), p.words,
                      sample_words(which.size(), residuals.size())),
          {{"x", axis(over_input ? input_name(subject.x, 0) : name + ", predicted")},
           {"y", axis(name + ", observed less predicted")},
           {"at", numbers(picked(over, which))},
           {"residual", numbers(picked(residuals, which))},
           {"rows", row_numbers(which)},
           {"histogram", to_json(histogram(residuals))},
           {"spread", 2 * spread}}};
}

// ---- whether the bands are honest ----

bool calibration_applies(const Subject& subject) {
  return is_regression(subject) && subject.model.has_posterior() && subject.model.expansion().parts().kernel;
}

Exhibit calibration_picture(const Subject& subject) {
  const Predictions p = predictions(subject);
  if (p.deviation.empty()) fail(ErrorKind::usage, "report: the model does not say how sure it is of left-out points");
  const Vector z = standardised(p);
  const auto n = static_cast<Index>(z.size());
  const double count = static_cast<double>(n);
  std::vector<Index> order(z.size());
  std::iota(order.begin(), order.end(), Index{0});
  std::stable_sort(order.begin(), order.end(), [&](Index a, Index b) { return z[at(a)] < z[at(b)]; });

  Vector theoretical, observed;
  std::vector<Index> drawn;
  const Index most = std::min(n, kMostPoints);
  for (Index i = 0; i < most; ++i) {
    const Index place = (2 * i + 1) * n / (2 * most);
    theoretical.push_back(normal_quantile((static_cast<double>(place) + 0.5) / count));
    observed.push_back(z[at(order[at(place)])]);
    drawn.push_back(order[at(place)] + 1);
  }

  const Index bins = n < 100 ? 5 : n < 1000 ? 10 : 20;
  Vector pit;
  for (const double v : z) pit.push_back(normal_cdf(v));
  Json pit_data = to_json(counts_in(pit, {0, 1}, bins));
  const CountRange band = binomial_band(n, 1 / static_cast<double>(bins));
  pit_data["band"] = {band.low, band.high};

  Vector nominal = spaced({0.05, 0.95}, 19), held, low, high;
  nominal.push_back(0.99);
  double in_95 = 0;
  for (const double level : nominal) {
    const double half = normal_quantile(0.5 + level / 2);
    double inside = 0;
    for (const double v : z) inside += std::abs(v) <= half ? 1 : 0;
    const Extent interval = wilson(inside, count);
    held.push_back(inside / count);
    low.push_back(interval.low);
    high.push_back(interval.high);
    if (std::abs(level - 0.95) < 1e-9) in_95 = inside / count;
  }
  double squares = 0;
  for (const double v : z) squares += v * v;
  const double ratio = std::sqrt(squares / count);
  const Extent honest = wilson(0.95 * count, count);
  const char* const verdict = in_95 < honest.low    ? "the model is too sure of itself"
                              : in_95 > honest.high ? "the model is less sure than it could be"
                                                    : "which is what chance allows";
  return {
      "calibration",
      "calibration",
      "Are the bands honest?",
      fmt::format("95 % bands hold {} of the {} left-out points ({}), {}; errors are {} times the size expected.",
                  percent(in_95), n, p.words, verdict, figure(ratio)),
      {{"z", {{"theoretical", numbers(theoretical)}, {"observed", numbers(observed)}, {"rows", drawn}}},
       {"pit", std::move(pit_data)},
       {"coverage",
        {{"nominal", numbers(nominal)}, {"observed", numbers(held)}, {"low", numbers(low)}, {"high", numbers(high)}}}}};
}

// ---- the points that are missed most ----

namespace {

constexpr std::size_t kWorst = 10;
constexpr Index kInputsShown = 5;

// The first ten of an order.
Json worst_table(const Subject& subject, const std::vector<Index>& order, std::vector<std::string> columns,
                 const auto& cells) {
  const Index inputs = subject.model.expansion().parts().kernel ? std::min(kInputsShown, real_columns(subject.x)) : 0;
  Json rows = Json::array();
  columns.insert(columns.begin(), "row");
  for (Index c = 0; c < inputs; ++c) columns.push_back(input_name(subject.x, c));
  for (std::size_t i = 0; i < std::min(kWorst, order.size()); ++i) {
    Json row = {order[i] + 1};
    for (Json& cell : cells(order[i])) row.push_back(std::move(cell));
    if (inputs > 0) {
      const DenseRows x = dense_rows(subject.x);
      for (const Json& value : numbers(VectorView(x.values.row(order[i]), at(inputs)))) row.push_back(value);
    }
    rows.push_back(std::move(row));
  }
  Json out = {{"columns", columns}, {"rows", std::move(rows)}};
  if (order.size() > kWorst) out["more"] = order.size() - kWorst;
  return out;
}

std::vector<Index> by_decreasing(const Vector& key) {
  std::vector<Index> order(key.size());
  std::iota(order.begin(), order.end(), Index{0});
  std::stable_sort(order.begin(), order.end(), [&](Index a, Index b) { return key[at(a)] > key[at(b)]; });
  return order;
}

Json rounded(double value) { return numbers(Vector{value})[0]; }

}  // namespace

Exhibit worst_numbers_picture(const Subject& subject) {
  const Predictions p = predictions(subject);
  Vector size = residuals_of(p);
  for (double& r : size) r = std::abs(r);
  const std::vector<Index> order = by_decreasing(size);
  std::vector<std::string> columns = {"observed", "predicted", "difference"};
  if (!p.deviation.empty()) columns.emplace_back("in deviations");
  Json data = worst_table(subject, order, std::move(columns), [&](Index i) {
    const double error = p.truth[at(i)] - p.value[at(i)];
    std::vector<Json> out = {rounded(p.truth[at(i)]), rounded(p.value[at(i)]), rounded(error)};
    if (!p.deviation.empty()) out.push_back(rounded(error / p.deviation[at(i)]));
    return out;
  });
  return {"worst", "table", "Points that are missed most",
          fmt::format("Row {} is missed most: {} is observed, {} predicted ({}).", order.front() + 1,
                      figure(p.truth[at(order.front())]), figure(p.value[at(order.front())]), p.words),
          std::move(data)};
}

Exhibit worst_classes_picture(const Subject& subject) {
  const Answers& found = answers(subject);
  const bool sure = found.said.probabilities.rows() > 0;
  const Matrix& scores = found.said.ranking();
  const std::vector<std::string>& classes = subject.labels.classes;
  // How much more some other class has than the true one.
  Vector excess;
  for (Index i = 0; i < scores.rows(); ++i) {
    const Index truth = subject.labels.of[at(i)];
    double other = -std::numeric_limits<double>::infinity();
    for (Index c = 0; c < scores.cols(); ++c) {
      if (c != truth) other = std::max(other, scores(i, c));
    }
    excess.push_back(other - (truth < scores.cols() ? scores(i, truth) : 0));
  }
  const std::vector<Index> order = by_decreasing(excess);
  Json data = worst_table(
      subject, order, {"class", "predicted", sure ? "probability of the class" : "behind by"}, [&](Index i) {
        const Index truth = subject.labels.of[at(i)];
        return std::vector<Json>{classes[at(truth)], classes[at(found.said.classes[at(i)])],
                                 rounded(sure ? (truth < scores.cols() ? scores(i, truth) : 0) : excess[at(i)])};
      });
  std::size_t wrong = 0;
  for (std::size_t i = 0; i < found.said.classes.size(); ++i)
    wrong += found.said.classes[i] != subject.labels.of[i] ? 1 : 0;
  const Index first = order.front();
  return {"worst", "table", "Points that are missed most",
          wrong == 0
              ? fmt::format("All {} points are put into their class ({}); the closest case is row {}.", order.size(),
                            found.words, first + 1)
              : fmt::format("{} of {} points are put into another class ({}); the clearest case is row {}, of "
                            "class {}, taken for {}.",
                            wrong, order.size(), found.words, first + 1, classes[at(subject.labels.of[at(first)])],
                            classes[at(found.said.classes[at(first)])]),
          std::move(data)};
}

bool novelty_applies(const Subject& subject) {
  return subject.model.parts().reading == Reading::novelty && subject.model.expansion().parts().kernel;
}

Exhibit outliers_picture(const Subject& subject) {
  Vector away = column_of(subject.model.scores(subject.x, subject.how), 0);
  std::size_t outside = 0;
  for (double& f : away) {
    outside += f < 0 ? 1 : 0;
    f = -f;
  }
  const std::vector<Index> order = by_decreasing(away);
  Json data = worst_table(subject, order, {"score"}, [&](Index i) { return std::vector<Json>{rounded(-away[at(i)])}; });
  return {"outliers", "table", "Points least like the others",
          fmt::format("{} of {} points have a score below 0 and count as unlike the training points; the least like "
                      "them is row {}, with {}.",
                      outside, order.size(), order.front() + 1, figure(-away[at(order.front())])),
          std::move(data)};
}

}  // namespace mercer::report
