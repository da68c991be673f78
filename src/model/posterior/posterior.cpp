#include "model/posterior/posterior.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "base/at.hpp"
#include "base/fail.hpp"
#include "base/parallel.hpp"
#include "base/text.hpp"
#include "linalg/cholesky.hpp"
#include "linalg/lapack.hpp"
#include "model/posterior/softmax_posterior.hpp"
#include "model/posterior/weights_posterior.hpp"
#include "points/rep.hpp"

namespace mercer {

namespace {

constexpr std::array<std::string_view, 3> kTrends = {"zero", "constant", "linear"};
constexpr std::array<std::string_view, 3> kKinds = {"process", "softmax", "weights"};

}  // namespace

std::string_view name_of(Trend trend) { return kTrends[static_cast<std::size_t>(trend)]; }
std::string_view name_of(Posterior::Kind kind) { return kKinds[static_cast<std::size_t>(kind)]; }

namespace detail {

namespace {

// Test points whose k(x, X) is held at once: enough for triangular solves at full speed.
constexpr Index kBlock = 512;

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

const Posterior& require_posterior(const Model::Parts& parts) {
  if (!parts.posterior) {
    fail(ErrorKind::usage, "{}: gives no variances; gp, gpc and rvm do", parts.machine);
  }
  if (!parts.f.parts().kernel) {
    fail(ErrorKind::usage,
         "{}: the model was fitted to a matrix of numbers and knows no kernel, so it has no variances at new points",
         parts.machine);
  }
  return *parts.posterior;
}

// A = S K S + N is positive definite, but a matrix that is nearly singular may lose that to rounding, and to another
// rounding than that of the fit: then the smallest power of ten that helps is added to its diagonal.
void solve_process(const Model::Parts& parts, const Execution& how, Factors& factors) {
  const Posterior& p = *parts.posterior;
  const Expansion::Parts& f = parts.f.parts();
  const solve::Equations equations{.K = lazy(*f.kernel, *f.centres), .scale = p.scale, .shift = p.shift};
  solve::Made made = solve::system_for(equations, {.method = Method::dense, .jitter = true}, how);
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

}  // namespace

void fail_indefinite(const Model::Parts& parts) {
  fail(ErrorKind::numeric,
       "{}: the model's matrix is not positive definite in floating point; fit it again with more noise, or a smaller "
       "signal",
       parts.machine);
}

Vector trend_centre(Trend trend, const Points& centres) {
  if (trend != Trend::linear) return {};
  const DenseRows rows = dense_rows(centres);
  Vector out(at(rows.values.cols()));
  for (Index i = 0; i < rows.values.rows(); ++i) {
    for (Index k = 0; k < rows.values.cols(); ++k) out[at(k)] += rows.values(i, k);
  }
  for (double& mean : out) mean /= static_cast<double>(std::max<Index>(1, rows.values.rows()));
  return out;
}

Vector trend_bias(const Matrix& b, const Vector& centre) {
  Vector out(b.row(0), b.row(0) + b.cols());
  for (std::size_t k = 0; k < centre.size(); ++k) {
    for (std::size_t t = 0; t < out.size(); ++t)
      out[t] -= centre[k] * b(static_cast<Index>(k) + 1, static_cast<Index>(t));
  }
  return out;
}

Matrix trend_basis(Trend trend, const Points& x, const Vector& centre) {
  if (trend == Trend::none) return Matrix(x.size(), 0);
  if (trend == Trend::constant) return Matrix(x.size(), 1, 1.0);
  const DenseRows rows = dense_rows(x);
  Matrix out = Matrix::uninitialized(x.size(), rows.values.cols() + 1);
  for (Index i = 0; i < x.size(); ++i) {
    out(i, 0) = 1;
    for (Index k = 0; k < rows.values.cols(); ++k) out(i, 1 + k) = rows.values(i, k) - centre[at(k)];
  }
  return out;
}

void require_fits(const Posterior& p, const Expansion& f) {
  const Expansion::Parts& parts = f.parts();
  const auto centres = at(f.size()), outputs = at(f.outputs());
  const auto require = [](bool fits, std::string_view what) {
    if (!fits) fail(ErrorKind::shape, "posterior: {} do not fit the expansion", what);
  };
  const auto all = [](const Vector& v, auto&& holds) { return std::all_of(v.begin(), v.end(), holds); };
  const auto zero_or_more = [](double v) { return v >= 0; };
  const auto finite = [](double v) { return std::isfinite(v); };
  if (!all(p.scale, finite) || !all(p.shift, finite) || !all(p.signal, finite) || !all(p.noise, finite) ||
      !std::all_of(p.covariance.data(), p.covariance.data() + p.covariance.rows() * p.covariance.cols(), finite)) {
    fail(ErrorKind::numeric,
         "posterior: its variances are beyond double precision; scale the targets, the weights or the kernel");
  }
  require(parts.kernel.has_value(), "a posterior and an expansion without a kernel");
  require(p.scale.empty() || p.scale.size() == centres, "the numbers of its scale");
  require(p.noise.size() == outputs && all(p.noise, zero_or_more), "the numbers of its noise");
  if (p.trend != Trend::none) {
    const bool linear = p.trend == Trend::linear;
    require(p.kind == Posterior::Kind::process, "a mean function and this kind of posterior");
    require(
        !linear || (parts.centres->domain().kind == "reals" && parts.slope.rows() == parts.centres->domain().dimension),
        "the columns of its mean function");
  }
  switch (p.kind) {
    case Posterior::Kind::process:
      require(p.shift.size() == centres && all(p.shift, zero_or_more), "the numbers of its shift");
      require(p.signal.size() == outputs && all(p.signal, zero_or_more), "the numbers of its signal");
      require(!p.likelihood.coupled(), "the link of several classes");
      break;
    case Posterior::Kind::softmax:
      require(p.signal.size() == outputs && all(p.signal, zero_or_more), "the numbers of its signal");
      require(p.probabilities.rows() == f.size() && p.probabilities.cols() == f.outputs(), "its probabilities");
      for (Index i = 0; i < f.size() * f.outputs(); ++i) {
        require(p.probabilities.data()[i] >= 0 && p.probabilities.data()[i] <= 1, "its probabilities");
      }
      require(p.likelihood.coupled(), "the link of two classes");
      break;
    case Posterior::Kind::weights:
      require(p.covariance.rows() == f.outputs() * (f.size() + 1) && p.covariance.cols() == f.size() + 1,
              "the rows of its covariance");
      require(p.likelihood == Likelihood::none, "a link");
      break;
  }
}

Posterior process_with(Posterior posterior, std::shared_ptr<const solve::System> A, solve::TrendPart trend) {
  posterior.factors = std::make_shared<Factors>();
  posterior.factors->A = std::move(A);
  posterior.factors->trend = std::move(trend);
  posterior.factors->made = true;
  return posterior;
}

const Factors& factors_of(const Model::Parts& parts, const Execution& how) {
  const Posterior& p = require_posterior(parts);
  Factors& factors = *p.factors;
  const std::lock_guard lock(factors.mutex);
  if (factors.made) return factors;
  if (p.kind == Posterior::Kind::softmax) make_softmax_factors(parts, how, factors);
  if (p.kind == Posterior::Kind::process) solve_process(parts, how, factors);
  factors.made = true;
  return factors;
}

namespace {

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
  if (mean != nullptr) *mean = Matrix::uninitialized(x.size(), parts.f.outputs());
  const Vector centre = trend_centre(p.trend, *f.centres);
  for (Index first = 0; first < x.size(); first += kBlock) {
    const Range block{first, std::min(x.size(), first + kBlock)};
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

}  // namespace

Matrix variances(const Model::Parts& parts, const Points& x, const Execution& how) {
  const Posterior& p = require_posterior(parts);
  if (p.kind == Posterior::Kind::weights) return weights_variances(parts, x, how);
  if (p.kind == Posterior::Kind::softmax) return softmax_variances(parts, x, how);
  return process_variances(parts, x, how);
}

Moments moments(const Model& model, const Points& x, const Execution& how) {
  const Model::Parts& parts = model.parts();
  if (model.posterior().kind != Posterior::Kind::process) return {model.scores(x, how), model.variances(x, how)};
  const Threads threads(how.threads);
  parts.inputs.require(x);
  Moments out;
  out.variances = process_variances(parts, parts.scaling.apply(x), how, &out.scores);
  if (parts.reading->scores) parts.reading->scores(parts, out.scores);
  for (Index i = 0; i < x.size() * out.scores.cols(); ++i) {
    if (!std::isfinite(out.scores.data()[i])) return {model.scores(x, how), out.variances};  // which says where
  }
  return out;
}

Matrix covariance(const Model::Parts& parts, const Points& x, Index output, const Execution& how) {
  const Posterior& p = require_posterior(parts);
  if (output < 0 || output >= parts.f.outputs()) {
    fail(ErrorKind::usage, "covariance: there is no output {}; f has {}", output, parts.f.outputs());
  }
  if (p.kind == Posterior::Kind::weights) return weights_covariance(parts, x, output, how);
  if (p.kind == Posterior::Kind::softmax) return softmax_covariance(parts, x, output, how);
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
  for (Index i = 0; i < out.rows(); ++i) {
    for (Index j = 0; j <= i; ++j) {
      const double both = p.signal[at(output)] * 0.5 * (out(i, j) + out(j, i));
      out(i, j) = out(j, i) = i == j ? std::max(0.0, both) : both;
    }
  }
  return out;
}

}  // namespace detail

}  // namespace mercer
