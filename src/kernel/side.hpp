// Point sets as edges read them: packed for the pair loops, or sparse rows.
#pragma once

#include <memory>
#include <span>
#include <string>

#include "base/aligned.hpp"
#include "mercer/points.hpp"

namespace mercer::detail {

struct PointsPair {
  Points x, y;
  bool same() const { return x.share() == y.share(); }
};

// One side of a pair of point sets as edges read it.
struct Side {
  Index rows = 0, cols = 0;
  MatrixView dense;  // rows by points, unless sparse
  std::shared_ptr<const void> owner;
  std::shared_ptr<const SparseMatrix> sparse;
  // Where an edge reads them:
  AlignedArray packed;  // dense less shift, in the panels of simd::pack
  Vector shift;
  Vector squared_norms;  // of what is packed, or of the sparse rows

  Side select(std::span<const Index> which) const;
};

// Both sides of a pair; one and the same where the points are.
struct Sides {
  std::shared_ptr<const Side> x, y;
};

// Real, finite inputs, or a DomainError or DataError in the name of `who`.
Points require_reals(const Points& x, const std::string& who);
void require_same_width(const PointsPair& points, const std::string& who);

// ---- making them ----

bool is_sparse(const Points& x);
Side dense_side(const Points& x);
Side sparse_side(const Points& x);  // with its squared norms
void pack(Side& side, Vector shift);
void pack_plain(Side& side);  // not shifted
// The middle of the points. What is wanted is a place near them, so a thousand of them, evenly spread, decide it.
Vector centre_of(const Side& side);

// Both sides sparse when both point sets are; a mixed pair meets as dense rows, which `finish(side, first)`
// packs, once where the two sets are the same.
template <class Finish>
Sides prepare_sides(const PointsPair& points, const std::string& who, bool may_be_sparse, Finish finish) {
  require_same_width(points, who);
  const bool sparse = may_be_sparse && is_sparse(points.x) && is_sparse(points.y);
  const auto side = [&](const Points& p) { return std::make_shared<Side>(sparse ? sparse_side(p) : dense_side(p)); };
  const auto x = side(points.x);
  if (!sparse) finish(*x, *x);
  if (points.same()) return {x, x};
  const auto y = side(points.y);
  if (!sparse) finish(*y, *x);
  return {x, y};
}

// ---- sparse rows ----

struct SparseRow {
  const std::int32_t* columns;
  const double* values;
  Index size;
};
SparseRow sparse_row(const Side& side, Index i);
double sparse_square(SparseRow a, SparseRow b, int sign);  // |a + sign b|^2
void add_sparse_row(double factor, SparseRow row, double* out);

// out(i, j) = x_i . y_j; `panel` and `slots` are buffers of the thread, slots all -1 between calls.
void sparse_dots(const Side& x, const Side& y, Range i, Range j, MatrixRef out, std::vector<double>& panel,
                 std::vector<std::int32_t>& slots);

}  // namespace mercer::detail
