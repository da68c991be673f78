// Mean and variance from a Posterior of kind `nearest`: f at a point given the centres nearest to it.
#include <algorithm>
#include <cmath>

#include "base/at.hpp"
#include "base/fail.hpp"
#include "gram/local_systems.hpp"
#include "linalg/cholesky.hpp"
#include "linalg/lapack.hpp"
#include "model/posterior/kinds.hpp"
#include "points/rep.hpp"

namespace mercer::detail {

namespace {

constexpr Index kJointly = 10000;  // centres that several points are given together: a matrix of 800 MB

void make_nearest(const Model::Parts& parts, const Execution&, Factors& to) {
  const Expansion::Parts& f = parts.f.parts();
  to.nearest = std::make_shared<const NeighbourSearch>(*f.kernel, *f.centres);
  if (parts.posterior->trend == Trend::none) return;
  to.trend.factor = parts.posterior->covariance;
  if (linalg::cholesky(to.trend.factor) != 0) fail_indefinite(parts);
}

// What is left of the targets and the functions of the trend, at the centres.
Matrix given_at_centres(const Posterior& p, const Points& centres, const Vector& middle) {
  const Matrix H = trend_basis(p.trend, centres, middle);
  Matrix out = Matrix::uninitialized(p.targets.rows(), p.targets.cols() + H.cols());
  for (Index i = 0; i < out.rows(); ++i) {
    std::copy_n(p.targets.row(i), p.targets.cols(), out.row(i));
    std::copy_n(H.row(i), H.cols(), out.row(i) + p.targets.cols());
  }
  return out;
}

double square_given(const Matrix& factor, Vector& rest) {
  linalg::solve_lower(factor, MatrixRef(rest.data(), static_cast<Index>(rest.size()), 1));
  double sum = 0;
  for (const double r : rest) sum += r * r;
  return sum;
}

Matrix trend_at(const Expansion::Parts& f, const Points& x) {
  Matrix out = Matrix::uninitialized(x.size(), f.alpha.cols());
  for (Index i = 0; i < out.rows(); ++i) std::copy(f.bias.begin(), f.bias.end(), out.row(i));
  if (f.slope.rows() > 0) linalg::multiply(1, dense_rows(x).values, f.slope, 1, out);
  return out;
}

Moments nearest_moments(const Model::Parts& parts, const Points& x, const Execution& how) {
  const Posterior& p = *parts.posterior;
  const Expansion::Parts& f = parts.f.parts();
  const Factors& factors = factors_of(parts, how);
  const Vector middle = trend_centre(p.trend, *f.centres);
  const Matrix given = given_at_centres(p, *f.centres, middle), h = trend_basis(p.trend, x, middle);
  const Index targets = p.targets.cols(), columns = given.cols();
  Moments out{.scores = trend_at(f, x), .variances = Matrix::uninitialized(x.size(), targets)};
  const NeighbourLists lists = factors.nearest->of(x, std::min(p.neighbours, f.centres->size()), how);
  std::vector<char> failed(at(local_batches(lists)), 0);
  for_each_new(*f.kernel, *f.centres, x, lists, p.shift, how, [&](Index batch, int, const LocalGroup& group) {
    const Index m = group.m;
    LocalVectors v(group, columns);
    v.take(group, 0, given);
    for (Index s = 0; s < group.count; ++s) {
      for (Index c = targets; c < columns; ++c) v(m, c, s) = h(group.first + s, c - targets);
    }
    simd::factor_beside(at(m), group.a);
    simd::solve_beside(at(m), group.a, at(columns), v.data());
    Vector rest(at(columns - targets));
    for (Index s = 0; s < group.count; ++s) {
      const double own = group.last(m, s);
      if (std::isnan(own)) failed[at(batch)] = 1;
      for (Index c = targets; c < columns; ++c) rest[at(c - targets)] = v(m, c, s);
      // What rounding makes negative is nothing: the difference of numbers that agree to their last digits.
      const double variance = std::max(0.0, own) + (rest.empty() ? 0 : square_given(factors.trend.factor, rest));
      for (Index t = 0; t < targets; ++t) {
        out.scores(group.first + s, t) -= v(m, t, s);
        out.variances(group.first + s, t) = p.signal[at(t)] * variance;
      }
    }
  });
  if (std::find(failed.begin(), failed.end(), 1) != failed.end()) fail_indefinite(parts);
  return out;
}

Matrix nearest_means(const Model::Parts& parts, const Points& x, const Execution& how) {
  return nearest_moments(parts, x, how).scores;
}
Matrix nearest_variances(const Model::Parts& parts, const Points& x, const Execution& how) {
  return nearest_moments(parts, x, how).variances;
}

// Given the neighbours of all the points together: each is given at least those that variances() gives it.
Matrix nearest_covariance(const Model::Parts& parts, const Points& x, Index output, const Execution& how) {
  const Posterior& p = *parts.posterior;
  const Expansion::Parts& f = parts.f.parts();
  const Factors& factors = factors_of(parts, how);
  const NeighbourLists lists = factors.nearest->of(x, std::min(p.neighbours, f.centres->size()), how);
  std::vector<Index> all;
  for (Index i = 0; i < lists.rows(); ++i) all.insert(all.end(), lists.of(i).begin(), lists.of(i).end());
  std::sort(all.begin(), all.end());
  all.erase(std::unique(all.begin(), all.end()), all.end());
  if (static_cast<Index>(all.size()) > kJointly) {
    fail(ErrorKind::usage,
         "covariance: the {} points have {} neighbours together, and no more than {} are taken at once; ask for fewer "
         "points, or for variances",
         x.size(), all.size(), kJointly);
  }
  const Points centres = f.centres->select(all);
  Matrix A = gram(*f.kernel, centres, how), k = cross(*f.kernel, x, centres, how), out = gram(*f.kernel, x, how);
  for (Index i = 0; i < A.rows(); ++i) A(i, i) += p.shift[at(all[at(i)])];
  if (linalg::cholesky(A) != 0) fail_indefinite(parts);
  linalg::solve_lower_rows(A, k);
  linalg::multiply_transposed(-1, k, k, 1, out);
  if (p.trend != Trend::none) {
    const Vector middle = trend_centre(p.trend, *f.centres);
    Matrix H = trend_basis(p.trend, centres, middle), rests = trend_basis(p.trend, x, middle);
    linalg::solve_lower(A, H);
    linalg::multiply(-1, k, H, 1, rests);
    linalg::solve_lower_rows(factors.trend.factor, rests);
    linalg::multiply_transposed(1, rests, rests, 1, out);
  }
  for (Index i = 0; i < out.rows(); ++i) {
    for (Index j = 0; j <= i; ++j) {
      const double both = p.signal[at(output)] * 0.5 * (out(i, j) + out(j, i));
      out(i, j) = out(j, i) = i == j ? std::max(0.0, both) : both;
    }
  }
  return out;
}

std::string_view nearest_fault(const Posterior& p, const Expansion& f) {
  if (p.shift.size() != at(f.size()) || !all_zero_or_more(p.shift)) return "the numbers of its shift";
  if (p.targets.rows() != f.size() || p.targets.cols() != f.outputs()) return "its targets";
  const double* const numbers = p.targets.data();
  if (!std::all_of(numbers, numbers + p.targets.rows() * p.targets.cols(), [](double v) { return std::isfinite(v); })) {
    return "its targets";
  }
  if (p.neighbours < 1 || p.neighbours > kMostNeighbours) return "its neighbours";
  const Index functions = p.trend == Trend::none ? 0 : p.trend == Trend::constant ? 1 : 1 + f.parts().slope.rows();
  if (p.covariance.rows() != functions || p.covariance.cols() != functions) return "the numbers of its mean function";
  if (p.likelihood != Likelihood::none) return "a link";
  return signal_fault(p, f);
}

}  // namespace

const PosteriorRow kNearestPosterior = {.name = "nearest",
                                        .fault = nearest_fault,
                                        .has_trend = true,
                                        .make_factors = make_nearest,
                                        .variances = nearest_variances,
                                        .covariance = nearest_covariance,
                                        .moments = nearest_moments,
                                        .means = nearest_means};

}  // namespace mercer::detail
