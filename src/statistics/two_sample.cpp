#include "mercer/statistics/two_sample.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "base/at.hpp"
#include "base/fail.hpp"
#include "base/parallel.hpp"
#include "gram/about_mean.hpp"
#include "linalg/lapack.hpp"
#include "statistics/linear_time.hpp"
#include "statistics/resampling.hpp"
#include "statistics/samples.hpp"

namespace mercer {

namespace {

// Up to this much all matrices are computed once and kept; beyond, blocks of rows are computed when needed. Decided by
// sizes alone, so that what else runs on a machine changes no bit.
constexpr double kKept = 1e9;

void require_samples(Index first, Index second, Index least) {
  if (std::min(first, second) >= least) return;
  fail(ErrorKind::data, "mmd: the {} sample has {} point{}; each needs {}", first < least ? "first" : "second",
       std::min(first, second), std::min(first, second) == 1 ? "" : "s", least);
}

// MMD^2 from sums over pairs: q = z'Kz, r = z'K1 and d = z'diag(K) for the indicator z of the first sample.
struct Sums {
  double n, m, total, trace;
  double mmd2(double q, double r, double d, Estimate estimate) const {
    const double other = total - 2 * r + q, between = 2 * (r - q) / (n * m);
    if (estimate == Estimate::biased) return std::max(0.0, q / (n * n) + other / (m * m) - between);
    return (q - d) / (n * (n - 1)) + (other - (trace - d)) / (m * (m - 1)) - between;
  }
};

double sum_of(VectorView v) {
  double out = 0;
  for (const double x : v) out += x;
  return out;
}

// Rounding errors of a mean of kernel values, none of which is larger than the largest k(x, x).
double rounding_of(VectorView diagonal) { return 1e-13 * *std::max_element(diagonal.begin(), diagonal.end()); }

// Who is of the first sample, resample after resample; in the first one as it is.
class Divisions {
 public:
  Divisions(Index first, std::vector<Index> order, std::uint64_t seed)
      : first_(first), list_(std::move(order)), random_(seed) {}

  void next(double* row) {
    const auto n = static_cast<Index>(list_.size());
    if (std::exchange(as_it_is_, false)) {
      std::fill_n(std::fill_n(row, first_, 1.0), n - first_, 0.0);
      return;
    }
    // The smaller sample is drawn, so that neither sample is special.
    const Index few = std::min(first_, n - first_);
    const double drawn = few == first_ ? 1 : 0;
    for (Index i = 0; i < few; ++i) std::swap(list_[at(i)], list_[at(i + random_.below(n - i))]);
    for (Index i = 0; i < n; ++i) row[list_[at(i)]] = i < few ? drawn : 1 - drawn;
  }

