// Random Fourier features: phi(x) = sqrt(2/D) (cos, sin)(W x) for D/2 frequencies W drawn from the spectral density of
// a kernel of x - y, so that phi(x).phi(y) is a kernel whose expectation over the draws is that one (Rahimi & Recht
// 2007).
//
// Frequencies of rbf and matern come in blocks of d orthogonal directions, uniform among all rotations, with lengths
// drawn independently: unbiased, and of smaller variance than independent draws (Yu et al. 2016). Those of laplace, a
// product over columns, are independent Cauchy numbers. Both sides of each pair (cos, sin) are kept, which beats one
// cosine with a random phase. n D d flops and n D/2 sines and cosines; D d^2 to draw, once for each number of columns.
#pragma once

#include <memory>

#include "kernel/node.hpp"

namespace mercer::detail {

// Those of a length scale of 1: D/2 rows of so many columns. They depend on the arguments of the rule, the kind of its
// premise and `columns` alone. Kept for those who ask again.
std::shared_ptr<const Matrix> random_frequencies(const Node& rule, Index columns);

// phi of each point: D columns, first the cosines.
Matrix random_features(const Node& rule, const Points& x);

}  // namespace mercer::detail
