// How fast this machine is, measured by a few milliseconds of real work.
#pragma once

#include "mercer/evaluate.hpp"

namespace mercer::detail {

// Of matrix products in double precision, on so many threads. Measured once in a process for each number of threads.
double flops_per_second(int threads);
// Of this kernel between some of these points, spread over all of them, on as many threads as `how` says; `in_single`:
// as support vector machines compute rows.
double pairs_per_second(const Kernel& k, const Points& x, const Execution& how, bool in_single = false);

}  // namespace mercer::detail
