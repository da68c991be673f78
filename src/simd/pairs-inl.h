// One point against many: the loops behind distances and products of small dimension.
// Included once per instruction set by loops.cpp.
#if defined(MERCER_SIMD_PAIRS_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef MERCER_SIMD_PAIRS_INL_H
#undef MERCER_SIMD_PAIRS_INL_H
#else
#define MERCER_SIMD_PAIRS_INL_H
#endif

#include "simd/lanes-inl.h"

HWY_BEFORE_NAMESPACE();
namespace mercer::simd::HWY_NAMESPACE {

// out[j] = fold over k of step(accumulator, x_k, y_jk). Four vectors of j at a time, so that the
// accumulators stay in registers while k runs.
template <class Step>
HWY_INLINE void FoldColumns(double start, const double* x, const double* yt, Size stride, Size d, Size n, double* out,
                            Step step) {
  const Size lanes = hn::Lanes(D());
  Size j = 0;
  for (; j + 4 * lanes <= n; j += 4 * lanes) {
    V a0 = Set(start), a1 = a0, a2 = a0, a3 = a0;
    const double* y = yt + j;
    for (Size k = 0; k < d; ++k, y += stride) {
      const V xk = Set(x[k]);
      a0 = step(a0, xk, hn::LoadU(D(), y));
      a1 = step(a1, xk, hn::LoadU(D(), y + lanes));
      a2 = step(a2, xk, hn::LoadU(D(), y + 2 * lanes));
      a3 = step(a3, xk, hn::LoadU(D(), y + 3 * lanes));
    }
    hn::StoreU(a0, D(), out + j);
    hn::StoreU(a1, D(), out + j + lanes);
    hn::StoreU(a2, D(), out + j + 2 * lanes);
    hn::StoreU(a3, D(), out + j + 3 * lanes);
  }
  ForEachVector(n - j, [&](Size at, auto access) HWY_ATTR {
    V a = Set(start);
    for (Size k = 0; k < d; ++k) a = step(a, Set(x[k]), access.load(yt + k * stride + j + at));
    access.store(a, out + j + at);
  });
}

void SquaredDistances(const double* x, const double* yt, Size stride, Size d, Size n, double* out) {
  FoldColumns(0.0, x, yt, stride, d, n, out, [](V a, V xk, V yk) HWY_ATTR {
    const V difference = hn::Sub(xk, yk);
    return hn::MulAdd(difference, difference, a);
  });
}

void AbsoluteDistances(const double* x, const double* yt, Size stride, Size d, Size n, double* out) {
  FoldColumns(0.0, x, yt, stride, d, n, out,
              [](V a, V xk, V yk) HWY_ATTR { return hn::Add(a, hn::Abs(hn::Sub(xk, yk))); });
}

void MinProducts(const double* x, const double* yt, Size stride, Size d, Size n, double* out) {
  FoldColumns(1.0, x, yt, stride, d, n, out, [](V a, V xk, V yk) HWY_ATTR { return hn::Mul(a, hn::Min(xk, yk)); });
}

void MultilinearProducts(const double* x, const double* yt, Size stride, Size d, Size n, double* out) {
  FoldColumns(1.0, x, yt, stride, d, n, out,
              [](V a, V xk, V yk) HWY_ATTR { return hn::Mul(a, hn::MulAdd(xk, yk, Set(1.0))); });
}

void AddScaled(double a, const double* x, Size n, double* out) {
  const V scale = Set(a);
  ForEachVector(n, [&](Size j, auto access) HWY_ATTR {
    access.store(hn::MulAdd(scale, access.load(x + j), access.load(out + j)), out + j);
  });
}

bool DistancesFromDots(double x2, const double* y2, double guard, Size n, double* dot_to_out) {
  bool lossy = false;
  const V minus_two = Set(-2.0), zero = Set(0.0), bound = Set(guard);
  ForEachVector(n, [&](Size j, auto access) HWY_ATTR {
    const V norms = hn::Add(Set(x2), access.load(y2 + j));
    const V r2 = hn::MulAdd(minus_two, access.load(dot_to_out + j), norms);
    lossy |= !hn::AllFalse(D(), hn::Lt(access.keep(r2), access.keep(hn::Mul(bound, norms))));
    access.store(hn::Max(r2, zero), dot_to_out + j);
  });
  return lossy;
}

}  // namespace mercer::simd::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // per-target include guard
