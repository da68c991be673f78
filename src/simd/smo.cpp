#include "simd/smo.hpp"

#include <limits>

#include "simd/sets.hpp"
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "simd/smo.cpp"
#include <hwy/cache_control.h>
#include <hwy/foreach_target.h>  // must come before highway.h
#include <hwy/highway.h>

#include "simd/target.hpp"

HWY_BEFORE_NAMESPACE();
namespace mercer::simd::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// The largest value seen in each lane and where it was. Places are counted in T: sets are far smaller than 2^24.
template <class T>
struct Best {
  using DT = hn::ScalableTag<T>;
  using VT = hn::Vec<DT>;
  VT value, place;

  HWY_INLINE explicit Best(T least) : value(hn::Set(DT(), least)), place(hn::Zero(DT())) {}
  HWY_INLINE void see(VT v, VT where) {
    const auto better = hn::Gt(v, value);
    value = hn::Max(v, value);  // the next turn waits for nothing else
    place = hn::IfThenElse(better, where, place);
  }
  // The first place of the largest value, the tail's included.
  HWY_INLINE Size first(T tail_value, Size tail_place, T* largest) const {
    HWY_ALIGN T values[HWY_MAX_BYTES / sizeof(T)];
    HWY_ALIGN T places[HWY_MAX_BYTES / sizeof(T)];
    hn::Store(value, DT(), values);
    hn::Store(place, DT(), places);
    T best = values[0];
    T where = places[0];
    for (Size lane = 1; lane < hn::Lanes(DT()); ++lane) {
      if (values[lane] > best || (values[lane] == best && places[lane] < where)) {
        best = values[lane];
        where = places[lane];
      }
    }
    *largest = best;
    if (tail_value > best) {
      *largest = tail_value;
      return tail_place;
    }
    return static_cast<Size>(where);
  }
};

// Rows of K come from far: asked for so many numbers ahead.
constexpr Size kAhead = 512;

template <class T>
HWY_INLINE Extremes<T> StepPair(T t, const T* ri, const T* rj, const T* up, const T* low, Size n, T* g) {
  const hn::ScalableTag<T> d;
  const Size lanes = hn::Lanes(d);
  constexpr T kNever = -std::numeric_limits<T>::infinity();
  Best<T> grow(kNever);
  auto shrink = hn::Set(d, kNever);
  auto where = hn::Iota(d, T{0});
  const auto step = hn::Set(d, static_cast<T>(lanes)), vt = hn::Set(d, t);
  Size k = 0;
  if (t != 0) {
    for (; k + lanes <= n; k += lanes) {
      hwy::Prefetch(rj + k + kAhead);
      const auto difference = hn::Sub(hn::LoadU(d, ri + k), hn::LoadU(d, rj + k));
      const auto gk = hn::MulAdd(vt, difference, hn::LoadU(d, g + k));
      hn::StoreU(gk, d, g + k);
      grow.see(hn::Sub(hn::LoadU(d, up + k), gk), where);
      shrink = hn::Max(shrink, hn::Add(hn::LoadU(d, low + k), gk));
      where = hn::Add(where, step);
    }
  } else {
    for (; k + lanes <= n; k += lanes) {
      const auto gk = hn::LoadU(d, g + k);
      grow.see(hn::Sub(hn::LoadU(d, up + k), gk), where);
      shrink = hn::Max(shrink, hn::Add(hn::LoadU(d, low + k), gk));
      where = hn::Add(where, step);
    }
  }
  Extremes<T> out;
  out.low = hn::GetLane(hn::MaxOfLanes(d, shrink));
  T tail = kNever;
  Size tail_place = 0;
  for (; k < n; ++k) {
    if (t != 0) g[k] += t * (ri[k] - rj[k]);
    if (up[k] - g[k] > tail) {
      tail = up[k] - g[k];
      tail_place = k;
    }
    out.low = HWY_MAX(out.low, low[k] + g[k]);
  }
  out.grow = grow.first(tail, tail_place, &out.up);
  return out;
}

template <class T>
HWY_INLINE Size Partner(T best, T kii, T least, const T* ri, const T* diagonal, const T* low, const T* g, Size n) {
  const hn::ScalableTag<T> d;
  const Size lanes = hn::Lanes(d);
  Best<T> gain(T{0});
  auto where = hn::Iota(d, T{0});
  const auto step = hn::Set(d, static_cast<T>(lanes)), vbest = hn::Set(d, best), vkii = hn::Set(d, kii);
  const auto vleast = hn::Set(d, least), minus_two = hn::Set(d, T{-2});
  Size k = 0;
  for (; k + lanes <= n; k += lanes) {
    hwy::Prefetch(ri + k + kAhead);
    const auto violation = hn::Add(vbest, hn::Add(hn::LoadU(d, low + k), hn::LoadU(d, g + k)));
    const auto curvature =
        hn::Max(vleast, hn::MulAdd(minus_two, hn::LoadU(d, ri + k), hn::Add(vkii, hn::LoadU(d, diagonal + k))));
    const auto positive = hn::Max(violation, hn::Zero(d));
    gain.see(hn::Div(hn::Mul(positive, positive), curvature), where);
    where = hn::Add(where, step);
  }
  T tail = 0;
  Size tail_place = 0;
  for (; k < n; ++k) {
    const T violation = best + low[k] + g[k];
    if (!(violation > 0)) continue;
    const T curvature = HWY_MAX(least, kii + diagonal[k] - 2 * ri[k]);
    if (violation * violation / curvature > tail) {
      tail = violation * violation / curvature;
      tail_place = k;
    }
  }
  T largest;
  return gain.first(tail, tail_place, &largest);
}

