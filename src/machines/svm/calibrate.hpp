// Probabilities from scores.
#pragma once

#include "mercer/model.hpp"

namespace mercer::detail {

// The sigmoid p(f) = 1 / (1 + exp(slope f + offset)) that makes p the probability of the positive side:
//
//     minimise  -sum_i w_i (t_i log p(f_i) + (1 - t_i) log(1 - p(f_i)))   subject to  slope <= 0
//
// with t = (N+ + 1)/(N+ + 2) where y = 1 and 1/(N- + 2) where y = -1, N the sums of weights (Platt 1999): targets off 0
// and 1 keep separable scores from an infinite slope. The bound on the slope keeps the order of the scores; where it
// binds (scores that tell nothing, or the wrong way round) p is constant. Newton's method with the sums arranged so
// that nothing overflows (Lin, Lin & Weng 2007), on scores brought to a common scale: about ten passes over the data.
//
// `signs` are +1 and -1, weights >= 0 (empty: all 1). One side may be empty. Throws ShapeError when sizes do not fit,
// DataError when a score is not finite, a sign is neither, or there is no weight at all.
Sigmoid fit_sigmoid(VectorView scores, VectorView signs, VectorView weights = {});

}  // namespace mercer::detail
