#include "simd/beside.hpp"

#include "simd/sets.hpp"
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "simd/beside.cpp"
#include <hwy/foreach_target.h>  // must come before highway.h
#include <hwy/highway.h>

#include "simd/lanes-inl.h"
#include "simd/target.hpp"

HWY_BEFORE_NAMESPACE();
namespace mercer::simd::HWY_NAMESPACE {

// As many of the eight systems as a vector has lanes.
class SomeBeside {
 public:
  static constexpr Size kLanes = HWY_LANES(double);
  static_assert(kBeside % kLanes == 0);

  // x - sum_k a_k b_k; two sums, so that an addition does not wait for the one before.
  static HWY_INLINE V less_products(V x, const double* a, const double* b, Size stride, Size count) {
    V even = x, odd = Set(0.0);
    Size k = 0;
    for (; k + 2 <= count; k += 2) {
      even = hn::NegMulAdd(load(a + k * kBeside), load(b + k * stride), even);
      odd = hn::NegMulAdd(load(a + (k + 1) * kBeside), load(b + (k + 1) * stride), odd);
    }
    if (k < count) even = hn::NegMulAdd(load(a + k * kBeside), load(b + k * stride), even);
    return hn::Add(even, odd);
  }

  static HWY_INLINE void factor(Size m, double* a) {
    for (Size i = 0; i <= m; ++i) {
      double* const row = a + triangle_beside(i);
      for (Size j = 0; j < i; ++j) {
        const double* const other = a + triangle_beside(j);
        const V rest = less_products(load(row + j * kBeside), row, other, kBeside, j);
        store(hn::Mul(rest, load(other + j * kBeside)), row + j * kBeside);
      }
      const V rest = less_products(load(row + i * kBeside), row, row, kBeside, i);
      if (i == m) {
        store(rest, row + i * kBeside);
      } else {  // of what is not positive NaN, which all that follows takes over
        const V positive = hn::IfThenElse(hn::Gt(rest, Set(0.0)), rest, hn::NaN(D()));
        store(hn::Div(Set(1.0), hn::Sqrt(positive)), row + i * kBeside);
      }
    }
  }

  static HWY_INLINE void solve(Size m, const double* a, Size count, double* v) {
    for (Size i = 0; i <= m; ++i) {
      const double* const row = a + triangle_beside(i);
      for (Size c = 0; c < count; ++c) {
        double* const at = v + (i * count + c) * kBeside;
        const V rest = less_products(load(at), row, v + c * kBeside, count * kBeside, i);
        store(i == m ? rest : hn::Mul(rest, load(row + i * kBeside)), at);
      }
    }
  }

  static HWY_INLINE void solve_back(Size m, const double* a, Size count, double* v) {
    for (Size i = m; i-- > 0;) {
      const double* const row = a + triangle_beside(i);
      for (Size c = 0; c < count; ++c) {
        double* const at = v + (i * count + c) * kBeside;
        const V w = hn::Mul(load(at), load(row + i * kBeside));
        store(w, at);
        for (Size k = 0; k < i; ++k) {
          double* const above = v + (k * count + c) * kBeside;
          store(hn::NegMulAdd(load(row + k * kBeside), w, load(above)), above);
        }
      }
    }
  }

 private:
  static HWY_INLINE V load(const double* p) { return hn::LoadU(D(), p); }
  static HWY_INLINE void store(V v, double* p) { hn::StoreU(v, D(), p); }
};

void Factor(Size m, double* a) {
  for (Size lane = 0; lane < kBeside; lane += SomeBeside::kLanes) SomeBeside::factor(m, a + lane);
}
void Solve(Size m, const double* a, Size count, double* v) {
  for (Size lane = 0; lane < kBeside; lane += SomeBeside::kLanes) SomeBeside::solve(m, a + lane, count, v + lane);
}
void SolveBack(Size m, const double* a, Size count, double* v) {
  for (Size lane = 0; lane < kBeside; lane += SomeBeside::kLanes) SomeBeside::solve_back(m, a + lane, count, v + lane);
}

}  // namespace mercer::simd::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace mercer::simd {

HWY_EXPORT(Factor);
HWY_EXPORT(Solve);
HWY_EXPORT(SolveBack);

void factor_beside(Size m, double* a) { MERCER_DISPATCH(Factor)(m, a); }
void solve_beside(Size m, const double* a, Size count, double* v) { MERCER_DISPATCH(Solve)(m, a, count, v); }
void solve_back_beside(Size m, const double* a, Size count, double* v) { MERCER_DISPATCH(SolveBack)(m, a, count, v); }

}  // namespace mercer::simd
#endif
