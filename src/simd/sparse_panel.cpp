#include "simd/sparse_panel.hpp"

#include "simd/sets.hpp"
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "simd/sparse_panel.cpp"
#include <hwy/cache_control.h>
#include <hwy/foreach_target.h>  // must come before highway.h
#include <hwy/highway.h>

#include "simd/lanes-inl.h"
#include "simd/target.hpp"

HWY_BEFORE_NAMESPACE();
namespace mercer::simd::HWY_NAMESPACE {

constexpr Size kPanelLanes = HWY_LANES(double);
constexpr int kPanelVectors = static_cast<int>(kSparsePanel / kPanelLanes);

// Sixteen numbers in registers, double whatever they are stored as.
struct PanelRow {
  V v[kPanelVectors];

  HWY_INLINE PanelRow() {}  // an implicit one would be compiled without the instruction set
  HWY_INLINE void load(const double* HWY_RESTRICT p) {
    HWY_UNROLL(16)
    for (int k = 0; k < kPanelVectors; ++k) v[k] = hn::LoadU(D(), p + static_cast<Size>(k) * kPanelLanes);
  }
  HWY_INLINE void load(const float* HWY_RESTRICT p) {
    const hn::Rebind<float, D> narrow;
    HWY_UNROLL(16)
    for (int k = 0; k < kPanelVectors; ++k) {
      v[k] = hn::PromoteTo(D(), hn::LoadU(narrow, p + static_cast<Size>(k) * kPanelLanes));
    }
  }
  HWY_INLINE void store(double* HWY_RESTRICT p) const {
    HWY_UNROLL(16)
    for (int k = 0; k < kPanelVectors; ++k) hn::StoreU(v[k], D(), p + static_cast<Size>(k) * kPanelLanes);
  }
  HWY_INLINE void store(float* HWY_RESTRICT p) const {
    const hn::Rebind<float, D> narrow;
    HWY_UNROLL(16)
    for (int k = 0; k < kPanelVectors; ++k) {
      hn::StoreU(hn::DemoteTo(narrow, v[k]), narrow, p + static_cast<Size>(k) * kPanelLanes);
    }
  }
  HWY_INLINE void scale(double a) {
    HWY_UNROLL(16)
    for (int k = 0; k < kPanelVectors; ++k) v[k] = hn::Mul(v[k], Set(a));
  }
  template <class Number>
  HWY_INLINE void add(const Number* HWY_RESTRICT p) {
    PanelRow other;
    other.load(p);
    HWY_UNROLL(16)
    for (int k = 0; k < kPanelVectors; ++k) v[k] = hn::Add(v[k], other.v[k]);
  }
  template <class Number>
  HWY_INLINE void add(double a, const Number* HWY_RESTRICT p) {
    PanelRow other;
    other.load(p);
    HWY_UNROLL(16)
    for (int k = 0; k < kPanelVectors; ++k) v[k] = hn::MulAdd(Set(a), other.v[k], v[k]);
  }
};

template <bool kWeighted, class Number>
HWY_INLINE void SparsePanelRows(const SparseRows& m, double factor, double keep, const std::int32_t* list, Size begin,
                                Size end, const Number* HWY_RESTRICT x, Number* HWY_RESTRICT y) {
  constexpr Size kLine = 64 / sizeof(Number);
  for (Size r = begin; r < end; ++r) {
    const Size i = list != nullptr ? static_cast<Size>(list[r]) : r;
    const std::ptrdiff_t last = m.ends[i];
    if (m.diagonal == nullptr && m.begins[i] == last) continue;
    PanelRow sum;
    HWY_UNROLL(16)
    for (int k = 0; k < kPanelVectors; ++k) sum.v[k] = Set(0.0);
    for (std::ptrdiff_t p = m.begins[i]; p < last; ++p) {
      const Number* ahead =
          x + static_cast<Size>(m.columns[p + static_cast<std::ptrdiff_t>(kSparseAhead)]) * kSparsePanel;
      for (Size line = 0; line < kSparsePanel; line += kLine) hwy::Prefetch(ahead + line);
      const Number* neighbour = x + static_cast<Size>(m.columns[p]) * kSparsePanel;
      if (kWeighted) {
        sum.add(m.weights[p], neighbour);
      } else {
        sum.add(neighbour);
      }
    }
    sum.scale(factor * m.beside);
    if (m.diagonal == nullptr) {
      sum.add(y + i * kSparsePanel);
    } else {
      sum.add(factor * m.diagonal[i], x + i * kSparsePanel);
      if (keep != 0) sum.add(-keep, y + i * kSparsePanel);
    }
    sum.store(y + i * kSparsePanel);
  }
}

template <class Number>
HWY_INLINE void SparsePanelOf(const SparseRows& m, double factor, double keep, const std::int32_t* list, Size begin,
                              Size end, const Number* x, Number* y) {
  if (m.weights != nullptr) return SparsePanelRows<true>(m, factor, keep, list, begin, end, x, y);
  SparsePanelRows<false>(m, factor, keep, list, begin, end, x, y);
}

void SparsePanelDouble(const SparseRows& m, double factor, double keep, const std::int32_t* list, Size begin, Size end,
                       const double* x, double* y) {
  SparsePanelOf(m, factor, keep, list, begin, end, x, y);
}
void SparsePanelFloat(const SparseRows& m, double factor, double keep, const std::int32_t* list, Size begin, Size end,
                      const float* x, float* y) {
  SparsePanelOf(m, factor, keep, list, begin, end, x, y);
}

template <class Number>
HWY_INLINE void AddPanelsOf(double a, const Number* x, double b, const Number* y, const std::int32_t* list, Size begin,
                            Size end, double* out) {
  for (Size r = begin; r < end; ++r) {
    const Size i = (list != nullptr ? static_cast<Size>(list[r]) : r) * kSparsePanel;
    PanelRow sum;
    sum.load(out + r * kSparsePanel);
    sum.add(a, x + i);
    sum.add(b, y + i);
    sum.store(out + r * kSparsePanel);
  }
}

void AddPanelsDouble(double a, const double* x, double b, const double* y, const std::int32_t* list, Size begin,
                     Size end, double* out) {
  AddPanelsOf(a, x, b, y, list, begin, end, out);
}
void AddPanelsFloat(double a, const float* x, double b, const float* y, const std::int32_t* list, Size begin, Size end,
                    double* out) {
  AddPanelsOf(a, x, b, y, list, begin, end, out);
}

}  // namespace mercer::simd::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE

