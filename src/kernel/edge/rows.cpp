#include "kernel/edge/rows.hpp"

#include <algorithm>

#include "base/at.hpp"

namespace mercer::detail {

namespace {

Index entries_of(const RealSide& side, Range rows) {
  return side.sparse->offsets[at(rows.end)] - side.sparse->offsets[at(rows.begin)];
}

}  // namespace

void packed_tile(simd::Pairing pairing, const RealSide& x, const RealSide& y, Range i, Range j, MatrixRef out) {
  simd::pair_tile(pairing, {x.packed.data(), at(i.begin), at(i.end)}, {y.packed.data(), at(j.begin), at(j.end)},
                  at(x.cols), out.data(), at(out.stride()));
}

void clear(MatrixRef m) {
  for (Index i = 0; i < m.rows(); ++i) std::fill_n(m.row(i), m.cols(), 0.0);
}

void weigh_sparse(const RealSide& x, const RealSide& y, Range i, Range j, MatrixView v, MatrixRef gx, MatrixRef gy) {
  clear(gx);
  clear(gy);
  for (Index a = 0; a < i.size(); ++a) {
    const SparseRow row = sparse_row(x, i.begin + a);
    for (Index b = 0; b < j.size(); ++b) {
      for (Index p = 0; p < row.size; ++p) gy(b, row.columns[p]) += v(a, b) * row.values[p];
    }
  }
  for (Index b = 0; b < j.size(); ++b) {
    const SparseRow row = sparse_row(y, j.begin + b);
    for (Index a = 0; a < i.size(); ++a) {
      for (Index p = 0; p < row.size; ++p) gx(a, row.columns[p]) += v(a, b) * row.values[p];
    }
  }
}

void weigh_entries(const RealSide& x, const RealSide& y, Range i, Range j, MatrixView v, bool turned, double factor,
                   Vector& g) {
  ColumnSlots slots;
  slots.reset(at(entries_of(y, j)), y.cols);
  std::vector<std::size_t> slot_of;  // of each entry of y
  for (Index b = j.begin; b < j.end; ++b) {
    const SparseRow row = sparse_row(y, b);
    for (Index p = 0; p < row.size; ++p) slot_of.push_back(slots.add(row.columns[p]));
  }
  Vector sums(slots.size());
  g.clear();
  for (Index a = 0; a < i.size(); ++a) {
    std::fill(sums.begin(), sums.end(), 0.0);
    std::size_t entry = 0;
    for (Index b = 0; b < j.size(); ++b) {
      const SparseRow row = sparse_row(y, j.begin + b);
      const double weight = turned ? v(b, a) : v(a, b);
      for (Index p = 0; p < row.size; ++p) sums[slot_of[entry++]] += weight * row.values[p];
    }
    const SparseRow own = sparse_row(x, i.begin + a);
    for (Index p = 0; p < own.size; ++p) {
      const std::int32_t slot = slots.find(own.columns[p]);
      g.push_back(slot < 0 ? 0 : factor * sums[at(slot)]);
    }
  }
}

const double* dense_row(const RealSide& side, Index i, Vector& room) {
  if (!side.sparse) return side.dense.row(i);
  std::fill(room.begin(), room.end(), 0.0);
  add_sparse_row(1, sparse_row(side, i), room.data());
  return room.data();
}

}  // namespace mercer::detail
