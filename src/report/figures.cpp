#include "report/figures.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <numbers>
#include <numeric>

#include "base/at.hpp"
#include "mercer/metrics.hpp"
#include "mercer/workflow.hpp"
#include "report/answers.hpp"
#include "selection/errors_held_out.hpp"
#include "workflow/normal.hpp"

namespace mercer::report {

namespace {

std::string words_of(const std::string& name) {
  static const std::map<std::string, std::string, std::less<>> words = {
      {"accuracy", "share of points whose class is right"},
      {"balanced_accuracy", "the same share, as the mean over the classes"},
      {"f1", "balance of what is found and what is found rightly, 0 to 1"},
      {"auc", "probability that a point of the class scores higher than one of another"},
      {"log_loss", "mean of -log p of the true class; 0 is perfect"},
      {"brier", "mean squared error of the probabilities; 0 is perfect"},
      {"rmse", "typical size of an error, large ones counting more, in units of the target"},
      {"mae", "mean size of an error, in units of the target"},
      {"r2", "share of the target's variance that is explained; 0 is what its mean gives"},
      {"mean_log_density", "mean log density of the truth; larger is better"},
      {"coverage_95", "share of the truth inside the 95 % bands; 0.95 is right"},
      {"interval_90_coverage", "share of the truth inside the intervals, or sets, of 90 %; 0.9 is right"},
      {"interval_90_width", "width of these intervals, in units of the target"},
      {"interval_90_size", "mean number of classes in these sets"},
      {"nmi", "agreement of clusters and classes, 0 to 1"},
      {"ari", "agreement of clusters and classes beyond chance; 1 is perfect"},
      {"purity", "share of points whose class is the commonest of their cluster"},
      {"mean_squared_distance", "mean squared distance from the centre, in feature space"},
      {"mean_squared_residual", "mean squared distance that the coordinates leave unexplained"},
      {"explained_share", "share of the variance in feature space that the coordinates explain"}};
  const auto found = words.find(name.substr(0, name.find('(')));
  return found == words.end() ? "" : found->second;
}

double share(double part, double whole) { return whole > 0 ? part / whole : std::nan(""); }

// The sum of a term over the points drawn.
double total(Counts count, const Vector& terms) {
  double sum = 0;
  for (std::size_t i = 0; i < terms.size(); ++i) sum += static_cast<double>(count[i]) * terms[i];
  return sum;
}

Vector numbers_of(const Matrix& m, Index j) {
  Vector out;
  for (Index i = 0; i < m.rows(); ++i) out.push_back(m(i, j));
  return out;
}

void add(std::vector<Metric>& out, const std::vector<std::pair<std::string, double>>& figures,
         const std::vector<Interval>& intervals) {
  for (std::size_t i = 0; i < figures.size(); ++i) {
    const auto& [name, value] = figures[i];
    out.push_back(
        {name, value, std::isfinite(intervals[i].low) ? std::optional(intervals[i]) : std::nullopt, words_of(name)});
  }
}

// Of models fitted with `intervals`, at points that they have not seen.
constexpr double kCoverage = 0.9;

// ---- numbers ----

// Whether each truth is inside its interval; nothing where there are no intervals.
Vector inside_intervals(const Subject& subject, const Matrix& predicted, Index t, double& width) {
  const Model& model = subject.model;
  if (subject.fitted_to || !detail::errors_held_out(model)) return {};
  const Band band = Intervals(model, {.coverage = kCoverage})(subject.x, predicted, subject.how);
  Vector out;
  for (Index i = 0; i < predicted.rows(); ++i) {
    out.push_back(subject.y(i, t) >= band.low(i, t) && subject.y(i, t) <= band.high(i, t) ? 1 : 0);
  }
  width = band.high(0, t) - band.low(0, t);
  return out;
}

void add_target(const Subject& subject, const Answers& said, Index t, std::vector<Metric>& out) {
  const Vector truth = numbers_of(subject.y, t), predicted = numbers_of(said.said.values, t);
  const Index n = subject.y.rows();
  const std::vector<std::string>& names = subject.model.parts().targets;
  const std::string suffix =
      subject.y.cols() == 1 ? "" : fmt::format("({})", at(t) < names.size() ? names[at(t)] : fmt::format("y{}", t + 1));
  Vector square, size, density, inside;
  const bool banded = said.said.variances.rows() == n;
  for (std::size_t i = 0; i < truth.size(); ++i) {
    const double error = truth[i] - predicted[i];
    square.push_back(error * error);
    size.push_back(std::abs(error));
    if (!banded) continue;
    const double variance = said.said.variances(static_cast<Index>(i), t);
    density.push_back(-0.5 * (std::log(2 * std::numbers::pi * variance) + error * error / variance));
    inside.push_back(std::abs(error) <= workflow::kBand95 * std::sqrt(variance) ? 1 : 0);
  }
  std::vector<std::pair<std::string, double>> figures = {{"rmse" + suffix, rmse(truth, predicted)},
                                                         {"mae" + suffix, mae(truth, predicted)},
                                                         {"r2" + suffix, r2(truth, predicted)}};
  if (banded) {
    const workflow::NormalMarks marks = workflow::normal_marks(truth, predicted, numbers_of(said.said.variances, t));
    figures.emplace_back("mean_log_density" + suffix, marks.log_density);
    figures.emplace_back("coverage_95" + suffix, marks.coverage);
  }
  double width = 0;
  const Vector in_interval = inside_intervals(subject, said.said.values, t, width);
  if (!in_interval.empty()) {
    figures.emplace_back("interval_90_coverage" + suffix,
                         std::accumulate(in_interval.begin(), in_interval.end(), 0.0) / static_cast<double>(n));
    figures.emplace_back("interval_90_width" + suffix, width);
  }
  if (n < 2) {
    for (const auto& [name, value] : figures) out.push_back({name, value, {}, words_of(name)});
    return;
  }
  // Sums of squares about a number near all of them.
  const double centre = std::accumulate(truth.begin(), truth.end(), 0.0) / static_cast<double>(n);
  Vector moved, moved_square;
  for (const double y : truth) {
    moved.push_back(y - centre);
    moved_square.push_back((y - centre) * (y - centre));
  }
  const auto statistics = [&](Counts count) {
    const auto all = static_cast<double>(n);
    const double errors = total(count, square), mean = total(count, moved) / all;
    Vector values = {std::sqrt(errors / all), total(count, size) / all,
                     1 - share(errors, total(count, moved_square) - all * mean * mean)};
    if (banded) {
      values.push_back(total(count, density) / all);
      values.push_back(total(count, inside) / all);
    }
    if (!in_interval.empty()) {
      values.push_back(total(count, in_interval) / all);
      values.push_back(std::nan(""));  // the same at every point
    }
    return values;
  };
  add(out, figures, bootstrap(n, {}, statistics, subject.how));
}

// ---- classes ----

struct Ranked {
  std::vector<Index> order;   // by score, increasing
  std::vector<bool> of_last;  // whether the next has another score
  Index positive;             // the class it speaks for
};

// One for each class that occurs, as auc() takes them.
std::vector<Ranked> ranked(const Subject& subject, const Matrix& scores) {
  std::vector<Ranked> out;
  const std::vector<Index>& truth = subject.labels.of;
  for (Index c = 0; c < scores.cols(); ++c) {
    if (std::find(truth.begin(), truth.end(), c) == truth.end()) continue;
    Ranked one{std::vector<Index>(truth.size()), std::vector<bool>(truth.size()), c};
    std::iota(one.order.begin(), one.order.end(), Index{0});
    std::sort(one.order.begin(), one.order.end(), [&](Index i, Index j) { return scores(i, c) < scores(j, c); });
    for (std::size_t r = 0; r < truth.size(); ++r) {
      one.of_last[r] = r + 1 == truth.size() || scores(one.order[r], c) != scores(one.order[r + 1], c);
    }
    out.push_back(std::move(one));
  }
  return out;
}

double area(const Ranked& ranked, const std::vector<Index>& truth, Counts count) {
  double below = 0, wins = 0, hits = 0, others = 0;  // others with a lower score; others and hits with this one
  double all_hits = 0;
  for (std::size_t r = 0; r < ranked.order.size(); ++r) {
    const std::size_t i = at(ranked.order[r]);
    (truth[i] == ranked.positive ? hits : others) += static_cast<double>(count[i]);
    if (!ranked.of_last[r]) continue;
    wins += hits * (below + others / 2);
    all_hits += hits;
    below += others;
    hits = others = 0;
  }
  return share(wins, all_hits * below);
}

struct Hits {
  Vector right, truth, predicted;  // of each class, how many
};
Hits hits(const Subject& subject, const std::vector<Index>& predicted, std::size_t classes, Counts count) {
  Hits out{Vector(classes), Vector(classes), Vector(classes)};
  for (std::size_t i = 0; i < predicted.size(); ++i) {
    const auto times = static_cast<double>(count[i]);
    const std::size_t truth = at(subject.labels.of[i]), said = at(predicted[i]);
    out.truth[truth] += times;
    out.predicted[said] += times;
    if (truth == said) out.right[truth] += times;
  }
  return out;
}

double f1_of(const Hits& h) {
  const auto one = [&](std::size_t c) {
    const double all = h.truth[c] + h.predicted[c];
    return all > 0 ? 2 * h.right[c] / all : 0;
  };
  if (h.truth.size() == 2) return one(1);
  double sum = 0, number = 0;
  for (std::size_t c = 0; c < h.truth.size(); ++c) {
    if (h.truth[c] + h.predicted[c] == 0) continue;
    sum += one(c);
    ++number;
  }
  return share(sum, number);
}

// Whether each truth is in its set, and how many classes that holds; nothing where there are no sets.
std::pair<Vector, Vector> in_sets(const Subject& subject) {
  std::pair<Vector, Vector> out;
  if (subject.fitted_to || !ClassSets::known(subject.model)) return out;
  const auto found = ClassSets(subject.model, kCoverage)(subject.x, subject.how);
  for (std::size_t i = 0; i < found.size(); ++i) {
    const bool in = std::find(found[i].begin(), found[i].end(), subject.labels.of[i]) != found[i].end();
    out.first.push_back(in ? 1 : 0);
    out.second.push_back(static_cast<double>(found[i].size()));
  }
  return out;
}

std::vector<Metric> of_classes(const Subject& subject) {
  const Answers& said = answers(subject);
  const std::vector<Index>&truth = subject.labels.of, &predicted = said.said.classes;
  const std::size_t classes = subject.labels.classes.size();
  const auto n = static_cast<Index>(truth.size());
  std::vector<std::pair<std::string, double>> figures = {{"accuracy", accuracy(truth, predicted)},
                                                         {"balanced_accuracy", balanced_accuracy(truth, predicted)},
                                                         {"f1", f1(truth, predicted, static_cast<Index>(classes))}};
  const auto sets = in_sets(subject);
  const Vector &inside = sets.first, &sizes = sets.second;
  const auto mean = [&](const Vector& all) {
    return std::accumulate(all.begin(), all.end(), 0.0) / static_cast<double>(n);
  };
  if (!inside.empty()) {
    figures.emplace_back("interval_90_coverage", mean(inside));
    figures.emplace_back("interval_90_size", mean(sizes));
  }
  // What ranks and probabilities say of classes that the model does not know is nothing.
  const bool known = classes <= subject.model.classes().size();
  const bool several = std::any_of(truth.begin(), truth.end(), [&](Index c) { return c != truth[0]; });
  std::vector<Ranked> ranks;
  Vector losses, squares;
  if (known && several) {
    figures.emplace_back("auc", auc(truth, said.said.ranking()));
    ranks = ranked(subject, said.said.ranking());
  }
  if (const Matrix& p = said.said.probabilities; known && p.rows() == n) {
    figures.emplace_back("log_loss", log_loss(truth, p));
    figures.emplace_back("brier", brier(truth, p));
    for (Index i = 0; i < n; ++i) {
      losses.push_back(-std::log(std::max(p(i, truth[at(i)]), 2.2e-16)));
      double square = 0;
      for (Index c = p.cols() == 2 ? 1 : 0; c < p.cols(); ++c) {
        const double error = p(i, c) - (truth[at(i)] == c ? 1 : 0);
        square += error * error;
      }
      squares.push_back(square);
    }
  }
  const auto statistics = [&](Counts count) {
    const Hits h = hits(subject, predicted, classes, count);
    double right = 0, balanced = 0, occurring = 0;
    for (std::size_t c = 0; c < classes; ++c) {
      right += h.right[c];
      if (h.truth[c] == 0) continue;
      balanced += h.right[c] / h.truth[c];
      ++occurring;
    }
    const auto all = static_cast<double>(n);
    Vector values = {right / all, share(balanced, occurring), f1_of(h)};
    if (!inside.empty()) {
      values.push_back(total(count, inside) / all);
      values.push_back(total(count, sizes) / all);
    }
    if (!ranks.empty()) {
      double areas = 0;
      for (const Ranked& one : ranks) areas += area(one, truth, count);
      values.push_back(areas / static_cast<double>(ranks.size()));
    }
    if (!losses.empty()) {
      values.push_back(total(count, losses) / all);
      values.push_back(total(count, squares) / all);
    }
    return values;
  };
  std::vector<Metric> out;
  add(out, figures, bootstrap(n, truth, statistics, subject.how));
  return out;
}

// ---- others: as scored ----

workflow::Inputs inputs_of(const Subject& subject) {
  workflow::Inputs out{subject.x, {}};
  if (subject.labels.size() > 0) {
    workflow::Column names{"class", {}, {}};
    for (const Index c : subject.labels.of) names.words.push_back(subject.labels.classes[at(c)]);
    out.targets.push_back(std::move(names));
  }
  return out;
}

std::vector<Metric> as_scored(const Subject& subject) {
  const Model& model = subject.model;
  const Reading reading = model.parts().reading;
  if (reading == Reading::embedding || reading == Reading::gower) return {};
  if (reading == Reading::novelty && subject.labels.size() == 0) return {};
  if (model.parts().reading->gives == Reading::Gives::numbers && reading != Reading::density &&
      reading != Reading::projection && reading != Reading::novelty) {
    return {};
  }
  std::vector<Metric> out;
  if (const auto loo = model.report().figure("leave_one_out_log_likelihood"); subject.fitted_to && loo) {
    return {{"mean_log_density", *loo, {}, "mean log density of each point under the others (leave-one-out)"}};
  }
  for (const auto& [name, value] : workflow::score(model, inputs_of(subject), subject.source, subject.how).figures) {
    out.push_back({name, value, {}, words_of(name)});
  }
  return out;
}

}  // namespace

Json to_json(const Metric& metric) {
  Json out = {{"name", metric.name}, {"value", std::isfinite(metric.value) ? Json(metric.value) : Json(nullptr)}};
  if (metric.interval) {
    out["low"] = metric.interval->low;
    out["high"] = metric.interval->high;
  }
  out["words"] = metric.words;
  return out;
}

std::vector<Metric> metrics_of(const Subject& subject) {
  if (is_classification(subject)) return of_classes(subject);
  if (!is_regression(subject)) return as_scored(subject);
  std::vector<Metric> out;
  for (Index t = 0; t < subject.y.cols(); ++t) add_target(subject, answers(subject), t, out);
  return out;
}

}  // namespace mercer::report
