// The instruction sets that vector loops are compiled for, to be included before Highway: the baseline of x86-64 and
// the two that matter above it, and NEON. The vectors of SVE have no size that a compiler knows, and cannot stand in
// arrays.
//
// The baseline is plain C++ on one number at a time (HWY_SCALAR), as older versions of g++ get in any case: vectors of
// two numbers that are emulated by arrays take clang++ a minute to compile.
#pragma once

#define HWY_BROKEN_EMU128 1

#define HWY_DISABLED_TARGETS (HWY_SSSE3 | HWY_SSE4 | HWY_AVX3_DL | HWY_SVE | HWY_SVE2 | HWY_SVE_256 | HWY_SVE2_128)
