#include "selection/cluster_criteria.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "base/at.hpp"
#include "base/fail.hpp"
#include "base/random.hpp"
#include "linalg/lapack.hpp"
#include "mercer/metrics.hpp"
#include "points/rep.hpp"
#include "selection/equal_points.hpp"
#include "selection/held_out.hpp"

namespace mercer::detail {

namespace {

constexpr Index kPoints = 1000;    // to fit to, again and again
constexpr Index kReferences = 10;  // of the gap
constexpr Index kPairs = 10;       // of the stability

std::vector<Index> clusters_of(const Model& model) {
  std::vector<Index> out;
  for (Index i = 0; i < model.parts().fitted.rows(); ++i) out.push_back(static_cast<Index>(model.parts().fitted(i, 0)));
  return out;
}

// So many of the points, increasing.
std::vector<Index> draw(std::vector<Index> from, Index count, Random& random) {
  const auto n = static_cast<Index>(from.size());
  for (Index i = 0; i < std::min(count, n); ++i) std::swap(from[at(i)], from[at(i + random.below(n - i))]);
  from.resize(at(std::min(count, n)));
  std::ranges::sort(from);
  return from;
}

// Each point once, with all its weight: so that what is drawn at random is the same for a point that is there twice.
Training different_points(const Training& all) { return merged(all, first_equal(all.K)); }

std::vector<Index> numbers_of(const Training& training) {
  std::vector<Index> out(at(training.K.size()));
  std::iota(out.begin(), out.end(), Index{0});
  return out;
}

Training part(const Training& all, const std::vector<Index>& which) {
  Training out = part_of(all, which);
  out.how = all.how;
  return out;
}

std::vector<Index> clusters_in(const WholeFit& fit, const Training& training) {
  return clusters_of(mercer::fit(fit.machine, fit.settings, training));
}

// log of the mean squared distance in feature space from the mean of the own cluster.
double log_scatter(const Training& training, const std::vector<Index>& of) {
  const Index n = training.K.size(), clusters = 1 + *std::ranges::max_element(of);
  Matrix z(n, clusters);
  Vector masses(at(clusters));
  const Vector diagonal = training.K.diagonal();
  double scatter = 0, total = 0;
  for (Index i = 0; i < n; ++i) {
    const double w = training.weights.empty() ? 1 : training.weights[at(i)];
    z(i, of[at(i)]) = w;
    masses[at(of[at(i)])] += w;
    scatter += w * diagonal[at(i)];
    total += w;
  }
  const Matrix sums = training.K.multiply(z.view(), training.how);
  for (Index i = 0; i < n; ++i) {
    const Index c = of[at(i)];
    if (masses[at(c)] > 0) scatter -= z(i, c) * sums(i, c) / masses[at(c)];
  }
  return std::log(std::max(scatter / total, std::numeric_limits<double>::min()));
}

// Draws points that fill the box around x along its principal axes.
class Box {
 public:
  explicit Box(MatrixView x) : mean_(at(x.cols())), low_(at(x.cols())), high_(at(x.cols())) {
    const Index d = x.cols();
    for (Index i = 0; i < x.rows(); ++i) {
      for (Index j = 0; j < d; ++j) mean_[at(j)] += x(i, j) / static_cast<double>(x.rows());
    }
    Matrix centred(x);
    for (Index i = 0; i < x.rows(); ++i) {
      for (Index j = 0; j < d; ++j) centred(i, j) -= mean_[at(j)];
    }
    Matrix covariance(d, d);
    linalg::multiply_left_transposed(1, centred, centred, 0, covariance);
    axes_ = linalg::eigen(covariance).vectors;
    Matrix along(x.rows(), d);
    linalg::multiply_transposed(1, centred, axes_, 0, along);
    for (Index j = 0; j < d; ++j) {
      for (Index i = 0; i < x.rows(); ++i) {
        low_[at(j)] = std::min(low_[at(j)], along(i, j));
        high_[at(j)] = std::max(high_[at(j)], along(i, j));
      }
    }
  }

  Matrix draw(Index n, Random& random) const {
    Matrix along(n, axes_.rows()), out(n, axes_.cols());
    for (Index i = 0; i < n; ++i) {
      for (Index j = 0; j < along.cols(); ++j) along(i, j) = random.uniform(low_[at(j)], high_[at(j)]);
      std::copy(mean_.begin(), mean_.end(), out.row(i));
    }
    linalg::multiply(1, along, axes_, 1, out);
    return out;
  }

 private:
  Matrix axes_;  // as rows
  Vector mean_, low_, high_;
};

}  // namespace

double silhouette_of(const WholeFit& fit) {
  if (const auto known = fit.model.report().figure("silhouette")) return *known;
  return silhouette(fit.training.K, clusters_of(fit.model), 2000, 1, fit.training.how).mean;
}

double gap_of(const WholeFit& fit) {
  const Training all = different_points(fit.training);
  if (!all.K.kernel() || !all.K.points() || all.K.points()->domain().kind != "reals") {
    fail(ErrorKind::usage,
         "gap: points without clusters are drawn along the principal axes of real vectors; these points have none");
  }
  Random random(1);
  const Training data = all.K.size() > kPoints ? part(all, draw(numbers_of(all), kPoints, random)) : all;
  const bool as_fitted = data.K.size() == fit.training.K.size();
  const double own = log_scatter(data, as_fitted ? clusters_of(fit.model) : clusters_in(fit, data));
  const DenseRows x = dense_rows(*data.K.points());
  const Box box(x.values);
  double mean = 0;
  for (Index b = 0; b < kReferences; ++b) {
    const Training reference{.K = exact(*all.K.kernel(), rows(box.draw(x.values.rows(), random)), all.how),
                             .how = all.how,
                             .memory = all.memory};
    mean += log_scatter(reference, clusters_in(fit, reference)) / static_cast<double>(kReferences);
  }
  return mean - own;
}

double stability_of(const WholeFit& fit) {
  Random random(1);
  const Training all = different_points(fit.training);
  const std::vector<Index> points = numbers_of(all);
  const auto size = std::min(kPoints, static_cast<Index>(points.size()) * 4 / 5);
  double mean = 0;
  for (Index pair = 0; pair < kPairs; ++pair) {
    // Beyond some points, samples of all would hardly meet: both are of a larger sample.
    const std::vector<Index> from = draw(points, size * 5 / 4 + 1, random);
    const std::vector<Index> a = draw(from, size, random), b = draw(from, size, random);
    const std::vector<Index> in_a = clusters_in(fit, part(all, a)), in_b = clusters_in(fit, part(all, b));
    std::vector<Index> both_a, both_b;
    for (std::size_t i = 0, j = 0; i < a.size() && j < b.size();) {
      if (a[i] == b[j]) {
        both_a.push_back(in_a[i++]);
        both_b.push_back(in_b[j++]);
      } else {
        a[i] < b[j] ? ++i : ++j;
      }
    }
    mean += ari(both_a, both_b) / static_cast<double>(kPairs);
  }
  return mean;
}

}  // namespace mercer::detail
