// What ridge regression on all points and on centres share.
#pragma once

#include "mercer/machines/ridge.hpp"

namespace mercer::detail {

// Relative residuals that end what is solved step by step, where none is asked for.
constexpr double kPcgTolerance = 1e-6, kFalkonTolerance = 1e-4;
// Above this condition number, fewer than four digits of alpha can be trusted.
constexpr double kIllConditioned = 1e12;

void require_ridge(double ridge);  // UsageError unless finite and > 0
void require_usable(const KernelRidge& config);
std::string_view solver_name(KernelRidge::Solver solver);
// The ridges that are tried, increasing.
Vector path_of(const KernelRidge& config, double mean_diagonal);

// With training.centres. `config` is usable, and its solver is one for centres.
Model ridge_on_centres(const KernelRidge& config, const Training& training);
Needs ridge_needs_on_centres(const KernelRidge& config, const Extent& extent);

}  // namespace mercer::detail
