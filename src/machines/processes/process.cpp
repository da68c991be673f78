#include "machines/processes/process.hpp"

#include <algorithm>

#include "base/at.hpp"
#include "base/fail.hpp"
#include "linalg/cholesky.hpp"

namespace mercer::detail {

void require_kernel(std::string_view use, const Model& gp) {
  if (!gp.expansion().parts().kernel) {
    fail(ErrorKind::usage, "{}: the model was fitted to a matrix of numbers and knows no kernel; fit it to one", use);
  }
}

Process process_of(std::string_view use, const Model& gp, const Execution& how) {
  const Model::Parts& parts = gp.parts();
  require_kernel(use, gp);
  const auto by = parts.posterior ? parts.posterior->kind : Posterior::Kind::process;
  if (by == Posterior::Kind::reduced || by == Posterior::Kind::reduced_softmax) {
    fail(ErrorKind::usage,
         "{}: inducing points stand for the data in this model, and this is for all points; fit it without `inducing`",
         use);
  }
  if (parts.posterior && parts.posterior->kind == Posterior::Kind::nearest) {
    fail(ErrorKind::usage, "{}: the model knows of each point its neighbours alone; fit a gp without nearest", use);
  }
  if (!parts.posterior || parts.posterior->kind != Posterior::Kind::process) {
    fail(ErrorKind::usage, "{}: the model is a {}, and this is for Gaussian processes; fit a gp", use, parts.machine);
  }
  return {parts, *parts.posterior, factors_of(parts, how)};
}

Process regression_of(std::string_view use, const Model& gp, const Execution& how) {
  if (gp.is_classifier()) {
    fail(ErrorKind::usage, "{}: the model is a {}, a classifier; only a regression has observations of f", use,
         gp.parts().machine);
  }
  return process_of(use, gp, how);
}

void require_output(std::string_view use, const Model& gp, Index output) {
  const Index outputs = gp.expansion().outputs();
  if (output < 0 || output >= outputs) {
    fail(ErrorKind::usage, "{}: output {} of a model that has {}; they are counted from 0", use, output, outputs);
  }
}

Points inputs_of(const Model& gp, const Points& x) {
  gp.parts().inputs.require(x);
  return gp.parts().scaling.apply(x);
}

Matrix scaled_cross(const Process& process, const Kernel& k, const Points& x, const Execution& how) {
  Matrix out = cross(k, process.centres(), x, how);
  const Vector& scale = process.posterior.scale;
  for (Index i = 0; i < out.rows() && !scale.empty(); ++i) {
    for (Index j = 0; j < out.cols(); ++j) out(i, j) *= scale[at(i)];
  }
  return out;
}

Matrix scaled_rows(const Process& process, const Kernel& k, const Points& x, const Execution& how) {
  Matrix out = cross(k, x, process.centres(), how);
  const Vector& scale = process.posterior.scale;
  for (Index i = 0; i < out.rows() && !scale.empty(); ++i) {
    for (Index j = 0; j < out.cols(); ++j) out(i, j) *= scale[at(j)];
  }
  return out;
}

void solve_trend(const Process& process, MatrixRef b) { linalg::cholesky_solve(process.factors.trend.factor, b); }

bool has_trend(const Process& process) { return process.posterior.trend != Trend::none; }

Matrix trend_basis(const Process& process, const Points& x) {
  const Trend trend = process.posterior.trend;
  return trend_basis(trend, x, trend_centre(trend, process.centres()));
}

Matrix trend_coefficients(const Process& process) {
  const Expansion::Parts& f = process.parts.f.parts();
  const bool linear = process.posterior.trend == Trend::linear;
  Matrix out(linear ? 1 + f.slope.rows() : 1, f.alpha.cols());
  std::copy(f.bias.begin(), f.bias.end(), out.row(0));
  for (Index k = 0; linear && k < f.slope.rows(); ++k) std::copy_n(f.slope.row(k), f.slope.cols(), out.row(1 + k));
  // What is added to the constant by the centre of h, and is not in the bias.
  Vector back = trend_centre(process.posterior.trend, process.centres());
  for (double& c : back) c = -c;
  const Vector constant = trend_bias(out, back);
  std::copy(constant.begin(), constant.end(), out.row(0));
  return out;
}

}  // namespace mercer::detail
