#include "machines/processes/regression/effort.hpp"

#include <algorithm>
#include <cmath>

#include "base/fail.hpp"
#include "centres/pass.hpp"
#include "machines/processes/approach.hpp"
#include "machines/processes/regression/checks.hpp"
#include "machines/processes/regression/levels.hpp"
#include "model/needs.hpp"
#include "solve/system.hpp"

namespace mercer::detail {

namespace {

// Beyond so many points learning from all of them takes long, and a part of them tells nearly as much.
constexpr Index kLearntFrom = 2500;

// Up to so many columns the nearest points say nearly all that is known of one, and more than inducing points do
// (docs/performance.md); so many of them, at so many flops a point for a whole fit, as measured.
constexpr Index kFewColumns = 10, kNeighbours = 30;
constexpr double kOfAPoint = 1.2e8;

// As a rule: evaluations of all points, and of some from each start; and with inducing points.
constexpr double kEvaluations = 40, kScreened = 25, kInducingEvaluations = 40;
// Of n m^2 flops: an evaluation with its derivatives, and what a fit ends with.
constexpr double kOfAnEvaluation = 5, kOfTheEnd = 4;

Needs needs_by_inducing(const GaussianProcess& config, const Extent& extent) {
  const bool learns = config.objective != GaussianProcess::Objective::none;
  const auto n = static_cast<double>(extent.weighted), m = static_cast<double>(config.inducing);
  const double evaluations = learns ? kInducingEvaluations : 0;
  const auto looked_at = static_cast<double>(std::min(extent.weighted, most_looked_at(config.inducing)));
  const auto some = static_cast<double>(learns ? std::min(extent.weighted, kAllPairs) : 0);
  const auto numbers_of_a_row = static_cast<double>(6 * extent.outputs + 2 * extent.dimension + 8);
  return {.form = Form::lazy,
          .solver = learns ? "inducing points at each step of learning" : "inducing points",
          .size = extent.weighted,
          .beside = {{"what inducing points know", sizeof(double) * 16 * m * (m + static_cast<double>(centres::kTall))},
                     {"choosing them", sizeof(double) * m * (looked_at + m)},
                     {"some points, all pairs of them", sizeof(double) * some * some},
                     {"vectors", sizeof(double) * numbers_of_a_row * n}},
          .pairs = (4 * evaluations + 5) * n * m + m * looked_at,
          .flops = (kOfAnEvaluation * evaluations + kOfTheEnd) * n * m * m + 3 * m * m * looked_at +
                   kEvaluations * some * some * some,
          .why = fmt::format("{} inducing points stand for all", config.inducing),
          .approximates =
              fmt::format("K by what {} inducing points say of it, K(X, Z) K(Z, Z)^-1 K(Z, X)", config.inducing)};
}

// Neighbours in 32 bits each, and what is known of each point: its conditional mean and variance.
Needs needs_of_nearest(const GaussianProcess& config, const Extent& extent) {
  const Index neighbours = std::clamp<Index>(extent.weighted - 1, 1, config.nearest);  // so many, if all differ
  const auto n = static_cast<double>(extent.weighted), K = static_cast<double>(neighbours);
  const double evaluations = config.objective == GaussianProcess::Objective::none ? 2 : 80;
  Needs out;
  out.solver = fmt::format("{} nearest neighbours of each point{}", neighbours,
                           evaluations > 2 ? " at each step of learning" : "");
  out.beside = {{"neighbours", n * 12 * K},
                {"conditional means and variances", n * 8 * static_cast<double>(4 * extent.outputs + 8)}};
  out.pairs = 3 * evaluations * n * K * K;  // twice for the value, and derivatives
  out.flops = evaluations * n * K * K * K;
  return out;
}

// A step multiplies K by the probes and the targets; a preconditioner of k rows takes k^2 n flops and k n numbers.
Needs needs_by_steps(const GaussianProcess& config, const Extent& extent) {
  constexpr double kEvaluationsOfAll = 15, kSteps = 50, kColumns = 20, kVectors = 6, kValueAmong = 3;
  const auto n = static_cast<double>(extent.weighted), rank = static_cast<double>(solve::most_rank(extent.weighted));
  const double evaluations = config.objective == GaussianProcess::Objective::none ? 1 : kEvaluationsOfAll;
  return {.form = Form::lazy,
          .solver = "conjugate gradients",
          .size = extent.weighted,
          .beside = {{"a preconditioner", sizeof(double) * rank * n},
                     {"vectors", sizeof(double) * kVectors * kColumns * n}},
          .pairs = evaluations * kSteps * kValueAmong * n * n,
          .flops = evaluations * (kSteps * 2 * kColumns * n * n + kOfAnEvaluation * rank * rank * n),
          .why = "the evidence is wanted of all points, in memory that grows as their number",
          .approximates = "the evidence, by an interval of three standard errors"};
}

// Gains and covariances of the filter, and a few vectors beside them; flops as measured.
Needs along_the_line(const GaussianProcess& config, const Extent& extent) {
  const auto n = static_cast<double>(extent.weighted), states = static_cast<double>(extent.states);
  const double evaluations = config.objective == GaussianProcess::Objective::none ? 1 : 40;
  return {.form = Form::lazy,
          .solver = fmt::format("a Kalman filter of {} states", extent.states),
          .size = extent.weighted,
          .beside = {{"what the filter keeps of each point", sizeof(double) * n * (2 * states + 30)}},
          .flops = evaluations * n * (1e3 + 100 * states * states),
          .why = "k has a state space on one column: time and memory grow as n"};
}

// So many points, or what they say, in the time that is allowed; a multiple of 100.
Index rounded(double points, Index least, Index most) {
  return std::clamp(static_cast<Index>(points / 100) * 100, least, most);
}

}  // namespace

Needs needs_of(const GaussianProcess& config, const Extent& extent) {
  if (config.solver == GaussianProcess::Solver::iterative) return needs_by_steps(config, extent);
  const Index n = extent.weighted;
  if (config.inducing > 0) return needs_by_inducing(config, extent);
  if (config.nearest > 0) return needs_of_nearest(config, extent);
  if (method_of(config, n, extent.states) == Method::state_space) return along_the_line(config, extent);
  if (config.objective == GaussianProcess::Objective::none) {
    return by_all_pairs(n, matrices_of(config), "Cholesky", 1.0 / 3);
  }
  const Index learnt_from = config.learn_on > 0 ? std::min(n, config.learn_on) : n;
  const auto some = static_cast<double>(std::min(n, config.screen)), starts = static_cast<double>(config.starts);
  const bool leaves_out = config.objective == GaussianProcess::Objective::loo;
  Needs out = by_all_pairs(n, leaves_out ? kEqualLeftOut : matrices_of(config), "Cholesky at each step of learning",
                           kEvaluations);
  out.least = matrices_of(config);
  out.pairs *= 2 * kEvaluations;  // derivatives cost as much as values
  if (learnt_from < n) {
    const double share = static_cast<double>(learnt_from) / static_cast<double>(n), all = static_cast<double>(n);
    out.pairs = out.pairs * share * share + all * (all + 1) / 2;
    out.flops = out.flops * share * share * share + all * all * all / 3;
    out.solver = "Cholesky, at each step of learning for some of the points";
    out.approximates = fmt::format("what is learnt, from {} of the points", learnt_from);
  }
  if (config.starts > 1) out.flops += starts * kScreened * some * some * some;
  return out;
}

std::optional<Shortcut> shortcut(const Settings& given, const Extent& extent, const Wishes& wishes) {
  const Index n = extent.weighted;
  if (n <= kLearntFrom || !extent.plain || extent.numbers || extent.in_memory) return std::nullopt;
  for (const char* const way : {"inducing", "nearest", "learn_on", "solver"}) {
    if (given.contains(way)) return std::nullopt;
  }
  const GaussianProcess config = GaussianProcess::from(given);
  if (method_of(config, n, extent.states) == Method::state_space) return std::nullopt;
  if (config.loo || config.objective == GaussianProcess::Objective::loo) return std::nullopt;
  const bool learns = config.objective != GaussianProcess::Objective::none;
  const auto all = static_cast<double>(n);
  const double matrix = sizeof(double) * all * all, once = all * all * all / 3 / wishes.rates.flops;
  const double whole = (kEvaluations * 3 * once), for_end = wishes.seconds / 2;
  const bool fits = matrix <= extent.share();
  if (fits && once <= for_end) {
    const double each = kEvaluations / wishes.rates.flops;  // of learning, by the cube of the points
    // By default as many as learn in seconds; a time that is given is used.
    const double most = wishes.rates.flops == Rates{}.flops ? static_cast<double>(kLearntFrom)
                                                            : std::cbrt((wishes.seconds - once) / 2 / each);
    const Index some = rounded(most, kLearntFrom, n);
    if (!learns || some == n) return std::nullopt;
    return Shortcut{{{"learn_on", std::to_string(some)}},
                    fmt::format("{} of {} points are learnt from, because all would take about {}; mean, variance and "
                                "evidence are of all points; `learn_on` and `time` decide otherwise",
                                some, n, about(whole))};
  }
  const std::string because = fits ? fmt::format("one factorisation for all would take about {}", about(once))
                                   : fmt::format("the numbers of all pairs would need {}", in_bytes(matrix));
  if (learns && extent.dimension > 0 && extent.dimension <= kFewColumns) {
    const Index some = rounded(wishes.seconds * wishes.rates.flops / kOfAPoint, kLearntFrom, n);
    Shortcut out{
        {{"nearest", std::to_string(kNeighbours)}},
        fmt::format("{} neighbours of each of {} points stand for the others, because {}", kNeighbours, n, because)};
    if (some < n) {
      out.settings["learn_on"] = std::to_string(some);
      out.words += fmt::format("; {} are learnt from", some);
    }
    out.words += "; `nearest`, `inducing` and `time` decide otherwise";
    return out;
  }
  constexpr Index kLeast = 100, kMost = 2000;
  const double evaluations = learns ? kInducingEvaluations : 1;
  const double affordable =
      std::sqrt(wishes.seconds * wishes.rates.flops / ((kOfAnEvaluation * evaluations + kOfTheEnd) * all));
  const Index m = rounded(affordable, kLeast, std::min(kMost, n));
  return Shortcut{{{"inducing", std::to_string(m)}},
                  fmt::format("{} inducing points stand for all {}, because {}; `inducing` and `time` decide otherwise",
                              m, n, because)};
}

}  // namespace mercer::detail
