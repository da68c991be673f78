#include "mercer/machines/ridge.hpp"

#include <algorithm>
#include <cmath>

#include "base/at.hpp"
#include "base/fail.hpp"
#include "base/parallel.hpp"
#include "base/text.hpp"
#include "gram/assemble.hpp"
#include "gram/rounded.hpp"
#include "machines/catalog_rows.hpp"
#include "machines/least_squares/least_squares.hpp"
#include "machines/least_squares/left_out_estimate.hpp"
#include "machines/least_squares/ridge_parts.hpp"
#include "model/needs.hpp"
#include "model/settings.hpp"
#include "model/training.hpp"
#include "selection/blocks_held_out.hpp"
#include "selection/equal_rows.hpp"
#include "solve/path.hpp"

namespace mercer {

namespace {

using detail::EqualRows;
using detail::LeastSquares;
using detail::path_of;
using detail::require_ridge;

// Above this, fewer than four digits of alpha can be trusted.
constexpr double kIllConditioned = 1e12;

// Up to so many points pcg leaves each out in closed form, by all pairs; beyond, some of them, and the sum is
// estimated.
constexpr Index kAllLeftOut = 4000, kSomeLeftOut = 64;

struct Solution {
  double ridge = 0;
  Matrix z;
  Vector inverse_diagonal;  // of the matrix; empty when not asked for
  Report report;
  std::optional<detail::LeftOutEstimate> left_out = {};  // where it is estimated
};

bool estimates_left_out(const KernelRidge& config, Index n) {
  return config.ridge && config.loo && config.solver == KernelRidge::Solver::pcg && n > kAllLeftOut;
}

// What leaves points out needs entries of the inverse, whatever solver is named.
Method method_of(KernelRidge::Solver solver, bool inverse) {
  if (solver == KernelRidge::Solver::automatic) return Method::automatic;
  return inverse || solver == KernelRidge::Solver::cholesky ? Method::dense : Method::iterative;
}

double tolerance_of(const KernelRidge& config) { return config.tolerance.value_or(detail::kPcgTolerance); }

void require_usable(const KernelRidge& config) {
  if (config.tolerance && (!(*config.tolerance > 0) || !(*config.tolerance < 1))) {
    fail(ErrorKind::usage, "ridge: the tolerance is above 0 and below 1, not {}", *config.tolerance);
  }
  if (config.max_iterations < 1 || config.rank < 0) {
    fail(ErrorKind::usage, "ridge: at least one step, and a rank of 0 or more, not {} and {}", config.max_iterations,
         config.rank);
  }
  if (!config.ridge) return;
  require_ridge(*config.ridge);
  if (!config.path.empty()) {
    fail(ErrorKind::usage, "ridge: the path is what auto tries; leave it out, or the ridge of {}", *config.ridge);
  }
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

void note_condition(Report& report, double condition) {
  report.add("condition", condition);
  if (!(condition > kIllConditioned)) return;
  report.notes.push_back(
      fmt::format("K + ridge I has a condition number of about {:.1g}; the coefficients have few correct digits, a "
                  "larger ridge would give more",
                  condition));
}

// Of n x n numbers: the matrix; where many ridges are tried, the basis in which it is a band as well.
int matrices_of(const KernelRidge& config) { return config.ridge ? 1 : 2; }

// Those of centres and those of all points are not each other's.
void require_solver(const KernelRidge& config, bool centres) {
  using Solver = KernelRidge::Solver;
  const bool of_centres = config.solver == Solver::normal || config.solver == Solver::falkon;
  if (config.solver == Solver::automatic || of_centres == centres) return;
  fail(ErrorKind::usage, "ridge: the solver {} is for {}; {}", detail::solver_name(config.solver),
       of_centres ? "few centres" : "all points",
       of_centres ? "say how many (centres)" : "with centres there are normal and falkon");
}

// Whether K is only multiplied.
bool by_steps(const KernelRidge& config, Index n, double room) {
  if (!config.ridge || (config.loo && !estimates_left_out(config, n))) return false;
  if (config.solver != KernelRidge::Solver::automatic) return config.solver == KernelRidge::Solver::pcg;
  return solve::by_steps(n, room);
}

// Numbers that conjugate gradients hold for each point: the factor, and rows of K beside it.
double preconditioner_bytes(const KernelRidge& config, const Extent& extent) {
  constexpr double kBatch = 150;
  const Index n = extent.weighted;
  const Index rank = config.rank > 0 ? std::min(config.rank, n) : solve::most_rank(n, extent.room());
  return sizeof(double) * static_cast<double>(n) * (static_cast<double>(rank) + kBatch);
}

// Of numbers of K in single precision, from one step to the next: as many as find room beside the preconditioner in
// what is there for things that can be done without.
bool can_keep(const Extent& extent) {
  return extent.plain && !extent.numbers && !extent.in_memory && extent.features == 0;
}
double kept_bytes(const KernelRidge& config, const Extent& extent) {
  if (!can_keep(extent)) return 0;
  const double room = extent.share() - preconditioner_bytes(config, extent);
  return std::clamp(room, 0.0, std::min(detail::kMostKept, detail::rounded_bytes(extent.points)));
}

// A rank that is chosen fits the room there is; one that is given may not.
void require_rank(const KernelRidge& config, const Extent& extent) {
  const double bytes = preconditioner_bytes(config, extent);
  if (config.rank == 0 || bytes <= extent.room()) return;
  fail(ErrorKind::usage,
       "ridge: a preconditioner of rank {} for {} points needs {}, and there are {}; a rank of {} would fit, and 0 "
       "takes one that does",
       config.rank, extent.weighted, detail::in_bytes(bytes), detail::in_bytes(extent.room()),
       solve::most_rank(extent.weighted, extent.room()));
}

// What conjugate gradients tell of their solution.
void add_steps(const KernelRidge& config, const solve::Accuracy& found, const solve::Certificate& certificate,
               Report& report) {
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
  report.stopped = solve::ending(found);
  if (found.reached) return;
  report.notes.push_back(fmt::format(
      "conjugate gradients ended at a relative residual of {:.2g} after {} steps ({:.2g} was wanted): {} would bring "
      "them there, and the solver cholesky needs none",
      found.residual, found.steps, tolerance_of(config),
      found.rounding ? "rounding allows no less, and a larger ridge" : "a larger ridge, more rank or steps"));
}

Solution solve_one(const KernelRidge& config, const LeastSquares& s, double ridge, bool inverse, const Training& t) {
  const Extent extent = extent_of(t);
  if (by_steps(config, s.size(), extent.room())) require_rank(config, extent);
  const solve::Wishes wishes{.method = method_of(config.solver, inverse),
                             .to_tolerance = !inverse,
                             .tolerance = tolerance_of(config),
                             .rank = config.rank,
                             .room = extent.room(),
                             .kept = kept_bytes(config, extent),
                             .most_steps = static_cast<int>(config.max_iterations),
                             .checkpoints = t.checkpoints,
                             .doubtful = kIllConditioned,
                             .require = detail::require_room("ridge", t, 1)};
  const solve::Made made = solve::system_for(s.with_ridge(ridge), wishes, t.how);
  if (!made.system) fail_indefinite(ridge, made, s.size());
  Solution out{ridge, s.target, {}, {}};
  const solve::Accuracy found = made.system->solve(out.z);
  const solve::Certificate& certificate = made.system->certificate();
  out.report.add("ridge", ridge);
  if (!found.direct) add_steps(config, found, certificate, out.report);
  out.report.add("condition_bound", certificate.condition_bound);
  if (certificate.condition) note_condition(out.report, *certificate.condition);
  if (inverse) out.inverse_diagonal = std::move(*made.system).inverse_diagonal(t.how.monitor).values;
  if (!inverse && found.reached && estimates_left_out(config, s.size())) {
    out.left_out = detail::estimate_left_out(*made.system, out.z, kSomeLeftOut);
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

Vector ridges_from(const std::string& text) {
  Vector out;
  for (const std::string& piece : split(text, ',')) {
    if (text.empty()) break;
    const std::optional<double> ridge = parse_number(piece);
    if (!ridge || !(*ridge > 0) || std::isinf(*ridge))
      fail(ErrorKind::usage, "ridge: the path is a list of numbers above 0 such as 0.1,1,10, not {}", quoted(text));
    out.push_back(*ridge);
  }
  return out;
}

Solution solve_best(const KernelRidge& config, const LeastSquares& s, double within, const Training& t) {
  const Index n = s.size();
  const solve::Path path = solve::path_for(
      s.equations, s.target, [&](double trace) { return path_of(config, trace / static_cast<double>(n)); },
      {.require = detail::require_room("ridge", t, matrices_of(config))}, t.how);
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
  Solution out{ridges[at(best)], all.z[at(best)], Vector(at(n)), {}};
  for (Index i = 0; i < n; ++i) out.inverse_diagonal[at(i)] = all.inverse_diagonals(i, best);
  out.report.add("ridge", out.ridge);
  out.report.add("condition_bound", (path.trace + out.ridge) / out.ridge);
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
std::optional<Report::Table> residuals_of(const Expansion& f, const Matrix& alpha, const EqualRows& equal, double ridge,
                                          const Training& training) {
  const bool tells = training.weights.empty() && !equal.counted().some_equal();
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
  require_usable(*this);
  require_solver(*this, training.centres.has_value());
  if (training.centres) return detail::ridge_on_centres(*this, training);
  const EqualRows equal(training);
  const LeastSquares system = detail::least_squares(equal.together());
  Solution solution = solution_of(*this, system, loo && !estimates_left_out(*this, system.size()), equal);
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
  Execution how = training.how;
  if (!solution.report.converged) how.monitor = {};  // who said stop gets what there is
  Model::Parts parts = detail::parts_of(
      "ridge", training, training.K.expansion(equal.coefficients(of_different), {}, how), Reading::value);
  parts.report = std::move(solution.report);
  if (std::optional<Report::Table> residuals = residuals_of(parts.f, of_different, equal, solution.ridge, training)) {
    parts.report.tables.push_back(std::move(*residuals));
  }
  parts.report.seconds = watch.seconds();
  return Model(std::move(parts));
}

Model KernelRidge::fit(const Gram& K, VectorView y) const { return fit(detail::training_on(K, y)); }

Matrix leave_one_out(const KernelRidge& config, const Training& training) {
  const Threads threads = detail::check_training("ridge", Task::regression, training);
  require_usable(config);
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
    if (!f) f = training.K.multiply(equal.coefficients(system.alpha(solution.z)).view(), training.how);
    for (Index j = 0; j < out.cols(); ++j) out(i, j) = training.y(i, j) - (*f)(i, j);
  }
  return out;
}

namespace {

KernelRidge config_from(const Settings& settings) {
  const detail::SettingsReader read(machine("ridge"), settings);
  KernelRidge config;
  config.ridge = read.text("ridge") == "auto" ? std::nullopt : std::optional(read.number("ridge"));
  config.criterion = static_cast<KernelRidge::Criterion>(read.choice("criterion", {"loo", "gcv"}));
  config.loo = read.flag("loo");
  config.path_size = read.whole("path_size", 1);
  config.path_from = read.positive("path_from");
  config.path_to = read.positive("path_to");
  config.path = ridges_from(read.text("path"));
  config.solver =
      static_cast<KernelRidge::Solver>(read.choice("solver", {"auto", "cholesky", "pcg", "normal", "falkon"}));
  if (read.text("tolerance") != "auto") config.tolerance = read.positive("tolerance");
  config.rank = read.whole("rank", 0);
  config.max_iterations = read.whole("max_iterations", 1);
  if (config.ridge) {
    for (const MachineOption& option : machine("ridge").options) {
      const bool of_auto = option.name == "criterion" || option.name.starts_with("path");
      const auto given = settings.find(option.name);
      if (!of_auto || given == settings.end() || given->second == option.fallback) continue;
      fail(ErrorKind::usage, "ridge: {} is about the ridges that auto tries; set ridge to auto as well", option.name);
    }
  }
  return config;
}

// One that is chosen depends on the fold.
bool has_one_ridge(const Settings& settings) {
  const auto given = settings.find("ridge");
  return given == settings.end() || given->second != "auto";
}

// What all points take does not depend on the memory that is free: whether centres stand for them is decided by it.
Needs needs_by_steps(const KernelRidge& config, const Extent& extent) {
  require_rank(config, extent);
  // About, whatever the kernel: passes over K itself, a rank that is chosen, flops that take as long as a number of K
  // that was kept, and what a preconditioner of that rank leaves as the largest eigenvalue, for each point. The last is
  // from one data set: the 20 steps that protein (41,157 points, ridge 0.3) took to 1e-3 are those of 27.
  constexpr double kExactPasses = 3, kUsualRank = 1000, kKeptCost = 20, kLeft = 1.0 / 1500;
  const double ridge = *config.ridge / extent.diagonal;
  const double steps =
      std::min(solve::steps_for(kLeft * static_cast<double>(extent.weighted), ridge, tolerance_of(config)),
               static_cast<double>(config.max_iterations));
  const bool rounded = can_keep(extent) && solve::may_be_rounded(static_cast<double>(extent.weighted), ridge);
  const double kept = rounded ? std::min(1.0, detail::kMostKept / detail::rounded_bytes(extent.points)) : 0;
  Needs out = detail::by_passes(
      extent, fmt::format("conjugate gradients, to a relative residual of {:.3g}", tolerance_of(config)),
      kExactPasses + (1 - kept) * steps);
  out.by_steps = true;
  out.beside.push_back({"preconditioner, at most", preconditioner_bytes(config, extent)});
  if (can_keep(extent) && !rounded) {
    out.why = fmt::format("a ridge of {:.3g} is below the rounding of K in single precision: steps multiply K itself",
                          *config.ridge);
  }
  if (kept > 0) {
    out.form = Form::cached;
    out.why =
        "steps multiply K in single precision, of which as much is kept as finds room; residuals come from K itself";
    out.beside.push_back({"numbers of K in single precision", kept_bytes(config, extent)});
  }
  const auto n = static_cast<double>(extent.weighted), all = static_cast<double>(extent.points);
  const double rank = config.rank > 0 ? static_cast<double>(std::min(config.rank, extent.weighted))
                                      : std::min(kUsualRank, static_cast<double>(solve::most_rank(extent.weighted)));
  out.flops = 5 * rank * rank * n + steps * (kept * kKeptCost * all * all / 2 + 4 * rank * n);
  if (estimates_left_out(config, extent.weighted)) {
    constexpr double kVectors = 7;  // of conjugate gradients, for each column
    out.beside.push_back({"columns of the inverse", sizeof(double) * n * kSomeLeftOut * kVectors});
    out.pairs *= 2;
    out.flops += steps * 2 * n * n * kSomeLeftOut;
  }
  return out;
}

Needs needs_of_ridge(const KernelRidge& config, const Extent& extent) {
  require_solver(config, extent.centres > 0);
  if (extent.centres > 0) return detail::ridge_needs_on_centres(config, extent);
  const Index n = extent.weighted;
  if (config.solver == KernelRidge::Solver::automatic) {
    if (const auto few = detail::by_features(extent, n, n / 4, "Woodbury")) return *few;
  }
  if (by_steps(config, n, extent.room())) return needs_by_steps(config, extent);
  return config.ridge ? detail::by_all_pairs(n, matrices_of(config), "Cholesky", config.loo ? 1 : 1.0 / 3)
                      : detail::by_all_pairs(n, matrices_of(config), "a band matrix, for all ridges at once", 4);
}

std::optional<HeldOut> each_left_out(const Model& model, const Training& training) {
  const std::optional<double> ridge = model.report().figure("ridge");
  if (!ridge || training.centres) return std::nullopt;
  Matrix values = leave_one_out(KernelRidge{.ridge = *ridge}, training);  // y less its prediction
  for (Index i = 0; i < values.rows() * values.cols(); ++i) values.data()[i] = training.y.data()[i] - values.data()[i];
  return HeldOut{.values = std::move(values)};
}

std::vector<HeldOut> hold_out(const Settings& settings, const Training& ordered, std::span<const Range> folds) {
  const KernelRidge config = config_from(settings);
  const Threads threads = detail::check_training("ridge", Task::regression, ordered);
  require_usable(config);
  if (ordered.centres || by_steps(config, ordered.K.size(), extent_of(ordered).room())) return {};
  const LeastSquares s = detail::least_squares(ordered);
  const solve::Wishes wishes{.require = detail::require_room("ridge", ordered, 1)};
  const solve::Made made = solve::system_for(s.with_ridge(*config.ridge), wishes, ordered.how);
  if (!made.system || !(made.system->certificate().condition_bound <= kIllConditioned)) return {};
  if (made.system->certificate().rank < s.size()) return {};  // few features: each fold is cheap by itself
  std::vector<HeldOut> out;
  const auto found =
      detail::leave_blocks_out(std::move(*made.system), s.target, Matrix(s.size(), 0), folds, ordered.how.monitor);
  for (std::size_t f = 0; f < found.size(); ++f) {
    Matrix values = found[f].residual;
    for (Index i = 0; i < values.rows(); ++i) {
      const Index point = folds[f].begin + i;
      for (Index t = 0; t < values.cols(); ++t)
        values(i, t) = ordered.y(point, t) - values(i, t) / s.equations.scale_of(point);
    }
    out.push_back({.values = std::move(values)});
  }
  return out;
}

}  // namespace

std::vector<Machine> detail::ridge_rows() {
  const KernelRidge defaults;
  return {{
      .name = "ridge",
      .purpose = "kernel ridge regression, with exact leave-one-out and a ridge chosen by it",
      .problem = "min_f  sum_i w_i (y_i - f(x_i))^2 + ridge |f|^2",
      .task = Task::regression,
      .options =
          {
              {"ridge", number(*defaults.ridge), "The price of |f|^2, > 0, or auto: chosen by the criterion"},
              {"criterion", "loo", "What auto minimises: loo (leave-one-out) or gcv (generalised cross-validation)"},
              {"loo", "false",
               "Report the leave-one-out error of a given ridge, or of one that gcv chose on centres, which doubles "
               "the cost",
               true},
              {"path_size", number(static_cast<double>(defaults.path_size)), "How many ridges auto tries"},
              {"path_from", number(defaults.path_from), "The smallest of them, as a multiple of K's mean diagonal"},
              {"path_to", number(defaults.path_to), "The largest of them, as a multiple of K's mean diagonal"},
              {"path", "", "The ridges that auto tries, instead of those: 0.1,1,10"},
              {"solver", "auto",
               "Of all points: cholesky (all pairs in memory) or pcg (conjugate gradients: of K what finds "
               "room, in single precision). Of centres: "
               "normal (all ridges and leave-one-out at once) or falkon (conjugate gradients). auto: few features "
               "where the kernel has them, pcg beyond 20,000 points, else cholesky; of centres what takes less time. "
               "A ridge of auto needs all pairs, or normal; so does loo, which pcg estimates beyond 4,000 points"},
              {"tolerance", "auto",
               "pcg, falkon: ends when a residual is at most this share of the right-hand side; auto: 1e-6, and 1e-4 "
               "for falkon"},
              {"rank", "0", "pcg: of the preconditioner; 0: as many as save time"},
              {"max_iterations", number(static_cast<double>(defaults.max_iterations)), "pcg, falkon: steps at most"},
          },
      .fit = [](const Settings& settings, const Training& training) { return config_from(settings).fit(training); },
      .resumes = true,
      .cross =
          [](const Crossing& crossing) {
            return cross_linear(crossing, {hold_out, has_one_ridge});
          },
      // A penalty that is given leaves the width of the kernel; the other's path is part of each trial.
      .choosing =
          [](const Settings& given, const Training*) {
            Choosing plan{.stages = {{{"ell", {16, 8, 4, 2, 1, 0.5, 0.25}, Trial::Unit::automatic}}},
                          .kernels = {"matern(nu=1.5, ell=auto)", "laplace(ell=auto)"},
                          .finals = 3000};
            const auto by = given.find("criterion");
            plan.figure = by != given.end() && by->second == "gcv" ? "gcv" : "leave_one_out_rmse";
            const bool about_auto = std::any_of(given.begin(), given.end(), [](const auto& option) {
              return option.first == "criterion" || option.first.starts_with("path");
            });
            if (!given.contains("ridge") && !about_auto) {
              plan.while_trying = {{"ridge", "auto"}, {"solver", "auto"}};
              plan.settling = {{"ridge", "auto"}, {"solver", "normal"}, {"criterion", "gcv"}};
              plan.read = {"ridge"};
              plan.expected = {{"ridge", "0.03"}};
            } else if (given.contains("ridge") && given.at("ridge") != "auto") {
              plan.figure = "leave_one_out_rmse";
              plan.while_trying = {{"loo", "true"}};
            }
            return plan;
          },
      .centres = OnCentres::itself,
      .streams = true,
      .needs = [](const Settings& settings,
                  const Extent& extent) { return needs_of_ridge(config_from(settings), extent); },
      .path = {{"ridge", "auto"}},
      .leave_one_out = each_left_out,
  }};
}

}  // namespace mercer
