#include "model/posterior/averaged.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numbers>

#include "base/at.hpp"
#include "base/fail.hpp"
#include "base/parallel.hpp"
#include "model/likelihoods.hpp"
#include "model/posterior/kinds.hpp"
#include "simd/loops.hpp"

namespace mercer::detail {

namespace {

// The z with Phi(z) = u, 0 < u < 1: Halley's steps from a rough start.
double normal_quantile(double u) {
  if (u > 0.5) return -normal_quantile(1 - u);
  const double t = std::sqrt(-2 * std::log(u));
  double z = -t + (2.3 + 0.27 * t) / (1 + t + 0.045 * t * t);
  for (int i = 0; i < 4; ++i) {
    const double slope = std::exp(-z * z / 2) / std::sqrt(2 * std::numbers::pi);
    const double step = (normal_below(z) - u) / slope;
    z -= step / (1 + z * step / 2);
  }
  return z;
}

// Korobov's lattice: point i has the coordinates i, i a, i a^2, ... over the number of points, modulo 1. Of 300 random
// factors a, this one integrates products of even functions in four and in nine dimensions best.
constexpr std::int64_t kPoints = 4093, kFactor = 450;

// The lattice folded (u -> 1 - |2 u - 1|), which makes periodic what is not, and turned into normal numbers: a row for
// each dimension.
Matrix normal_lattice(Index dimension) {
  Matrix out = Matrix::uninitialized(dimension, kPoints);
  for (std::int64_t i = 0; i < kPoints; ++i) {
    std::int64_t place = i;
    for (Index d = 0; d < dimension; ++d, place = place * kFactor % kPoints) {
      // The quarter keeps u away from 0 and 1.
      const double u = (static_cast<double>(place) + 0.25) / static_cast<double>(kPoints);
      out(d, i) = normal_quantile(1 - std::abs(2 * u - 1));
    }
  }
  return out;
}

// Points of the lattice at a time: their numbers stay in cache.
constexpr Index kLatticeBlock = 512;

// e = exp(f), n numbers.
void exponentials(const double* f, Index n, double* e) {
  const double one = 1;
  simd::monomial(
      {.scale = 1, .n_factors = 0, .factors = nullptr, .n_exponents = 1, .exponents = &f, .coefficients = &one}, false,
      at(n), e, nullptr);
}

// Columns l with sum l l' = H S H, H = I - 11'/C (what all classes have in common changes nothing), the largest pivots
// first: the first coordinates of a lattice are its best. C - 1 columns at most.
Matrix directions(const double* covariance, Index classes) {
  Matrix rest = Matrix::uninitialized(classes, classes), out(classes - 1, classes);
  Vector mean(at(classes));
  double total = 0;
  for (Index c = 0; c < classes; ++c) {
    for (Index d = 0; d < classes; ++d) mean[at(c)] += covariance[c * classes + d] / static_cast<double>(classes);
    total += mean[at(c)] / static_cast<double>(classes);
  }
  double largest = 0;
  for (Index c = 0; c < classes; ++c) {
    for (Index d = 0; d < classes; ++d) {
      rest(c, d) = covariance[c * classes + d] - mean[at(c)] - mean[at(d)] + total;
    }
    largest = std::max(largest, rest(c, c));
  }
  Index rank = 0;
  for (; rank < classes - 1; ++rank) {
    Index pivot = 0;
    // Classes that differ by rounding alone keep their order: another one moves the lattice.
    for (Index c = 1; c < classes; ++c) pivot = rest(c, c) > (1 + 1e-6) * rest(pivot, pivot) ? c : pivot;
    if (!(rest(pivot, pivot) > 1e-14 * largest)) break;
    const double root = std::sqrt(rest(pivot, pivot));
    for (Index c = 0; c < classes; ++c) out(rank, c) = rest(pivot, c) / root;
    for (Index c = 0; c < classes; ++c) {
      for (Index d = 0; d < classes; ++d) rest(c, d) -= out(rank, c) * out(rank, d);
    }
  }
  return Matrix(out.view().block({0, rank}, {0, classes}));
}

}  // namespace

SoftmaxAverage::SoftmaxAverage(Index classes) : classes_(classes) {
  if (classes > 2) normal_ = normal_lattice(classes - 1);
}

void SoftmaxAverage::operator()(const double* mean, const double* covariance, double* out) const {
  if (classes_ == 2) {
    const double variance = covariance[0] + covariance[3] - covariance[1] - covariance[2];
    out[1] = Likelihood::logistic->average(mean[1] - mean[0], std::max(0.0, variance));
    out[0] = 1 - out[1];
    return;
  }
  const Matrix turn = directions(covariance, classes_);
  Matrix f = Matrix::uninitialized(classes_, kLatticeBlock), e = Matrix::uninitialized(classes_, kLatticeBlock);
  Vector top(at(kLatticeBlock)), sum(at(kLatticeBlock));
  std::fill_n(out, classes_, 0.0);
  for (Index first = 0; first < normal_.cols(); first += kLatticeBlock) {
    const Index n = std::min(kLatticeBlock, normal_.cols() - first);
    for (Index c = 0; c < classes_; ++c) {
      double* row = f.row(c);
      std::fill_n(row, n, mean[c]);
      for (Index d = 0; d < turn.rows(); ++d) {
        const double* z = normal_.row(d) + first;
        const double factor = turn(d, c);
        for (Index i = 0; i < n; ++i) row[i] += z[i] * factor;
      }
      for (Index i = 0; i < n; ++i) top[at(i)] = c == 0 ? row[i] : std::max(top[at(i)], row[i]);
    }
    std::fill_n(sum.begin(), n, 0.0);
    for (Index c = 0; c < classes_; ++c) {
      double *row = f.row(c), *power = e.row(c);
      for (Index i = 0; i < n; ++i) row[i] -= top[at(i)];
      exponentials(row, n, power);
      for (Index i = 0; i < n; ++i) sum[at(i)] += power[i];
    }
    for (Index c = 0; c < classes_; ++c) {
      const double* power = e.row(c);
      for (Index i = 0; i < n; ++i) out[c] += power[i] / sum[at(i)];
    }
  }
  double total = 0;
  for (Index c = 0; c < classes_; ++c) total += out[c];
  for (Index c = 0; c < classes_; ++c) out[c] /= total;
}

Matrix averaged_probabilities(const Model::Parts& parts, const Points& x, const Execution& how) {
  const auto classes = static_cast<Index>(parts.classes.size());
  const Likelihood likelihood = parts.posterior->likelihood;
  if (parts.f.outputs() != (likelihood.coupled() ? classes : 1) || classes < 2) {
    fail(ErrorKind::shape, "{}: {} outputs do not make probabilities of {} classes", parts.machine, parts.f.outputs(),
         classes);
  }
  const Matrix mean = parts.f(x, how);
  Matrix out = Matrix::uninitialized(x.size(), classes);
  if (likelihood.coupled()) {
    const Matrix covariances = row_of(parts.posterior->kind).class_covariances(parts, x, how);
    const SoftmaxAverage average(classes);
    parallel_for(x.size(), thread_count(how.threads), how.monitor, "probabilities",
                 [&](Index i, int) { average(mean.row(i), covariances.row(i), out.row(i)); });
    return out;
  }
  const Matrix variance = variances(parts, x, how);
  for (Index i = 0; i < x.size(); ++i) {
    // The smaller one has all its digits.
    const double unlikely = likelihood->average(-std::abs(mean(i, 0)), variance(i, 0));
    out(i, mean(i, 0) > 0 ? 0 : 1) = unlikely;
    out(i, mean(i, 0) > 0 ? 1 : 0) = 1 - unlikely;
  }
  return out;
}

}  // namespace mercer::detail
