// What a Gaussian process regression cannot be fitted to, said before work begins.
#pragma once

#include "machines/processes/approach.hpp"
#include "mercer/machines.hpp"

namespace mercer::detail {

// Of n x n numbers: A, which becomes its factor and its inverse; leave-one-out takes a product of it beside, and half
// of one more where points are equal.
constexpr int kEqualLeftOut = 3;
int matrices_of(const GaussianProcess& config);

// All pairs of the points are looked at.
bool by_pairs(const GaussianProcess& config, const ProcessData& data);

// Throws UsageError, DataError or ResourceError. `rows` are those of the data among the training points.
void require_fit(const GaussianProcess& config, const Training& training, const ProcessData& data,
                 const std::vector<Index>& rows);

}  // namespace mercer::detail