 private:
  Index first_;
  std::vector<Index> list_;
  Random random_;
  bool as_it_is_ = true;
};

Matrix by_permutations(std::span<const Gram> matrices, MatrixView diagonals, Index first, Estimate estimate,
                       const Resampling& options, const Execution& how) {
  const Index n = matrices[0].size(), count = static_cast<Index>(matrices.size()), rows = options.resamples + 1;
  Matrix linear = Matrix::uninitialized(2 * count, n);  // K 1 of each, then the diagonals
  const Vector ones(at(n), 1.0);
  for (Index k = 0; k < count; ++k) {
    const Vector sums = matrices[at(k)].multiply(ones, how);
    std::copy(sums.begin(), sums.end(), linear.row(k));
    std::copy_n(diagonals.row(k), n, linear.row(count + k));
  }
  Matrix parts(2 * count, rows);
  Divisions divisions(first, detail::by_content(matrices[0]), options.seed);
  const auto next = [&](Range which, MatrixRef z) {
    for (Index b = 0; b < z.rows(); ++b) divisions.next(z.row(b));
    linalg::multiply_transposed(1, linear, z, 0, parts.ref().block({0, parts.rows()}, which));
  };
  Matrix out = detail::quadratic_forms(matrices, rows, next, how);
  for (Index k = 0; k < count; ++k) {
    const Sums sums{static_cast<double>(first), static_cast<double>(n - first), sum_of({linear.row(k), at(n)}),
                    sum_of({diagonals.row(k), at(n)})};
    for (Index b = 0; b < rows; ++b) out(k, b) = sums.mmd2(out(k, b), parts(k, b), parts(count + k, b), estimate);
  }
  return out;
}

// Points of one sample in a random order that their content decides.
std::vector<Index> shuffled(const std::vector<Index>& order, Range which, Random& random) {
  std::vector<Index> out;
  for (const Index i : order) {
    if (i >= which.begin && i < which.end) out.push_back(i);
  }
  detail::shuffle(out, random);
  return out;
}

Matrix by_sign_flips(std::span<const Gram> matrices, MatrixView diagonals, Index first, Estimate estimate,
                     const Resampling& options, const Execution& how) {
  constexpr Index kRows = 64;  // of K, at a time
  const Index n = first;
  Random random(options.seed);
  const std::vector<Index> order = detail::by_content(matrices[0]);
  const std::vector<Index> x = shuffled(order, {0, n}, random), y = shuffled(order, {n, 2 * n}, random);
  const auto next = [&](Range which, MatrixRef signs) {
    for (Index b = 0; b < signs.rows(); ++b) {
      for (Index i = 0; i < n; ++i) {
        const double sign = which.begin + b == 0 || random.uniform() < 0.5 ? 1 : -1;
        signs(b, x[at(i)]) = sign;
        signs(b, y[at(i)]) = -sign;
      }
    }
  };
  Matrix out = detail::quadratic_forms(matrices, options.resamples + 1, next, how);
  const auto size = static_cast<double>(n);
  for (Index k = 0; k < out.rows(); ++k) {
    double left_out = 0;  // of v'Kv: points with themselves and within pairs, whatever the signs
    if (estimate == Estimate::unbiased) {
      left_out = sum_of({diagonals.row(k), at(2 * n)});
      for (Index begin = 0; begin < n; begin += kRows) {
        const auto some = std::span(x).subspan(at(begin), at(std::min(kRows, n - begin)));
        const Matrix rows = matrices[at(k)].rows(some, how);
        for (Index i = 0; i < rows.rows(); ++i) left_out -= 2 * rows(i, y[at(begin + i)]);
      }
    }
    const double pairs = estimate == Estimate::unbiased ? size * (size - 1) : size * size;
    for (Index b = 0; b < out.cols(); ++b) out(k, b) = (out(k, b) - left_out) / pairs;
  }
  return out;
}

// In how many ways n + m points can be divided into samples of n and m, of which n = m is no way of its own twice.
double ways(Index n, Index m) {
  const auto log_factorial = [](Index k) { return std::lgamma(static_cast<double>(k) + 1); };
  return std::exp(log_factorial(n + m) - log_factorial(n) - log_factorial(m)) / (n == m ? 2 : 1);
}

TestResult run_on(std::span<const Gram> given, Index first, const TwoSampleTest& test, const Execution& how) {
  detail::require_resampling("mmd", test.resampling);
  const Threads limit(how.threads);
  std::vector<Gram> matrices;
  for (const Gram& K : given) matrices.push_back(detail::about_mean(K, {}, how).K);
  const Index n = matrices[0].size(), second = n - first;
  if (first < 0 || first > n) fail(ErrorKind::shape, "mmd: {} points of the first sample among {}", first, n);
  const bool flips = test.null == TwoSampleTest::Null::sign_flips;
  require_samples(first, second, 2);
  if (flips && first != second) {
    fail(ErrorKind::data, "mmd: signs are flipped for samples of one size, and these have {} and {}; use permutations",
         first, second);
  }
  Matrix diagonals(static_cast<Index>(matrices.size()), n);
  Vector rounding;
  for (Index k = 0; k < diagonals.rows(); ++k) {
    const Vector diagonal = matrices[at(k)].diagonal();
    std::copy(diagonal.begin(), diagonal.end(), diagonals.row(k));
    rounding.push_back(rounding_of(diagonal));
  }
  const auto statistics = flips ? by_sign_flips : by_permutations;
  const Matrix found = statistics(matrices, diagonals, first, test.estimate, test.resampling, how);
  TestResult out = detail::judged(found, rounding, test.resampling, flips ? "sign flips" : "permutations");
  for (std::size_t k = 0; k < out.parts.size(); ++k) out.parts[k].kernel = detail::text_of(matrices[k]);
  const double least = flips ? std::exp2(1 - static_cast<double>(first)) : 1 / ways(first, second);
  if (least > test.resampling.alpha) {
    out.remarks.push_back(fmt::format("samples of {} and {} points cannot give a p below {:.2g}, whatever they are",
                                      first, second, least));
  }
  return out;
}

Matrix indicators(Index n, Index first) {
  Matrix out(n, 2, 1.0);
  for (Index i = first; i < n; ++i) out(i, 0) = 0;
  return out;
}

}  // namespace

double mmd2(const Gram& given, Index first, Estimate estimate, const Execution& how) {
  const Threads limit(how.threads);
  const Gram K = detail::about_mean(given, {}, how).K;
  const Index n = K.size();
  require_samples(first, n - first, estimate == Estimate::unbiased ? 2 : 1);
  const Matrix products = K.multiply(indicators(n, first), how);  // K z and K 1
  const Vector diagonal = K.diagonal();
  double q = 0, r = 0, d = 0;
  Sums sums{static_cast<double>(first), static_cast<double>(n - first), 0, sum_of(diagonal)};
  for (Index i = 0; i < n; ++i) {
    sums.total += products(i, 1);
    if (i < first) q += products(i, 0), r += products(i, 1), d += diagonal[at(i)];
  }
  return sums.mmd2(q, r, d, estimate);
}

double mmd2(const Kernel& k, const Points& a, const Points& b, Estimate estimate, const Execution& how) {
  return mmd2(lazy(k, detail::pooled(a, b, Scaling::Kind::none)), a.size(), estimate, how);
}

TestResult TwoSampleTest::run(const Gram& K, Index first, const Execution& how) const {
  if (null == Null::normal) {
    fail(ErrorKind::usage, "mmd: the statistic in linear time is made of a kernel and points, not of a matrix");
  }
  return run_on({&K, 1}, first, *this, how);
}

TestResult TwoSampleTest::run(std::span<const Kernel> kernels, const Points& a, const Points& b,
                              const Execution& how) const {
  if (kernels.empty()) fail(ErrorKind::usage, "mmd: there is no kernel; give one, or none at all for the default");
  const Threads limit(how.threads);
  const Points both = detail::pooled(a, b, scale);
  if (null == Null::normal) {
    if (kernels.size() > 1) fail(ErrorKind::usage, "mmd: the statistic in linear time takes one kernel, not several");
    const Gram K = detail::about_mean(lazy(kernels[0], both)).K;
    return detail::linear_time_test(*K.kernel(), *K.points(), a.size(), resampling, how);
  }
  const auto n = static_cast<double>(both.size());
  const bool kept = sizeof(double) * n * n * static_cast<double>(kernels.size()) <= kKept;
  std::vector<Gram> matrices;
  for (const Kernel& k : kernels) matrices.push_back(kept ? exact(k, both, how) : lazy(k, both));
  return run_on(matrices, a.size(), *this, how);
}

TestResult TwoSampleTest::run(const Kernel& k, const Points& a, const Points& b, const Execution& how) const {
  return run(std::span(&k, 1), a, b, how);
}

TestResult TwoSampleTest::run(const Points& a, const Points& b, const Execution& how) const {
  const Points both = detail::pooled(a, b, scale);
  const Index n = a.size();
  TwoSampleTest scaled = *this;
  scaled.scale = Scaling::Kind::none;
  return scaled.run(bandwidths(both), both.slice({0, n}), both.slice({n, both.size()}), how);
}

}  // namespace mercer
