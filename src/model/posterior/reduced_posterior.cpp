// Variances from a Posterior of kind `reduced`: what few inducing points know of f.
#include <algorithm>

#include "base/at.hpp"
#include "linalg/cholesky.hpp"
#include "linalg/lapack.hpp"
#include "model/posterior/kinds.hpp"

namespace mercer::detail {

namespace {

// Test points whose k(x, Z) is held at once.
constexpr Index kBlock = 512;
// Of what was added to the diagonal of K(Z, Z) by the fit.
constexpr double kMostTimes = 1e8;

Index functions_of(const Posterior& p, const Expansion& f) {
  if (p.trend == Trend::none) return 0;
  return p.trend == Trend::constant ? 1 : 1 + f.parts().slope.rows();
}

// In Factors::others, L of K(Z, Z) + N = L L'. What is added is that of the fit, or more where another rounding needs
// it.
void make_reduced_factors(const Model::Parts& parts, const Execution& how, Factors& to) {
  const Expansion::Parts& f = parts.f.parts();
  const Vector& shift = parts.posterior->shift;
  Matrix K = Matrix::uninitialized(parts.f.size(), parts.f.size());
  for (double times = 1; times <= kMostTimes; times *= 10) {
    gram(*f.kernel, *f.centres, K, how);
    for (Index i = 0; i < K.rows(); ++i) K(i, i) += times * shift[at(i)];
    if (linalg::cholesky(K, how.monitor) != 0) continue;
    to.jitter = (times - 1) * *std::max_element(shift.begin(), shift.end());
    to.others = {std::move(K)};
    return;
  }
  fail_indefinite(parts);
}

// k(x, Z) of each point becomes L^-1 k, and (L^-1 k, h(x)) is solved with the factor of what the data tell of it.
Matrix explained(const Model::Parts& parts, const Points& x, MatrixRef k, const Execution& how) {
  const Posterior& p = *parts.posterior;
  linalg::solve_lower_rows(factors_of(parts, how).others.front(), k);
  const Index m = k.cols();
  const Matrix h = trend_basis(p.trend, x, trend_centre(p.trend, *parts.f.parts().centres));
  Matrix out = Matrix::uninitialized(k.rows(), m + h.cols());
  for (Index i = 0; i < k.rows(); ++i) {
    std::copy_n(k.row(i), m, out.row(i));
    std::copy_n(h.row(i), h.cols(), out.row(i) + m);
  }
  linalg::solve_lower_rows(p.covariance, out);
  return out;
}

Matrix reduced_variances(const Model::Parts& parts, const Points& x, const Execution& how) {
  const Posterior& p = *parts.posterior;
  const Expansion::Parts& f = parts.f.parts();
  const auto outputs = static_cast<Index>(p.signal.size());
  Matrix out = Matrix::uninitialized(x.size(), outputs);
  for (Index first = 0; first < x.size(); first += kBlock) {
    const Range block{first, std::min(x.size(), first + kBlock)};
    const Points some = x.slice(block);
    const Vector prior = diagonal(*f.kernel, some);
    Matrix k = cross(*f.kernel, some, *f.centres, how);
    const Matrix left = explained(parts, some, k, how);
    for (Index i = 0; i < block.size(); ++i) {
      double known = 0, unsure = 0;
      for (Index j = 0; j < k.cols(); ++j) known += k(i, j) * k(i, j);
      for (Index j = 0; j < left.cols(); ++j) unsure += left(i, j) * left(i, j);
      // What rounding makes negative is nothing.
      const double variance = std::max(0.0, prior[at(i)] - known) + unsure;
      for (Index t = 0; t < outputs; ++t) out(first + i, t) = p.signal[at(t)] * variance;
    }
    how.monitor.report({"variances", static_cast<double>(block.end) / static_cast<double>(x.size())});
  }
  return out;
}

Matrix reduced_covariance(const Model::Parts& parts, const Points& x, Index output, const Execution& how) {
  const Expansion::Parts& f = parts.f.parts();
  Matrix out = gram(*f.kernel, x, how), k = cross(*f.kernel, x, *f.centres, how);
  const Matrix left = explained(parts, x, k, how);
  linalg::multiply_transposed(-1, k, k, 1, out);
  linalg::multiply_transposed(1, left, left, 1, out);
  finish_covariance(parts.posterior->signal[at(output)], out);
  return out;
}

std::string_view reduced_fault(const Posterior& p, const Expansion& f) {
  if (p.likelihood.coupled()) return "the link of several classes";
  if (p.likelihood.of_classes() && f.outputs() != 1) return "the link of two classes";
  return reduced_parts_fault(p, f, f.size() + functions_of(p, f));
}

}  // namespace

std::string_view reduced_parts_fault(const Posterior& p, const Expansion& f, Index rows) {
  if (p.shift.size() != at(f.size()) || !all_zero_or_more(p.shift)) return "the numbers of its shift";
  if (const std::string_view fault = signal_fault(p, f); !fault.empty()) return fault;
  if (p.covariance.rows() != rows || p.covariance.cols() != rows) return "the rows of its factor";
  for (Index i = 0; i < rows; ++i) {
    if (!(p.covariance(i, i) > 0)) return "the diagonal of its factor";
  }
  return "";
}

Posterior reduced_with(Posterior posterior, Matrix root) {
  posterior.factors = std::make_shared<Factors>();
  posterior.factors->others = {std::move(root)};
  posterior.factors->made = true;
  return posterior;
}

const PosteriorRow kReducedPosterior = {
    .name = "reduced",
    .fault = reduced_fault,
    .has_trend = true,
    .make_factors = make_reduced_factors,
    .variances = reduced_variances,
    .covariance = reduced_covariance,
};

}  // namespace mercer::detail
