// Points packed for a kernel that is computed fast in single precision (kernel/float_form.hpp).
//
// As floats; or, where all inputs are whole multiples, up to 255 times, of one unit (bytes, counts, flags, and such
// numbers divided by a constant), as these multiples: their inner products are exact, and double precision results cost
// what single precision does. Multiples that are never negative are packed as bytes where the CPU multiplies these, and
// cost a quarter of it; zeros and ones as bits, and cost a small part. Multiples that were rounded to single precision
// (bytes over 255 as float32) are packed as bytes, too: then rows are as near as those of floats, and no results are
// those of double precision.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "kernel/float_form.hpp"
#include "mercer/evaluate.hpp"

namespace mercer::detail {

// How far rows() may be from the kernel's values K of the inputs as they are, a multiple of exp(-factor |x-y|^2):
//
//     |row - K| <= K (fixed + by_norm (size of x + size of y)) + absolute,    size = factor |x|^2 of what is packed
//
// A bound in the worst case, not an estimate: docs/methods.md derives it.
struct Nearness {
  double fixed = 0, by_norm = 0, absolute = 0;

  // Of sum_i w_i K(x_i, x) of some x, from the values at hand, which are too small by their own error at most.
  struct Sums {
    double values = 0, by_size = 0;  // sum_i |w_i| row_i, and each times the size of x_i
    double weights = 0;              // sum_i |w_i|
    double largest = 0;              // size of an x_i
  };
  double of_sum(const Sums& sums, double size) const;  // infinite where the bound says nothing
};

class PackedPoints {
 public:
  virtual ~PackedPoints() = default;

  // Whether inner products are those of the inputs, to double precision.
  virtual bool exact() const = 0;
  // Nothing for kernels that are no exponentials.
  virtual std::optional<Nearness> nearness() const = 0;
  // Of each point, in order of positions; only where there is a nearness.
  virtual Vector sizes() const = 0;
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
  // Where columns that are 0 in a whole block of rows are left out: an order of these positions in which those that are
  // 0 in the same columns stand together, as numbers from 0. No value depends on the order in a group.
  virtual std::vector<Index> arrangement(std::span<const Index> positions) const = 0;

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
