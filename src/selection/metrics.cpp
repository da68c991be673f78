#include "mercer/metrics.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <optional>

#include "base/at.hpp"
#include "base/fail.hpp"
#include "selection/point_weights.hpp"

namespace mercer {

namespace {

using Weights = detail::PointWeights;

void require_pairs(const char* metric, std::size_t truth, std::size_t predicted) {
  if (truth != predicted) fail(ErrorKind::shape, "{}: {} true values, {} predicted ones", metric, truth, predicted);
  if (truth == 0) fail(ErrorKind::data, "{}: there is nothing to compare; give at least one point", metric);
}

// The number of classes that the numbers speak of.
Index count_classes(const char* metric, ClassNumbers numbers) {
  Index largest = -1;
  for (const Index c : numbers) {
    if (c < 0) fail(ErrorKind::data, "{}: {} is no class; classes are numbered from 0", metric, c);
    largest = std::max(largest, c);
  }
  return largest + 1;
}

void require_finite(const char* metric, MatrixView scores) {
  for (Index i = 0; i < scores.rows(); ++i) {
    for (Index j = 0; j < scores.cols(); ++j) {
      if (!std::isfinite(scores(i, j))) {
        fail(ErrorKind::data, "{}: row {}, column {} is {}; finite numbers are needed", metric, i + 1, j + 1,
             scores(i, j));
      }
    }
  }
}

void require_probabilities(const char* metric, ClassNumbers truth, MatrixView p) {
  require_pairs(metric, truth.size(), at(p.rows()));
  count_classes(metric, truth);
  if (p.cols() < 2) {
    fail(ErrorKind::shape, "{}: {} columns of probabilities; give one per class, two at least", metric, p.cols());
  }
  require_finite(metric, p);
}

// The area under the ROC curve of one column: Mann and Whitney's statistic from average ranks.
double area(ClassNumbers truth, Index positive, MatrixView scores, Index column, const Weights& weights,
            std::vector<Index>& order) {
  const auto score = [&](Index i) { return scores(i, column); };
  std::iota(order.begin(), order.end(), Index{0});
  std::sort(order.begin(), order.end(), [&](Index a, Index b) { return score(a) < score(b); });
  double wins = 0, positives = 0, negatives_below = 0;
  for (std::size_t first = 0; first < order.size();) {
    double equal_positives = 0, equal_negatives = 0;
    std::size_t last = first;
    for (; last < order.size() && score(order[last]) == score(order[first]); ++last) {
      (truth[at(order[last])] == positive ? equal_positives : equal_negatives) += weights[at(order[last])];
    }
    wins += equal_positives * (negatives_below + equal_negatives / 2);
    positives += equal_positives;
    negatives_below += equal_negatives;
    first = last;
  }
  return wins / (positives * negatives_below);
}

}  // namespace

Matrix confusion(ClassNumbers truth, ClassNumbers predicted, Index classes, VectorView weights) {
  require_pairs("confusion", truth.size(), predicted.size());
  const Weights w("confusion", weights, truth.size());
  const Index count = std::max({classes, count_classes("confusion", truth), count_classes("confusion", predicted)});
  Matrix counts(count, count);
  for (std::size_t i = 0; i < truth.size(); ++i) counts(truth[i], predicted[i]) += w[i];
  return counts;
}

double accuracy(ClassNumbers truth, ClassNumbers predicted, VectorView weights) {
  require_pairs("accuracy", truth.size(), predicted.size());
  return Weights("accuracy", weights, truth.size()).mean(truth.size(), [&](std::size_t i) {
    return truth[i] == predicted[i] ? 1.0 : 0.0;
  });
}

double balanced_accuracy(ClassNumbers truth, ClassNumbers predicted, VectorView weights) {
  const Matrix counts = confusion(truth, predicted, 0, weights);
  double sum = 0, classes = 0;
  for (Index c = 0; c < counts.rows(); ++c) {
    const double all = std::accumulate(counts.row(c), counts.row(c) + counts.cols(), 0.0);
    if (all == 0) continue;
    sum += counts(c, c) / all;
    classes += 1;
  }
  return sum / classes;
}

double f1(ClassNumbers truth, ClassNumbers predicted, Index classes, VectorView weights) {
  const Matrix counts = confusion(truth, predicted, std::max<Index>(classes, 2), weights);
  double sum = 0, occurring = 0;
  for (Index c = counts.rows() == 2 ? 1 : 0; c < counts.rows(); ++c) {
    double either = 0;  // 2 hits + false alarms + misses
    for (Index other = 0; other < counts.rows(); ++other) either += counts(c, other) + counts(other, c);
    if (either == 0) continue;
    sum += 2 * counts(c, c) / either;
    occurring += 1;
  }
  return occurring == 0 ? 0 : sum / occurring;
}

double auc(ClassNumbers truth, MatrixView scores, VectorView weights) {
  require_pairs("auc", truth.size(), at(scores.rows()));
  require_finite("auc", scores);
  const Weights w("auc", weights, truth.size());
  const Index classes = count_classes("auc", truth);
  if (scores.cols() == 0 || (scores.cols() == 1 && classes > 2)) {
    fail(ErrorKind::shape, "auc: {} columns of scores for {} classes; give one per class", scores.cols(), classes);
  }
  Vector mass(at(classes));
  for (std::size_t i = 0; i < truth.size(); ++i) mass[at(truth[i])] += w[i];
  if (std::count_if(mass.begin(), mass.end(), [](double m) { return m > 0; }) == 1) {
    fail(ErrorKind::data, "auc: every point is of class {}; it takes two classes to rank one above the other",
         std::max_element(mass.begin(), mass.end()) - mass.begin());
  }
  std::vector<Index> order(truth.size());
  if (scores.cols() == 1) return area(truth, 1, scores, 0, w, order);
  double sum = 0, occurring = 0;
  for (Index c = 0; c < std::min(scores.cols(), classes); ++c) {
    if (mass[at(c)] == 0) continue;
    sum += area(truth, c, scores, c, w, order);
    occurring += 1;
  }
  if (occurring == 0) fail(ErrorKind::data, "auc: no point is of a class that has scores");
  return sum / occurring;
}

double log_loss(ClassNumbers truth, MatrixView p, VectorView weights) {
  require_probabilities("log_loss", truth, p);
  constexpr double least = std::numeric_limits<double>::epsilon();
  return Weights("log_loss", weights, truth.size()).mean(truth.size(), [&](std::size_t i) {
    const Index c = truth[i];
    return -std::log(std::clamp(c < p.cols() ? p(static_cast<Index>(i), c) : 0.0, least, 1.0));
  });
}

double brier(ClassNumbers truth, MatrixView p, VectorView weights) {
  require_probabilities("brier", truth, p);
  const bool binary = p.cols() == 2 && count_classes("brier", truth) <= 2;
  return Weights("brier", weights, truth.size()).mean(truth.size(), [&](std::size_t i) {
    const Index c = truth[i];
    double sum = c >= p.cols() ? 1 : 0;  // a class that was given no chance
    for (Index j = binary ? 1 : 0; j < p.cols(); ++j) {
      const double error = p(static_cast<Index>(i), j) - (j == c ? 1 : 0);
      sum += error * error;
    }
    return sum;
  });
}

Matrix class_scores(Reading reading, MatrixView scores, Index classes) {
  if (reading != Reading::votes) return Matrix(scores);
  if (scores.cols() != classes * (classes - 1) / 2) {
    fail(ErrorKind::shape, "class_scores: {} columns of votes for {} classes; give one per pair", scores.cols(),
         classes);
  }
  Matrix out(scores.rows(), classes);
  Vector clearness(at(classes));
  for (Index i = 0; i < scores.rows(); ++i) {
    std::fill(clearness.begin(), clearness.end(), 0.0);
    const double* f = scores.row(i);
    for (Index a = 0; a < classes; ++a) {
      for (Index b = a + 1; b < classes; ++b, ++f) {
        out(i, *f > 0 ? a : b) += 1;
        clearness[at(a)] += *f;
        clearness[at(b)] -= *f;
      }
    }
    for (Index c = 0; c < classes; ++c) out(i, c) += clearness[at(c)] / (2.5 * (1 + std::abs(clearness[at(c)])));
  }
  return out;
}

namespace {

void require_targets(const char* metric, VectorView truth, VectorView predicted) {
  require_pairs(metric, truth.size(), predicted.size());
  require_finite(metric, MatrixView(truth.data(), static_cast<Index>(truth.size()), 1));
  require_finite(metric, MatrixView(predicted.data(), static_cast<Index>(predicted.size()), 1));
}

}  // namespace

double rmse(VectorView truth, VectorView predicted, VectorView weights) {
  require_targets("rmse", truth, predicted);
  return std::sqrt(Weights("rmse", weights, truth.size()).mean(truth.size(), [&](std::size_t i) {
    return (truth[i] - predicted[i]) * (truth[i] - predicted[i]);
  }));
}

double mae(VectorView truth, VectorView predicted, VectorView weights) {
  require_targets("mae", truth, predicted);
  return Weights("mae", weights, truth.size()).mean(truth.size(), [&](std::size_t i) {
    return std::abs(truth[i] - predicted[i]);
  });
}

double r2(VectorView truth, VectorView predicted, VectorView weights) {
  require_targets("r2", truth, predicted);
  const Weights w("r2", weights, truth.size());
  const auto square = [](double a) { return a * a; };
  const double errors = w.mean(truth.size(), [&](std::size_t i) { return square(truth[i] - predicted[i]); });
  std::optional<double> level;
  bool constant = true;
  for (std::size_t i = 0; i < truth.size(); ++i) {
    if (w[i] == 0) continue;
    constant = constant && truth[i] == level.value_or(truth[i]);
    level = truth[i];
  }
  if (constant) return errors == 0 ? 1 : 0;
  const double mean = w.mean(truth.size(), [&](std::size_t i) { return truth[i]; });
  return 1 - errors / w.mean(truth.size(), [&](std::size_t i) { return square(truth[i] - mean); });
}

}  // namespace mercer
