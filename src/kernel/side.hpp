// Point sets as edges read them; of numbers: packed for the pair loops, or sparse rows.
#pragma once

#include <memory>
#include <span>
#include <string>

#include "base/aligned.hpp"
#include "points/rep.hpp"

namespace mercer::detail {

struct PointsPair {
  Points x, y;
  bool same() const { return x.share() == y.share(); }
};

// One side of a pair of point sets, prepared for an edge, which alone knows what it is made of.
struct Side {
  virtual ~Side() = default;
  virtual std::shared_ptr<const Side> select(std::span<const Index> which) const = 0;

  Index rows = 0;
  Index cols = 0;  // of points that are rows of numbers, and have derivatives with respect to these
};

struct RealSide final : Side {
  std::shared_ptr<const Side> select(std::span<const Index> which) const override;

  MatrixView dense;  // rows by points, unless sparse
  std::shared_ptr<const void> owner;
  std::shared_ptr<const SparseMatrix> sparse;
  // Where an edge reads them:
  AlignedArray packed;  // dense less shift, in the panels of simd::pack
  Vector shift;
  Vector squared_norms;  // of what is packed, or of the sparse rows
  // Of sparse rows whose entries are all whole numbers from 1 to 255; 0 for others.
  struct {
    unsigned largest = 0;
    double mean = 0;
  } counts;
};

// Both sides of a pair; one and the same where the points are.
struct Sides {
  std::shared_ptr<const Side> x, y;
};

// Real, finite inputs, or a DomainError or DataError in the name of `who`.
Points require_reals(const Points& x, const std::string& who);
void require_same_width(const PointsPair& points, const std::string& who);
// Columns that are read side by side must have the same names, where both have any.
void require_same_names(const PointsPair& points);

// ---- making them ----

RealSide dense_side(const Points& x);
RealSide sparse_side(const Points& x);  // with its squared norms
void pack(RealSide& side, Vector shift);
void pack_plain(RealSide& side);  // not shifted
// The middle of the points. What is wanted is a place near them, so a thousand of them, evenly spread, decide it.
Vector centre_of(const RealSide& side);

// Whether rows are stored sparsely and are so sparse that merging them costs less than multiplying them out.
bool is_thin(const Points& x);

// Both sides sparse when both point sets are thin; other pairs meet as dense rows, which `finish(side, first)`
// packs, once where the two sets are the same.
template <class Finish>
Sides prepare_sides(const PointsPair& points, const std::string& who, bool may_be_sparse, Finish finish) {
  require_same_width(points, who);
  const bool sparse = may_be_sparse && is_thin(points.x) && is_thin(points.y);
  const auto side = [&](const Points& p) {
    return std::make_shared<RealSide>(sparse ? sparse_side(p) : dense_side(p));
  };
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
SparseRow sparse_row(const RealSide& side, Index i);
double sparse_square(SparseRow a, SparseRow b, int sign);  // |a + sign b|^2
// visit(a_k, b_k) for the columns k in which one of the rows has an entry.
template <class Visit>
void for_each_column(SparseRow a, SparseRow b, Visit visit) {
  Index p = 0, q = 0;
  while (p < a.size || q < b.size) {
    if (q == b.size || (p < a.size && a.columns[p] < b.columns[q])) {
      visit(a.values[p++], 0.0);
    } else if (p == a.size || b.columns[q] < a.columns[p]) {
      visit(0.0, b.values[q++]);
    } else {
      visit(a.values[p++], b.values[q++]);
    }
  }
}
void add_sparse_row(double factor, SparseRow row, double* out);

}  // namespace mercer::detail