template <class T>
HWY_INLINE Single<T> StepSingle(T t, T least, const T* ri, const T* diagonal, const T* up, const T* low, Size n, T* g) {
  const hn::ScalableTag<T> d;
  const Size lanes = hn::Lanes(d);
  Best<T> gain(T{0});
  auto worst = hn::Zero(d);
  auto where = hn::Iota(d, T{0});
  const auto step = hn::Set(d, static_cast<T>(lanes)), vt = hn::Set(d, t), vleast = hn::Set(d, least);
  Size k = 0;
  for (; k + lanes <= n; k += lanes) {
    auto gk = hn::LoadU(d, g + k);
    if (t != 0) {
      gk = hn::MulAdd(vt, hn::LoadU(d, ri + k), gk);
      hn::StoreU(gk, d, g + k);
    }
    const auto violation =
        hn::Max(hn::Zero(d), hn::Max(hn::Sub(hn::LoadU(d, up + k), gk), hn::Add(hn::LoadU(d, low + k), gk)));
    worst = hn::Max(worst, violation);
    gain.see(hn::Div(hn::Mul(violation, violation), hn::Max(vleast, hn::LoadU(d, diagonal + k))), where);
    where = hn::Add(where, step);
  }
  Single<T> out;
  out.violation = hn::GetLane(hn::MaxOfLanes(d, worst));
  T tail = 0;
  Size tail_place = 0;
  for (; k < n; ++k) {
    if (t != 0) g[k] += t * ri[k];
    const T violation = HWY_MAX(T{0}, HWY_MAX(up[k] - g[k], low[k] + g[k]));
    out.violation = HWY_MAX(out.violation, violation);
    const T value = violation * violation / HWY_MAX(least, diagonal[k]);
    if (value > tail) {
      tail = value;
      tail_place = k;
    }
  }
  T largest;
  out.index = gain.first(tail, tail_place, &largest);
  return out;
}

Extremes<float> StepPairF(float t, const float* ri, const float* rj, const float* up, const float* low, Size n,
                          float* g) {
  return StepPair(t, ri, rj, up, low, n, g);
}
Extremes<double> StepPairD(double t, const double* ri, const double* rj, const double* up, const double* low, Size n,
                           double* g) {
  return StepPair(t, ri, rj, up, low, n, g);
}
Size PartnerF(float best, float kii, float least, const float* ri, const float* diagonal, const float* low,
              const float* g, Size n) {
  return Partner(best, kii, least, ri, diagonal, low, g, n);
}
Size PartnerD(double best, double kii, double least, const double* ri, const double* diagonal, const double* low,
              const double* g, Size n) {
  return Partner(best, kii, least, ri, diagonal, low, g, n);
}
Single<float> StepSingleF(float t, float least, const float* ri, const float* diagonal, const float* up,
                          const float* low, Size n, float* g) {
  return StepSingle(t, least, ri, diagonal, up, low, n, g);
}
Single<double> StepSingleD(double t, double least, const double* ri, const double* diagonal, const double* up,
                           const double* low, Size n, double* g) {
  return StepSingle(t, least, ri, diagonal, up, low, n, g);
}

}  // namespace mercer::simd::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE

namespace mercer::simd {

HWY_EXPORT(StepPairF);
HWY_EXPORT(StepPairD);
HWY_EXPORT(PartnerF);
HWY_EXPORT(PartnerD);
HWY_EXPORT(StepSingleF);
HWY_EXPORT(StepSingleD);

template <>
Extremes<float> step_pair(float t, const float* ri, const float* rj, const float* up, const float* low, Size n,
                          float* g) {
  return MERCER_DISPATCH(StepPairF)(t, ri, rj, up, low, n, g);
}
template <>
Extremes<double> step_pair(double t, const double* ri, const double* rj, const double* up, const double* low, Size n,
                           double* g) {
  return MERCER_DISPATCH(StepPairD)(t, ri, rj, up, low, n, g);
}
template <>
Size partner(float best, float kii, float least, const float* ri, const float* diagonal, const float* low,
             const float* g, Size n) {
  return MERCER_DISPATCH(PartnerF)(best, kii, least, ri, diagonal, low, g, n);
}
template <>
Size partner(double best, double kii, double least, const double* ri, const double* diagonal, const double* low,
             const double* g, Size n) {
  return MERCER_DISPATCH(PartnerD)(best, kii, least, ri, diagonal, low, g, n);
}
template <>
Single<float> step_single(float t, float least, const float* ri, const float* diagonal, const float* up,
                          const float* low, Size n, float* g) {
  return MERCER_DISPATCH(StepSingleF)(t, least, ri, diagonal, up, low, n, g);
}
template <>
Single<double> step_single(double t, double least, const double* ri, const double* diagonal, const double* up,
                           const double* low, Size n, double* g) {
  return MERCER_DISPATCH(StepSingleD)(t, least, ri, diagonal, up, low, n, g);
}

}  // namespace mercer::simd

#endif  // HWY_ONCE
