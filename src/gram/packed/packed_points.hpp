// Points packed for a kernel that is computed fast in single precision (kernel/float_form.hpp).
//
// As floats; or, where all inputs are whole multiples, up to 255 times, of one unit (bytes, counts, flags, and such
// numbers divided by a constant), as these multiples: their inner products are exact, and double precision results cost
// what single precision does. Multiples that are never negative are packed as bytes where the CPU multiplies these, and
// cost a quarter of it; zeros and ones as bits, and cost a small part.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "kernel/float_form.hpp"
#include "mercer/evaluate.hpp"

namespace mercer::detail {

class PackedPoints {
 public:
  virtual ~PackedPoints() = default;

  virtual bool exact() const = 0;
  // Of one kernel value, in multiplications of single precision.
  virtual double cost() const = 0;

  // Points whose rows are wanted.
  struct Group {
    Group() = default;
    Group(const Group&) = delete;
    Group& operator=(const Group&) = delete;
    virtual ~Group() = default;
    Index size = 0;
  };
  virtual std::unique_ptr<Group> group(std::span<const Index> positions) const = 0;

  // Columns are asked for by panels of 48; `first` is a multiple of so many.
  static constexpr Index kPanelsTogether = 4;
  // out[k] = K(rows.begin + k, points of the segment from panel `first` up to `last`); rows.begin is a multiple of 8.
  virtual void rows(const Group& group, Range rows, std::size_t segment, Index first, Index last,
                    float* const* out) const = 0;
  // sums += sum_r weights[r] K(r, ...) in double precision; only where exact().
  virtual void add_exact(const Group& group, VectorView weights, std::size_t segment, Index first, Index last,
                         double* sums) const = 0;
  // rows() in double precision; only of bytes and bits.
  virtual void exact_rows(const Group& group, Range rows, std::size_t segment, Index first, Index last,
                          double* const* out) const = 0;
  // out(a, b) = K(a, b), both triangles; stride a multiple of the panel's width.
  virtual void tile(std::span<const Index> positions, float* out, Index stride, int threads) const = 0;
};

// Points of one segment: these of the inputs of a form.
struct Part {
  const FloatForm& form;
  std::vector<Index> which;
};
// The forms are those of one kernel. Positions count through all parts.
std::unique_ptr<PackedPoints> pack_points(std::span<const Part> parts, const Execution& how);
// Nothing where they would be packed as floats.
std::unique_ptr<PackedPoints> pack_whole_numbers(std::span<const Part> parts, const Execution& how);

}  // namespace mercer::detail
