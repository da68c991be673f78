// Numbers of one string with each of several: the pairs of a group are the lanes of vectors, so that every string is
// compared at the speed of all of them. Each lane computes the same as it would alone, and k(x, y) is the same bits as
// k(y, x).
#pragma once

#include <cstdint>
#include <vector>

#include "simd/loops.hpp"

namespace mercer::simd {

constexpr Size kGroup = 32;  // strings
constexpr std::uint32_t kNoSymbol = 0xFFFFFFFF;

// Symbol k of string j is at k * kGroup + j; behind a string's end, and where there is no string, it is kNoSymbol,
// which no string holds.
struct StringGroup {
  const std::uint32_t* symbols;
  const Size* lengths;  // of kGroup strings
  Size length;          // of the longest
  Size strings;         // how many there are; what is behind them is not computed
};

// sum_i weights[i - 1] * sum over pairs of equal subsequences of i symbols of decay^gaps, for i = 1, 2, ..., `longest`,
// gaps being the symbols left out between the first and the last one in both strings. Cost: longest * n * length steps
// of the group. Lodhi et al. 2002, as a sum over rectangles that treats both strings alike: with S_i(a, b) the sum
// over subsequences that end at or before a and b, decayed as far as these,
//   S_i(a, b) = [x_a = y_b] S_(i-1)(a-1, b-1) + decay (S_i(a-1, b) + S_i(a, b-1)) - decay^2 S_i(a-1, b-1).
struct Subsequences {
  Size longest;
  double decay;
  const double* weights;
  const double* weight_slopes;  // their derivatives by decay, for those of the sums
};
Size subsequence_work(const Subsequences& what, Size length, bool slopes);  // numbers
// `slopes` gets the derivatives by decay unless it is null.
void subsequence_sums(const Subsequences& what, const std::uint32_t* x, Size n, const StringGroup& y, double* work,
                      double* sums, double* slopes);

// sum over positions of the weight of the run of equal symbols that ends there: of a run of r,
// sum_{k = 1}^{min(r, degree)} (degree - k + 1).
void match_runs(const std::uint32_t* x, const StringGroup& y, Size degree, double* sums);

}  // namespace mercer::simd
