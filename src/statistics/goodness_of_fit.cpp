#include "mercer/statistics/goodness_of_fit.hpp"

#include <algorithm>
#include <cmath>

#include "base/at.hpp"
#include "base/fail.hpp"
#include "base/parallel.hpp"
#include "statistics/resampling.hpp"

namespace mercer {

namespace {

// From v'Uv with signs v, whose squares are 1.
double mean_of(double form, double trace, Index n, Estimate estimate) {
  const auto size = static_cast<double>(n);
  return estimate == Estimate::biased ? std::max(0.0, form / (size * size)) : (form - trace) / (size * (size - 1));
}

double trace_of(VectorView diagonal) {
  double out = 0;
  for (const double u : diagonal) out += u;
  return out;
}

void require_points(Index n, Estimate estimate) {
  const Index least = estimate == Estimate::unbiased ? 2 : 1;
  if (n < least) fail(ErrorKind::data, "ksd: {} points; it needs {}", n, least);
}

}  // namespace

double ksd2(const Gram& u, Estimate estimate, const Execution& how) {
  require_points(u.size(), estimate);
  const Threads limit(how.threads);
  const Matrix ones(1, u.size(), 1.0);
  const double form = detail::quadratic_forms(std::span(&u, 1), ones, how)(0, 0);
  return mean_of(form, trace_of(u.diagonal()), u.size(), estimate);
}

TestResult GoodnessOfFitTest::run(const Gram& u, const Execution& how) const {
  detail::require_resampling("ksd", resampling);
  require_points(u.size(), Estimate::unbiased);
  const Threads limit(how.threads);
  Random random(resampling.seed);
  const auto next = [&](Range which, MatrixRef signs) {
    for (Index b = 0; b < signs.rows(); ++b) {
      for (Index i = 0; i < signs.cols(); ++i) signs(b, i) = which.begin + b == 0 || random.uniform() < 0.5 ? 1 : -1;
    }
  };
  const Vector diagonal = u.diagonal();
  Matrix found = detail::quadratic_forms(std::span(&u, 1), resampling.resamples + 1, next, how);
  const double trace = trace_of(diagonal);
  for (Index b = 0; b < found.cols(); ++b) found(0, b) = mean_of(found(0, b), trace, u.size(), estimate);
  const Vector rounding = {1e-13 * *std::max_element(diagonal.begin(), diagonal.end())};
  return detail::judged(found, rounding, resampling, "sign flips");
}

TestResult GoodnessOfFitTest::run(const Kernel& k, const Points& x, Matrix scores, const Execution& how) const {
  TestResult out = run(stein(k, x, std::move(scores)), how);
  out.parts[0].kernel = k.resolve(x).str();
  return out;
}

TestResult GoodnessOfFitTest::run(const Kernel& k, const Points& x, const Score& score, const Execution& how) const {
  TestResult out = run(stein(k, x, score), how);
  out.parts[0].kernel = k.resolve(x).str();
  return out;
}

}  // namespace mercer
