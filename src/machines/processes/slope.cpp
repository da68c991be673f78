// Derivatives of the posterior in x. With u = S k_x, r = h(x) - H' A^-1 u and M = (H' A^-1 H)^-1,
//     mean     = sum_i alpha_i k(x_i, x) + h(x)'b
//     variance = signal (k(x, x) - u' A^-1 u + r' M r)
// are sums of kernel values with weights, so that one reverse sweep over k(x, X) gives each: the weights of the
// variance are -2 signal S A^-1 (u + H M r). Of k(x, x) both places move, which is twice the derivative of one.
#include <algorithm>

#include "base/at.hpp"
#include "base/fail.hpp"
#include "base/parallel.hpp"
#include "linalg/lapack.hpp"
#include "machines/processes/process.hpp"
#include "mercer/machines/gp.hpp"

namespace mercer {

namespace {

using detail::Process;

// Points at a time: memory is so many rows of k(x, X).
constexpr Index kBlock = 256;
// Points whose k(x, x) is differentiated at a time: the sweep visits all their pairs and uses the diagonal.
constexpr Index kPairs = 24;

// One column per point; the weight of each centre's kernel value in the variance, and h's share into `by_trend`.
Matrix variance_weights(const Process& process, const Points& x, Matrix& by_trend, const Execution& how) {
  Matrix w = detail::scaled_cross(process, process.kernel(), x, how);
  const Matrix& trend = process.factors.trend.solved;
  if (has_trend(process)) {
    const Matrix h = detail::trend_basis(process, x);
    by_trend = Matrix(h.cols(), h.rows());
    for (Index i = 0; i < h.rows(); ++i) {
      for (Index j = 0; j < h.cols(); ++j) by_trend(j, i) = h(i, j);
    }
    linalg::multiply_left_transposed(-1, trend, w, 1, by_trend);
    detail::solve_trend(process, by_trend);
  }
  process.factors.A->solve(w);
  if (has_trend(process)) linalg::multiply(1, trend, by_trend, 1, w);
  const Vector& scale = process.posterior.scale;
  for (Index i = 0; i < w.rows(); ++i) {
    for (Index j = 0; j < w.cols(); ++j) w(i, j) *= scale.empty() ? -2 : -2 * scale[at(i)];
  }
  return w;
}

// d k(x, x) / d x of each point, added to out.
void add_diagonal_slope(const Kernel& k, const Points& x, MatrixRef out, const Execution& how) {
  for (Index first = 0; first < x.size(); first += kPairs) {
    const Range some{first, std::min(first + kPairs, x.size())};
    Matrix twice(some.size(), some.size());
    for (Index i = 0; i < some.size(); ++i) twice(i, i) = 2;
    const Points part = x.slice(some);
    const Matrix g = input_gradient(k, part, part, twice, how);
    for (Index i = 0; i < g.rows(); ++i) {
      for (Index c = 0; c < g.cols(); ++c) out(first + i, c) += g(i, c);
    }
  }
}

Matrix mean_slope(const Process& process, const Points& x, Index output, const Execution& how) {
  const Expansion::Parts& f = process.parts.f.parts();
  Matrix w(x.size(), process.size());
  for (Index i = 0; i < w.rows(); ++i) {
    for (Index j = 0; j < w.cols(); ++j) w(i, j) = f.alpha(j, output);
  }
  Matrix out = input_gradient(process.kernel(), x, process.centres(), w, how);
  for (Index i = 0; i < out.rows() && f.slope.rows() > 0; ++i) {
    for (Index c = 0; c < out.cols(); ++c) out(i, c) += f.slope(c, output);
  }
  return out;
}

// In units of the signal.
Matrix variance_slope(const Process& process, const Points& x, const Execution& how) {
  Matrix by_trend;
  const Matrix columns = variance_weights(process, x, by_trend, how);
  Matrix w = Matrix::uninitialized(x.size(), process.size());
  for (Index i = 0; i < w.rows(); ++i) {
    for (Index j = 0; j < w.cols(); ++j) w(i, j) = columns(j, i);
  }
  Matrix out = input_gradient(process.kernel(), x, process.centres(), w, how);
  add_diagonal_slope(process.kernel(), x, out, how);
  for (Index i = 0; i < out.rows() && process.posterior.trend == Trend::linear; ++i) {
    for (Index c = 0; c < out.cols(); ++c) out(i, c) += 2 * by_trend(1 + c, i);
  }
  return out;
}

// The model's inputs are (x - shift) * factor.
void copy_rescaled(const Matrix& from, double unit, const Vector& factor, Index first, Matrix& to) {
  for (Index i = 0; i < from.rows(); ++i) {
    for (Index c = 0; c < from.cols(); ++c) {
      to(first + i, c) = unit * from(i, c) * (factor.empty() ? 1 : factor[at(c)]);
    }
  }
}

}  // namespace

PosteriorSlope posterior_slope(const Model& gp, const Points& x, Index output, const Execution& how) {
  const Threads threads(how.threads);
  const Process process = detail::process_of("posterior_slope", gp, how);
  detail::require_output("posterior_slope", gp, output);
  const Points inputs = detail::inputs_of(gp, x);
  if (inputs.domain().kind != "reals") {
    fail(ErrorKind::domain, "posterior_slope: the inputs are {}; only real vectors have a slope",
         inputs.domain().str());
  }
  if (const std::vector<RowMap>& maps = gp.parts().scaling.maps; !maps.empty()) {
    fail(ErrorKind::usage,
         "posterior_slope: the inputs go through {}, and slopes behind it are not known; prepare them "
         "before the fit",
         str(maps));
  }
  const Index columns = inputs.domain().dimension;
  PosteriorSlope out{Matrix(x.size(), columns), Matrix(x.size(), columns)};
  const double signal = process.posterior.signal[at(output)];
  const Vector& factor = gp.parts().scaling.factor;
  for (Index first = 0; first < x.size(); first += kBlock) {
    const Points block = inputs.slice({first, std::min(first + kBlock, x.size())});
    copy_rescaled(mean_slope(process, block, output, how), 1, factor, first, out.mean);
    copy_rescaled(variance_slope(process, block, how), signal, factor, first, out.variance);
  }
  return out;
}

}  // namespace mercer
