#include "simd/float_rows.hpp"

#include <algorithm>
#include <cstdint>
#include <cstring>

#include "simd/sets.hpp"
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "simd/float_rows.cpp"
#include <hwy/foreach_target.h>  // must come before highway.h
#include <hwy/highway.h>

#include "simd/profile-inl.h"
#include "simd/target.hpp"

HWY_BEFORE_NAMESPACE();
namespace mercer::simd::HWY_NAMESPACE {

// Columns are taken at most this many at a time, so that a panel of y stays in the first-level cache (24 KB) while the
// rows pass by; sums so far wait in `out`.
constexpr Size kDepth = 128;

template <bool kDifferences, int kRows, int kVectors>
struct Sums {
  VF of[kRows][kVectors];

  HWY_INLINE Sums() {}  // an implicit one would be compiled without the instruction set
  HWY_INLINE void clear() {
    HWY_UNROLL(8)
    for (int r = 0; r < kRows; ++r) {
      HWY_UNROLL(8)
      for (int c = 0; c < kVectors; ++c) of[r][c] = hn::Zero(DF());
    }
  }
  HWY_INLINE void add(const float* HWY_RESTRICT x, const float* HWY_RESTRICT y, Size depth) {
    const Size lanes = hn::Lanes(DF());
    for (Size k = 0; k < depth; ++k) {
      VF columns[kVectors];
      HWY_UNROLL(8)
      for (int c = 0; c < kVectors; ++c) {
        columns[c] = hn::LoadU(DF(), y + k * kFloatPanel + static_cast<Size>(c) * lanes);
      }
      HWY_UNROLL(8)
      for (int r = 0; r < kRows; ++r) {
        const VF xk = SetF(x[k * kFloatGroup + static_cast<Size>(r)]);
        HWY_UNROLL(8)
        for (int c = 0; c < kVectors; ++c) {
          if (kDifferences) {
            const VF difference = hn::Sub(xk, columns[c]);
            of[r][c] = hn::MulAdd(difference, difference, of[r][c]);
          } else {
            of[r][c] = hn::MulAdd(xk, columns[c], of[r][c]);
          }
        }
      }
    }
  }
};

constexpr int kVectors = 3;
constexpr int kRows = HWY_MAX_BYTES >= 64 ? 8 : 4;  // of a block: all its sums are in registers

// From the sums of a block to what is stored.
template <bool kDifferences, class Finish>
HWY_INLINE void Store(const Sums<kDifferences, kRows, kVectors>& sums, const float* x_norms, const float* y_norms,
                      bool begun, bool last, const Finish& finish, float* const* out, Size column, Size rows) {
  const Size lanes = hn::Lanes(DF());
  HWY_UNROLL(8)
  for (int r = 0; r < kRows; ++r) {
    if (static_cast<Size>(r) >= rows) break;
    const VF x2 = SetF(x_norms[r]);
    HWY_UNROLL(8)
    for (int c = 0; c < kVectors; ++c) {
      const Size at = static_cast<Size>(c) * lanes;
      float* to = out[r] + column + at;
      VF sum = sums.of[r][c];
      if (begun) sum = hn::Add(sum, hn::LoadU(DF(), to));
      hn::StoreU(last ? finish(sum, x2, hn::LoadU(DF(), y_norms + at)) : sum, DF(), to);
    }
  }
}

template <bool kDifferences, class Finish>
HWY_INLINE void Block(const float* x, const float* x_norms, const float* y, const float* y_norms, Size depth,
                      bool begun, bool last, const Finish& finish, float* const* out, Size column, Size rows) {
  Sums<kDifferences, kRows, kVectors> sums;
  sums.clear();
  sums.add(x, y, depth);
  Store(sums, x_norms, y_norms, begun, last, finish, out, column, rows);
}

template <bool kDifferences, class Finish>
void RowsWith(const Finish& finish, const float* x, const float* x_norms, Size rows, const float* y,
              const float* y_norms, Size first, Size last, Size d, float* const* out) {
  const Size width = kVectors * hn::Lanes(DF());
  const Size passes = HWY_MAX(Size{1}, (d + kDepth - 1) / kDepth), even = (d + passes - 1) / passes;
  // So many rows at a time that they stay in the second-level cache.
  const Size together = HWY_MAX(kFloatGroup, (Size{128} << 10) / HWY_MAX(d, Size{1}) / kFloatGroup * kFloatGroup);
  for (Size from = 0; from < rows; from += together) {
    const Size to = HWY_MIN(rows, from + together);
    for (Size panel = first; panel < last; ++panel) {
      const float* norms = y_norms + panel * kFloatPanel;
      for (Size pass = 0; pass < passes; ++pass) {
        const Size k = pass * even, depth = HWY_MIN(even, d - k);
        const float* columns = y + panel * kFloatPanel * d + k * kFloatPanel;
        for (Size r = from; r < to; r += kFloatGroup) {
          for (Size part = 0; part < kFloatGroup && r + part < to; part += kRows) {
            for (Size c = 0; c < kFloatPanel; c += width) {
              Block<kDifferences>(x + r * d + k * kFloatGroup + part, x_norms + r + part, columns + c, norms + c, depth,
                                  pass > 0, pass + 1 == passes, finish, out + r + part,
                                  (panel - first) * kFloatPanel + c, to - r - part);
            }
          }
        }
      }
    }
  }
}

// The columns in which some row of a block is not 0, and these rows' numbers there. Leaving out zeros changes no bit.
struct Nonzero {
  Size count = 0;
  std::uint32_t places[kMostToSkip];
  float numbers[kMostToSkip * kRows];

