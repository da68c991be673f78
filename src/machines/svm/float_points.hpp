// Points packed in single precision for a kernel that is computed fast there (kernel/float_form.hpp).
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/aligned.hpp"
#include "kernel/float_form.hpp"
#include "mercer/evaluate.hpp"
#include "simd/byte_rows.hpp"

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
// single precision does. Where none is negative and the CPU multiplies bytes, they are packed as bytes, and cost a
// quarter of it.
class FloatPoints {
 public:
  // `order`: the points in the order of positions; `segments`: stretches of them that are packed each for itself.
  FloatPoints(FloatForm form, std::span<const Index> order, std::span<const Range> segments, const Execution& how);

  Index columns() const { return d_; }
  bool exact() const { return exact_; }

  // Points whose rows are wanted; as floats or as bytes.
  struct Group {
    Index size = 0;
    FloatArray points, norms;
    Vector exact_norms;
    std::vector<std::int8_t> bytes;
    std::vector<std::int32_t> byte_norms;
  };
  Group group(std::span<const Index> positions) const;

  // out[r] = K(r, points of the segment from panel `first` up to `last`)
  void rows(const Group& group, std::size_t segment, Index first, Index last, float* const* out) const;
  // sums += sum_r weights[r] K(r, ...) in double precision; only where exact().
  void add_exact(const Group& group, VectorView weights, std::size_t segment, Index first, Index last,
                 double* sums) const;
  // out(a, b) = K(a, b), both triangles; stride a multiple of the panel's width.
  void tile(std::span<const Index> positions, float* out, Index stride, int threads) const;

 private:
  // Points packed to be columns.
  struct Panels {
    FloatArray points, norms;
    Vector exact_norms;
    std::vector<std::uint8_t> bytes;
    std::vector<std::int32_t> byte_norms, byte_sums;
  };
  struct Segment {
    Range positions;
    Panels panels;
  };
  void use_unit(double unit);
  const Segment& segment_of(Index position) const;
  Panels empty_panels(Index room) const;
  void pack(const Points& some, const Vector& shift, const Vector& factor, Index to, Panels& panels) const;
  Panels panels_of(const Group& group) const;
  void rows(const Group& group, Index from, const Panels& panels, Index first, Index last, float* const* out) const;

  FloatForm form_;
  Index d_;
  bool exact_ = false, bytes_ = false;
  simd::ExactProfile exact_profile_{};
  std::vector<Segment> segments_;
};

}  // namespace mercer::detail
