// Points packed as floats (packing.hpp, simd/float_rows.hpp).
#pragma once

#include "gram/packed/packing.hpp"

namespace mercer::detail {

struct FloatPacking {
  Index d;
  simd::FloatProfile profile;
  simd::ExactProfile exact_profile;
  static constexpr Index kPanels = 1;

  struct Numbers {
    FloatArray points, norms;
    Vector exact_norms;
  };
  struct Columns : Numbers {};
  struct Rows : Numbers {};

  Columns columns(Index count) const { return {room(padded_to_panels(count))}; }
  Rows rows(Index count) const { return {room(static_cast<Index>(simd::padded_to(at(count), simd::kFloatGroup)))}; }

  void pack(const float* panels, const double* norms, Index count, Index to, Columns& out) const {
    std::copy_n(panels, count * d, out.points.data() + to * d);
    std::copy_n(norms, count, out.norms.data() + to);
    std::copy_n(norms, count, out.exact_norms.data() + to);
  }
  void copy(const Columns& from, Index p, Rows& to, Index k) const {
    simd::copy_point(from.points.data(), at(p), at(d), to.points.data(), at(k));
    copy_norm(from, p, to, k);
  }
  void copy(const Columns& from, Index p, Columns& to, Index k) const {
    constexpr Index kPanel = simd::kFloatPanel;
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

 private:
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
