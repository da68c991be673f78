// Variances from a Posterior of kind `process`: of f under A = S K S + N on the centres.
#include <algorithm>

#include "base/at.hpp"
#include "base/dot.hpp"
#include "base/fail.hpp"
#include "base/memory.hpp"
#include "linalg/cholesky.hpp"
#include "linalg/lapack.hpp"
#include "model/posterior/kinds.hpp"
#include "points/rep.hpp"

namespace mercer::detail {

namespace {

// Test points whose k(x, X) is held at once: enough for triangular solves at full speed.
constexpr Index kPosteriorBlock = 512;

void scale_columns(MatrixRef m, const Vector& scale) {
  if (scale.empty()) return;
  for (Index i = 0; i < m.rows(); ++i) {
    for (Index j = 0; j < m.cols(); ++j) m(i, j) *= scale[at(j)];
  }
}

// h(x) - H' A^-1 S k_x of each point, given rows S k_x; then L_t^-1 of that, L_t the factor of H' A^-1 H.
Matrix trend_rests(const Posterior& p, const Factors& factors, const Vector& centre, const Points& x, MatrixView k) {
  Matrix r = trend_basis(p.trend, x, centre);
  linalg::multiply(-1, k, factors.trend.solved, 1, r);
  linalg::solve_lower_rows(factors.trend.factor, r);
  return r;
}

// The same without k_x: sum_j r_j^2 of each point, from products with A^-1 H.
Vector trend_variances(const Posterior& p, const Factors& factors, const Vector& centre, const Points& x,
                       const Expansion::Parts& f, const Execution& how) {
  Vector out(at(x.size()));
  if (p.trend == Trend::none) return out;
  Matrix solved = factors.trend.solved;
  for (Index i = 0; i < solved.rows() && !p.scale.empty(); ++i) {
    for (Index j = 0; j < solved.cols(); ++j) solved(i, j) *= p.scale[at(i)];
  }
  const Matrix products = Expansion(
      {.kernel = f.kernel, .centres = f.centres, .alpha = std::move(solved), .training_size = f.training_size})(x, how);
  Matrix r = trend_basis(p.trend, x, centre);
  for (Index e = 0; e < r.rows() * r.cols(); ++e) r.data()[e] -= products.data()[e];
  linalg::solve_lower_rows(factors.trend.factor, r);
  for (Index i = 0; i < r.rows(); ++i) out[at(i)] = dot(r.row(i), r.row(i), r.cols());
  return out;
}

// A = S K S + N is positive definite, but a matrix that is nearly singular may lose that to rounding, and to another
// rounding than that of the fit: then the smallest power of ten that helps is added to its diagonal.
void solve_process(const Model::Parts& parts, const Execution& how, Factors& factors) {
  const Posterior& p = *parts.posterior;
  const Expansion::Parts& f = parts.f.parts();
  solve::Equations equations{.K = lazy(*f.kernel, *f.centres), .scale = p.scale, .shift = p.shift};
  solve::Wishes wishes{.method = solve::exact_method(equations.K, equations.size()), .jitter = true};
  Execution execution = how;
  if (const auto solver = parts.settings.find("solver");
      solver != parts.settings.end() && solver->second == "iterative") {
    wishes.method = Method::iterative;
    wishes.room = available_memory();
    equations.shift.resize(1);  // the same of all points
    execution.monitor = {};     // which is the caller's, and the system stays
  }
  solve::Made made = solve::system_for(equations, wishes, execution);
  if (!made.system) fail_indefinite(parts);
  factors.jitter = made.jitter;
  factors.A = std::move(made.system);
  if (p.trend == Trend::none) return;
  const Matrix H = trend_basis(p.trend, *f.centres, trend_centre(p.trend, *f.centres));
  std::optional<solve::TrendPart> trend = solve::trend_part(*factors.A, H);
  if (!trend) {
    fail(ErrorKind::numeric, "{}: the mean function of the model cannot be told apart from its parts; fit it again",
         parts.machine);
  }
  factors.trend = std::move(*trend);
}

// f at points whose k(x, centres) are at hand; f of a process has no term k(x, x).
Matrix from_centres(const Expansion::Parts& f, const Points& x, MatrixView k) {
  Matrix out = Matrix::uninitialized(x.size(), f.alpha.cols());
  for (Index i = 0; i < out.rows(); ++i) std::copy(f.bias.begin(), f.bias.end(), out.row(i));
  if (f.slope.rows() > 0) linalg::multiply(1, dense_rows(x).values, f.slope, 1, out);
  linalg::multiply(1, k, f.alpha, 1, out);
  return out;
}

// f, where it is asked for, has what it needs here already: of strings or graphs k(x, X) takes most of the time.
Matrix process_variances(const Model::Parts& parts, const Points& x, const Execution& how, Matrix* mean = nullptr) {
  const Posterior& p = *parts.posterior;
  const Factors& factors = factors_of(parts, how);
  const Expansion::Parts& f = parts.f.parts();
  const auto outputs = static_cast<Index>(p.signal.size());
  Matrix out = Matrix::uninitialized(x.size(), outputs);
  const Vector centre = trend_centre(p.trend, *f.centres);
  if (const std::optional<Vector> own = factors.A->variances(x)) {
    if (mean != nullptr) *mean = parts.f(x, how);
    const Vector unsure = trend_variances(p, factors, centre, x, f, how);
    for (Index i = 0; i < x.size(); ++i) {
      for (Index t = 0; t < outputs; ++t) out(i, t) = p.signal[at(t)] * ((*own)[at(i)] + unsure[at(i)]);
    }
    return out;
  }
  if (mean != nullptr) *mean = Matrix::uninitialized(x.size(), parts.f.outputs());
  for (Index first = 0; first < x.size(); first += kPosteriorBlock) {
    const Range block{first, std::min(x.size(), first + kPosteriorBlock)};
    const Points some = x.slice(block);
    const Vector prior = diagonal(*f.kernel, some);
    Matrix k = cross(*f.kernel, some, *f.centres, how);
    if (mean != nullptr) {
      const Matrix part = from_centres(f, some, k);
      for (Index i = 0; i < part.rows(); ++i) std::copy_n(part.row(i), part.cols(), mean->row(first + i));
    }
    scale_columns(k, p.scale);
    const Matrix rests = p.trend == Trend::none ? Matrix() : trend_rests(p, factors, centre, some, k);
    factors.A->solve_root(k);
    for (Index i = 0; i < block.size(); ++i) {
      double explained = 0, unsure = 0;
      for (Index j = 0; j < k.cols(); ++j) explained += k(i, j) * k(i, j);
      for (Index j = 0; j < rests.cols(); ++j) unsure += rests(i, j) * rests(i, j);
      // What rounding makes negative is nothing: the difference of numbers that agree to their last digits.
      const double variance = std::max(0.0, prior[at(i)] - explained) + unsure;
      for (Index t = 0; t < outputs; ++t) out(first + i, t) = p.signal[at(t)] * variance;
    }
    how.monitor.report({"variances", static_cast<double>(block.end) / static_cast<double>(x.size())});
  }
  return out;
}

Matrix process_variances_alone(const Model::Parts& parts, const Points& x, const Execution& how) {
  return process_variances(parts, x, how);
}

Moments process_moments(const Model::Parts& parts, const Points& x, const Execution& how) {
  Moments out;
  out.variances = process_variances(parts, x, how, &out.scores);
  return out;
}

Matrix process_covariance(const Model::Parts& parts, const Points& x, Index output, const Execution& how) {
  const Posterior& p = *parts.posterior;
  const Factors& factors = factors_of(parts, how);
  const Expansion::Parts& f = parts.f.parts();
  Matrix out = gram(*f.kernel, x, how), k = cross(*f.kernel, x, *f.centres, how);
  scale_columns(k, p.scale);
  if (p.trend != Trend::none) {
    const Matrix rests = trend_rests(p, factors, trend_centre(p.trend, *f.centres), x, k);
    linalg::multiply_transposed(1, rests, rests, 1, out);
  }
  factors.A->solve_root(k);
  linalg::multiply_transposed(-1, k, k, 1, out);
  finish_covariance(p.signal[at(output)], out);
  return out;
}

std::string_view process_fault(const Posterior& p, const Expansion& f) {
  if (p.shift.size() != at(f.size()) || !all_zero_or_more(p.shift)) return "the numbers of its shift";
  if (const std::string_view fault = signal_fault(p, f); !fault.empty()) return fault;
  return p.likelihood.coupled() ? "the link of several classes" : "";
}

}  // namespace

const PosteriorRow kProcessPosterior = {
    .name = "process",
    .fault = process_fault,
    .has_trend = true,
    .make_factors = solve_process,
    .variances = process_variances_alone,
    .covariance = process_covariance,
    .moments = process_moments,
};

}  // namespace mercer::detail
