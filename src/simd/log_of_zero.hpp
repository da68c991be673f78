// The logarithm of 0.
#pragma once

namespace mercer::simd {

// Stands for it among exponents (Monomial): exp of it is 0, and neither multiples nor sums of it overflow.
constexpr double kLogOfZero = -1e300;

}  // namespace mercer::simd
