// A kernel's tile program met with its data: everything prepared, ready to compute any tile.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "kernel/program_parts.hpp"
#include "mercer/kernel.hpp"

namespace mercer::detail {

// Immutable and thread-safe; each thread brings its own Scratch.
class Bound {
 public:
  // The kernel must be resolved (no `auto`). With y the same points as x, K(x, y) is symmetric.
  Bound(const Kernel& kernel, const Points& x, const Points& y, Of of = Of::kernel);

  Index rows() const { return rows_; }
  Index cols() const { return cols_; }
  Index parameters() const { return program_->parameters; }

  // The same with only these rows of x: for single rows of K at the cost of those rows.
  Bound select_rows(std::span<const Index> which) const;
  // What errors call the rows of x: these are a part of more, from this one on.
  void count_rows_from(Index first) { first_row_ = first; }

  // K(x_i, y_j) for the tile, into scratch: row-major, j.size() numbers a row. Here as in diagonal() and pullback() a
  // value that is no finite number is a NumericError that names its pair.
  const double* tile(Range i, Range j, Scratch& scratch) const;
  // The same into a caller's rows; of tiles that are wide without a copy.
  void tile(Range i, Range j, Scratch& scratch, MatrixRef out) const;
  // Of a program of distances: d^2 from such values, where they are. Values in order have d^2 in order.
  void squared_distances_from(double* values, Index count) const;
  // k(x_i, x_i)
  void diagonal(Range i, double* out, Scratch& scratch) const;

  // Reverse mode on one tile. `w` is dL/dK, contiguous. Adds dL/dvalue to `parameters`; with
  // `input_gradient`, adds dL/dx of rows i to its rows i (x alone, y held fixed).
  void pullback(Range i, Range j, const double* w, double* parameters, MatrixRef input_gradient,
                Scratch& scratch) const;

 private:
  enum class End { x, y };
  struct BoundView {
    Points x, y;
    const Points& at(End end) const { return end == End::x ? x : y; }
  };
  struct BoundEdge {
    std::shared_ptr<const Side> x, y;
    const Side& at(End end) const { return end == End::x ? *x : *y; }
  };
  struct BoundVertex {
    std::shared_ptr<const Vector> x, y;
    const Vector& at(End end) const { return end == End::x ? *x : *y; }
  };
  class Chunk;
  struct Reverse;  // what a reverse sweep over one tile carries along

  Bound() = default;
  void edge_tiles(Range i, Range j, Scratch& scratch) const;
  void load_columns(Chunk& chunk, Range j, Index step) const;
  void load_rows(Chunk& chunk, Scratch& scratch, Range i, Index first, Index cols) const;
  Vector of_diagonal(const Program::VertexSpec& spec, End end, Index count) const;
  void pull_vertices(const Reverse& reverse, End end, Range rows) const;
  void pull_view(const Reverse& reverse, View view, End end, Range rows, MatrixView g) const;
  bool pull_entries(const Reverse& reverse, std::size_t edge, Range i, Range j, MatrixView v) const;
  bool wanted(const Reverse& reverse, View view, End end) const;
  void require_finite_values(const double* values, Range i, Range j) const;
  [[noreturn]] void refuse_value(double value, Index i, Index j) const;
  Index number_of_row(Index i) const;

  std::shared_ptr<const Program> program_;
  std::optional<Kernel> kernel_;
  bool same_ = false;          // x and y are the same points
  std::vector<Index> chosen_;  // by select_rows
  Index first_row_ = 0;
  std::vector<BoundView> views_;
  std::vector<bool> view_has_parameters_;
  std::vector<BoundEdge> edges_;
  std::vector<BoundVertex> vertices_;
  Index rows_ = 0, cols_ = 0;
};

}  // namespace mercer::detail
