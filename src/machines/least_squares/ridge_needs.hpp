// How ridge regression on all points is solved, and what that takes: asked before a fit, and in it.
#pragma once

#include "machines/least_squares/ridge_parts.hpp"

namespace mercer::detail {

// Points that are left out where the leave-one-out error is estimated from some of them.
constexpr Index kSomeLeftOut = 64;
bool estimates_left_out(const KernelRidge& config, Index n);
double tolerance_of(const KernelRidge& config);  // of conjugate gradients

// Of n x n numbers: the matrix; where many ridges are tried, the basis in which it is a band as well.
int matrices_of(const KernelRidge& config);
// Whether K is only multiplied.
bool by_steps(const KernelRidge& config, Index n, double room);
// Of numbers of K in single precision, from one step to the next: as many as find room beside the preconditioner in
// what is there for things that can be done without.
double kept_bytes(const KernelRidge& config, const Extent& extent);

// Those of centres and those of all points are not each other's.
void require_solver(const KernelRidge& config, bool centres);
// A rank that is chosen fits the room there is; one that is given may not.
void require_rank(const KernelRidge& config, const Extent& extent);

Needs needs_of_ridge(const KernelRidge& config, const Extent& extent);

}  // namespace mercer::detail
