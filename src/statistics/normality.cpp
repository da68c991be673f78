// Are points normal, whatever their mean and covariance?
#include <algorithm>
#include <cmath>

#include "base/at.hpp"
#include "base/fail.hpp"
#include "base/parallel.hpp"
#include "linalg/blas.hpp"
#include "linalg/lapack.hpp"
#include "mercer/kernels.hpp"
#include "mercer/statistics/goodness_of_fit.hpp"
#include "points/rep.hpp"
#include "simd/loops.hpp"
#include "statistics/resampling.hpp"
#include "statistics/stein.hpp"

namespace mercer {

namespace {

using detail::RadialTerm;

// Mean 0 and covariance I, by the factor of the covariance. False where that is singular.
bool whiten(Matrix& x) {
  const Index n = x.rows(), d = x.cols();
  for (Index j = 0; j < d; ++j) {
    double mean = 0, size = 0, spread = 0;
    for (Index i = 0; i < n; ++i) mean += x(i, j) / static_cast<double>(n), size = std::max(size, std::abs(x(i, j)));
    for (Index i = 0; i < n; ++i) spread = std::max(spread, std::abs(x(i, j) -= mean));
    if (!(spread > 1e-13 * size)) return false;
    // In units of their spread, so that singular is judged alike in all columns.
    for (Index i = 0; i < n; ++i) x(i, j) /= spread;
  }
  Matrix covariance(d, d);
  linalg::blas::syrk(linalg::blas::Op::transposed, 1 / static_cast<double>(n), x, 0, covariance);
  const Matrix before = covariance;
  if (linalg::blas::potrf(covariance) != 0) return false;
  for (Index j = 0; j < d; ++j) {
    if (!(covariance(j, j) * covariance(j, j) > 1e-12 * before(j, j))) return false;
  }
  for (Index i = 0; i < n; ++i) {
    for (Index j = 0; j < d; ++j) {
      for (Index k = 0; k < j; ++k) x(i, j) -= covariance(j, k) * x(i, k);
      x(i, j) /= covariance(j, j);
    }
  }
  return true;
}

// The unbiased discrepancy to N(0, I), whose score is -x: then the slope is |x - y|^2, and one triangle of inner
// products says all.
double ksd2_to_normal(const Matrix& x, const RadialTerm& k) {
  constexpr Index kRows = 64;
  const Index n = x.rows(), d = x.cols();
  Vector squares, r2(at(n)), slope(at(n)), space(at(n)), row(at(n));
  for (Index i = 0; i < n; ++i) squares.push_back(simd::dot(x.row(i), x.row(i), at(d)));
  Matrix dots = Matrix::uninitialized(kRows, n);
  double sum = 0;
  for (Index begin = 0; begin < n; begin += kRows) {
    const Range some{begin, std::min(begin + kRows, n)};
    const MatrixRef products = dots.ref().block({0, some.size()}, {0, some.end});
    linalg::multiply_transposed(1, x.view().block(some, {0, d}), x.view().block({0, some.end}, {0, d}), 0, products);
    for (Index i = some.begin; i < some.end; ++i) {
      const double* const dot = products.row(i - begin);
      for (Index j = 0; j < i; ++j) {
        r2[at(j)] = std::max(0.0, squares[at(i)] + squares[at(j)] - 2 * dot[j]);
        slope[at(j)] = r2[at(j)] - static_cast<double>(d);
      }
      std::fill_n(row.begin(), i, 0.0);
      detail::add_stein(k, {r2.data(), dot, slope.data()}, at(i), space, row.data());
      sum += simd::sum(row.data(), at(i));
    }
  }
  return 2 * sum / (static_cast<double>(n) * static_cast<double>(n - 1));
}

}  // namespace

TestResult test_normality(const Points& x, const Resampling& options, const Execution& how) {
  detail::require_resampling("normality", options);
  if (x.domain().kind != "reals") fail(ErrorKind::domain, "normality: needs numbers, and {}", x.rep().describe());
  require_finite(x);
  const Threads limit(how.threads);
  Matrix data(dense_rows(x).values);
  const Index n = data.rows(), d = data.cols();
  if (n < d + 2) {
    fail(ErrorKind::data, "normality: {} points of {} columns; it needs at least {} points, and useful are many more",
         n, d, d + 2);
  }
  if (!whiten(data)) {
    fail(ErrorKind::data,
         "normality: the columns depend on each other, or one is constant: such points have no normal density; leave "
         "columns out");
  }
  // As far as whitened points are from each other, so that no kernel has to be chosen.
  const RadialTerm k{1, std::sqrt(static_cast<double>(d)), 0.5};
  Matrix found(1, options.resamples + 1);
  found(0, 0) = ksd2_to_normal(data, k);
  parallel_for(options.resamples, thread_count(how.threads), how.monitor, "resamples", [&](Index b, int) {
    // Each from a stream of its own, whichever thread draws it.
    Random random(options.seed + 0x9E3779B97F4A7C15ULL * static_cast<std::uint64_t>(b + 1));
    Matrix drawn(n, d);
    do {
      for (Index i = 0; i < n * d; ++i) drawn.data()[i] = random.normal();
    } while (!whiten(drawn));
    found(0, b + 1) = ksd2_to_normal(drawn, k);
  });
  const Vector rounding = {1e-12};
  TestResult out = detail::judged(found, rounding, options, "normal samples");
  out.parts[0].kernel = rq(k.ell, k.alpha).str();
  return out;
}

}  // namespace mercer
