// Ridge regression by functions of few centres.
#include <algorithm>
#include <cmath>

#include "base/at.hpp"
#include "base/fail.hpp"
#include "centres/restricted.hpp"
#include "machines/least_squares/ridge_parts.hpp"
#include "model/needs.hpp"
#include "model/training.hpp"
#include "selection/equal_rows.hpp"

namespace mercer::detail {

namespace {

// Steps of falkon, about, whatever the centres; and a value of a kernel in flops that take as long. Nothing here is
// decided by a clock.
constexpr double kSteps = 25, kPairCost = 60;
// With so few centres all ridges at once are a matter of moments, and exact.
constexpr double kFewCentres = 500;
// Matrices of m x m numbers: features, eigenvectors and a sum for each of two threads; root, the sketch of a block of
// rows and that of those before it.
constexpr double kOfNormal = 5, kOfFalkon = 5;

struct Found {
  Matrix w;
  Report report;
};

bool is_normal(const KernelRidge& config, double n, double m) {
  if (config.solver != KernelRidge::Solver::automatic) return config.solver == KernelRidge::Solver::normal;
  if (!config.ridge || config.loo || m <= kFewCentres) return true;
  return 2 * n * m * m + 9 * m * m * m <= kSteps * n * m * kPairCost + 5 * m * m * m;
}

// Leaving each point out is the second pass; GCV needs the moments of the first alone.
bool takes_two_passes(const KernelRidge& config) {
  return config.loo || (!config.ridge && config.criterion == KernelRidge::Criterion::loo);
}

// n_effective of the weights is that of a fit to all points: those of positive weight.
double counted(const Training& t) {
  return t.weights.empty()
             ? static_cast<double>(t.K.size())
             : static_cast<double>(std::count_if(t.weights.begin(), t.weights.end(), [](double w) { return w > 0; }));
}

double total_weight(const Training& t) {
  if (t.weights.empty()) return static_cast<double>(t.K.size());
  double out = 0;
  for (const double w : t.weights) out += w;
  return out;
}

Found choose_ridge(const KernelRidge& config, const centres::AllRidges& all, const Training& t, double within) {
  const double n = counted(t), weight = total_weight(t);
  const Vector ridges = path_of(config, all.trace() / n);
  const auto tried = static_cast<Index>(ridges.size());
  const bool by_loo = config.criterion == KernelRidge::Criterion::loo, with_loo = takes_two_passes(config);
  const Vector left_out = with_loo ? all.left_out(ridges, t.how) : Vector();
  Report::Table table{"path", {"ridge", "gcv", "degrees_of_freedom"}, {}};
  if (with_loo) table.columns.insert(table.columns.begin() + 1, "leave_one_out_rmse");
  const auto columns = static_cast<Index>(table.columns.size());
  table.rows = Matrix(tried, columns);
  const Index of_gcv = columns - 2, of_best = by_loo ? 1 : of_gcv;
  Index best = 0;
  for (Index r = 0; r < tried; ++r) {
    const double freedom = all.freedom(ridges[at(r)]), rest = n - freedom;
    table.rows(r, 0) = ridges[at(r)];
    if (with_loo) table.rows(r, 1) = std::sqrt((left_out[at(r)] + within) / weight);
    table.rows(r, of_gcv) = (n * n * all.squares(ridges[at(r)]) / (rest * rest) + within) / weight;
    table.rows(r, columns - 1) = freedom;
    if (table.rows(r, of_best) <= table.rows(best, of_best)) best = r;  // of equals the largest ridge
  }
  const double ridge = ridges[at(best)];
  Found out{all.w(ridge), {}};
  out.report.add("ridge", ridge);
  if (with_loo) out.report.add("leave_one_out_rmse", table.rows(best, 1));
  out.report.add("gcv", table.rows(best, of_gcv));
  if (best == 0 || best == tried - 1) {
    out.report.notes.push_back(
        fmt::format("the best ridge, {:.3g}, is the {} of the path; a wider path may hold a better", ridge,
                    best == 0 ? "smallest" : "largest"));
  }
  out.report.tables.push_back(std::move(table));
  return out;
}

Found by_all_ridges(const KernelRidge& config, const centres::LeastSquares& problem, const Training& t, double within) {
  const centres::AllRidges all(problem, t.how);
  Found out;
  if (config.ridge) {
    out.w = all.w(*config.ridge);
    out.report.add("ridge", *config.ridge);
    if (config.loo) {
      const double left = all.left_out(Vector{*config.ridge}, t.how).front();
      out.report.add("leave_one_out_rmse", std::sqrt((left + within) / total_weight(t)));
    }
  } else {
    out = choose_ridge(config, all, t, within);
  }
  const double ridge = out.report.figure("ridge").value();
  const double freedom = all.freedom(ridge);
  out.report.add("degrees_of_freedom", freedom);
  out.report.add("effective_dimension", freedom);
  out.report.add("condition", all.condition(ridge));
  return out;
}

Found by_steps(const KernelRidge& config, const centres::LeastSquares& problem, const Training& t) {
  if (!config.ridge || config.loo) {
    fail(ErrorKind::usage, "ridge: falkon knows one ridge and no leave-one-out error; give the ridge, or take normal");
  }
  const double tolerance = config.tolerance.value_or(kFalkonTolerance);
  centres::BySteps found = centres::by_steps(problem, *config.ridge, tolerance, static_cast<int>(config.max_iterations),
                                             t.how, t.checkpoints);
  const solve::Accuracy& accuracy = found.accuracy;
  Found out{std::move(found.w), {}};
  Report& report = out.report;
  report.iterations = accuracy.steps;
  report.converged = accuracy.reached;
  report.stopped = solve::ending(accuracy);
  report.add("ridge", *config.ridge);
  report.add("residual", accuracy.residual);
  report.add("energy_error_bound", accuracy.energy_error);
  if (found.freedom) {
    report.add("effective_dimension", *found.freedom);
    report.notes.emplace_back("the effective dimension is an estimate from the sketch that preconditions the steps");
  }
  if (!accuracy.reached) {
    report.notes.push_back(fmt::format(
        "conjugate gradients ended at a relative residual of {:.2g} after {} steps ({:.2g} was wanted): {} would bring "
        "them there",
        accuracy.residual, accuracy.steps, tolerance,
        accuracy.rounding ? "rounding allows no less, and a larger ridge" : "a larger ridge or more steps"));
  }
  return out;
}

}  // namespace

Model ridge_on_centres(const KernelRidge& config, const Training& training) {
  const Stopwatch watch;
  const EqualRows equal(training);
  const Training& t = equal.together();
  const Centres& z = *training.centres;
  const centres::Pass pass(z.kernel(), z.points(), centres::pieces_of(*t.K.points()));
  const centres::LeastSquares problem{z, pass, t.y, t.weights};
  Found found = is_normal(config, static_cast<double>(t.K.size()), static_cast<double>(z.size()))
                    ? by_all_ridges(config, problem, t, equal.within())
                    : by_steps(config, problem, t);
  if (found.report.figure("leave_one_out_rmse") && equal.counted().some_equal()) {
    found.report.notes.push_back(left_out_together(equal.counted()));
  }
  Model::Parts parts = parts_of("ridge", training, z.expansion(found.w, {}, training.K.size()), Reading::value);
  parts.report = std::move(found.report);
  parts.report.seconds = watch.seconds();
  return Model(std::move(parts));
}

Needs ridge_needs_on_centres(const KernelRidge& config, const Extent& extent) {
  const auto n = static_cast<double>(extent.weighted), m = static_cast<double>(extent.centres);
  const bool normal = is_normal(config, n, m), both = takes_two_passes(config);
  return {.form = Form::centres,
          .solver = normal ? "the normal equations of the centres' features"
                           : fmt::format("conjugate gradients on the centres, to a relative residual of {:.3g}",
                                         config.tolerance.value_or(kFalkonTolerance)),
          .size = extent.centres,
          .beside = {{normal ? "moments and eigenvectors of features" : "root, sketch and preconditioner",
                      sizeof(double) * m * m * (normal ? kOfNormal : kOfFalkon)}},
          .pairs = n * m * (normal ? (both ? 2 : 1) : kSteps),
          .flops = normal ? (both ? 5 : 2) * n * m * m + 9 * m * m * m : 5 * m * m * m + 4 * n * m * kSteps,
          .by_steps = !normal};
}

}  // namespace mercer::detail
