#include "mercer/machines/ols.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/at.hpp"
#include "base/fail.hpp"
#include "linalg/cholesky.hpp"
#include "linalg/lapack.hpp"
#include "machines/catalog_rows.hpp"
#include "machines/weighted_system.hpp"
#include "model/assemble.hpp"
#include "model/training.hpp"

namespace mercer {

namespace {

using detail::WeightedSystem;

// Rounding moves an eigenvalue by n eps of the largest. One that is not a hundred times that has no two digits, and
// what is divided by it is noise: it counts as 0.
double cutoff(Index n) { return 100 * static_cast<double>(n) * std::numeric_limits<double>::epsilon(); }

// B^-1 target by Cholesky, or nothing when B is singular in floating point. Overwrites B.
std::optional<Matrix> solve_regular(WeightedSystem& s, Report& report, const Monitor& monitor) {
  const Index n = s.B.rows();
  const double norm = linalg::symmetric_norm(s.B);
  if (linalg::cholesky(s.B, monitor) != 0) return std::nullopt;
  const double condition = linalg::condition(s.B, norm);
  if (!(condition < 1 / cutoff(n))) return std::nullopt;
  Matrix z(s.target);
  linalg::cholesky_solve(s.B, z);
  report.add("rank", static_cast<double>(n));
  report.add("condition", condition);
  return z;
}

Matrix solve_singular(const WeightedSystem& s, Report& report, const Monitor& monitor) {
  const Index n = s.B.rows();
  monitor.report({"eigen", 0});
  const linalg::Eigen e = linalg::eigen(s.B, monitor);
  const double least = cutoff(n) * e.values.back();
  Matrix projected(n, s.target.cols());
  linalg::multiply(1, e.vectors, s.target, 0, projected);
  Index rank = 0;
  for (Index k = 0; k < n; ++k) {
    const bool kept = e.values[at(k)] > least;
    rank += kept ? 1 : 0;
    for (Index j = 0; j < projected.cols(); ++j) projected(k, j) *= kept ? 1 / e.values[at(k)] : 0;
  }
  Matrix z(n, s.target.cols());
  linalg::multiply_left_transposed(1, e.vectors, projected, 0, z);
  report.add("rank", static_cast<double>(rank));
  report.add("largest_eigenvalue", e.values.back());
  if (rank == n) {
    report.add("condition", e.values.back() / e.values.front());
  } else {
    report.notes.push_back(fmt::format(
        "K is singular to rounding: rank {} of {}; of all least-squares solutions this is the one of smallest norm",
        rank, n));
  }
  return z;
}

}  // namespace

Model KernelLeastSquares::fit(const Training& training) const {
  const detail::Stopwatch watch;
  const Threads threads = detail::check_training("ols", Task::regression, training);
  detail::require_unshifted(training.K);
  Report report;
  WeightedSystem system = detail::weighted_system("ols", training, 1);
  std::optional<Matrix> z = solve_regular(system, report, training.how.monitor);
  if (!z) {
    system.B = {};               // before the next one is there
    constexpr int matrices = 4;  // B, the same as reflectors, eigenvectors, and work space to find them
    system = detail::weighted_system("ols", training, matrices);
    z = solve_singular(system, report, training.how.monitor);
  }
  Model::Parts parts = detail::parts_of(
      "ols", training, training.K.expansion(system.alpha(*z, training.K.size()), {}, training.how), Reading::value);
  parts.report = std::move(report);
  parts.report.seconds = watch.seconds();
  return Model(std::move(parts));
}

Model KernelLeastSquares::fit(const Gram& K, VectorView y) const { return fit(detail::training_on(K, y)); }

std::vector<Machine> detail::ols_rows() {
  return {{
      .name = "ols",
      .purpose = "kernel least squares without a penalty; of minimum norm where K is singular",
      .problem = "min_f  sum_i w_i (y_i - f(x_i))^2, then min |f|",
      .task = Task::regression,
      .options = {},
      .fit = [](const Settings&, const Training& training) { return KernelLeastSquares{}.fit(training); },
      .choosing =
          [](const Settings&, const Training*) {
            return Choosing{.stages = {{{"ell", {8, 4, 2, 1, 0.5, 0.25}, Trial::Unit::automatic}}}, .most = 500};
          },
  }};
}

}  // namespace mercer
