// More observations for a process whose hyper-parameters stay as they are. The Cholesky factor grows by a block,
//     L21 = (L^-1 S K12)',   L22 L22' = A22 - L21 L21',
// and the old targets come back from the model itself: y = A alpha + H b.
#include <algorithm>
#include <cmath>
#include <numbers>

#include "base/at.hpp"
#include "base/fail.hpp"
#include "base/parallel.hpp"
#include "domains/fingerprints.hpp"
#include "linalg/cholesky.hpp"
#include "linalg/lapack.hpp"
#include "machines/gp/process.hpp"
#include "mercer/machines/gp.hpp"
#include "model/training.hpp"
#include "points/join.hpp"

namespace mercer {

namespace {

using detail::Process;

void check_targets(const Process& process, const Points& x, const Matrix& y) {
  const Index outputs = process.parts.f.outputs();
  if (y.rows() != x.size() || y.cols() != outputs) {
    fail(ErrorKind::shape, "condition: y is {} x {}, where {} new points with {} targets each need {} x {}", y.rows(),
         y.cols(), x.size(), outputs, x.size(), outputs);
  }
  for (Index i = 0; i < y.rows(); ++i) {
    for (Index j = 0; j < outputs; ++j) {
      if (!std::isfinite(y(i, j))) {
        fail(ErrorKind::data, "condition: the target of row {} is {}; remove the row or fill it in", i + 1, y(i, j));
      }
    }
  }
}

// The targets that the model was fitted to. A alpha from its factor: n^2, and no kernel value.
Matrix targets_of(const Process& process) {
  const Matrix& alpha = process.parts.f.parts().alpha;
  const Matrix& L = process.factors.lower;
  Matrix turned(alpha.rows(), alpha.cols()), out(alpha.rows(), alpha.cols());
  for (Index i = 0; i < L.rows(); ++i) {
    for (Index k = 0; k <= i; ++k) {
      for (Index j = 0; j < alpha.cols(); ++j) turned(k, j) += L(i, k) * alpha(i, j);
    }
  }
  for (Index i = 0; i < L.rows(); ++i) {
    for (Index k = 0; k <= i; ++k) {
      for (Index j = 0; j < alpha.cols(); ++j) out(i, j) += L(i, k) * turned(k, j);
    }
  }
  if (has_trend(process)) {
    linalg::multiply(1, detail::trend_basis(process, process.centres()), detail::trend_coefficients(process), 1, out);
  }
  return out;
}

Matrix below(const Matrix& a, const Matrix& b) {
  Matrix out = Matrix::uninitialized(a.rows() + b.rows(), a.cols());
  std::copy_n(a.data(), a.rows() * a.cols(), out.data());
  std::copy_n(b.data(), b.rows() * b.cols(), out.data() + a.rows() * a.cols());
  return out;
}

// The factor of A with a block for the new points x, whose noise is `shift` in units of the signal.
Matrix grown_factor(const Process& process, const Points& x, double shift, const Execution& how) {
  const Matrix& old = process.factors.lower;
  const Index n = old.rows(), m = x.size();
  Matrix out(n + m, n + m);
  for (Index i = 0; i < n; ++i) std::copy_n(old.row(i), i + 1, out.row(i));
  Matrix side = detail::scaled_cross(process, process.kernel(), x, how);
  linalg::solve_lower(old, side);
  for (Index i = 0; i < n; ++i) {
    for (Index j = 0; j < m; ++j) out(n + j, i) = side(i, j);
  }
  const MatrixRef corner = out.ref().block({n, n + m}, {n, n + m});
  gram(process.kernel(), x, corner, how);
  for (Index i = 0; i < m; ++i) corner(i, i) += shift;
  linalg::multiply_left_transposed(-1, side, side, 1, corner);
  if (const Index pivot = linalg::cholesky(corner, how.monitor); pivot != 0) {
    fail(
        ErrorKind::numeric,
        "condition: new point {} is already determined by the others, in floating point; leave it out (it may be there "
        "twice), or fit the gp with a noise of its own",
        pivot);
  }
  return out;
}

struct Solution {
  Matrix alpha;         // A^-1 (y - H b)
  Matrix b;             // the trend's coefficients
  Matrix trend;         // A^-1 H
  Matrix trend_factor;  // of H' A^-1 H
};

// n^2 for each target and each basis function.
Solution solve(const Matrix& lower, const Matrix& H, const Matrix& y) {
  Solution out{y, Matrix(H.cols(), y.cols()), H, Matrix(H.cols(), H.cols())};
  linalg::cholesky_solve(lower, out.alpha);
  if (H.cols() == 0) return out;
  linalg::cholesky_solve(lower, out.trend);
  linalg::multiply_left_transposed(1, H, out.trend, 0, out.trend_factor);
  if (linalg::cholesky(out.trend_factor) != 0) {
    fail(ErrorKind::numeric, "condition: the trend is not determined by the points; fit the gp with a simpler mean");
  }
  linalg::multiply_left_transposed(1, H, out.alpha, 0, out.b);
  linalg::cholesky_solve(out.trend_factor, out.b);
  linalg::multiply(-1, out.trend, out.b, 1, out.alpha);
  return out;
}

// (y - H b)' alpha is y' alpha: alpha is orthogonal to the trend.
double log_likelihood(const Matrix& lower, const Matrix& y, const Matrix& alpha, const Vector& signal) {
  const auto n = static_cast<double>(lower.rows());
  double out = -0.5 * static_cast<double>(y.cols()) * linalg::log_determinant(lower);
  for (Index j = 0; j < alpha.cols(); ++j) {
    double fit = 0;
    for (Index i = 0; i < alpha.rows(); ++i) fit += y(i, j) * alpha(i, j);
    out -= 0.5 * fit / signal[at(j)] + 0.5 * n * std::log(2 * std::numbers::pi * signal[at(j)]);
  }
  return out;
}

Expansion::Parts grown_expansion(const Process& process, const Points& x, const Points& centres, Solution& solution) {
  const Expansion::Parts& old = process.parts.f.parts();
  Expansion::Parts f{.kernel = old.kernel, .centres = centres, .alpha = std::move(solution.alpha)};
  const Matrix& b = solution.b;
  if (has_trend(process)) f.bias = detail::trend_bias(b, detail::trend_centre(process.posterior.trend, centres));
  if (process.posterior.trend == Trend::linear) {
    f.slope = Matrix(b.view().block({1, b.rows()}, {0, b.cols()}));
  }
  f.support = old.support;
  for (Index i = 0; i < x.size() && !old.support.empty(); ++i) f.support.push_back(old.training_size + i);
  f.training_size = old.training_size + x.size();
  return f;
}

}  // namespace

Model condition(const Model& gp, const Points& x, const Matrix& y, const Execution& how) {
  const Threads threads(how.threads);
  const detail::Stopwatch watch;
  const Process process = detail::regression_of("condition", gp, how);
  const Points inputs = detail::inputs_of(gp, x);
  check_targets(process, x, y);
  if (x.size() == 0) return gp;
  const Posterior& old = process.posterior;
  const double shift = old.noise[0] / old.signal[0];  // the same for every output
  Matrix lower = grown_factor(process, inputs, shift, how);
  const Matrix targets = below(targets_of(process), y);
  const Points centres = join(process.centres(), inputs);
  const Matrix H = has_trend(process)
                       ? detail::trend_basis(old.trend, centres, detail::trend_centre(old.trend, centres))
                       : Matrix(targets.rows(), 0);
  Solution solution = solve(lower, H, targets);

  Report report;
  report.add("log_marginal_likelihood", log_likelihood(lower, targets, solution.alpha, old.signal));
  for (std::size_t t = 0; t < old.signal.size(); ++t) {
    const std::string which = old.signal.size() == 1 ? "" : fmt::format("[{}]", t + 1);
    report.add("signal" + which, old.signal[t]);
    report.add("noise" + which, old.noise[t]);
  }
  report.notes.push_back(
      fmt::format("conditioned on {} more points, {} in all; the hyper-parameters are those learnt before them",
                  x.size(), lower.rows()));

  Posterior posterior = old;
  posterior.factors.reset();
  posterior.shift = old.shift.empty() ? Vector(at(process.size()), 1.0) : old.shift;
  posterior.shift.resize(at(lower.rows()), shift);
  if (!old.scale.empty()) posterior.scale.resize(at(lower.rows()), 1.0);
  Expansion f(grown_expansion(process, inputs, centres, solution));
  posterior = detail::process_with(std::move(posterior), std::move(lower), std::move(solution.trend),
                                   std::move(solution.trend_factor));
  report.seconds = watch.seconds();
  return gp.with([&](Model::Parts& parts) {
    parts.f = std::move(f);
    parts.posterior = std::move(posterior);
    parts.report = std::move(report);
    // No file holds all its points any more; the points themselves are still known.
    std::vector<std::int64_t> rows = std::move(parts.provenance.rows);
    Vector weights = std::move(parts.provenance.weights);
    if (!rows.empty()) {
      const std::vector<std::int64_t> more = fingerprints(x);
      rows.insert(rows.end(), more.begin(), more.end());
    }
    if (!weights.empty()) weights.resize(weights.size() + at(x.size()), 1.0);
    parts.provenance = {.rows = std::move(rows), .weights = std::move(weights)};
  });
}

}  // namespace mercer
