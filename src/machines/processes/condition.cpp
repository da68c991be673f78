// More observations for a process whose hyper-parameters stay as they are. The solved system grows by the new points,
// and the old targets come back from the model itself: y = A alpha + H b.
#include <algorithm>
#include <cmath>
#include <numbers>

#include "base/at.hpp"
#include "base/fail.hpp"
#include "base/parallel.hpp"
#include "domains/fingerprints.hpp"
#include "linalg/lapack.hpp"
#include "machines/processes/process.hpp"
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

// The targets that the model was fitted to: A alpha + H b.
Matrix targets_of(const Process& process, const solve::Equations& old, const Execution& how) {
  Matrix out = solve::product(old, process.parts.f.parts().alpha, how);
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

// (y - H b)' alpha is y' alpha: alpha is orthogonal to the trend.
double log_likelihood(const solve::System& A, const Matrix& y, const Matrix& alpha, const Vector& signal) {
  const auto n = static_cast<double>(A.size());
  double out = -0.5 * static_cast<double>(y.cols()) * A.log_determinant().middle();
  for (Index j = 0; j < alpha.cols(); ++j) {
    double fit = 0;
    for (Index i = 0; i < alpha.rows(); ++i) fit += y(i, j) * alpha(i, j);
    out -= 0.5 * fit / signal[at(j)] + 0.5 * n * std::log(2 * std::numbers::pi * signal[at(j)]);
  }
  return out;
}

Expansion::Parts grown_expansion(const Process& process, const Points& x, const Points& centres,
                                 solve::Regression& solution) {
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
  const Stopwatch watch;
  const Process process = detail::regression_of("condition", gp, how);
  const Points inputs = detail::inputs_of(gp, x);
  check_targets(process, x, y);
  if (x.size() == 0) return gp;
  const Posterior& old = process.posterior;
  const double shift = old.noise[0] / old.signal[0];  // the same for every output
  solve::Equations equations{.K = lazy(process.kernel(), process.centres()), .scale = old.scale, .shift = old.shift};
  const Matrix targets = below(targets_of(process, equations, how), y);
  const Points centres = join(process.centres(), inputs);
  const auto size = at(centres.size());
  equations.K = lazy(process.kernel(), centres);
  equations.shift.resize(size, shift);
  if (!old.scale.empty()) equations.scale.resize(size, 1.0);
  solve::Made made = solve::extended(*process.factors.A, equations, how);
  if (!made.system) {
    fail(
        ErrorKind::numeric,
        "condition: new point {} is already determined by the others, in floating point; leave it out (it may be there "
        "twice), or fit the gp with a noise of its own",
        made.pivot);
  }
  const Matrix H = has_trend(process)
                       ? detail::trend_basis(old.trend, centres, detail::trend_centre(old.trend, centres))
                       : Matrix(targets.rows(), 0);
  std::optional<solve::Regression> found = solve::regression(*made.system, H, targets);
  if (!found) {
    fail(ErrorKind::numeric, "condition: the trend is not determined by the points; fit the gp with a simpler mean");
  }
  solve::Regression& solution = *found;

  Report report;
  report.add("log_marginal_likelihood", log_likelihood(*made.system, targets, solution.alpha, old.signal));
  for (std::size_t t = 0; t < old.signal.size(); ++t) {
    const std::string which = old.signal.size() == 1 ? "" : fmt::format("[{}]", t + 1);
    report.add("signal" + which, old.signal[t]);
    report.add("noise" + which, old.noise[t]);
  }
  report.notes.push_back(
      fmt::format("conditioned on {} more points, {} in all; the hyper-parameters are those learnt before them",
                  x.size(), centres.size()));

  Posterior posterior = old;
  posterior.factors.reset();
  posterior.shift = std::move(equations.shift);
  posterior.scale = std::move(equations.scale);
  Expansion f(grown_expansion(process, inputs, centres, solution));
  posterior = detail::process_with(std::move(posterior), std::move(made.system), std::move(solution.trend));
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
