// The instruction sets that vector loops are compiled for, to be included before Highway: the baseline of x86-64 and
// the two that matter above it, and NEON. The vectors of SVE have no size that a compiler knows, and cannot stand in
// arrays.
#pragma once

#define HWY_DISABLED_TARGETS (HWY_SSSE3 | HWY_SSE4 | HWY_AVX3_DL | HWY_SVE | HWY_SVE2 | HWY_SVE_256 | HWY_SVE2_128)
