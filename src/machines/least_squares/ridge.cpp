#include "mercer/machines/ridge.hpp"

#include <algorithm>
#include <cmath>

#include "base/at.hpp"
#include "base/fail.hpp"
#include "gram/assemble.hpp"
#include "machines/least_squares/least_squares.hpp"
#include "machines/least_squares/left_out_estimate.hpp"
#include "machines/least_squares/ridge_needs.hpp"
#include "model/training.hpp"
#include "selection/equal_rows.hpp"
#include "solve/path.hpp"

namespace mercer {

namespace {

using detail::EqualRows;
using detail::LeastSquares;
using detail::path_of;

struct Solution {
  double ridge = 0;
  Matrix z;
  std::optional<Matrix> seen = {};  // the part of z that is f's, where z itself has fewer digits
  Vector inverse_diagonal = {};     // of the matrix; empty when not asked for
  Report report = {};
  std::optional<detail::LeftOutEstimate> left_out = {};  // where it is estimated
};

// What leaves points out needs entries of the inverse, whatever solver is named.
Method method_of(KernelRidge::Solver solver, bool inverse) {
  if (solver == KernelRidge::Solver::automatic) return Method::automatic;
  return inverse || solver == KernelRidge::Solver::cholesky ? Method::dense : Method::iterative;
}

// Rounding of a positive semi-definite matrix is made up for by a ridge of this size; what is not is no rounding.
[[noreturn]] void fail_indefinite(double ridge, const solve::Made& made, Index n) {
  const double enough = 10 * std::numeric_limits<double>::epsilon() * made.trace;
  if (enough > ridge) {
    fail(ErrorKind::numeric,
         "ridge: K + {:.3g} I is not positive definite in floating point (pivot {} of {}); use a ridge of at least "
         "{:.2g}",
         ridge, made.pivot, n, 1.1 * enough);
  }
  fail(ErrorKind::numeric,
       "ridge: K + {:.3g} I is not positive definite (pivot {} of {}), and not by rounding: K is the matrix of no "
       "kernel; check the numbers it was given as",
       ridge, made.pivot, n);
}

// `seen`: the coefficients are not those that the condition takes the digits of; f has then lost as many as G of K = G
// G' has, half of them.
void note_condition(Report& report, double condition, bool seen) {
  report.add("condition", condition);
  if (!((seen ? std::sqrt(condition) : condition) > detail::kIllConditioned)) return;
  report.notes.push_back(
      fmt::format("K + ridge I has a condition number of about {:.1g}; the coefficients have few correct digits, a "
                  "larger ridge would give more",
                  condition));
}

// What conjugate gradients tell of their solution.
void add_steps(const KernelRidge& config, Index points, const solve::Accuracy& found,
               const solve::Certificate& certificate, Report& report) {
  report.iterations = found.steps;
  report.converged = found.reached;
  report.add("residual", found.residual);
  report.add("energy_error_bound", found.energy_error);
  report.add("preconditioner_rank", static_cast<double>(certificate.rank));
  report.add("trace_left_out", certificate.rest);
  if (certificate.cut_short) {
    report.notes.push_back(
        fmt::format("the preconditioner has rank {}, the most that found room in memory: more would save steps, and "
                    "may change last digits",
                    certificate.rank));
  }
  if (config.rank > points) {
    report.notes.push_back(fmt::format("`rank`: {} for {} points, of which a preconditioner can have {} at most",
                                       config.rank, points, points));
  }
  report.stopped = solve::ending(found);
  if (found.reached) return;
  report.notes.push_back(fmt::format(
      "conjugate gradients ended at a relative residual of {:.2g} after {} steps ({:.2g} was wanted): {} would bring "
      "them there, and the solver cholesky needs none",
      found.residual, found.steps, detail::tolerance_of(config),
      found.rounding ? "rounding allows no less, and a larger ridge" : "a larger ridge, more rank or steps"));
}

Solution solve_one(const KernelRidge& config, const LeastSquares& s, double ridge, bool inverse, const Training& t) {
  const Extent extent = extent_of(t);
  if (detail::by_steps(config, s.size(), extent.room())) detail::require_rank(config, extent);
  const solve::Wishes wishes{.method = method_of(config.solver, inverse),
                             .to_tolerance = !inverse,
                             .tolerance = detail::tolerance_of(config),
                             .rank = config.rank,
                             .room = extent.room(),
                             .kept = detail::kept_bytes(config, extent),
                             .most_steps = static_cast<int>(config.max_iterations),
                             .checkpoints = t.checkpoints,
                             .doubtful = detail::kIllConditioned,
                             .require = detail::require_room("ridge", t, 1)};
  const solve::Made made = solve::system_for(s.with_ridge(ridge), wishes, t.how);
  if (!made.system) fail_indefinite(ridge, made, s.size());
  Solution out{.ridge = ridge, .z = s.target, .seen = made.system->seen_part(s.target)};
  const solve::Accuracy found = made.system->solve(out.z);
  const solve::Certificate& certificate = made.system->certificate();
  out.report.add("ridge", ridge);
  if (!found.direct) add_steps(config, s.size(), found, certificate, out.report);
  out.report.add("condition_bound", certificate.condition_bound);
  if (certificate.condition) note_condition(out.report, *certificate.condition, out.seen.has_value());
  if (inverse) out.inverse_diagonal = std::move(*made.system).inverse_diagonal(t.how.monitor).values;
  if (!inverse && found.reached && detail::estimates_left_out(config, s.size())) {
    out.left_out = detail::estimate_left_out(*made.system, out.z, detail::kSomeLeftOut);
  }
  return out;
}

double total_square(const Matrix& m) {
  double total = 0;
  for (Index i = 0; i < m.rows() * m.cols(); ++i) total += m.data()[i] * m.data()[i];
  return total;
}

// sum_i w_i r_i^2 / sum w over all targets, r the leave-one-out residuals: of the mean of equal points
// z_i / (w_i^1/2 (A^-1)_ii), and what they have within.
double leave_one_out_mean_square(const LeastSquares& s, double within, const Matrix& z, const auto& inverse_diagonal) {
  double total = within;
  for (Index i = 0; i < z.rows(); ++i) {
    for (Index j = 0; j < z.cols(); ++j) {
      const double r = z(i, j) / inverse_diagonal(i);
      total += r * r;
    }
  }
  return total / s.weight;
}

// The root of the mean square and, since it is an estimate, its standard error.
void add_estimate(const detail::LeftOutEstimate& found, const LeastSquares& s, double within, Report& report) {
  if (!found.accuracy.reached) {
    report.notes.push_back(fmt::format(
        "the leave-one-out error was to be estimated, and conjugate gradients ended at a relative residual of {:.2g}",
        found.accuracy.residual));
    return;
  }
  const double rmse = std::sqrt((found.squares + within) / s.weight);
  const double error = rmse > 0 ? found.error / s.weight / (2 * rmse) : 0;
  report.add("leave_one_out_rmse", rmse);
  report.add("leave_one_out_standard_error", error);
  report.notes.push_back(fmt::format(
      "the leave-one-out error is an estimate, {:.3g} with a standard error of {:.2g}: {} of {} points were "
      "left out, each exactly",
      rmse, error, found.points, s.size()));
}

Solution solve_best(const KernelRidge& config, const LeastSquares& s, double within, const Training& t) {
  const Index n = s.size();
  const solve::Path path = solve::path_for(
      s.equations, s.target, [&](double trace) { return path_of(config, trace / static_cast<double>(n)); },
      {.require = detail::require_room("ridge", t, detail::matrices_of(config))}, t.how);
  const Vector& ridges = path.shifts;
  const linalg::ShiftedSolves& all = path.all;
  const auto tried = static_cast<Index>(ridges.size());
  if (all.indefinite >= 0) {
    fail(ErrorKind::numeric,
         "ridge: K + {:.3g} I, on the path, is not positive definite in floating point; raise path_from above {:.1g}, "
         "or check that K is positive semi-definite",
         ridges[at(all.indefinite)],
         std::max(config.path_from, 10 * std::numeric_limits<double>::epsilon() * static_cast<double>(n)));
  }
  Report::Table table{"path", {"ridge", "leave_one_out_rmse", "gcv", "degrees_of_freedom"}, Matrix(tried, 4)};
  const Index column = config.criterion == KernelRidge::Criterion::loo ? 1 : 2;
  Index best = 0;
  for (Index r = 0; r < tried; ++r) {
    const auto inverse = [&](Index i) { return all.inverse_diagonals(i, r); };
    double trace = 0;
    for (Index i = 0; i < n; ++i) trace += inverse(i);
    const double count = static_cast<double>(n);
    table.rows(r, 0) = ridges[at(r)];
    table.rows(r, 1) = std::sqrt(leave_one_out_mean_square(s, within, all.z[at(r)], inverse));
    table.rows(r, 2) = (count * count * total_square(all.z[at(r)]) / (trace * trace) + within) / s.weight;
    table.rows(r, 3) = count - ridges[at(r)] * trace;                 // tr K (K + ridge I)^-1
    if (table.rows(r, column) <= table.rows(best, column)) best = r;  // of equals the largest ridge
  }
  Solution out{.ridge = ridges[at(best)], .z = all.z[at(best)], .inverse_diagonal = Vector(at(n))};
  const double condition_bound = (path.trace + out.ridge) / out.ridge;
  if (path.factored && solve::loses_digits(condition_bound)) {
    const solve::Made made = solve::system_for(s.with_ridge(out.ridge), {.method = Method::factored}, t.how);
    out.seen = made.system->seen_part(s.target);
  }
  for (Index i = 0; i < n; ++i) out.inverse_diagonal[at(i)] = all.inverse_diagonals(i, best);
  out.report.add("ridge", out.ridge);
  out.report.add("condition_bound", condition_bound);
  out.report.add("gcv", table.rows(best, 2));
  if (best == 0 || best == tried - 1) {
    out.report.notes.push_back(
        fmt::format("the best ridge, {:.3g}, is the {} of the path; a wider path may hold a better", out.ridge,
                    best == 0 ? "smallest" : "largest"));
  }
  out.report.tables.push_back(std::move(table));
  return out;
}

Solution solution_of(const KernelRidge& config, const LeastSquares& s, bool inverse, const EqualRows& equal) {
  const Training& t = equal.together();
  return config.ridge ? solve_one(config, s, *config.ridge, inverse, t) : solve_best(config, s, equal.within(), t);
}

// y_i - f(x_i) and the weight of each centre, from which intervals leave it out, where alpha does not tell: equal
// points share one coefficient. None where a point has no coefficient at all, and beyond as many as are left out one by
// one.
std::optional<Report::Table> residuals_of(const Expansion& f, const Matrix& alpha, bool kept, const EqualRows& equal,
                                          double ridge, const Training& training) {
  const bool tells = kept && training.weights.empty() && !equal.counted().some_equal();
  if (tells || f.size() != equal.counted().points || f.size() > solve::kManyPoints) return std::nullopt;
  Matrix of_means = alpha;
  for (Index i = 0; i < alpha.rows(); ++i) {
    const Vector& weights = equal.together().weights;
    const double weight = weights.empty() ? 1 : weights[at(i)];
    for (Index t = 0; t < alpha.cols(); ++t) of_means(i, t) = weight > 0 ? ridge / weight * alpha(i, t) : 0;
  }
  const Matrix residuals = equal.residuals(std::move(of_means));
  Report::Table out{"residuals", {"weight"}, Matrix(f.size(), 1 + alpha.cols())};
  for (Index t = 0; t < alpha.cols(); ++t) out.columns.push_back(fmt::format("residual{}", t + 1));
  for (Index c = 0; c < f.size(); ++c) {
    const Index i = f.parts().support[at(c)];
    out.rows(c, 0) = training.weights.empty() ? 1 : training.weights[at(i)];
    std::copy_n(residuals.row(i), residuals.cols(), out.rows.row(c) + 1);
  }
  return out;
}

}  // namespace

Model KernelRidge::fit(const Training& training) const {
  const Stopwatch watch;
  const Threads threads = detail::check_training("ridge", Task::regression, training);
  detail::require_unshifted(training.K);
  detail::require_usable(*this);
  detail::require_solver(*this, training.centres.has_value());
  if (training.centres) return detail::ridge_on_centres(*this, training);
  const EqualRows equal(training);
  const LeastSquares system = detail::least_squares(equal.together());
  Solution solution = solution_of(*this, system, loo && !detail::estimates_left_out(*this, system.size()), equal);
  const Vector& inverse = solution.inverse_diagonal;
  if (!inverse.empty()) {
    const double square =
        leave_one_out_mean_square(system, equal.within(), solution.z, [&](Index i) { return inverse[at(i)]; });
    solution.report.add("leave_one_out_rmse", std::sqrt(square));
  }
  if (solution.left_out) add_estimate(*solution.left_out, system, equal.within(), solution.report);
  if (solution.report.figure("leave_one_out_rmse") && equal.counted().some_equal()) {
    solution.report.notes.push_back(detail::left_out_together(equal.counted()));
  }
  const Matrix of_different = system.alpha(solution.z);
  const Matrix kept = solution.seen ? system.alpha(*solution.seen) : of_different;
  Execution how = training.how;
  if (!solution.report.converged) how.monitor = {};  // who said stop gets what there is
  Model::Parts parts =
      detail::parts_of("ridge", training, training.K.expansion(equal.coefficients(kept), {}, how), Reading::value);
  parts.report = std::move(solution.report);
  if (std::optional<Report::Table> residuals =
          residuals_of(parts.f, of_different, !solution.seen, equal, solution.ridge, training)) {
    parts.report.tables.push_back(std::move(*residuals));
  }
  parts.report.seconds = watch.seconds();
  return Model(std::move(parts));
}

Model KernelRidge::fit(const Gram& K, VectorView y) const { return fit(detail::training_on(K, y)); }

Matrix leave_one_out(const KernelRidge& config, const Training& training) {
  const Threads threads = detail::check_training("ridge", Task::regression, training);
  detail::require_usable(config);
  const EqualRows equal(training);
  const LeastSquares system = detail::least_squares(equal.together());
  const Solution solution = solution_of(config, system, true, equal);
  Matrix of_means(equal.together().K.size(), training.y.cols());
  for (Index i = 0; i < system.size(); ++i) {
    const double scale = system.equations.scale_of(i) * solution.inverse_diagonal[at(i)];
    for (Index j = 0; j < of_means.cols(); ++j) of_means(system.equations.point_of(i), j) = solution.z(i, j) / scale;
  }
  Matrix out = equal.residuals(std::move(of_means));
  std::optional<Matrix> f;  // what the fit says of points that take no part in it
  for (Index i = 0; i < out.rows(); ++i) {
    if (equal.takes_part(i)) continue;
    if (!f) {
      const Matrix alpha = system.alpha(solution.seen.value_or(solution.z));
      f = training.K.multiply(equal.coefficients(alpha).view(), training.how);
    }
    for (Index j = 0; j < out.cols(); ++j) out(i, j) = training.y(i, j) - (*f)(i, j);
  }
  return out;
}

}  // namespace mercer