  void set(const float* x, Size d) {
    count = 0;
    for (Size k = 0; k < d; ++k) {
      const float* const from = x + k * kFloatGroup;
      std::uint32_t any = 0;
      for (int r = 0; r < kRows; ++r) {
        std::uint32_t bits;
        std::memcpy(&bits, from + r, sizeof bits);
        any |= bits;
      }
      if (any == 0) continue;
      std::copy_n(from, kRows, numbers + count * kRows);
      places[count++] = static_cast<std::uint32_t>(k * kFloatPanel);
    }
  }
  HWY_INLINE void add_to(Sums<false, kRows, kVectors>& sums, const float* HWY_RESTRICT y) const {
    const Size lanes = hn::Lanes(DF());
    for (Size i = 0; i < count; ++i) {
      VF columns[kVectors];
      HWY_UNROLL(8)
      for (int c = 0; c < kVectors; ++c) columns[c] = hn::LoadU(DF(), y + places[i] + static_cast<Size>(c) * lanes);
      HWY_UNROLL(8)
      for (int r = 0; r < kRows; ++r) {
        const VF xk = SetF(numbers[i * kRows + static_cast<Size>(r)]);
        HWY_UNROLL(8)
        for (int c = 0; c < kVectors; ++c) sums.of[r][c] = hn::MulAdd(xk, columns[c], sums.of[r][c]);
      }
    }
  }
};

template <class Finish>
void MostlyZeroRowsWith(const Finish& finish, const float* x, const float* x_norms, Size rows, const float* y,
                        const float* y_norms, Size first, Size last, Size d, float* const* out) {
  Nonzero nonzero;
  for (Size r = 0; r < rows; r += kRows) {
    nonzero.set(x + r / kFloatGroup * kFloatGroup * d + r % kFloatGroup, d);
    for (Size panel = first; panel < last; ++panel) {
      for (Size c = 0; c < kFloatPanel; c += kVectors * hn::Lanes(DF())) {
        Sums<false, kRows, kVectors> sums;
        sums.clear();
        nonzero.add_to(sums, y + panel * kFloatPanel * d + c);
        Store(sums, x_norms + r, y_norms + panel * kFloatPanel + c, false, true, finish, out + r,
              (panel - first) * kFloatPanel + c, rows - r);
      }
    }
  }
}

// ---- exact inner products of whole numbers ----

void AddExactRows(const ExactProfile& profile, const float* x, const double* x_norms, const double* weights, Size rows,
                  const float* y, const double* y_norms, Size first, Size last, Size d, double* sums) {
  const Size lanes = hn::Lanes(DF()), width = kVectors * lanes, half = hn::Lanes(D());
  const hn::Rebind<float, D> floats;
  HWY_ALIGN float part[kRows * kFloatPanel];
  HWY_ALIGN double dots[kRows * kFloatPanel];
  const Size together = HWY_MAX(kFloatGroup, (Size{128} << 10) / HWY_MAX(d, Size{1}) / kFloatGroup * kFloatGroup);
  for (Size from = 0; from < rows; from += together) {
    for (Size panel = first; panel < last; ++panel) {
      double* total = sums + (panel - first) * kFloatPanel;
      for (Size r = from; r < HWY_MIN(rows, from + together); r += kRows) {
        const Size group = r / kFloatGroup * kFloatGroup;
        const Size count = HWY_MIN(rows - r, static_cast<Size>(kRows));
        for (Size k = 0; k < HWY_MAX(d, Size{1}); k += profile.exact_columns) {
          const Size depth = HWY_MIN(profile.exact_columns, d - k);
          for (Size c = 0; c < kFloatPanel; c += width) {
            Sums<false, kRows, kVectors> block;
            block.clear();
            block.add(x + group * d + k * kFloatGroup + (r - group), y + (panel * d + k) * kFloatPanel + c, depth);
            HWY_UNROLL(8)
            for (int a = 0; a < kRows; ++a) {
              HWY_UNROLL(8)
              for (int b = 0; b < kVectors; ++b) {
                hn::Store(block.of[a][b], DF(),
                          part + static_cast<Size>(a) * kFloatPanel + c + static_cast<Size>(b) * lanes);
              }
            }
          }
          for (Size j = 0; j < kRows * kFloatPanel; j += half) {
            const V now = hn::PromoteTo(D(), hn::Load(floats, part + j));
            hn::Store(k == 0 ? now : hn::Add(now, hn::Load(D(), dots + j)), D(), dots + j);
          }
        }
        for (Size j = 0; j < kFloatPanel; j += half) {
          const V y2 = hn::LoadU(D(), y_norms + panel * kFloatPanel + j);
          V sum = hn::LoadU(D(), total + j);
          for (Size a = 0; a < count; ++a) {
            const V value = ExactValue(profile, hn::Load(D(), dots + a * kFloatPanel + j), Set(x_norms[r + a]), y2);
            sum = hn::MulAdd(Set(weights[r + a]), value, sum);
          }
          hn::StoreU(sum, D(), total + j);
        }
      }
    }
  }
}

void FloatRows(const FloatProfile& profile, const float* x, const float* x_norms, Size rows, const float* y,
               const float* y_norms, Size first, Size last, Size d, float* const* out) {
  if (profile.mostly_zero && !profile.differences && d <= kMostToSkip) {
    const auto skipping = [&](const auto& finish) {
      MostlyZeroRowsWith(finish, x, x_norms, rows, y, y_norms, first, last, d, out);
    };
    switch (profile.kind) {
      case FloatProfile::Kind::exponential: return skipping(Exponential{profile});
      case FloatProfile::Kind::linear: return skipping(Linear{profile});
      case FloatProfile::Kind::power: return skipping(Power{profile});
    }
  }
  switch (profile.kind) {
    case FloatProfile::Kind::exponential:
      if (profile.differences) {
        return RowsWith<true>(Exponential{profile}, x, x_norms, rows, y, y_norms, first, last, d, out);
      }
      return RowsWith<false>(Exponential{profile}, x, x_norms, rows, y, y_norms, first, last, d, out);
    case FloatProfile::Kind::linear:
      return RowsWith<false>(Linear{profile}, x, x_norms, rows, y, y_norms, first, last, d, out);
    case FloatProfile::Kind::power:
      return RowsWith<false>(Power{profile}, x, x_norms, rows, y, y_norms, first, last, d, out);
  }
}

// Of so many outputs and vectors of columns, all their sums in registers.
template <int kOutputs, int kColumns>
HWY_INLINE void ProductsOfFloats(const float* const* rows, Size count, Size column, const double* HWY_RESTRICT weights,
                                 Size weights_step, double* HWY_RESTRICT sums, Size sums_step) {
  const hn::Rebind<float, D> floats;
  const Size lanes = hn::Lanes(D());
  V total[kOutputs][kColumns];
  HWY_UNROLL(8)
  for (int o = 0; o < kOutputs; ++o) {
    HWY_UNROLL(8)
    for (int c = 0; c < kColumns; ++c) {
      total[o][c] = hn::LoadU(D(), sums + static_cast<Size>(o) * sums_step + column + static_cast<Size>(c) * lanes);
    }
  }
  for (Size r = 0; r < count; ++r) {
    V values[kColumns];
    HWY_UNROLL(8)
    for (int c = 0; c < kColumns; ++c) {
      values[c] = hn::PromoteTo(D(), hn::LoadU(floats, rows[r] + column + static_cast<Size>(c) * lanes));
    }
    HWY_UNROLL(8)
    for (int o = 0; o < kOutputs; ++o) {
      const V w = Set(weights[static_cast<Size>(o) * weights_step + r]);
      HWY_UNROLL(8)
      for (int c = 0; c < kColumns; ++c) total[o][c] = hn::MulAdd(w, values[c], total[o][c]);
    }
  }
  HWY_UNROLL(8)
  for (int o = 0; o < kOutputs; ++o) {
    HWY_UNROLL(8)
    for (int c = 0; c < kColumns; ++c) {
      hn::StoreU(total[o][c], D(), sums + static_cast<Size>(o) * sums_step + column + static_cast<Size>(c) * lanes);
    }
  }
}

void AddFloatProducts(const float* const* rows, Size count, Size n, const double* weights, Size weights_step,
                      Size outputs, double* sums, Size sums_step) {
  constexpr int kColumns = HWY_MAX_BYTES >= 64 ? 4 : 2;
  constexpr Size kTogether = 5;  // outputs
  const Size width = static_cast<Size>(kColumns) * hn::Lanes(D());
  Size j = 0;
  for (; j + width <= n; j += width) {
    for (Size o = 0; o < outputs; o += kTogether) {
      const double* const w = weights + o * weights_step;
      double* const to = sums + o * sums_step;
      switch (HWY_MIN(kTogether, outputs - o)) {
        case 1: ProductsOfFloats<1, kColumns>(rows, count, j, w, weights_step, to, sums_step); break;
        case 2: ProductsOfFloats<2, kColumns>(rows, count, j, w, weights_step, to, sums_step); break;
        case 3: ProductsOfFloats<3, kColumns>(rows, count, j, w, weights_step, to, sums_step); break;
        case 4: ProductsOfFloats<4, kColumns>(rows, count, j, w, weights_step, to, sums_step); break;
        default: ProductsOfFloats<5, kColumns>(rows, count, j, w, weights_step, to, sums_step);
      }
    }
  }
  for (; j < n; ++j) {
    for (Size o = 0; o < outputs; ++o) {
      for (Size r = 0; r < count; ++r) {
        sums[o * sums_step + j] += weights[o * weights_step + r] * static_cast<double>(rows[r][j]);
      }
    }
  }
}

void AddFloatRows(const float* const* rows, const double* weights, Size count, Size n, double* out) {
  const hn::ScalableTag<double> doubles;
  const hn::Rebind<float, decltype(doubles)> floats;
  const Size lanes = hn::Lanes(doubles);
  Size r = 0;
  for (; r + 4 <= count; r += 4) {
    const auto w0 = hn::Set(doubles, weights[r]), w1 = hn::Set(doubles, weights[r + 1]);
    const auto w2 = hn::Set(doubles, weights[r + 2]), w3 = hn::Set(doubles, weights[r + 3]);
    Size j = 0;
    for (; j + lanes <= n; j += lanes) {
      auto sum = hn::LoadU(doubles, out + j);
      sum = hn::MulAdd(w0, hn::PromoteTo(doubles, hn::LoadU(floats, rows[r] + j)), sum);
      sum = hn::MulAdd(w1, hn::PromoteTo(doubles, hn::LoadU(floats, rows[r + 1] + j)), sum);
      sum = hn::MulAdd(w2, hn::PromoteTo(doubles, hn::LoadU(floats, rows[r + 2] + j)), sum);
      sum = hn::MulAdd(w3, hn::PromoteTo(doubles, hn::LoadU(floats, rows[r + 3] + j)), sum);
      hn::StoreU(sum, doubles, out + j);
    }
    for (; j < n; ++j) {
      for (Size q = r; q < r + 4; ++q) out[j] += weights[q] * static_cast<double>(rows[q][j]);
    }
  }
  for (; r < count; ++r) {
    const auto w = hn::Set(doubles, weights[r]);
    Size j = 0;
    for (; j + lanes <= n; j += lanes) {
      hn::StoreU(hn::MulAdd(w, hn::PromoteTo(doubles, hn::LoadU(floats, rows[r] + j)), hn::LoadU(doubles, out + j)),
                 doubles, out + j);
    }
    for (; j < n; ++j) out[j] += weights[r] * static_cast<double>(rows[r][j]);
  }
}

}  // namespace mercer::simd::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE

