#include "machines/least_squares/ridge_needs.hpp"

#include <algorithm>

#include "base/fail.hpp"
#include "gram/rounded.hpp"
#include "model/needs.hpp"
#include "solve/system.hpp"

namespace mercer::detail {

namespace {

// Up to so many points pcg leaves each out in closed form, by all pairs; beyond, some of them, and the sum is
// estimated.
constexpr Index kAllLeftOut = 4000;

// Numbers that conjugate gradients hold for each point: the factor, and rows of K beside it.
double preconditioner_bytes(const KernelRidge& config, const Extent& extent) {
  constexpr double kBatch = 150;
  const Index n = extent.weighted;
  const Index rank = config.rank > 0 ? std::min(config.rank, n) : solve::most_rank(n, extent.room());
  return sizeof(double) * static_cast<double>(n) * (static_cast<double>(rank) + kBatch);
}

// Whether numbers of K are kept in single precision, from one step to the next.
bool can_keep(const Extent& extent) {
  return extent.plain && !extent.numbers && !extent.in_memory && extent.features == 0;
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
  const double kept = rounded ? std::min(1.0, kMostKept / rounded_bytes(extent.points)) : 0;
  Needs out =
      by_passes(extent, fmt::format("conjugate gradients, to a relative residual of {:.3g}", tolerance_of(config)),
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

}  // namespace

bool estimates_left_out(const KernelRidge& config, Index n) {
  return config.ridge && config.loo && config.solver == KernelRidge::Solver::pcg && n > kAllLeftOut;
}

double tolerance_of(const KernelRidge& config) { return config.tolerance.value_or(kPcgTolerance); }

int matrices_of(const KernelRidge& config) { return config.ridge ? 1 : 2; }

bool by_steps(const KernelRidge& config, Index n, double room) {
  if (!config.ridge || (config.loo && !estimates_left_out(config, n))) return false;
  if (config.solver != KernelRidge::Solver::automatic) return config.solver == KernelRidge::Solver::pcg;
  return solve::by_steps(n, room);
}

double kept_bytes(const KernelRidge& config, const Extent& extent) {
  if (!can_keep(extent)) return 0;
  const double room = extent.share() - preconditioner_bytes(config, extent);
  return std::clamp(room, 0.0, std::min(kMostKept, rounded_bytes(extent.points)));
}

void require_solver(const KernelRidge& config, bool centres) {
  using Solver = KernelRidge::Solver;
  const bool of_centres = config.solver == Solver::normal || config.solver == Solver::falkon;
  if (config.solver == Solver::automatic || of_centres == centres) return;
  fail(ErrorKind::usage, "ridge: the solver {} is for {}; {}", solver_name(config.solver),
       of_centres ? "few centres" : "all points",
       of_centres ? "say how many (centres)" : "with centres there are normal and falkon");
}

void require_rank(const KernelRidge& config, const Extent& extent) {
  const double bytes = preconditioner_bytes(config, extent);
  if (config.rank == 0 || bytes <= extent.room()) return;
  fail(ErrorKind::usage,
       "ridge: a preconditioner of rank {} for {} points needs {}, and there are {}; a rank of {} would fit, and 0 "
       "takes one that does",
       config.rank, extent.weighted, in_bytes(bytes), in_bytes(extent.room()),
       solve::most_rank(extent.weighted, extent.room()));
}

Needs needs_of_ridge(const KernelRidge& config, const Extent& extent) {
  require_solver(config, extent.centres > 0);
  if (extent.centres > 0) return ridge_needs_on_centres(config, extent);
  const Index n = extent.weighted;
  if (config.solver == KernelRidge::Solver::automatic) {
    if (const auto few = by_features(extent, n, n / 4, "Woodbury")) return *few;
  }
  if (by_steps(config, n, extent.room())) return needs_by_steps(config, extent);
  return config.ridge ? by_all_pairs(n, matrices_of(config), "Cholesky", config.loo ? 1 : 1.0 / 3)
                      : by_all_pairs(n, matrices_of(config), "a band matrix, for all ridges at once", 4);
}

}  // namespace mercer::detail
