#include <algorithm>
#include <cmath>
#include <limits>

#include "base/at.hpp"
#include "base/fail.hpp"
#include "base/parallel.hpp"
#include "kernel/program_parts.hpp"
#include "linalg/lapack.hpp"
#include "points/rep.hpp"
#include "simd/loops.hpp"

namespace mercer::detail {

namespace {

// Up to this many columns, differences are taken directly: more exact than the product form, and not slower.
constexpr Index kDirectColumns = 16;
// A squared distance below this share of |x|^2 + |y|^2 has lost digits to cancellation and is recomputed.
constexpr double kCancellation = 1e-3;

void packed_tile(simd::Pairing pairing, const RealSide& x, const RealSide& y, Range i, Range j, MatrixRef out) {
  simd::pair_tile(pairing, {x.packed.data(), at(i.begin), at(i.end)}, {y.packed.data(), at(j.begin), at(j.end)},
                  at(x.cols), out.data(), at(out.stride()));
}

// Rows of a side as they were packed: dense, less the shift.
MatrixView shifted_rows(const RealSide& side, Range rows, std::vector<double>& buffer) {
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

Index entries_of(const RealSide& side, Range rows) {
  return side.sparse->offsets[at(rows.end)] - side.sparse->offsets[at(rows.begin)];
}

// g of each entry of rows i of x: sum_j v_ij y_j in its column, times `factor`. `v` is read by columns if `turned`.
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

// d/dx and d/dy of sum v |x-y|^2, pair by pair from differences: right however large the points are.
void pull_differences(const RealSide& x, const RealSide& y, Range i, Range j, MatrixView v, MatrixRef gx,
                      MatrixRef gy) {
  clear(gx);
  clear(gy);
  Vector room_x(at(x.cols)), room_y(at(y.cols));
  for (Index a = 0; a < i.size(); ++a) {
    const double* from = dense_row(x, i.begin + a, room_x);
    for (Index b = 0; b < j.size(); ++b) {
      if (v(a, b) == 0) continue;
      const double* to = dense_row(y, j.begin + b, room_y);
      for (Index k = 0; k < x.cols; ++k) {
        const double slope = 2 * v(a, b) * (from[k] - to[k]);
        gx(a, k) += slope;
        gy(b, k) -= slope;
      }
    }
  }
}

// ---- |x - y|^2 ----

class SquaredDistance final : public EdgeOn<RealSide> {
 public:
  SquaredDistance(std::string who, bool two_ended) : who_(std::move(who)), two_ended_(two_ended) {}

  // Far from the origin |x|^2 + |y|^2 - 2 x.y cancels; around the middle of x it does not. Points that lie around the
  // origin as they are stay there: their inner products may then serve two.
  Sides prepare(const PointsPair& points) const override {
    return prepare_sides(points, who_, true, [](RealSide& side, const RealSide& first) {
      if (side.cols <= kDirectColumns) return pack_plain(side);
      if (&side != &first) return pack(side, first.shift);
      Vector centre = centre_of(side);
      if (lies_around_origin(side, centre)) std::fill(centre.begin(), centre.end(), 0.0);
      pack(side, std::move(centre));
    });
  }

  bool pairs_from_dots(const RealSide& x, const RealSide& y, Range i, Range j, MatrixView dots,
                       MatrixRef out) const override {
    if (two_ended_ || !(x.sparse || is_unshifted_product(x))) return false;
    from_dots(x, y, i, j, dots, out);
    return true;
  }

  void pairs(const RealSide& x, const RealSide& y, Range i, Range j, MatrixRef out, Scratch& scratch) const override {
    distances(x, y, i, j, out, scratch);
    if (!two_ended_) return;
    for (Index a = 0; a < i.size(); ++a) turn_far_end(x, y, i.begin + a, j, out.row(a));
  }

  void selves(const RealSide&, Range i, double* out) const override { std::fill_n(out, i.size(), 0.0); }

  // L = sum v |x-y|^2: dL/dx_i = 2 (sum_j v_ij) x_i - 2 sum_j v_ij y_j, and any common shift drops out.
  void pull_pairs(const RealSide& x, const RealSide& y, Range i, Range j, MatrixView v, const EdgeGradient& to,
                  Scratch& scratch) const override {
    if (is_far(x, i) || is_far(y, j)) return pull_differences(x, y, i, j, v, to.gx, to.gy);
    Vector by_row(at(i.size())), by_column(at(j.size()));
    for (Index a = 0; a < i.size(); ++a) {
      by_row[at(a)] = 2 * simd::sum(v.row(a), at(v.cols()));
      simd::add_scaled(2, v.row(a), at(v.cols()), by_column.data());
    }
    if (x.sparse) {
      weigh_sparse(x, y, i, j, v, to.gx, to.gy);
      for (Index a = 0; a < i.size(); ++a) {
        for (Index k = 0; k < to.gx.cols(); ++k) to.gx(a, k) *= -2;
        add_sparse_row(by_row[at(a)], sparse_row(x, i.begin + a), to.gx.row(a));
      }
      for (Index b = 0; b < j.size(); ++b) {
        for (Index k = 0; k < to.gy.cols(); ++k) to.gy(b, k) *= -2;
        add_sparse_row(by_column[at(b)], sparse_row(y, j.begin + b), to.gy.row(b));
      }
      return;
    }
    const MatrixView near_x = shifted_rows(x, i, scratch.rows_x), near_y = shifted_rows(y, j, scratch.rows_y);
    linalg::multiply(-2, v, near_y, 0, to.gx);
    linalg::multiply_left_transposed(-2, v, near_x, 0, to.gy);
    for (Index a = 0; a < i.size(); ++a) simd::add_scaled(by_row[at(a)], near_x.row(a), at(to.gx.cols()), to.gx.row(a));
    for (Index b = 0; b < j.size(); ++b)
      simd::add_scaled(by_column[at(b)], near_y.row(b), at(to.gy.cols()), to.gy.row(b));
  }

  void pull_selves(const RealSide&, Range, const double*, const EdgeGradient&) const override {}

  bool pull_entries(const Side& one, const Side& other, Range i, Range j, MatrixView v, Vector& gx,
                    Vector& gy) const override {
    const auto &x = static_cast<const RealSide&>(one), &y = static_cast<const RealSide&>(other);
    if (!x.sparse || is_far(x, i) || is_far(y, j)) return false;
    weigh_entries(x, y, i, j, v, false, -2, gx);
    weigh_entries(y, x, j, i, v, true, -2, gy);
    std::size_t entry = 0;
    for (Index a = 0; a < i.size(); ++a) {
      const SparseRow row = sparse_row(x, i.begin + a);
      const double sum = 2 * simd::sum(v.row(a), at(v.cols()));
      for (Index p = 0; p < row.size; ++p) gx[entry++] += sum * row.values[p];
    }
    entry = 0;
    for (Index b = 0; b < j.size(); ++b) {
      const SparseRow row = sparse_row(y, j.begin + b);
      double sum = 0;
      for (Index a = 0; a < i.size(); ++a) sum += 2 * v(a, b);
      for (Index p = 0; p < row.size; ++p) gy[entry++] += sum * row.values[p];
    }
    return true;
  }

 private:
  void distances(const RealSide& x, const RealSide& y, Range i, Range j, MatrixRef out, Scratch& scratch) const {
    if (!x.sparse && x.cols <= kDirectColumns) return packed_tile(simd::Pairing::squared_distance, x, y, i, j, out);
    if (x.sparse) {
      sparse_dots(x, y, i, j, out, scratch.sparse);
    } else {
      packed_tile(simd::Pairing::dot, x, y, i, j, out);
    }
    from_dots(x, y, i, j, out, out);
  }

  static void from_dots(const RealSide& x, const RealSide& y, Range i, Range j, MatrixView dots, MatrixRef out) {
    for (Index a = 0; a < i.size(); ++a) {
      const bool lossy = simd::distances_from_dots(x.squared_norms[at(i.begin + a)], y.squared_norms.data() + j.begin,
                                                   kCancellation, at(j.size()), dots.row(a), out.row(a));
      if (lossy) repair(x, y, i.begin + a, j, out.row(a));
    }
  }

  static bool is_unshifted_product(const RealSide& side) {
    return side.cols > kDirectColumns &&
           std::all_of(side.shift.begin(), side.shift.end(), [](double c) { return c == 0; });
  }

  // Whether the middle is nearer to the origin than half of the root mean square norm: no digit is then gained by
  // centring.
  static bool lies_around_origin(const RealSide& side, const Vector& centre) {
    const Index count = std::min<Index>(1024, side.rows);
    double total = 0;
    for (Index i = 0; i < count; ++i) {
      const double* row = side.dense.row(i * side.rows / count);
      total += simd::dot(row, row, at(side.cols));
    }
    return 4 * simd::dot(centre.data(), centre.data(), centre.size()) * static_cast<double>(count) <= total;
  }

  // Points so large beside 1, the size of distances that matter, that sums over them lose the differences.
  static bool is_far(const RealSide& side, Range rows) {
    constexpr double kFar = 1e10;
    const auto begin = side.squared_norms.begin();
    return std::any_of(begin + rows.begin, begin + rows.end, [](double norm) { return norm > kFar; });
  }

  // For unit vectors |x+y|^2 = 4 - |x-y|^2: the derivative of what is stored is that of |x-y|^2 on both branches.
  static void turn_far_end(const RealSide& x, const RealSide& y, Index i, Range j, double* out) {
    for (Index b = j.begin; b < j.end; ++b) {
      double& value = out[b - j.begin];
      if (value <= 2) continue;
      double sum2 = 4 - value;
      if (sum2 < 4 * kCancellation) sum2 = exact_square(x, i, y, b, 1);
      value = -std::max(sum2, std::numeric_limits<double>::min());  // never -0, which reads as 0
    }
  }

  // |x_i + sign y_b|^2 term by term
  static double exact_square(const RealSide& x, Index i, const RealSide& y, Index b, int sign) {
    if (x.sparse) return sparse_square(sparse_row(x, i), sparse_row(y, b), sign);
    double total = 0;
    for (Index k = 0; k < x.cols; ++k) {
      const double term = x.dense(i, k) + sign * y.dense(b, k);
      total += term * term;
    }
    return total;
  }

  static void repair(const RealSide& x, const RealSide& y, Index i, Range j, double* out) {
    for (Index b = j.begin; b < j.end; ++b) {
      double& r2 = out[b - j.begin];
      if (r2 >= kCancellation * (x.squared_norms[at(i)] + y.squared_norms[at(b)])) continue;
      r2 = exact_square(x, i, y, b, -1);
    }
  }

  std::string who_;
  bool two_ended_;
};

// The same from differences alone: neither norms nor products of such points are finite.
class WideDistance final : public EdgeOn<RealSide> {
 public:
  WideDistance(std::string who, Tail tail)
      : who_(std::move(who)), most_(tail == Tail::heavy ? std::numeric_limits<double>::infinity() : 1e300) {}

  Sides prepare(const PointsPair& points) const override {
    return prepare_sides(points, who_, true, [](RealSide& side, const RealSide&) { pack_plain(side); });
  }
  void pairs(const RealSide& x, const RealSide& y, Range i, Range j, MatrixRef out, Scratch&) const override {
    if (!x.sparse) packed_tile(simd::Pairing::squared_distance, x, y, i, j, out);
    for (Index a = 0; a < i.size(); ++a) {
      for (Index b = 0; b < j.size(); ++b) {
        if (x.sparse) out(a, b) = sparse_square(sparse_row(x, i.begin + a), sparse_row(y, j.begin + b), -1);
        out(a, b) = std::min(out(a, b), most_);
      }
    }
  }
  void selves(const RealSide&, Range i, double* out) const override { std::fill_n(out, i.size(), 0.0); }
  void pull_pairs(const RealSide& x, const RealSide& y, Range i, Range j, MatrixView v, const EdgeGradient& to,
                  Scratch&) const override {
    pull_differences(x, y, i, j, v, to.gx, to.gy);
  }
  void pull_selves(const RealSide&, Range, const double*, const EdgeGradient&) const override {}

 private:
  std::string who_;
  double most_;
};

// ---- x.y ----

class DotProduct final : public EdgeOn<RealSide> {
 public:
  explicit DotProduct(std::string who) : who_(std::move(who)) {}

  Sides prepare(const PointsPair& points) const override {
    return prepare_sides(points, who_, true, [](RealSide& side, const RealSide&) { pack_plain(side); });
  }
  void pairs(const RealSide& x, const RealSide& y, Range i, Range j, MatrixRef out, Scratch& scratch) const override {
    if (x.sparse) {
      sparse_dots(x, y, i, j, out, scratch.sparse);
    } else {
      packed_tile(simd::Pairing::dot, x, y, i, j, out);
    }
  }
  void selves(const RealSide& side, Range i, double* out) const override {
    std::copy_n(side.squared_norms.begin() + i.begin, i.size(), out);
  }
  void pull_pairs(const RealSide& x, const RealSide& y, Range i, Range j, MatrixView v, const EdgeGradient& to,
                  Scratch&) const override {
    if (x.sparse) return weigh_sparse(x, y, i, j, v, to.gx, to.gy);
    linalg::multiply(1, v, y.dense.block(j, {0, y.cols}), 0, to.gx);
    linalg::multiply_left_transposed(1, v, x.dense.block(i, {0, x.cols}), 0, to.gy);
  }
  bool pull_entries(const Side& one, const Side& other, Range i, Range j, MatrixView v, Vector& gx,
                    Vector& gy) const override {
    const auto &x = static_cast<const RealSide&>(one), &y = static_cast<const RealSide&>(other);
    if (!x.sparse) return false;
    weigh_entries(x, y, i, j, v, false, 1, gx);
    weigh_entries(y, x, j, i, v, true, 1, gy);
    return true;
  }
  void pull_selves(const RealSide& side, Range i, const double* v, const EdgeGradient& to) const override {
    for (Index a = 0; a < i.size(); ++a) {
      if (side.sparse) {
        add_sparse_row(2 * v[a], sparse_row(side, i.begin + a), to.gx.row(a));
      } else {
        simd::add_scaled(2 * v[a], side.dense.row(i.begin + a), at(to.gx.cols()), to.gx.row(a));
      }
    }
  }

 private:
  std::string who_;
};

// ---- folds over columns: |x - y|_1, prod min(x_k, y_k), prod (1 + x_k y_k), the share of equal columns, chi^2 ----

// What most folds are: read from dense rows, and the sum or product itself.
struct PlainFold {
  static constexpr bool sparse = false;  // whether of_sparse(a, b, d) knows the same of sparse rows
  static constexpr bool mean = false;    // over the columns
};

struct AbsoluteDifference : PlainFold {
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

struct MinFactor : PlainFold {
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

struct MultilinearFactor : PlainFold {
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

struct EqualColumns {
  static constexpr bool sparse = true, mean = true;
  static constexpr auto pairing = simd::Pairing::equal_columns;
  static double self(const double*, Index d) { return static_cast<double>(d); }
  static double of_sparse(SparseRow a, SparseRow b, Index d) {
    Index equal = d;
    for_each_column(a, b, [&](double u, double v) { equal -= u != v ? 1 : 0; });
    return static_cast<double>(equal);
  }
  static void pullback(const double*, const double*, Index, double, double, double*, double*) {}  // flat
};

struct Chi2Difference {
  static constexpr bool sparse = true, mean = false;
  static constexpr auto pairing = simd::Pairing::chi2_distance;
  static double self(const double*, Index) { return 0; }
  static double of_sparse(SparseRow a, SparseRow b, Index) {
    double total = 0;
    for_each_column(a, b, [&](double u, double v) { total += u + v > 0 ? (u - v) * ((u - v) / (u + v)) : 0; });
    return total;
  }
  static void pullback(const double* x, const double* y, Index d, double v, double, double* gx, double* gy) {
    for (Index k = 0; k < d; ++k) {
      const double sum = x[k] + y[k];
      if (!(sum > 0)) continue;
      const double share = (x[k] - y[k]) / sum;
      gx[k] += v * share * (2 - share);
      gy[k] -= v * share * (2 + share);
    }
  }
};

template <class Fold>
class ColumnFold final : public EdgeOn<RealSide> {
 public:
  explicit ColumnFold(std::string who) : who_(std::move(who)) {}

  Sides prepare(const PointsPair& points) const override {
    return prepare_sides(points, who_, Fold::sparse, [](RealSide& side, const RealSide&) { pack_plain(side); });
  }
  void pairs(const RealSide& x, const RealSide& y, Range i, Range j, MatrixRef out, Scratch&) const override {
    if constexpr (Fold::sparse) {
      if (x.sparse) {
        for (Index a = 0; a < i.size(); ++a) {
          const SparseRow row = sparse_row(x, i.begin + a);
          for (Index b = 0; b < j.size(); ++b) out(a, b) = Fold::of_sparse(row, sparse_row(y, j.begin + b), x.cols);
        }
      }
    }
    if (!x.sparse) packed_tile(Fold::pairing, x, y, i, j, out);
    if constexpr (Fold::mean) {
      for (Index a = 0; a < i.size(); ++a) {
        for (Index b = 0; b < j.size(); ++b) out(a, b) = mean(out(a, b), x.cols);
      }
    }
  }
  void selves(const RealSide& side, Range i, double* out) const override {
    for (Index a = 0; a < i.size(); ++a) {
      if constexpr (Fold::sparse) {
        out[a] = Fold::self(nullptr, side.cols);  // the same for all
        if constexpr (Fold::mean) out[a] = mean(out[a], side.cols);
      } else {  // by the loop of the pairs, for the same bits: it may round once where this file would twice
        const Range one{i.begin + a, i.begin + a + 1};
        packed_tile(Fold::pairing, side, side, one, one, {out + a, 1, 1});
      }
    }
  }
  void pull_pairs(const RealSide& x, const RealSide& y, Range i, Range j, MatrixView v, const EdgeGradient& to,
                  Scratch& scratch) const override {
    clear(to.gx);
    clear(to.gy);
    if constexpr (Fold::mean) return;
    scratch.panel.resize(at(i.size() * j.size()));
    const MatrixRef values(scratch.panel.data(), i.size(), j.size());
    if (!x.sparse) packed_tile(Fold::pairing, x, y, i, j, values);
    Vector room_x(at(x.cols)), room_y(at(y.cols));
    for (Index a = 0; a < i.size(); ++a) {
      const double* from = dense_row(x, i.begin + a, room_x);
      for (Index b = 0; b < j.size(); ++b) {
        Fold::pullback(from, dense_row(y, j.begin + b, room_y), x.cols, v(a, b), values(a, b), to.gx.row(a),
                       to.gy.row(b));
      }
    }
  }
  void pull_selves(const RealSide& side, Range i, const double* v, const EdgeGradient& to) const override {
    if constexpr (Fold::sparse) return;  // k(x, x) is constant
    for (Index a = 0; a < i.size(); ++a) {
      const double* row = side.dense.row(i.begin + a);
      Fold::pullback(row, row, side.cols, v[a], Fold::self(row, side.cols), to.gx.row(a), to.gx.row(a));
    }
  }

 private:
  static double mean(double total, Index cols) { return cols == 0 ? 1 : total / static_cast<double>(cols); }
  std::string who_;
};

// ---- any function of two points, on somebody's word ----

class FunctionEdge final : public EdgeOn<RealSide> {
 public:
  FunctionEdge(std::string who, Similarity s) : who_(std::move(who)), similarity_(std::move(s)) {}

  // An asymmetric function would show in one of these pairs; those of a whole matrix are all looked at.
  Sides prepare(const PointsPair& points) const override {
    Sides sides = prepare_sides(points, who_, false, [](RealSide&, const RealSide&) {});
    const auto& x = static_cast<const RealSide&>(*sides.x);
    constexpr Index kSome = 12;
    const Index count = std::min(kSome, x.rows);
    for (Index a = 0; a < count; ++a) {
      for (Index b = 0; b < a; ++b) symmetric_value(x, a * x.rows / count, b * x.rows / count);
    }
    return sides;
  }
  void pairs(const RealSide& x, const RealSide& y, Range i, Range j, MatrixRef out, Scratch&) const override {
    for (Index a = 0; a < i.size(); ++a) {
      for (Index b = 0; b < j.size(); ++b) {
        out(a, b) = &x == &y ? symmetric_value(x, i.begin + a, j.begin + b) : value(x, i.begin + a, y, j.begin + b);
      }
    }
  }
  void selves(const RealSide& side, Range i, double* out) const override {
    for (Index a = 0; a < i.size(); ++a) out[a] = value(side, i.begin + a, side, i.begin + a);
  }
  void pull_pairs(const RealSide&, const RealSide&, Range, Range, MatrixView, const EdgeGradient&,
                  Scratch&) const override {
    refuse();
  }
  void pull_selves(const RealSide&, Range, const double*, const EdgeGradient&) const override { refuse(); }

 private:
  double value(const RealSide& x, Index i, const RealSide& y, Index j) const {
    const double k = similarity_({x.dense.row(i), at(x.cols)}, {y.dense.row(j), at(y.cols)});
    if (!std::isfinite(k)) fail(ErrorKind::numeric, "{}: the value at rows {} and {} is {}", who_, i + 1, j + 1, k);
    return k;
  }
  double symmetric_value(const RealSide& x, Index i, Index j) const {
    const double k = value(x, i, x, j);
    if (i == j) return k;
    const double turned = value(x, j, x, i);
    if (std::abs(k - turned) <= kRounding * std::max(std::abs(k), std::abs(turned))) return k;
    // Terms that cancel leave the rounding of numbers as large as the diagonal's.
    const double size = std::sqrt(std::abs(value(x, i, x, i) * value(x, j, x, j)));
    if (std::abs(k - turned) <= kRounding * size) return k;
    fail(ErrorKind::kernel, "{}: not symmetric: {} at rows {} and {}, {} the other way round; no kernel is that", who_,
         k, i + 1, j + 1, turned);
  }
  static constexpr double kRounding = 1e-9;
  [[noreturn]] void refuse() const {
    fail(ErrorKind::usage, "{}: an assumed kernel has no gradient with respect to the inputs", who_);
  }
  std::string who_;
  Similarity similarity_;
};

}  // namespace

std::shared_ptr<const Edge> squared_distance_edge(const std::string& who) {
  return std::make_shared<SquaredDistance>(who, false);
}
std::shared_ptr<const Edge> wide_distance_edge(const std::string& who, Tail tail) {
  return std::make_shared<WideDistance>(who, tail);
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
std::shared_ptr<const Edge> equal_columns_edge(const std::string& who) {
  return std::make_shared<ColumnFold<EqualColumns>>(who);
}
std::shared_ptr<const Edge> chi2_edge(const std::string& who) {
  return std::make_shared<ColumnFold<Chi2Difference>>(who);
}
std::shared_ptr<const Edge> function_edge(const std::string& who, const Similarity& s) {
  return std::make_shared<FunctionEdge>(who, s);
}

}  // namespace mercer::detail
