// The instruction set of the vector loops: the best this CPU has, or the one that MERCER_SIMD names, so that a test on
// one machine can stand for another. Loops are called through MERCER_DISPATCH, which looks at MERCER_SIMD first.
#pragma once

#include <string_view>

namespace mercer::simd {

struct Target {
  std::string_view name;  // "scalar", "AVX2", "AVX-512", ...
  bool forced = false;    // by MERCER_SIMD
};

// Throws a UsageError where MERCER_SIMD names no set, or one that this CPU lacks.
const Target& target();

}  // namespace mercer::simd

#define MERCER_DISPATCH(function) (::mercer::simd::target(), HWY_DYNAMIC_DISPATCH(function))
