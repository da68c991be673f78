// |x - y|^2
#include <algorithm>
#include <cmath>
#include <limits>

#include "base/at.hpp"
#include "kernel/edge/rows.hpp"
#include "linalg/lapack.hpp"

namespace mercer::detail {

namespace {

// Up to this many columns, differences are taken directly: more exact than the product form, and not slower.
constexpr Index kDirectColumns = 16;
// A squared distance below this share of |x|^2 + |y|^2 has lost digits to cancellation and is recomputed.
constexpr double kCancellation = 1e-3;

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

class SquaredDistance final : public EdgeOn<RealSide> {
 public:
  SquaredDistance(std::string who, bool two_ended) : who_(std::move(who)), two_ended_(two_ended) {}
  bool two_ended() const { return two_ended_; }

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

}  // namespace

bool is_squared_distance(const Edge& edge) {
  const auto* const plain = dynamic_cast<const SquaredDistance*>(&edge);
  return plain != nullptr ? !plain->two_ended() : dynamic_cast<const WideDistance*>(&edge) != nullptr;
}

std::shared_ptr<const Edge> squared_distance_edge(const std::string& who) {
  return std::make_shared<SquaredDistance>(who, false);
}
std::shared_ptr<const Edge> wide_distance_edge(const std::string& who, Tail tail) {
  return std::make_shared<WideDistance>(who, tail);
}
std::shared_ptr<const Edge> chord_edge(const std::string& who) { return std::make_shared<SquaredDistance>(who, true); }

}  // namespace mercer::detail
