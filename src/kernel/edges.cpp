#include <algorithm>
#include <cmath>
#include <limits>

#include "base/fail.hpp"
#include "base/parallel.hpp"
#include "kernel/program_parts.hpp"
#include "linalg/lapack.hpp"
#include "points/rep.hpp"
#include "simd/loops.hpp"

namespace mercer::detail {

namespace {

std::size_t at(Index i) { return static_cast<std::size_t>(i); }

// Up to this many columns, differences are taken directly: more exact than the GEMM form, and not slower.
constexpr Index kDirectColumns = 24;
// A squared distance below this share of |x|^2 + |y|^2 has lost digits to cancellation and is recomputed.
constexpr double kCancellation = 1e-3;

// ---- sides ----

Side dense_side(const Points& x) {
  DenseRows rows = dense_rows(x);
  Side side;
  side.rows = rows.values.rows();
  side.cols = rows.values.cols();
  side.dense = rows.values;
  side.owner = std::move(rows.owner);
  return side;
}

Side sparse_side(const Points& x) {
  Side side;
  side.rows = x.size();
  side.cols = x.domain().dimension;
  side.sparse = std::shared_ptr<const SparseMatrix>(x.share(), &dynamic_cast<const SparseReals&>(x.rep()).values);
  return side;
}

bool is_sparse(const Points& x) { return dynamic_cast<const SparseReals*>(&x.rep()) != nullptr; }

struct SparseRow {
  const std::int32_t* columns;
  const double* values;
  Index size;
};
SparseRow sparse_row(const Side& side, Index i) {
  const SparseMatrix& m = *side.sparse;
  const Index first = m.offsets[at(i)];
  return {m.columns.data() + first, m.values.data() + first, m.offsets[at(i + 1)] - first};
}

void add_sparse_norms(Side& side) {
  side.squared_norms.resize(at(side.rows));
  for (Index i = 0; i < side.rows; ++i) {
    const SparseRow row = sparse_row(side, i);
    side.squared_norms[at(i)] = simd::dot(row.values, row.values, at(row.size));
  }
}

// Points that one piece of parallel work prepares: whole panels, and work enough to wake a thread for.
Index prepared_at_once(Index cols) {
  constexpr Index panel = simd::kPanel;
  return (1 + 100000 / (panel * std::max<Index>(1, cols))) * panel;
}

void pack(Side& side, Vector shift) {
  const Index block = prepared_at_once(side.cols);
  side.packed = AlignedArray(simd::packed_size(at(side.rows), at(side.cols)));
  side.squared_norms.resize(at(side.rows));
  side.shift = std::move(shift);
  parallel_for((side.rows + block - 1) / block, thread_count(0), {}, "pack", [&](Index b, int) {
    const Index first = b * block;
    simd::pack(side.dense.row(first), at(side.dense.stride()), side.shift.data(),
               at(std::min(block, side.rows - first)), at(side.cols), side.packed.data() + first * side.cols,
               side.squared_norms.data() + first);
  });
}

void pack_plain(Side& side) { pack(side, Vector(at(side.cols))); }

// The middle of the points. What is wanted is a place near them, so a thousand of them, evenly spread, decide it.
Vector centre_of(const Side& side) {
  const Index count = std::min<Index>(1024, side.rows);
  Vector centre(at(side.cols));
  for (Index i = 0; i < count; ++i) {
    simd::add_scaled(1 / static_cast<double>(count), side.dense.row(i * side.rows / count), at(side.cols),
                     centre.data());
  }
  return centre;
}

}  // namespace

void require_same_width(const PointsPair& points, const std::string& who) {
  require_reals(points.x, who);
  require_reals(points.y, who);
  const bool empty = points.x.size() == 0 || points.y.size() == 0;  // no points have no width of their own
  if (!empty && points.x.domain().dimension != points.y.domain().dimension) {
    fail(ErrorKind::shape, "{}: one data set has {} columns, the other {}; give both the same columns", who,
         points.x.domain().dimension, points.y.domain().dimension);
  }
}

namespace {

// Both sides sparse when both point sets are; a mixed pair meets as dense rows. `finish` adds what the
// edge reads, once where the two sets are the same.
template <class Finish>
Sides prepare_sides(const PointsPair& points, const std::string& who, bool may_be_sparse, Finish finish) {
  require_same_width(points, who);
  const bool sparse = may_be_sparse && is_sparse(points.x) && is_sparse(points.y);
  const auto side = [&](const Points& p) { return std::make_shared<Side>(sparse ? sparse_side(p) : dense_side(p)); };
  const auto x = side(points.x);
  finish(*x, *x);
  if (points.same()) return {x, x};
  const auto y = side(points.y);
  finish(*y, *x);
  return {x, y};
}

void packed_tile(simd::Pairing pairing, const Side& x, const Side& y, Range i, Range j, MatrixRef out) {
  simd::pair_tile(pairing, {x.packed.data(), at(i.begin), at(i.end)}, {y.packed.data(), at(j.begin), at(j.end)},
                  at(x.cols), out.data(), at(out.stride()));
}

// The columns that occur in rows j of y are laid out densely (column by column, points side by side);
// each entry of a row of x then adds a multiple of one such line. Cost: nonzeros of x times |j|.
void sparse_dots(const Side& x, const Side& y, Range i, Range j, MatrixRef out, Scratch& scratch) {
  const std::size_t width = at(j.size());
  if (scratch.column_slot.size() < at(y.cols)) scratch.column_slot.resize(at(y.cols), -1);
  std::vector<std::int32_t> used;
  for (Index b = j.begin; b < j.end; ++b) {
    const SparseRow row = sparse_row(y, b);
    for (Index p = 0; p < row.size; ++p) {
      std::int32_t& slot = scratch.column_slot[at(row.columns[p])];
      if (slot < 0) {
        slot = static_cast<std::int32_t>(used.size());
        used.push_back(row.columns[p]);
      }
    }
  }
  scratch.panel.assign(used.size() * width, 0.0);
  for (Index b = j.begin; b < j.end; ++b) {
    const SparseRow row = sparse_row(y, b);
    for (Index p = 0; p < row.size; ++p) {
      const auto slot = static_cast<std::size_t>(scratch.column_slot[at(row.columns[p])]);
      scratch.panel[slot * width + at(b - j.begin)] = row.values[p];
    }
  }
  for (Index a = i.begin; a < i.end; ++a) {
    double* line = out.row(a - i.begin);
    std::fill_n(line, width, 0.0);
    const SparseRow row = sparse_row(x, a);
    for (Index p = 0; p < row.size; ++p) {
      const std::int32_t slot = row.columns[p] < y.cols ? scratch.column_slot[at(row.columns[p])] : -1;
      if (slot >= 0) simd::add_scaled(row.values[p], scratch.panel.data() + at(slot) * width, width, line);
    }
  }
  for (const std::int32_t column : used) scratch.column_slot[at(column)] = -1;
}

// |a + sign b|^2
double sparse_square(SparseRow a, SparseRow b, int sign) {
  double total = 0;
  Index p = 0, q = 0;
  while (p < a.size || q < b.size) {
    double term = 0;
    if (q == b.size || (p < a.size && a.columns[p] < b.columns[q])) {
      term = a.values[p++];
    } else if (p == a.size || b.columns[q] < a.columns[p]) {
      term = b.values[q++];
    } else {
      term = a.values[p++] + sign * b.values[q++];
    }
    total += term * term;
  }
  return total;
}

// Rows of a side as they were packed: dense, less the shift.
MatrixView shifted_rows(const Side& side, Range rows, std::vector<double>& buffer) {
  buffer.resize(at(rows.size() * side.cols));
  for (Index a = 0; a < rows.size(); ++a) {
    const double* from = side.dense.row(rows.begin + a);
    for (Index k = 0; k < side.cols; ++k) {
      buffer[at(a * side.cols + k)] = from[k] - (side.shift.empty() ? 0.0 : side.shift[at(k)]);
    }
  }
  return {buffer.data(), rows.size(), side.cols};
}

void clear(MatrixRef m) {
  for (Index i = 0; i < m.rows(); ++i) std::fill_n(m.row(i), m.cols(), 0.0);
}

// gx = V Y and gy = V' X for sparse rows.
void weigh_sparse(const Side& x, const Side& y, Range i, Range j, MatrixView v, MatrixRef gx, MatrixRef gy) {
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

void add_sparse_row(double factor, SparseRow row, double* out) {
  for (Index p = 0; p < row.size; ++p) out[row.columns[p]] += factor * row.values[p];
}

// ---- |x - y|^2 ----

class SquaredDistance final : public Edge {
 public:
  SquaredDistance(std::string who, bool two_ended) : who_(std::move(who)), two_ended_(two_ended) {}

  // Far from the origin |x|^2 + |y|^2 - 2 x.y cancels; around the mean of x it does not.
  Sides prepare(const PointsPair& points) const override {
    return prepare_sides(points, who_, true, [](Side& side, const Side& first) {
      if (side.sparse) {
        add_sparse_norms(side);
      } else if (side.cols <= kDirectColumns) {
        pack_plain(side);
      } else {
        pack(side, &side == &first ? centre_of(side) : first.shift);
      }
    });
  }

  void tile(const Side& x, const Side& y, Range i, Range j, MatrixRef out, Scratch& scratch) const override {
    distances(x, y, i, j, out, scratch);
    if (!two_ended_) return;
    for (Index a = 0; a < i.size(); ++a) turn_far_end(x, y, i.begin + a, j, out.row(a));
  }

  void diagonal(const Side&, Range i, double* out) const override { std::fill_n(out, i.size(), 0.0); }

  // L = sum v |x-y|^2: dL/dx_i = 2 (sum_j v_ij) x_i - 2 sum_j v_ij y_j, and any common shift drops out.
  void pullback(const Side& x, const Side& y, Range i, Range j, MatrixView v, MatrixRef gx, MatrixRef gy,
                Scratch& scratch) const override {
    Vector by_row(at(i.size())), by_column(at(j.size()));
    for (Index a = 0; a < i.size(); ++a) {
      by_row[at(a)] = 2 * simd::sum(v.row(a), at(v.cols()));
      simd::add_scaled(2, v.row(a), at(v.cols()), by_column.data());
    }
    if (x.sparse) {
      weigh_sparse(x, y, i, j, v, gx, gy);
      for (Index a = 0; a < i.size(); ++a) {
        for (Index k = 0; k < gx.cols(); ++k) gx(a, k) *= -2;
        add_sparse_row(by_row[at(a)], sparse_row(x, i.begin + a), gx.row(a));
      }
      for (Index b = 0; b < j.size(); ++b) {
        for (Index k = 0; k < gy.cols(); ++k) gy(b, k) *= -2;
        add_sparse_row(by_column[at(b)], sparse_row(y, j.begin + b), gy.row(b));
      }
      return;
    }
    const MatrixView near_x = shifted_rows(x, i, scratch.rows_x), near_y = shifted_rows(y, j, scratch.rows_y);
    linalg::multiply(-2, v, near_y, 0, gx);
    linalg::multiply_left_transposed(-2, v, near_x, 0, gy);
    for (Index a = 0; a < i.size(); ++a) simd::add_scaled(by_row[at(a)], near_x.row(a), at(gx.cols()), gx.row(a));
    for (Index b = 0; b < j.size(); ++b) simd::add_scaled(by_column[at(b)], near_y.row(b), at(gy.cols()), gy.row(b));
  }

  void diagonal_pullback(const Side&, Range, const double*, MatrixRef) const override {}

 private:
  void distances(const Side& x, const Side& y, Range i, Range j, MatrixRef out, Scratch& scratch) const {
    if (!x.sparse && x.cols <= kDirectColumns) return packed_tile(simd::Pairing::squared_distance, x, y, i, j, out);
    if (x.sparse) {
      sparse_dots(x, y, i, j, out, scratch);
    } else {
      packed_tile(simd::Pairing::dot, x, y, i, j, out);
    }
    for (Index a = 0; a < i.size(); ++a) {
      const double x2 = x.squared_norms[at(i.begin + a)];
      if (simd::distances_from_dots(x2, y.squared_norms.data() + j.begin, kCancellation, at(j.size()), out.row(a))) {
        repair(x, y, i.begin + a, j, out.row(a));
      }
    }
  }

  // For unit vectors |x+y|^2 = 4 - |x-y|^2: the derivative of what is stored is that of |x-y|^2 on both branches.
  static void turn_far_end(const Side& x, const Side& y, Index i, Range j, double* out) {
    for (Index b = j.begin; b < j.end; ++b) {
      double& value = out[b - j.begin];
      if (value <= 2) continue;
      double sum2 = 4 - value;
      if (sum2 < 4 * kCancellation) sum2 = exact_square(x, i, y, b, 1);
      value = -std::max(sum2, std::numeric_limits<double>::min());  // never -0, which reads as 0
    }
  }

  // |x_i + sign y_b|^2 term by term
  static double exact_square(const Side& x, Index i, const Side& y, Index b, int sign) {
    if (x.sparse) return sparse_square(sparse_row(x, i), sparse_row(y, b), sign);
    double total = 0;
    for (Index k = 0; k < x.cols; ++k) {
      const double term = x.dense(i, k) + sign * y.dense(b, k);
      total += term * term;
    }
    return total;
  }

  static void repair(const Side& x, const Side& y, Index i, Range j, double* out) {
    for (Index b = j.begin; b < j.end; ++b) {
      double& r2 = out[b - j.begin];
      if (r2 >= kCancellation * (x.squared_norms[at(i)] + y.squared_norms[at(b)])) continue;
      r2 = exact_square(x, i, y, b, -1);
    }
  }

  std::string who_;
  bool two_ended_;
};

// ---- x.y ----

class DotProduct final : public Edge {
 public:
  explicit DotProduct(std::string who) : who_(std::move(who)) {}

  Sides prepare(const PointsPair& points) const override {
    return prepare_sides(points, who_, true, [](Side& side, const Side&) {
      if (side.sparse) {
        add_sparse_norms(side);
      } else {
        pack_plain(side);
      }
    });
  }
  void tile(const Side& x, const Side& y, Range i, Range j, MatrixRef out, Scratch& scratch) const override {
    if (x.sparse) {
      sparse_dots(x, y, i, j, out, scratch);
    } else {
      packed_tile(simd::Pairing::dot, x, y, i, j, out);
    }
  }
  void diagonal(const Side& side, Range i, double* out) const override {
    std::copy_n(side.squared_norms.begin() + i.begin, i.size(), out);
  }
  void pullback(const Side& x, const Side& y, Range i, Range j, MatrixView v, MatrixRef gx, MatrixRef gy,
                Scratch&) const override {
    if (x.sparse) return weigh_sparse(x, y, i, j, v, gx, gy);
    linalg::multiply(1, v, y.dense.block(j, {0, y.cols}), 0, gx);
    linalg::multiply_left_transposed(1, v, x.dense.block(i, {0, x.cols}), 0, gy);
  }
  void diagonal_pullback(const Side& side, Range i, const double* v, MatrixRef g) const override {
    for (Index a = 0; a < i.size(); ++a) {
      if (side.sparse) {
        add_sparse_row(2 * v[a], sparse_row(side, i.begin + a), g.row(a));
      } else {
        simd::add_scaled(2 * v[a], side.dense.row(i.begin + a), at(g.cols()), g.row(a));
      }
    }
  }

 private:
  std::string who_;
};

// ---- folds over columns: |x - y|_1, prod min(x_k, y_k), prod (1 + x_k y_k) ----

struct AbsoluteDifference {
  static constexpr auto pairing = simd::Pairing::absolute_distance;
  static double self(const double*, Index) { return 0; }
  // dL/dx of one pair with weight v is added to gx, dL/dy to gy.
  static void pullback(const double* x, const double* y, Index d, double v, double, double* gx, double* gy) {
    for (Index k = 0; k < d; ++k) {
      const double sign = x[k] > y[k] ? 1 : (x[k] < y[k] ? -1 : 0);
      gx[k] += v * sign;
      gy[k] -= v * sign;
    }
  }
};

// A product over columns: the derivative of factor k is multiplied by all the others.
template <class Factor>
void product_pullback(const double* x, const double* y, Index d, double v, double value, double* gx, double* gy) {
  for (Index k = 0; k < d; ++k) {
    const double factor = Factor::value(x[k], y[k]);
    double others = value / factor;
    if (factor == 0) {
      others = 1;
      for (Index l = 0; l < d; ++l) {
        if (l != k) others *= Factor::value(x[l], y[l]);
      }
    }
    gx[k] += v * others * Factor::slope(x[k], y[k]);
    gy[k] += v * others * Factor::slope(y[k], x[k]);
  }
}

struct MinFactor {
  static constexpr auto pairing = simd::Pairing::min_product;
  static double value(double x, double y) { return std::min(x, y); }
  static double slope(double x, double y) { return x < y ? 1 : (x > y ? 0 : 0.5); }  // d value / dx
  static double self(const double* x, Index d) {
    double value = 1;
    for (Index k = 0; k < d; ++k) value *= x[k];
    return value;
  }
  static constexpr auto pullback = product_pullback<MinFactor>;
};

struct MultilinearFactor {
  static constexpr auto pairing = simd::Pairing::multilinear_product;
  static double value(double x, double y) { return 1 + x * y; }
  static double slope(double, double y) { return y; }
  static double self(const double* x, Index d) {
    double value = 1;
    for (Index k = 0; k < d; ++k) value *= 1 + x[k] * x[k];
    return value;
  }
  static constexpr auto pullback = product_pullback<MultilinearFactor>;
};

template <class Fold>
class ColumnFold final : public Edge {
 public:
  explicit ColumnFold(std::string who) : who_(std::move(who)) {}

  Sides prepare(const PointsPair& points) const override {
    return prepare_sides(points, who_, false, [](Side& side, const Side&) { pack_plain(side); });
  }
  void tile(const Side& x, const Side& y, Range i, Range j, MatrixRef out, Scratch&) const override {
    packed_tile(Fold::pairing, x, y, i, j, out);
  }
  void diagonal(const Side& side, Range i, double* out) const override {
    for (Index a = 0; a < i.size(); ++a) out[a] = Fold::self(side.dense.row(i.begin + a), side.cols);
  }
  void pullback(const Side& x, const Side& y, Range i, Range j, MatrixView v, MatrixRef gx, MatrixRef gy,
                Scratch& scratch) const override {
    clear(gx);
    clear(gy);
    scratch.panel.resize(at(i.size() * j.size()));
    const MatrixRef values(scratch.panel.data(), i.size(), j.size());
    packed_tile(Fold::pairing, x, y, i, j, values);
    for (Index a = 0; a < i.size(); ++a) {
      for (Index b = 0; b < j.size(); ++b) {
        Fold::pullback(x.dense.row(i.begin + a), y.dense.row(j.begin + b), x.cols, v(a, b), values(a, b), gx.row(a),
                       gy.row(b));
      }
    }
  }
  void diagonal_pullback(const Side& side, Range i, const double* v, MatrixRef g) const override {
    for (Index a = 0; a < i.size(); ++a) {
      const double* row = side.dense.row(i.begin + a);
      Fold::pullback(row, row, side.cols, v[a], Fold::self(row, side.cols), g.row(a), g.row(a));
    }
  }

 private:
  std::string who_;
};

// ---- any function of two points, on somebody's word ----

class FunctionEdge final : public Edge {
 public:
  FunctionEdge(std::string who, Similarity s) : who_(std::move(who)), similarity_(std::move(s)) {}

  Sides prepare(const PointsPair& points) const override {
    return prepare_sides(points, who_, false, [](Side&, const Side&) {});
  }
  void tile(const Side& x, const Side& y, Range i, Range j, MatrixRef out, Scratch&) const override {
    for (Index a = 0; a < i.size(); ++a) {
      for (Index b = 0; b < j.size(); ++b) out(a, b) = value(x, i.begin + a, y, j.begin + b);
    }
  }
  void diagonal(const Side& side, Range i, double* out) const override {
    for (Index a = 0; a < i.size(); ++a) out[a] = value(side, i.begin + a, side, i.begin + a);
  }
  void pullback(const Side&, const Side&, Range, Range, MatrixView, MatrixRef, MatrixRef, Scratch&) const override {
    refuse();
  }
  void diagonal_pullback(const Side&, Range, const double*, MatrixRef) const override { refuse(); }

 private:
  double value(const Side& x, Index i, const Side& y, Index j) const {
    const double k = similarity_({x.dense.row(i), at(x.cols)}, {y.dense.row(j), at(y.cols)});
    if (!std::isfinite(k)) fail(ErrorKind::numeric, "{}: the value at rows {} and {} is {}", who_, i + 1, j + 1, k);
    return k;
  }
  [[noreturn]] void refuse() const {
    fail(ErrorKind::usage, "{}: an assumed kernel has no gradient with respect to the inputs", who_);
  }
  std::string who_;
  Similarity similarity_;
};

}  // namespace

Side Side::select(std::span<const Index> which) const {
  Side out;
  out.rows = static_cast<Index>(which.size());
  out.cols = cols;
  if (sparse) {
    auto picked = std::make_shared<SparseMatrix>();
    picked->rows = out.rows;
    picked->cols = cols;
    for (const Index i : which) {
      const SparseRow row = sparse_row(*this, i);
      picked->columns.insert(picked->columns.end(), row.columns, row.columns + row.size);
      picked->values.insert(picked->values.end(), row.values, row.values + row.size);
      picked->offsets.push_back(static_cast<Index>(picked->columns.size()));
    }
    out.sparse = std::move(picked);
  } else {
    auto picked = std::make_shared<Matrix>(Matrix::uninitialized(out.rows, cols));
    for (Index r = 0; r < out.rows; ++r) std::copy_n(dense.row(which[at(r)]), cols, picked->row(r));
    out.dense = picked->view();
    out.owner = std::move(picked);
    if (packed.data() != nullptr) pack(out, shift);
  }
  if (sparse) add_sparse_norms(out);
  return out;
}

std::shared_ptr<const Edge> squared_distance_edge(const std::string& who) {
  return std::make_shared<SquaredDistance>(who, false);
}
std::shared_ptr<const Edge> chord_edge(const std::string& who) { return std::make_shared<SquaredDistance>(who, true); }
std::shared_ptr<const Edge> dot_edge(const std::string& who) { return std::make_shared<DotProduct>(who); }
std::shared_ptr<const Edge> absolute_distance_edge(const std::string& who) {
  return std::make_shared<ColumnFold<AbsoluteDifference>>(who);
}
std::shared_ptr<const Edge> min_edge(const std::string& who) { return std::make_shared<ColumnFold<MinFactor>>(who); }
std::shared_ptr<const Edge> multilinear_edge(const std::string& who) {
  return std::make_shared<ColumnFold<MultilinearFactor>>(who);
}
std::shared_ptr<const Edge> function_edge(const std::string& who, const Similarity& s) {
  return std::make_shared<FunctionEdge>(who, s);
}

}  // namespace mercer::detail
