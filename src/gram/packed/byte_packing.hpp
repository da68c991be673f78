// Points of whole numbers from 0 to 255 packed as bytes (packing.hpp, simd/byte_rows.hpp).
#pragma once

#include <cstdint>

#include "gram/packed/packing.hpp"
#include "simd/byte_rows.hpp"

namespace mercer::detail {

struct BytePacking {
  Index d;
  simd::FloatProfile profile;
  simd::ExactProfile exact_profile;
  double off;  // by which multiples of the unit differ from the inputs, relative
  static constexpr Index kPanels = 1;

  struct Columns {
    std::vector<std::int8_t> panels;
    std::vector<std::int32_t> norms, sums;
  };
  struct Rows {
    std::vector<std::uint8_t> points;
    std::vector<std::int32_t> norms, sums;
  };

  Columns columns(Index count) const {
    const std::size_t room = at(padded_to_panels(count));
    return {std::vector<std::int8_t>(room * width(), simd::kByteOfZero), std::vector<std::int32_t>(room),
            std::vector<std::int32_t>(room)};
  }
  Rows rows(Index count) const {
    return {std::vector<std::uint8_t>(at(count) * width()), std::vector<std::int32_t>(at(count)),
            std::vector<std::int32_t>(at(count))};
  }

  void pack(const float* panels, const double*, Index count, Index to, Columns& out) const {
    simd::pack_bytes(panels, at(count), at(d), out.panels.data() + at(to) * width(), out.norms.data() + to,
                     out.sums.data() + to);
  }
  void copy(const Columns& from, Index p, Rows& to, Index k) const {
    simd::copy_byte_point(from.panels.data(), at(p), at(d), to.points.data() + at(k) * width());
    to.norms[at(k)] = from.norms[at(p)];
    to.sums[at(k)] = from.sums[at(p)];
  }
  void copy(const Columns& from, Index p, Columns& to, Index k) const {
    constexpr Index kPanel = simd::kFloatPanel;
    const auto d4 = static_cast<Index>(width());
    const std::int8_t* source = from.panels.data() + p / kPanel * kPanel * d4 + p % kPanel * 4;
    std::int8_t* target = to.panels.data() + k / kPanel * kPanel * d4 + k % kPanel * 4;
    for (Index c = 0; c < d4; c += 4) std::copy_n(source + c * kPanel, 4, target + c * kPanel);
    to.norms[at(k)] = from.norms[at(p)];
    to.sums[at(k)] = from.sums[at(p)];
  }

  void values(const Rows& x, Range rows, const Columns& y, Index first, Index last, float* const* out) const {
    simd::byte_rows(profile, view(x, rows), view(y), at(first), at(last), at(d), out);
  }
  void add_exact(const Rows& x, Index count, VectorView weights, const Columns& y, Index first, Index last,
                 double* sums) const {
    simd::add_exact_byte_rows(exact_profile, view(x, {0, count}), weights.data(), view(y), at(first), at(last), at(d),
                              sums);
  }
  void exact_values(const Rows& x, Range rows, const Columns& y, Index first, Index last, double* const* out) const {
    simd::exact_byte_rows(exact_profile, view(x, rows), view(y), at(first), at(last), at(d), out);
  }

  // |x-y|^2 is a whole number, rounded once; of the inputs it is another one, by (|x| + |y|) (2 |x-y| + ...) times off.
  Nearness nearness() const { return nearness_of(profile, 6 + 4 * off / 0x1p-24); }
  double size_of(const Columns& y, Index point) const { return exact_profile.factor * y.norms[at(point)]; }

 private:
  std::size_t width() const { return simd::byte_columns(at(d)); }
  static simd::ByteColumns view(const Columns& y) { return {y.panels.data(), y.norms.data()}; }
  simd::ByteRows view(const Rows& x, Range rows) const {
    return {x.points.data() + at(rows.begin) * width(), x.norms.data() + rows.begin, x.sums.data() + rows.begin,
            at(rows.size())};
  }
};

}  // namespace mercer::detail
