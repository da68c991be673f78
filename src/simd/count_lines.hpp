// Sums of lines of small whole numbers: what the rows of a matrix of counts are multiplied by.
#pragma once

#include <cstdint>

#include "simd/loops.hpp"

namespace mercer::simd {

constexpr Size kCountLine = 64;  // lines are as long as a multiple of this
constexpr unsigned kMostCount = 255;

// out[j] = sum_p factors[p] lines[p][j] for j < width, where the factors and what stands in the lines are at most
// kMostCount; `largest` is the largest in the lines. Exact.
void sum_count_lines(const std::uint16_t* factors, const std::uint8_t* const* lines, Size count, unsigned largest,
                     Size width, double* out);

}  // namespace mercer::simd
