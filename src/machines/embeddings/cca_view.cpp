#include "machines/embeddings/cca_view.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "base/at.hpp"
#include "base/fail.hpp"
#include "linalg/lapack.hpp"

namespace mercer::detail {

namespace {

// Eigenvalues below this share of the largest are rounding.
constexpr double kRounding = 1e-12;

// A becomes W^1/2 H A H' W^1/2.
void centre_and_weigh(Matrix& a, VectorView weights) {
  const Index n = a.rows();
  const double total = std::accumulate(weights.begin(), weights.end(), 0.0);
  Vector means(at(n));
  for (Index i = 0; i < n; ++i) {
    for (Index j = 0; j < n; ++j) means[at(i)] += a(i, j) * (weights[at(j)] / total);
  }
  double mean = 0;
  for (Index i = 0; i < n; ++i) mean += means[at(i)] * (weights[at(i)] / total);
  for (Index i = 0; i < n; ++i) {
    for (Index j = 0; j <= i; ++j) {
      const double centred = a(i, j) - means[at(i)] - means[at(j)] + mean;
      a(i, j) = a(j, i) = centred * std::sqrt(weights[at(i)] * weights[at(j)]);
    }
  }
}

}  // namespace

View view_of(const char* which, const Gram& K, VectorView weights, double ridge, const Execution& how) {
  const Index n = K.size();
  Matrix a = Matrix::uninitialized(n, n);
  K.fill(a, how);
  double before = 0;
  for (Index i = 0; i < n; ++i) before = std::max(before, weights[at(i)] * std::abs(a(i, i)));
  centre_and_weigh(a, weights);
  double trace = 0;
  for (Index i = 0; i < n; ++i) trace += a(i, i);
  if (!(trace > kRounding * before)) {
    fail(ErrorKind::data, "kcca: all points have the same feature vector in the view of {}; nothing varies there",
         which);
  }
  how.monitor.report({"kcca", 0});
  linalg::Eigen eigen = linalg::eigen(a, how.monitor);
  const double largest = eigen.values.back();
  if (eigen.values.front() < -1e-8 * largest) {
    fail(ErrorKind::numeric,
         "kcca: the matrix of {} has the eigenvalue {:.3g} beside {:.3g}, so it is the matrix of no kernel; check the "
         "numbers it was given as",
         which, eigen.values.front(), largest);
  }
  View out;
  out.penalty = ridge * trace;
  const auto first =
      std::find_if(eigen.values.begin(), eigen.values.end(), [&](double value) { return value > kRounding * largest; });
  const auto rank = static_cast<Index>(eigen.values.end() - first);
  out.vectors = Matrix::uninitialized(rank, n);
  for (Index r = 0; r < rank; ++r) {
    const double value = eigen.values[at(n - 1 - r)];
    out.values.push_back(value);
    out.shrink.push_back(std::sqrt(value / (value + out.penalty)));
    std::copy_n(eigen.vectors.row(n - 1 - r), n, out.vectors.row(r));
  }
  return out;
}

Expansion expansion_of(const View& view, const Gram& K, VectorView weights, const Matrix& directions,
                       const Execution& how) {
  const Index n = K.size(), outputs = directions.cols();
  Matrix scaled(directions);
  for (Index r = 0; r < view.rank(); ++r) {
    for (Index c = 0; c < outputs; ++c) scaled(r, c) /= std::sqrt(view.values[at(r)]);
  }
  Matrix alpha(n, outputs);
  linalg::multiply_left_transposed(1, view.vectors, scaled, 0, alpha);
  const double total = std::accumulate(weights.begin(), weights.end(), 0.0);
  Vector sums(at(outputs));
  for (Index i = 0; i < n; ++i) {
    for (Index c = 0; c < outputs; ++c) sums[at(c)] += alpha(i, c) *= std::sqrt(weights[at(i)]);
  }
  for (Index i = 0; i < n; ++i) {
    for (Index c = 0; c < outputs; ++c) alpha(i, c) -= weights[at(i)] / total * sums[at(c)];
  }
  const Matrix f = K.multiply(alpha.view(), how);
  Vector bias(at(outputs));
  for (Index i = 0; i < n; ++i) {
    for (Index c = 0; c < outputs; ++c) bias[at(c)] -= weights[at(i)] / total * f(i, c);
  }
  return K.expansion(alpha, std::move(bias), how);
}

}  // namespace mercer::detail
