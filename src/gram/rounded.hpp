// K with its numbers rounded to single precision, computed once and kept as far as there is room: what the steps of an
// iteration multiply, a third of the time of computing them; their residual is computed from K itself.
//
// A number is the same whether it was kept or is computed again: room decides about time alone.
#pragma once

#include "mercer/gram.hpp"

namespace mercer::detail {

// Each number is off by at most this share of itself: as a matrix, by at most this share of the trace of a positive
// semi-definite K.
constexpr double kFloatRounding = 1.0 / (1 << 24);

// The bytes of n points, and how many are kept at most.
double rounded_bytes(Index n);
constexpr double kMostKept = 8e9;

// False where products with K go another way than by values of a kernel (K in memory, few features), or its numbers may
// overflow.
bool can_be_rounded(const Gram& K);
// In at most so many bytes beside the points. Reports "gram" to the monitor. Threads may share it.
Gram rounded(const Gram& K, double bytes, const Execution& how);

}  // namespace mercer::detail
