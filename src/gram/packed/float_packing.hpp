// Points packed as floats (packing.hpp, simd/float_rows.hpp).
#pragma once

#include <array>
#include <bit>
#include <cstdint>

#include "gram/packed/packing.hpp"

namespace mercer::detail {

struct FloatPacking {
  Index d;
  simd::FloatProfile profile;
  simd::ExactProfile exact_profile;
  static constexpr Index kPanels = 1;

  // In which columns a point is not 0, of the first 128.
  using Pattern = std::array<std::uint64_t, 2>;
  static constexpr Index kWord = 64, kPatterned = 2 * kWord;
  static_assert(simd::kMostToSkip == at(kPatterned));

  struct Numbers {
    FloatArray points, norms;
    Vector exact_norms;
  };
  struct Columns : Numbers {
    std::vector<Pattern> patterns;
  };
  struct Rows : Numbers {};

  Columns columns(Index count) const {
    return {room(padded_to_panels(count)), std::vector<Pattern>(at(padded_to_panels(count)))};
  }
  Rows rows(Index count) const { return {room(static_cast<Index>(simd::padded_to(at(count), simd::kFloatGroup)))}; }

  void pack(const float* panels, const double* norms, Index count, Index to, Columns& out) const {
    std::copy_n(panels, count * d, out.points.data() + to * d);
    std::copy_n(norms, count, out.norms.data() + to);
    std::copy_n(norms, count, out.exact_norms.data() + to);
    for (Index first = 0; first < count; first += kPanel) {
      const float* const panel = panels + first * d;
      for (Index k = 0; k < std::min(d, kPatterned); ++k) {
        const std::uint64_t bit = std::uint64_t{1} << (kWord - 1 - k % kWord);
        for (Index i = 0; i < kPanel; ++i) {
          out.patterns[at(to + first + i)][at(k / kWord)] |= panel[k * kPanel + i] != 0 ? bit : 0;
        }
      }
    }
  }
  void copy(const Columns& from, Index p, Rows& to, Index k) const {
    simd::copy_point(from.points.data(), at(p), at(d), to.points.data(), at(k));
    copy_norm(from, p, to, k);
  }
  void copy(const Columns& from, Index p, Columns& to, Index k) const {
    const float* source = from.points.data() + p / kPanel * kPanel * d + p % kPanel;
    float* target = to.points.data() + k / kPanel * kPanel * d + k % kPanel;
    for (Index c = 0; c < d; ++c) target[c * kPanel] = source[c * kPanel];
    copy_norm(from, p, to, k);
  }

  void values(const Rows& x, Range rows, const Columns& y, Index first, Index last, float* const* out) const {
    simd::float_rows(profile, x.points.data() + rows.begin * d, x.norms.data() + rows.begin, at(rows.size()),
                     y.points.data(), y.norms.data(), at(first), at(last), at(d), out);
  }
  void add_exact(const Rows& x, Index count, VectorView weights, const Columns& y, Index first, Index last,
                 double* sums) const {
    simd::add_exact_rows(exact_profile, x.points.data(), x.exact_norms.data(), weights.data(), at(count),
                         y.points.data(), y.exact_norms.data(), at(first), at(last), at(d), sums);
  }

  // Inputs are rounded, squares added up, by blocks of 128 columns where they are many; what adds a 0 rounds nothing.
  Nearness nearness(Index nonzeros) const {
    if (profile.differences) return nearness_of(profile, 2 * static_cast<double>(d + 6));
    const Index passes = (d + kPatterned - 1) / kPatterned;
    return nearness_of(profile, static_cast<double>(std::min(nonzeros, kPatterned) + passes + 12));
  }
  double size_of(const Columns& y, Index point) const {
    return static_cast<double>(profile.factor) * y.exact_norms[at(point)];
  }
  Index nonzeros(const Columns& y, Index point) const {
    const Pattern& pattern = y.patterns[at(point)];
    return d > kPatterned ? d : std::popcount(pattern[0]) + std::popcount(pattern[1]);
  }
  bool skips_zeros() const { return profile.mostly_zero && !profile.differences && d <= kPatterned; }
  static const Pattern& pattern_of(const Columns& y, Index point) { return y.patterns[at(point)]; }

 private:
  static constexpr Index kPanel = simd::kFloatPanel;

  Numbers room(Index count) const {
    Numbers out{FloatArray(count * d), FloatArray(count), Vector(at(count))};
    std::fill_n(out.points.data(), count * d, 0.0F);
    std::fill_n(out.norms.data(), count, 0.0F);
    return out;
  }
  static void copy_norm(const Numbers& from, Index p, Numbers& to, Index k) {
    to.norms.data()[k] = from.norms.data()[p];
    to.exact_norms[at(k)] = from.exact_norms[at(p)];
  }
};

}  // namespace mercer::detail
