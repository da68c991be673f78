#include "model/posterior/posterior.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "base/at.hpp"
#include "base/fail.hpp"
#include "base/parallel.hpp"
#include "base/text.hpp"
#include "model/posterior/kinds.hpp"
#include "points/rep.hpp"

namespace mercer {

namespace {

constexpr std::array<std::string_view, 3> kTrends = {"zero", "constant", "linear"};

}  // namespace

std::string_view name_of(Trend trend) { return kTrends[static_cast<std::size_t>(trend)]; }
std::string_view name_of(Posterior::Kind kind) { return detail::row_of(kind).name; }

namespace detail {

namespace {

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

}  // namespace

const PosteriorRow& row_of(Posterior::Kind kind) {
  static constexpr std::array kRows = {&kProcessPosterior, &kSoftmaxPosterior, &kWeightsPosterior,
                                       &kReducedPosterior, &kNearestPosterior, &kReducedSoftmaxPosterior};
  return *kRows[static_cast<std::size_t>(kind)];
}

bool all_zero_or_more(const Vector& v) {
  return std::all_of(v.begin(), v.end(), [](double one) { return one >= 0; });
}

std::string_view signal_fault(const Posterior& p, const Expansion& f) {
  return p.signal.size() == at(f.outputs()) && all_zero_or_more(p.signal) ? "" : "the numbers of its signal";
}

Matrix class_variances(const Model::Parts& parts, const Points& x, const Execution& how) {
  const Matrix all = row_of(parts.posterior->kind).class_covariances(parts, x, how);
  const Index classes = parts.f.outputs();
  Matrix out = Matrix::uninitialized(x.size(), classes);
  for (Index i = 0; i < x.size(); ++i) {
    for (Index c = 0; c < classes; ++c) out(i, c) = all(i, c * classes + c);
  }
  return out;
}

void finish_covariance(double signal, MatrixRef out) {
  for (Index i = 0; i < out.rows(); ++i) {
    for (Index j = 0; j <= i; ++j) {
      const double both = signal * 0.5 * (out(i, j) + out(j, i));
      out(i, j) = out(j, i) = i == j ? std::max(0.0, both) : both;
    }
  }
}

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
  const auto centres = at(f.size());
  const auto require = [](bool fits, std::string_view what) {
    if (!fits) fail(ErrorKind::shape, "posterior: {} do not fit the expansion", what);
  };
  const auto all = [](const Vector& v, auto&& holds) { return std::all_of(v.begin(), v.end(), holds); };
  const auto finite = [](double v) { return std::isfinite(v); };
  if (!all(p.scale, finite) || !all(p.shift, finite) || !all(p.signal, finite) || !all(p.noise, finite) ||
      !std::all_of(p.covariance.data(), p.covariance.data() + p.covariance.rows() * p.covariance.cols(), finite)) {
    fail(ErrorKind::numeric,
         "posterior: its variances are beyond double precision; scale the targets, the weights or the kernel");
  }
  require(parts.kernel.has_value(), "a posterior and an expansion without a kernel");
  require(p.scale.empty() || p.scale.size() == centres, "the numbers of its scale");
  require(p.noise.size() == at(f.outputs()) && all_zero_or_more(p.noise), "the numbers of its noise");
  if (p.trend != Trend::none) {
    const bool linear = p.trend == Trend::linear;
    require(row_of(p.kind).has_trend, "a mean function and this kind of posterior");
    require(
        !linear || (parts.centres->domain().kind == "reals" && parts.slope.rows() == parts.centres->domain().dimension),
        "the columns of its mean function");
  }
  if (const std::string_view fault = row_of(p.kind).fault(p, f); !fault.empty()) require(false, fault);
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
  if (const auto make = row_of(p.kind).make_factors; make != nullptr) make(parts, how, factors);
  factors.made = true;
  return factors;
}

Matrix variances(const Model::Parts& parts, const Points& x, const Execution& how) {
  return row_of(require_posterior(parts).kind).variances(parts, x, how);
}

Moments moments(const Model& model, const Points& x, const Execution& how) {
  const Model::Parts& parts = model.parts();
  const auto both = row_of(model.posterior().kind).moments;
  if (both == nullptr) return {model.scores(x, how), model.variances(x, how)};
  const Threads threads(how.threads);
  parts.inputs.require(x);
  Moments out = both(parts, parts.scaling.apply(x), how);
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
  return row_of(p.kind).covariance(parts, x, output, how);
}

Matrix means(const Model::Parts& parts, const Points& x, const Execution& how) {
  const auto own = parts.posterior ? row_of(parts.posterior->kind).means : nullptr;
  return own != nullptr ? own(parts, x, how) : parts.f(x, how);
}

}  // namespace detail

}  // namespace mercer