namespace mercer::simd {

HWY_EXPORT(FloatRows);
HWY_EXPORT(AddFloatProducts);
HWY_EXPORT(AddFloatRows);
HWY_EXPORT(AddExactRows);

void pack_floats(const double* rows, Size stride, const double* shift, const double* factor, Size n, Size d,
                 float* packed, double* squared_norms) {
  for (Size first = 0; first < n; first += kFloatPanel, packed += kFloatPanel * d) {
    const Size count = std::min(kFloatPanel, n - first);
    if (count < kFloatPanel) std::fill_n(packed, kFloatPanel * d, 0.0F);
    for (Size i = 0; i < count; ++i) {
      const double* row = rows + (first + i) * stride;
      double norm = 0;
      for (Size k = 0; k < d; ++k) {
        const auto value = static_cast<float>(factor[k] * (row[k] - shift[k]));
        packed[k * kFloatPanel + i] = value;
        norm += static_cast<double>(value) * static_cast<double>(value);
      }
      squared_norms[first + i] = norm;
    }
    for (Size i = count; i < kFloatPanel; ++i) squared_norms[first + i] = 0;
  }
}

void copy_point(const float* panels, Size from, Size d, float* groups, Size to) {
  const float* source = panels + from / kFloatPanel * kFloatPanel * d + from % kFloatPanel;
  float* target = groups + to / kFloatGroup * kFloatGroup * d + to % kFloatGroup;
  for (Size k = 0; k < d; ++k) target[k * kFloatGroup] = source[k * kFloatPanel];
}

void float_rows(const FloatProfile& profile, const float* x, const float* x_norms, Size rows, const float* y,
                const float* y_norms, Size first, Size last, Size d, float* const* out) {
  MERCER_DISPATCH(FloatRows)(profile, x, x_norms, rows, y, y_norms, first, last, d, out);
}
void add_exact_rows(const ExactProfile& profile, const float* x, const double* x_norms, const double* weights,
                    Size rows, const float* y, const double* y_norms, Size first, Size last, Size d, double* sums) {
  MERCER_DISPATCH(AddExactRows)(profile, x, x_norms, weights, rows, y, y_norms, first, last, d, sums);
}
void add_float_products(const float* const* rows, Size count, Size n, const double* weights, Size weights_step,
                        Size outputs, double* sums, Size sums_step) {
  MERCER_DISPATCH(AddFloatProducts)(rows, count, n, weights, weights_step, outputs, sums, sums_step);
}
void add_float_rows(const float* const* rows, const double* weights, Size count, Size n, double* out) {
  MERCER_DISPATCH(AddFloatRows)(rows, weights, count, n, out);
}

}  // namespace mercer::simd

#endif  // HWY_ONCE
