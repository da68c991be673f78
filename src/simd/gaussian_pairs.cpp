#include "simd/gaussian_pairs.hpp"

#include "simd/sets.hpp"
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "simd/gaussian_pairs.cpp"
#include <hwy/foreach_target.h>  // must come before highway.h
#include <hwy/highway.h>

#include "simd/lanes-inl.h"
#include "simd/target.hpp"

HWY_BEFORE_NAMESPACE();
namespace mercer::simd::HWY_NAMESPACE {

// The triangles and vectors of as many pairs as a vector has lanes.
class PairOfGaussians {
 public:
  HWY_INLINE PairOfGaussians(Size d, double* scratch)
      : d_(d), l_(scratch), inverse_(l_ + d * (d + 1) / 2 * kLanes), z_(inverse_ + d * kLanes), y_(z_ + d * kLanes) {}

  // L with L L' = (S + T)/2, row by row; the log-determinant.
  HWY_INLINE V factor(const double* s, const double* t) const {
    V log_determinant = Set(0.0);
    for (Size r = 0; r < d_; ++r) {
      double* const row = l_ + r * (r + 1) / 2 * kLanes;
      const Size first = r * (r + 1) / 2;
      for (Size c = 0; c <= r; ++c) {
        const V mean = hn::Mul(Set(0.5), hn::Add(Set(s[first + c]), load(t + (first + c) * kGaussianPanel)));
        const V rest = hn::Sub(mean, products(row, l_ + c * (c + 1) / 2 * kLanes, c));
        if (c < r) {
          store(hn::Mul(rest, load(inverse_ + c * kLanes)), row + c * kLanes);
        } else {
          log_determinant = hn::Add(log_determinant, hn::Log(D(), rest));
          const V root = hn::Sqrt(rest);
          store(root, row + c * kLanes);
          store(hn::Div(Set(1.0), root), inverse_ + c * kLanes);
        }
      }
    }
    return log_determinant;
  }

  // z = L^-1 (m - n); |z|^2.
  HWY_INLINE V solve(const double* m, const double* n) const {
    V square = Set(0.0);
    for (Size r = 0; r < d_; ++r) {
      const V u = hn::Sub(Set(m[r]), load(n + r * kGaussianPanel));
      const V z = hn::Mul(hn::Sub(u, products(l_ + r * (r + 1) / 2 * kLanes, z_, r)), load(inverse_ + r * kLanes));
      store(z, z_ + r * kLanes);
      square = hn::MulAdd(z, z, square);
    }
    return square;
  }

  // |L^-T z|^2; z is used up.
  HWY_INLINE V solve_back() const {
    V square = Set(0.0);
    for (Size r = d_; r-- > 0;) {
      const V w = hn::Mul(load(z_ + r * kLanes), load(inverse_ + r * kLanes));
      square = hn::MulAdd(w, w, square);
      const double* const row = l_ + r * (r + 1) / 2 * kLanes;
      for (Size c = 0; c < r; ++c) {
        store(hn::NegMulAdd(load(row + c * kLanes), w, load(z_ + c * kLanes)), z_ + c * kLanes);
      }
    }
    return square;
  }

  // The sum of squares of L^-1, which is the trace of (L L')^-1, column by column.
  HWY_INLINE V trace() const {
    V total = Set(0.0);
    for (Size c = 0; c < d_; ++c) {
      const V first = load(inverse_ + c * kLanes);
      store(first, y_ + c * kLanes);
      total = hn::MulAdd(first, first, total);
      for (Size r = c + 1; r < d_; ++r) {
        const double* const row = l_ + (r * (r + 1) / 2 + c) * kLanes;
        const V y = hn::Mul(products(row, y_ + c * kLanes, r - c), load(inverse_ + r * kLanes));
        store(hn::Neg(y), y_ + r * kLanes);
        total = hn::MulAdd(y, y, total);
      }
    }
    return total;
  }

  static constexpr Size kLanes = HWY_LANES(double);

 private:
  static HWY_INLINE V load(const double* p) { return hn::LoadU(D(), p); }
  static HWY_INLINE void store(V v, double* p) { hn::StoreU(v, D(), p); }
  // sum_k a_k b_k over vectors side by side; two sums, so that an addition does not wait for the one before.
  static HWY_INLINE V products(const double* a, const double* b, Size count) {
    V even = Set(0.0), odd = Set(0.0);
    Size k = 0;
    for (; k + 2 <= count; k += 2) {
      even = hn::MulAdd(load(a + k * kLanes), load(b + k * kLanes), even);
      odd = hn::MulAdd(load(a + (k + 1) * kLanes), load(b + (k + 1) * kLanes), odd);
    }
    if (k < count) even = hn::MulAdd(load(a + k * kLanes), load(b + k * kLanes), even);
    return hn::Add(even, odd);
  }

  Size d_;
  double *l_, *inverse_, *z_, *y_;
};

void Pairs(const double* x, const double* panel, Size d, bool slopes, double* scratch, GaussianPairs& out) {
  const PairOfGaussians pair(d, scratch);
  for (Size lane = 0; lane < kGaussianPanel; lane += PairOfGaussians::kLanes) {
    hn::StoreU(pair.factor(x + d, panel + d * kGaussianPanel + lane), D(), out.log_determinant + lane);
    hn::StoreU(pair.solve(x, panel + lane), D(), out.square + lane);
    if (!slopes) continue;
    hn::StoreU(pair.solve_back(), D(), out.squared_slope + lane);
    hn::StoreU(pair.trace(), D(), out.trace + lane);
  }
}

}  // namespace mercer::simd::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE

namespace mercer::simd {

HWY_EXPORT(Pairs);

void gaussian_pairs(const double* x, const double* panel, Size d, bool slopes, double* scratch, GaussianPairs& out) {
  MERCER_DISPATCH(Pairs)(x, panel, d, slopes, scratch, out);
}

}  // namespace mercer::simd

#endif  // HWY_ONCE
