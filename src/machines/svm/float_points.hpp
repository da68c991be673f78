// Points packed in single precision for a kernel that is computed fast there (kernel/float_form.hpp).
#pragma once

#include <span>
#include <vector>

#include "base/aligned.hpp"
#include "kernel/float_form.hpp"
#include "mercer/evaluate.hpp"

namespace mercer::detail {

class FloatArray {
 public:
  FloatArray() = default;
  explicit FloatArray(Index size) : doubles_(static_cast<std::size_t>(size / 2 + 8)) {}
  float* data() { return reinterpret_cast<float*>(doubles_.data()); }
  const float* data() const { return reinterpret_cast<const float*>(doubles_.data()); }

 private:
  AlignedArray doubles_;
};

inline Index padded_to_panels(Index n) {
  return static_cast<Index>(simd::padded_to(static_cast<std::size_t>(n), simd::kFloatPanel));
}

// Where all inputs are whole multiples, up to 255 times, of one unit (bytes, counts, flags, and such numbers divided by
// a constant), the multiples are packed instead: their inner products are exact, and double precision results cost what
// single precision does.
class FloatPoints {
 public:
  // `order`: the points in the order of positions; `segments`: stretches of them that are packed each for itself.
  FloatPoints(FloatForm form, std::span<const Index> order, std::span<const Range> segments, const Execution& how);

  Index columns() const { return d_; }
  bool exact() const { return exact_; }

  // Points whose rows are wanted.
  struct Group {
    Index size = 0;
    FloatArray points, norms;
    Vector exact_norms;
  };
  Group group(std::span<const Index> positions) const;

  // out[r] = K(r, points of the segment from panel `first` up to `last`)
  void rows(const Group& group, std::size_t segment, Index first, Index last, float* const* out) const;
  // sums += sum_r weights[r] K(r, ...) in double precision; only where exact().
  void add_exact(const Group& group, VectorView weights, std::size_t segment, Index first, Index last,
                 double* sums) const;
  // out(a, b) = K(a, b), both triangles; stride a multiple of the panel's width.
  void tile(const Group& group, float* out, Index stride, int threads) const;

 private:
  struct Segment {
    Range positions;
    FloatArray panels, norms;
    Vector exact_norms;
  };
  void use_unit(double unit);
  const Segment& segment_of(Index position) const;

  FloatForm form_;
  Index d_;
  bool exact_ = false;
  simd::ExactProfile exact_profile_{};
  std::vector<Segment> segments_;
};

}  // namespace mercer::detail
