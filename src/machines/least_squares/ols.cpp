#include "mercer/machines/ols.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/at.hpp"
#include "base/fail.hpp"
#include "gram/assemble.hpp"
#include "linalg/lapack.hpp"
#include "machines/catalog_rows.hpp"
#include "machines/least_squares/least_squares.hpp"
#include "model/needs.hpp"
#include "model/training.hpp"
#include "solve/kinds.hpp"

namespace mercer {

namespace {

using detail::LeastSquares;

// Of n x n numbers: B; and where it is singular, the same as reflectors, eigenvectors, and work space to find them.
constexpr int kRegular = 1, kSingular = 4;

// Rounding moves an eigenvalue by n eps of the largest. One that is not a hundred times that has no two digits, and
// what is divided by it is noise: it counts as 0.
double cutoff(Index n) { return 100 * static_cast<double>(n) * std::numeric_limits<double>::epsilon(); }

void add_rank(Index rank, Index n, double largest, Report& report) {
  report.add("rank", static_cast<double>(rank));
  report.add("largest_eigenvalue", largest);
  if (rank == n) return;
  report.notes.push_back(fmt::format(
      "K is singular to rounding: rank {} of {}; of all least-squares solutions this is the one of smallest norm", rank,
      n));
}

// Nothing when the matrix is singular in floating point.
std::optional<Matrix> solve_regular(const LeastSquares& s, Report& report, const Training& t) {
  const solve::Wishes wishes{
      .method = Method::dense, .doubtful = 0.0, .require = detail::require_room("ols", t, kRegular)};
  const solve::Made made = solve::system_for(s.equations, wishes, t.how);
  if (!made.system) return std::nullopt;
  const double condition = *made.system->certificate().condition;
  if (!(condition < 1 / cutoff(s.size()))) return std::nullopt;
  Matrix z(s.target);
  made.system->solve(z);
  report.add("rank", static_cast<double>(s.size()));
  report.add("condition", condition);
  return z;
}

Matrix solve_singular(const LeastSquares& s, Report& report, const Training& t) {
  const Index n = s.size();
  detail::require_matrices("ols", t, n, kSingular);
  const Matrix B = solve::assembled(s.equations, t.how);
  t.how.monitor.report({"eigen", 0});
  const linalg::Eigen e = linalg::eigen(B, t.how.monitor);
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
  add_rank(rank, n, e.values.back(), report);
  if (rank == n) report.add("condition", e.values.back() / e.values.front());
  return z;
}

// By features, B = G G': with G'G = V D V' and P = G V the pseudo-inverse is P D^-2 P', of eigenvalues D above the
// cut-off. D is known to a rounding of its largest, as those of B would be. Nothing where K has no few features.
std::optional<Matrix> solve_in_features(const LeastSquares& s, Report& report, const Training& t) {
  std::optional<solve::Factor> factor = solve::factor_of(s.equations);
  if (!factor) return std::nullopt;
  t.how.monitor.report({"solve", 0});
  const Matrix& G = factor->G;
  const Index r = G.cols();
  Matrix moments(r, r);
  linalg::symmetric_left_product(G, 0, moments, t.how.monitor);
  const linalg::Eigen e = linalg::eigen(moments, t.how.monitor);
  const double least = cutoff(s.size()) * e.values.back();
  Matrix projected(r, s.target.cols()), rotated(r, s.target.cols());
  linalg::multiply_left_transposed(1, G, s.target, 0, projected);
  linalg::multiply(1, e.vectors, projected, 0, rotated);
  Index rank = 0;
  for (Index k = 0; k < r; ++k) {
    const double value = e.values[at(k)];
    const bool kept = value > least;
    rank += kept ? 1 : 0;
    for (Index j = 0; j < rotated.cols(); ++j) rotated(k, j) *= kept ? 1 / value / value : 0;
  }
  linalg::multiply_left_transposed(1, e.vectors, rotated, 0, projected);
  Matrix z(s.size(), s.target.cols());
  linalg::multiply(1, G, projected, 0, z);
  add_rank(rank, s.size(), e.values.back(), report);
  return z;
}

}  // namespace

Model KernelLeastSquares::fit(const Training& training) const {
  const Stopwatch watch;
  const Threads threads = detail::check_training("ols", Task::regression, training);
  detail::require_unshifted(training.K);
  Report report;
  const LeastSquares system = detail::least_squares(training);
  std::optional<Matrix> z = solve_in_features(system, report, training);
  if (!z) z = solve_regular(system, report, training);
  if (!z) z = solve_singular(system, report, training);
  Model::Parts parts =
      detail::parts_of("ols", training, training.K.expansion(system.alpha(*z), {}, training.how), Reading::value);
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
      .centres = OnCentres::as_features,
      .needs =
          [](const Settings&, const Extent& extent) {
            if (const auto few =
                    by_features(extent, extent.weighted, extent.weighted / 4, "eigenvectors of features")) {
              return *few;
            }
            Needs out = by_all_pairs(extent.weighted, kSingular, "Cholesky, eigenvectors where K is singular", 9);
            out.least = kRegular;
            return out;
          },
  }};
}

}  // namespace mercer