namespace mercer::simd {

HWY_EXPORT(SparsePanelDouble);
HWY_EXPORT(SparsePanelFloat);
HWY_EXPORT(AddPanelsDouble);
HWY_EXPORT(AddPanelsFloat);

void sparse_panel(const SparseRows& m, double factor, double keep, const std::int32_t* list, Size begin, Size end,
                  const double* x, double* y) {
  MERCER_DISPATCH(SparsePanelDouble)(m, factor, keep, list, begin, end, x, y);
}
void sparse_panel(const SparseRows& m, double factor, double keep, const std::int32_t* list, Size begin, Size end,
                  const float* x, float* y) {
  MERCER_DISPATCH(SparsePanelFloat)(m, factor, keep, list, begin, end, x, y);
}
void add_panels(double a, const double* x, double b, const double* y, const std::int32_t* list, Size begin, Size end,
                double* out) {
  MERCER_DISPATCH(AddPanelsDouble)(a, x, b, y, list, begin, end, out);
}
void add_panels(double a, const float* x, double b, const float* y, const std::int32_t* list, Size begin, Size end,
                double* out) {
  MERCER_DISPATCH(AddPanelsFloat)(a, x, b, y, list, begin, end, out);
}

}  // namespace mercer::simd

#endif  // HWY_ONCE
