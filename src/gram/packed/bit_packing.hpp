// Points of zeros and ones packed as bits (packing.hpp, simd/bit_rows.hpp).
#pragma once

#include <cstdint>

#include "gram/packed/packing.hpp"
#include "simd/bit_rows.hpp"

namespace mercer::detail {

struct BitPacking {
  Index d;
  Index largest;  // squared distance of two points
  simd::FloatProfile profile;
  Vector values_of_sums;  // of the kernel, by squared distance or inner product
  static constexpr Index kPanels = simd::kBitPanel / simd::kFloatPanel;
  static_assert(kPanels == PackedPoints::kPanelsTogether);

  struct Columns {
    std::vector<std::uint8_t> panels;
  };
  struct Rows {
    std::vector<std::uint8_t> points;
  };

  Columns columns(Index count) const {
    return {std::vector<std::uint8_t>(simd::padded_to(at(count), simd::kBitPanel) * symbols())};
  }
  Rows rows(Index count) const { return {std::vector<std::uint8_t>(at(count) * symbols())}; }

  void pack(const float* panels, const double*, Index count, Index to, Columns& out) const {
    simd::pack_bits(panels, at(count), at(d), out.panels.data() + at(to) * symbols());
  }
  void copy(const Columns& from, Index p, Rows& to, Index k) const {
    simd::copy_bit_point(from.panels.data(), at(p), symbols(), to.points.data() + at(k) * symbols());
  }
  void copy(const Columns& from, Index p, Columns& to, Index k) const {
    constexpr std::size_t kPanel = simd::kBitPanel;
    const std::uint8_t* source = from.panels.data() + at(p) / kPanel * kPanel * symbols() + at(p) % kPanel;
    std::uint8_t* target = to.panels.data() + at(k) / kPanel * kPanel * symbols() + at(k) % kPanel;
    for (std::size_t s = 0; s < symbols(); ++s) target[s * kPanel] = source[s * kPanel];
  }

  void values(const Rows& x, Range rows, const Columns& y, Index first, Index last, float* const* out) const {
    const simd::BitRows some{x.points.data() + at(rows.begin) * symbols(), at(rows.size())};
    simd::bit_rows(profile, some, view(y), at(first), at(last), out);
  }
  void add_exact(const Rows& x, Index count, VectorView weights, const Columns& y, Index first, Index last,
                 double* sums) const {
    simd::add_exact_bit_rows(profile.kind, values_of_sums.data(), {x.points.data(), at(count)}, weights.data(), view(y),
                             at(first), at(last), sums);
  }
  void exact_values(const Rows& x, Range rows, const Columns& y, Index first, Index last, double* const* out) const {
    const simd::BitRows some{x.points.data() + at(rows.begin) * symbols(), at(rows.size())};
    simd::exact_bit_rows(profile.kind, values_of_sums.data(), some, view(y), at(first), at(last), out);
  }

 private:
  std::size_t symbols() const { return simd::bit_symbols(at(d)); }
  simd::BitColumns view(const Columns& y) const { return {y.panels.data(), symbols(), at(largest)}; }
};

}  // namespace mercer::detail
