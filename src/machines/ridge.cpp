#include "mercer/machines/ridge.hpp"

#include <algorithm>
#include <cmath>

#include "base/at.hpp"
#include "base/fail.hpp"
#include "base/parallel.hpp"
#include "base/text.hpp"
#include "linalg/cholesky.hpp"
#include "linalg/low_rank.hpp"
#include "linalg/shifted.hpp"
#include "machines/catalog_rows.hpp"
#include "machines/weighted_system.hpp"
#include "model/assemble.hpp"
#include "model/settings.hpp"
#include "model/training.hpp"
#include "selection/blocks_held_out.hpp"

namespace mercer {

namespace {

using detail::Stopwatch;
using detail::WeightedSystem;

// Above this, fewer than four digits of alpha can be trusted.
constexpr double kIllConditioned = 1e12;

struct Solution {
  double ridge = 0;
  Matrix z;
  Vector inverse_diagonal;  // of B; empty when not asked for
  Report report;
};

void require_ridge(double ridge) {
  if (!(ridge > 0) || !std::isfinite(ridge)) {
    fail(ErrorKind::usage, "ridge: the ridge must be a finite number > 0, not {}; without one use ols", ridge);
  }
}

void require_usable(const KernelRidge& config) {
  if (!config.ridge) return;
  require_ridge(*config.ridge);
  if (!config.path.empty()) {
    fail(ErrorKind::usage, "ridge: the path is what auto tries; leave it out, or the ridge of {}", *config.ridge);
  }
}

// Rounding of a positive semi-definite matrix is made up for by a ridge of this size; what is not is no rounding.
[[noreturn]] void fail_indefinite(double ridge, Index pivot, const WeightedSystem& s) {
  const double enough = 10 * std::numeric_limits<double>::epsilon() * s.trace;
  if (enough > ridge) {
    fail(ErrorKind::numeric,
         "ridge: K + {:.3g} I is not positive definite in floating point (pivot {} of {}); use a ridge of at least "
         "{:.2g}",
         ridge, pivot, s.B.rows(), 1.1 * enough);
  }
  fail(ErrorKind::numeric,
       "ridge: K + {:.3g} I is not positive definite (pivot {} of {}), and not by rounding: K is the matrix of no "
       "kernel; check the numbers it was given as",
       ridge, pivot, s.B.rows());
}

void note_condition(Report& report, double condition) {
  report.add("condition", condition);
  if (!(condition > kIllConditioned)) return;
  report.notes.push_back(
      fmt::format("K + ridge I has a condition number of about {:.1g}; the coefficients have few correct digits, a "
                  "larger ridge would give more",
                  condition));
}

// G is used up.
Solution solve_one_by_factor(WeightedSystem& s, double ridge, bool inverse, const Monitor& monitor) {
  linalg::ShiftedSolves found = linalg::low_rank_solves(std::move(s.G), s.target, Vector{ridge}, monitor);
  Solution out{ridge, std::move(found.z[0]), {}, {}};
  const double bound = (s.trace + ridge) / ridge;
  out.report.add("ridge", ridge);
  out.report.add("condition_bound", bound);
  if (!(bound <= kIllConditioned)) note_condition(out.report, bound);
  if (inverse)
    out.inverse_diagonal.assign(found.inverse_diagonals.data(), found.inverse_diagonals.data() + out.z.rows());
  return out;
}

// Factors B + ridge I where B stands.
Solution solve_one(WeightedSystem& s, double ridge, bool inverse, const Monitor& monitor) {
  const Index n = s.B.rows();
  for (Index i = 0; i < n; ++i) s.B(i, i) += ridge;
  const double bound = (s.trace + ridge) / ridge;
  const bool doubtful = !(bound <= kIllConditioned);
  const double norm = doubtful ? linalg::symmetric_norm(s.B) : 0;
  Solution out{ridge, Matrix(s.target), {}, {}};
  if (const Index pivot = linalg::cholesky(s.B, monitor); pivot != 0) {
    fail_indefinite(ridge, pivot, s);
  }
  linalg::cholesky_solve(s.B, out.z);
  out.report.add("ridge", ridge);
  out.report.add("condition_bound", bound);
  if (doubtful) note_condition(out.report, linalg::condition(s.B, norm));
  if (inverse) out.inverse_diagonal = linalg::inverse_diagonal(s.B, monitor);
  return out;
}

double total_square(const Matrix& m) {
  double total = 0;
  for (Index i = 0; i < m.rows() * m.cols(); ++i) total += m.data()[i] * m.data()[i];
  return total;
}

// sum_i w_i r_i^2 / sum w over all targets, r the leave-one-out residuals z_i / (w_i^1/2 (B^-1)_ii).
double leave_one_out_mean_square(const WeightedSystem& s, const Matrix& z, const auto& inverse_diagonal) {
  double total = 0;
  for (Index i = 0; i < z.rows(); ++i) {
    for (Index j = 0; j < z.cols(); ++j) {
      const double r = z(i, j) / inverse_diagonal(i);
      total += r * r;
    }
  }
  return total / s.weight;
}

Vector path_of(const KernelRidge& config, double mean_diagonal) {
  if (!config.path.empty()) {
    for (const double ridge : config.path) require_ridge(ridge);
    Vector ridges = config.path;
    std::sort(ridges.begin(), ridges.end());
    return ridges;
  }
  if (config.path_size < 1 || !(config.path_from > 0) || !(config.path_to >= config.path_from) ||
      !std::isfinite(config.path_to)) {
    fail(ErrorKind::usage, "ridge: the path needs at least one value and 0 < from <= to, not {} from {} to {}",
         config.path_size, config.path_from, config.path_to);
  }
  if (!(mean_diagonal > 0)) fail(ErrorKind::numeric, "ridge: K is zero on its diagonal; no ridge can be chosen for it");
  Vector ridges;
  const double steps = static_cast<double>(std::max<Index>(1, config.path_size - 1));
  for (Index i = 0; i < config.path_size; ++i) {
    const double share = static_cast<double>(i) / steps;
    ridges.push_back(mean_diagonal * config.path_from * std::pow(config.path_to / config.path_from, share));
  }
  return ridges;
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

// Uses up B, or G.
Solution solve_best(const KernelRidge& config, WeightedSystem& s, const Execution& how) {
  const Index n = s.target.rows();
  const Vector ridges = path_of(config, s.trace / static_cast<double>(n));
  const auto tried = static_cast<Index>(ridges.size());
  linalg::ShiftedSolves all =
      s.by_factor() ? linalg::low_rank_solves(std::move(s.G), s.target, ridges, how.monitor)
                    : linalg::shifted_solves(std::move(s.B), s.target, ridges, thread_count(how.threads), how.monitor);
  if (all.indefinite >= 0) {
    fail(ErrorKind::numeric,
         "ridge: K + {:.3g} I, on the path, is not positive definite in floating point; raise path-from above {:.1g}, "
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
    table.rows(r, 1) = std::sqrt(leave_one_out_mean_square(s, all.z[at(r)], inverse));
    table.rows(r, 2) = count / s.weight * count * total_square(all.z[at(r)]) / (trace * trace);
    table.rows(r, 3) = count - ridges[at(r)] * trace;                 // tr K (K + ridge I)^-1
    if (table.rows(r, column) <= table.rows(best, column)) best = r;  // of equals the largest ridge
  }
  Solution out{ridges[at(best)], std::move(all.z[at(best)]), Vector(at(n)), {}};
  for (Index i = 0; i < n; ++i) out.inverse_diagonal[at(i)] = all.inverse_diagonals(i, best);
  out.report.add("ridge", out.ridge);
  out.report.add("condition_bound", (s.trace + out.ridge) / out.ridge);
  out.report.add("gcv", table.rows(best, 2));
  if (best == 0 || best == tried - 1) {
    out.report.notes.push_back(
        fmt::format("the best ridge, {:.3g}, is the {} of the path; a wider path may hold a better", out.ridge,
                    best == 0 ? "smallest" : "largest"));
  }
  out.report.tables.push_back(std::move(table));
  return out;
}

// Where many ridges are tried, B and the basis in which it is a band.
int matrices_of(const KernelRidge& config) { return config.ridge ? 1 : 2; }

Solution solve(const KernelRidge& config, WeightedSystem& s, bool inverse, const Execution& how) {
  if (!config.ridge) return solve_best(config, s, how);
  if (s.by_factor()) return solve_one_by_factor(s, *config.ridge, inverse, how.monitor);
  return solve_one(s, *config.ridge, inverse, how.monitor);
}

// By few features where K has them, which need no matrix of all pairs; else by the matrix.
WeightedSystem system_for(const KernelRidge& config, const Training& training) {
  std::optional<WeightedSystem> factored = detail::factored_system(training);
  return factored ? std::move(*factored) : detail::weighted_system("ridge", training, matrices_of(config));
}

}  // namespace

Model KernelRidge::fit(const Training& training) const {
  const Stopwatch watch;
  const Threads threads = detail::check_training("ridge", Task::regression, training);
  detail::require_unshifted(training.K);
  require_usable(*this);
  WeightedSystem system = system_for(*this, training);
  Solution solution = solve(*this, system, loo, training.how);
  const Vector& inverse = solution.inverse_diagonal;
  if (!inverse.empty()) {
    const double square = leave_one_out_mean_square(system, solution.z, [&](Index i) { return inverse[at(i)]; });
    solution.report.add("leave_one_out_rmse", std::sqrt(square));
  }
  system.B = system.G = {};  // before the centres are copied
  Model::Parts parts = detail::parts_of(
      "ridge", training, training.K.expansion(system.alpha(solution.z, training.K.size()), {}, training.how),
      Reading::value);
  parts.report = std::move(solution.report);
  parts.report.seconds = watch.seconds();
  return Model(std::move(parts));
}

Model KernelRidge::fit(const Gram& K, VectorView y) const { return fit(detail::training_on(K, y)); }

Matrix leave_one_out(const KernelRidge& config, const Training& training) {
  const Threads threads = detail::check_training("ridge", Task::regression, training);
  require_usable(config);
  WeightedSystem system = system_for(config, training);
  const Solution solution = solve(config, system, true, training.how);
  Matrix out(training.y);
  if (static_cast<Index>(system.points.size()) < training.K.size()) {
    const Matrix f = training.K.multiply(system.alpha(solution.z, training.K.size()).view(), training.how);
    for (Index i = 0; i < out.rows() * out.cols(); ++i) out.data()[i] -= f.data()[i];
  }
  for (std::size_t i = 0; i < system.points.size(); ++i) {
    for (Index j = 0; j < out.cols(); ++j) {
      out(system.points[i], j) = solution.z(static_cast<Index>(i), j) / (system.root[i] * solution.inverse_diagonal[i]);
    }
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
  config.path_size = read.whole("path-size", 1);
  config.path_from = read.positive("path-from");
  config.path_to = read.positive("path-to");
  config.path = ridges_from(read.text("path"));
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

std::vector<HeldOut> hold_out(const Settings& settings, const Training& ordered, std::span<const Range> folds) {
  const KernelRidge config = config_from(settings);
  const Threads threads = detail::check_training("ridge", Task::regression, ordered);
  require_usable(config);
  if (detail::factored_system(ordered)) return {};  // few features: each fold is cheap by itself
  WeightedSystem s = detail::weighted_system("ridge", ordered, 1);
  const double ridge = *config.ridge;
  if (!((s.trace + ridge) / ridge <= kIllConditioned)) return {};
  for (Index i = 0; i < s.B.rows(); ++i) s.B(i, i) += ridge;
  std::vector<HeldOut> out;
  const auto found = detail::leave_blocks_out(s.B, s.target, Matrix(s.B.rows(), 0), folds, ordered.how.monitor);
  for (std::size_t f = 0; f < found.size(); ++f) {
    Matrix values = found[f].residual;
    for (Index i = 0; i < values.rows(); ++i) {
      const Index point = folds[f].begin + i;
      for (Index t = 0; t < values.cols(); ++t) values(i, t) = ordered.y(point, t) - values(i, t) / s.root[at(point)];
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
              {"loo", "false", "Report the leave-one-out error of a given ridge, which doubles the cost", true},
              {"path-size", number(static_cast<double>(defaults.path_size)), "How many ridges auto tries"},
              {"path-from", number(defaults.path_from), "The smallest of them, as a multiple of K's mean diagonal"},
              {"path-to", number(defaults.path_to), "The largest of them, as a multiple of K's mean diagonal"},
              {"path", "", "The ridges that auto tries, instead of those: 0.1,1,10"},
          },
      .fit = [](const Settings& settings, const Training& training) { return config_from(settings).fit(training); },
      .cross =
          [](const Crossing& crossing) {
            return cross_linear(crossing, {hold_out, has_one_ridge});
          },
      .exceptions = {{Exception::Law::weights,
                      "the ridge is chosen by leaving out points, each with all its weight",
                      {{"ridge", "auto"}}}},
      // A penalty that is given leaves the width of the kernel; the other's path is part of each trial.
      .choosing =
          [](const Settings& given, const Training*) {
            Choosing plan{.stages = {{{"ell", {16, 8, 4, 2, 1, 0.5, 0.25}, Trial::Unit::automatic}}},
                          .kernels = {"matern(nu=1.5, ell=auto)", "laplace(ell=auto)"}};
            const auto by = given.find("criterion");
            plan.figure = by != given.end() && by->second == "gcv" ? "gcv" : "leave_one_out_rmse";
            const bool about_auto = std::any_of(given.begin(), given.end(), [](const auto& option) {
              return option.first == "criterion" || option.first.starts_with("path");
            });
            if (!given.contains("ridge") && !about_auto) {
              plan.while_trying = {{"ridge", "auto"}};
              plan.read = {"ridge"};
            } else if (given.contains("ridge") && given.at("ridge") != "auto") {
              plan.figure = "leave_one_out_rmse";
              plan.while_trying = {{"loo", "true"}};
            }
            return plan;
          },
  }};
}

}  // namespace mercer
