// The two-sample test in linear time.
#pragma once

#include "mercer/gram.hpp"
#include "mercer/statistics/test_result.hpp"

namespace mercer::detail {

// The mean of h = k(x,x') + k(y,y') - k(x,y') - k(x',y) over disjoint quadruples, drawn by the seed, and p from its
// variance and the normal distribution. The first sample are the `first` of the points.
TestResult linear_time_test(const Kernel& resolved, const Points& both, Index first, const Resampling& options,
                            const Execution& how);

}  // namespace mercer::detail
