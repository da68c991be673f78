// Blocks of points predicted from all others, for machines that are linear in y: from one factorisation.
#pragma once

#include <span>

#include "mercer/tune.hpp"
#include "solve/system.hpp"

namespace mercer::detail {

// What is found for a block: y less its prediction, and the variance of the prediction of y.
struct BlockHeldOut {
  Matrix residual;  // points x targets
  Vector variance;
};

// For y = H b + e, cov(e) = A. With P = A^-1 - A^-1 H (H' A^-1 H)^-1 H' A^-1, the points F, predicted from all others,
// have residual P_FF^-1 (P y)_F and covariance P_FF^-1 (Dubrule 1983 for one point, which is the same algebra).
// Costs what A.inverse_blocks() does; A is used up. Empty where what is left of A^-1 beside a block or the trend is not
// positive definite in floating point.
std::vector<BlockHeldOut> leave_blocks_out(solve::System&& A, const Matrix& y, const Matrix& H,
                                           std::span<const Range> blocks, const Monitor& monitor);

// For Machine::cross. hold_out is given all points in an order in which each fold is a range, and may return nothing
// where leave_blocks_out does. Nothing comes back where fitting fold by fold is the only way, or is less work.
struct LinearWay {
  std::vector<HeldOut> (*hold_out)(const Settings& settings, const Training& ordered, std::span<const Range> folds);
  bool (*possible)(const Settings& settings);
};
std::vector<HeldOut> cross_linear(const Crossing& crossing, const LinearWay& way);

}  // namespace mercer::detail
