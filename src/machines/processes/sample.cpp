// Draws of f from its joint distribution at some points: mean + R z with R R' the covariance and z standard normal.
//
// A smooth process is nearly determined by a few of its values, so that its covariance is singular in floating point.
// Where the Cholesky factorisation fails, a number is added to the diagonal: 1e-14 of the mean variance, ten times more
// for each further failure, and never more than 1e-6 of the mean prior variance. That is independent noise of at most a
// thousandth of the prior's standard deviation in each value drawn, and in most cases of a ten-millionth.
#include <algorithm>
#include <cmath>

#include "base/at.hpp"
#include "base/fail.hpp"
#include "base/parallel.hpp"
#include "base/random.hpp"
#include "linalg/cholesky.hpp"
#include "linalg/lapack.hpp"
#include "machines/processes/process.hpp"
#include "mercer/machines/gp.hpp"
#include "points/join.hpp"

namespace mercer {

namespace {

using detail::Process;

constexpr double kFirstJitter = 1e-14, kLastJitter = 1e-6;

// Of what is above 0; a sum could be beyond doubles where no entry is.
double mean_of(const Vector& v) {
  double mean = 0;
  for (const double value : v) mean += std::max(0.0, value) / static_cast<double>(v.size());
  return mean;
}

Vector diagonal_of(const Matrix& m) {
  Vector out(at(m.rows()));
  for (Index i = 0; i < m.rows(); ++i) out[at(i)] = m(i, i);
  return out;
}

// The lower triangular R with R R' = C, zeros above the diagonal. `prior` is the mean variance before any data.
Matrix root_of(const Matrix& C, double prior, std::string_view use, const Monitor& monitor) {
  const Index n = C.rows();
  const bool zero = std::all_of(C.data(), C.data() + n * n, [](double c) { return c == 0; });
  if (zero) return Matrix(n, n);  // and so is f
  double jitter = kFirstJitter * std::max(mean_of(diagonal_of(C)), std::numeric_limits<double>::epsilon() * prior);
  Matrix out = C;
  for (; linalg::cholesky(out, monitor) != 0; jitter *= 10) {
    if (!(prior > 0) || jitter > kLastJitter * prior) {
      fail(ErrorKind::numeric,
           "{}: the covariance of the {} points is not positive semi-definite: its smallest eigenvalue is {:.6g}, its "
           "mean variance {:.6g}; take a kernel that is proved, or one that check does not refute",
           use, n, linalg::eigenvalues(C).front(), prior);
    }
    out = C;
    for (Index i = 0; i < n; ++i) out(i, i) += jitter;
  }
  for (Index i = 0; i < n; ++i) std::fill(out.row(i) + i + 1, out.row(i) + n, 0.0);
  return out;
}

// One draw after the other, so that asking for more draws leaves the first ones as they are.
Matrix standard_normal(Index size, const Sampling& how) {
  Random random(how.seed);
  const Index draws = how.draws;
  Matrix out(size, draws);
  for (Index d = 0; d < draws; ++d) {
    for (Index i = 0; i < size; ++i) out(i, d) = random.normal();
  }
  return out;
}

MatrixView some_rows(const Matrix& m, Index first, Index count) {
  return m.view().block({first, first + count}, {0, m.cols()});
}

// R z.
Matrix spread(const Matrix& C, double prior, MatrixView z, std::string_view use, const Execution& run) {
  const Matrix root = root_of(C, prior, use, run.monitor);
  Matrix out(z.rows(), z.cols());
  linalg::multiply(1, root, z, 0, out);
  return out;
}

Matrix prior_draws(const Kernel& k, const Points& x, MatrixView z, std::string_view use, const Execution& run) {
  const Matrix K = gram(k, x, run);
  return spread(K, mean_of(diagonal_of(K)), z, use, run);
}

Matrix exact_draws(const Model& gp, const Points& x, Index output, MatrixView z, const Execution& run) {
  const Matrix C = gp.covariance(x, output, run);
  double prior = mean_of(diagonal_of(C));
  if (gp.posterior().kind == Posterior::Kind::process) {
    const Kernel& k = *gp.expansion().parts().kernel;
    prior = gp.posterior().signal[at(output)] * mean_of(diagonal(k, detail::inputs_of(gp, x)));
  }
  return spread(C, prior, z, "sample_posterior", run);
}

// g ~ GP(0, k) at the centres and at x, e = S g(X) + N^1/2 z what would have been observed of it, b the trend that
// would have been fitted to e, and v = A^-1 (e - H b). Then g(x) - k(x, X) S v - h(x)'b has the posterior covariance,
// in units of the signal: what the data leave open of g is independent of e, and so of b.
// z has a row for each centre, each point and the noise of each centre.
Matrix pathwise_draws(const Process& process, const Points& x, Index output, MatrixView z, const Execution& run) {
  const Index n = process.size(), m = x.size(), draws = z.cols();
  const Range all{0, draws};
  const Matrix g =
      prior_draws(process.kernel(), join(process.centres(), x), z.block({0, n + m}, all), "sample_posterior", run);
  const MatrixView noise = z.block({n + m, n + m + n}, all);
  const Vector& scale = process.posterior.scale;
  const Vector& shift = process.posterior.shift;
  const auto scale_of = [&](Index i) { return scale.empty() ? 1.0 : scale[at(i)]; };
  const auto shift_of = [&](Index i) { return shift.empty() ? 1.0 : shift[at(i)]; };
  Matrix v(n, draws);
  for (Index i = 0; i < n; ++i) {
    for (Index d = 0; d < draws; ++d) v(i, d) = scale_of(i) * g(i, d) + std::sqrt(shift_of(i)) * noise(i, d);
  }
  Matrix out(some_rows(g, n, m));
  Matrix b(process.factors.trend.solved.cols(), draws);
  if (has_trend(process)) {
    linalg::multiply_left_transposed(1, process.factors.trend.solved, v, 0, b);
    detail::solve_trend(process, b);
    linalg::multiply(-1, detail::trend_basis(process, x), b, 1, out);
  }
  process.factors.A->solve(v);
  if (has_trend(process)) linalg::multiply(-1, process.factors.trend.solved, b, 1, v);
  for (Index i = 0; i < n; ++i) {
    for (Index d = 0; d < draws; ++d) v(i, d) *= scale_of(i);
  }
  const Matrix moved = multiply(process.kernel(), x, process.centres(), v, run);
  const double unit = std::sqrt(process.posterior.signal[at(output)]);
  for (Index i = 0; i < out.rows(); ++i) {
    for (Index d = 0; d < draws; ++d) out(i, d) = unit * (out(i, d) - moved(i, d));
  }
  return out;
}

const Matrix& require_finite(std::string_view use, const Matrix& draws) {
  for (Index i = 0; i < draws.rows(); ++i) {
    for (Index d = 0; d < draws.cols(); ++d) {
      if (std::isfinite(draws(i, d))) continue;
      fail(ErrorKind::numeric, "{}: draw {} at point {} is beyond doubles; take a kernel, or targets, of smaller size",
           use, d + 1, i + 1);
    }
  }
  return draws;
}

void require_draws(std::string_view use, const Sampling& how) {
  if (how.draws < 1) fail(ErrorKind::usage, "{}: {} draws; ask for at least one", use, how.draws);
}

}  // namespace

Matrix sample_prior(const Kernel& k, const Points& x, const Sampling& how, const Execution& run) {
  const Threads threads(run.threads);
  require_draws("sample_prior", how);
  if (how.with_noise || how.pathwise || how.output != 0) {
    fail(ErrorKind::usage, "sample_prior: a kernel alone has no noise, no data and one output; leave {} as it is",
         how.with_noise ? "with_noise"
         : how.pathwise ? "pathwise"
                        : "output");
  }
  return require_finite("sample_prior", prior_draws(k, x, standard_normal(x.size(), how), "sample_prior", run));
}

Matrix sample_posterior(const Model& gp, const Points& x, const Sampling& how, const Execution& run) {
  const Threads threads(run.threads);
  require_draws("sample_posterior", how);
  detail::require_kernel("sample_posterior", gp);
  detail::require_output("sample_posterior", gp, how.output);
  if (how.with_noise && gp.is_classifier()) {
    fail(ErrorKind::usage, "sample_posterior: a {} observes classes and has no noise to add", gp.parts().machine);
  }
  const Posterior& posterior = gp.posterior();
  const Index n = gp.expansion().size(), m = x.size(), own = how.pathwise ? n + m + n : m;
  const Matrix z = standard_normal(own + (how.with_noise ? m : 0), how);
  const Matrix mean = gp.scores(x, run);
  Matrix out;
  if (how.pathwise) {
    const Process process = detail::process_of("sample_posterior, pathwise", gp, run);
    out = pathwise_draws(process, detail::inputs_of(gp, x), how.output, some_rows(z, 0, own), run);
  } else {
    out = exact_draws(gp, x, how.output, some_rows(z, 0, own), run);
  }
  const double deviation = how.with_noise ? std::sqrt(posterior.noise[at(how.output)]) : 0;
  for (Index i = 0; i < m; ++i) {
    for (Index d = 0; d < how.draws; ++d) {
      out(i, d) += mean(i, how.output) + (how.with_noise ? deviation * z(own + i, d) : 0);
    }
  }
  return require_finite("sample_posterior", out);
}

}  // namespace mercer
