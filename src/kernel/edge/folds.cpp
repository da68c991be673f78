// Folds over columns: |x - y|_1, prod min(x_k, y_k), prod (1 + x_k y_k), the share of equal columns, chi^2.
#include <algorithm>

#include "base/at.hpp"
#include "kernel/edge/rows.hpp"

namespace mercer::detail {

namespace {

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

}  // namespace

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

}  // namespace mercer::detail
