#include <algorithm>
#include <cmath>

#include "base/at.hpp"
#include "base/fail.hpp"
#include "base/parallel.hpp"
#include "base/text.hpp"
#include "kernel/maps.hpp"
#include "kernel/program_parts.hpp"
#include "kernel/tiling.hpp"
#include "linalg/lapack.hpp"
#include "points/rep.hpp"

namespace mercer::detail {

namespace {

// A step that works on one point set at a time.
class Pointwise : public Step {
 public:
  PointsPair apply(const PointsPair& in) const final {
    const Points x = one(in.x);
    return {x, in.same() ? x : one(in.y)};
  }

 private:
  virtual Points one(const Points& x) const = 0;
};

// Scales stored numbers alike for dense and sparse rows: value(row, column, x).
template <class Function>
Points transform(const Points& x, Function value, bool keeps_zero) {
  const SparseMatrix* sparse = sparse_rows(x);
  if (sparse != nullptr && keeps_zero) {
    SparseMatrix out = *sparse;
    for (Index i = 0; i < out.rows; ++i) {
      for (auto at = static_cast<std::size_t>(out.offsets[static_cast<std::size_t>(i)]);
           at < static_cast<std::size_t>(out.offsets[static_cast<std::size_t>(i + 1)]); ++at) {
        out.values[at] = value(i, out.columns[at], out.values[at]);
      }
    }
    return Points(std::make_shared<SparseReals>(std::move(out), x.column_names()));
  }
  const DenseRows in = dense_rows(x);
  Matrix out = Matrix::uninitialized(in.values.rows(), in.values.cols());
  for (Index i = 0; i < out.rows(); ++i) {
    for (Index k = 0; k < out.cols(); ++k) out(i, k) = value(i, k, in.values(i, k));
  }
  return named_like(rows(std::move(out)), x);
}

class ColumnsStep final : public Pointwise {
 public:
  explicit ColumnsStep(const Columns& columns) : columns_(columns) {}
  bool chooses_columns() const override { return true; }
  void pullback(const Points& in, const Points&, Range, MatrixView g, MatrixRef g_in, double*) const override {
    if (g_in.empty()) return;
    const std::vector<Index> taken = in.rep().positions(columns_);
    for (Index i = 0; i < g.rows(); ++i) {
      for (Index k = 0; k < g.cols(); ++k) g_in(i, taken[static_cast<std::size_t>(k)]) += g(i, k);
    }
  }

 private:
  Points one(const Points& x) const override { return x.columns(columns_); }
  Columns columns_;
};

class ElementStep final : public Pointwise {
 public:
  explicit ElementStep(const ElementMap& map) : map_(map) {}
  void pullback(const Points& in, const Points&, Range range, MatrixView g, MatrixRef g_in, double*) const override {
    if (g_in.empty()) return;
    const DenseRows x = dense_rows(in.slice(range));
    for (Index i = 0; i < g.rows(); ++i) {
      for (Index k = 0; k < g.cols(); ++k) g_in(i, k) += g(i, k) * map_.slope(x.values(i, k));
    }
  }

 private:
  Points one(const Points& x) const override {
    const std::string who = fmt::format("warp({}, ...)", map_.name);
    require_reals(x, who);
    const auto value = [&](Index i, Index k, double v) {
      if (!map_.defined(v)) {
        fail(ErrorKind::domain, "{}: needs {}; row {}, {} is {}", who, map_.needs, i + 1,
             describe_column(x.column_names(), k), v);
      }
      return map_.value(v);
    };
    return transform(x, value, map_.defined(0) && map_.value(0) == 0);
  }
  const ElementMap& map_;
};

class MappedStep final : public Pointwise {
 public:
  explicit MappedStep(std::shared_ptr<const FeatureMap> map) : map_(std::move(map)) {}
  void pullback(const Points& in, const Points&, Range range, MatrixView g, MatrixRef g_in, double*) const override {
    if (g_in.empty()) return;
    if (!map_->pullback) {
      fail(ErrorKind::usage, "features({}): gradients with respect to the inputs need FeatureMap::pullback",
           map_->name);
    }
    const DenseRows x = dense_rows(in.slice(range));
    for (Index i = 0; i < g.rows(); ++i) {
      const Vector back = map_->pullback({x.values.row(i), static_cast<std::size_t>(x.values.cols())},
                                         {g.row(i), static_cast<std::size_t>(g.cols())});
      for (Index k = 0; k < g_in.cols(); ++k) g_in(i, k) += back[static_cast<std::size_t>(k)];
    }
  }

 private:
  Points one(const Points& points) const override {
    const DenseRows x = dense_rows(require_reals(points, fmt::format("features({})", map_->name)));
    Matrix out;
    for (Index i = 0; i < x.values.rows(); ++i) {
      const Vector phi = map_->apply({x.values.row(i), static_cast<std::size_t>(x.values.cols())});
      if (i == 0) out = Matrix::uninitialized(x.values.rows(), static_cast<Index>(phi.size()));
      if (static_cast<Index>(phi.size()) != out.cols()) {
        fail(ErrorKind::shape, "features({}): gave {} numbers for row {} and {} before; a feature map has one length",
             map_->name, phi.size(), i + 1, out.cols());
      }
      std::copy(phi.begin(), phi.end(), out.row(i));
    }
    Points mapped = rows(std::move(out));
    require_finite(mapped);
    return mapped;
  }
  std::shared_ptr<const FeatureMap> map_;
};

// What lies farther than this is out of every kernel's reach.
constexpr double kFarthest = 1e150;

// x -> (x - centre) / ell, column by column. Only translation-invariant leaves have a list of ell, and
// for them centring changes nothing but the rounding. Sparse rows are left where they are.
// A column that would reach beyond kFarthest is brought just there instead: what differs in it is far apart either way.
class ScaleStep final : public Step {
 public:
  ScaleStep(std::string who, Index param, Vector ell, Tail tail)
      : who_(std::move(who)), param_(param), ell_(std::move(ell)), tail_(tail) {}
  bool has_parameters() const override { return true; }

  PointsPair apply(const PointsPair& in) const override {
    require_width(in.x);
    require_width(in.y);
    const bool sparse = is_sparse(in.x) || is_sparse(in.y);
    const std::vector<Reach> all = reach(in);
    Vector centre(ell_.size()), divisor = ell_;
    for (std::size_t k = 0; k < ell_.size(); ++k) {
      if (!sparse) centre[k] = all[k].centre();
      const double farthest = std::max(all[k].high - centre[k], centre[k] - all[k].low);
      if (farthest / kFarthest <= ell_[k]) continue;
      divisor[k] = farthest / kFarthest;
      if (tail_ == Tail::light) continue;
      fail(ErrorKind::numeric, "{}: {} reaches {:.3g}, too far to be divided by ell = {:.3g}; give it a larger ell",
           who_, describe_column(in.x.column_names(), static_cast<Index>(k)), farthest, ell_[k]);
    }
    const auto value = [&](Index, Index k, double v) {
      return (v - centre[static_cast<std::size_t>(k)]) / divisor[static_cast<std::size_t>(k)];
    };
    const Points x = transform(in.x, value, sparse);
    return {x, in.same() ? x : transform(in.y, value, sparse)};
  }

  void pullback(const Points&, const Points& out, Range range, MatrixView g, MatrixRef g_in,
                double* parameters) const override {
    const DenseRows z = dense_rows(out.slice(range));
    for (Index i = 0; i < g.rows(); ++i) {
      for (Index k = 0; k < g.cols(); ++k) {
        const double ell = ell_[static_cast<std::size_t>(k)];
        parameters[param_ + k] -= g(i, k) * z.values(i, k) / ell;
        if (!g_in.empty()) g_in(i, k) += g(i, k) / ell;
      }
    }
  }

  bool pull_entries(const Points& out, Range range, VectorView g, double* parameters) const override {
    const SparseMatrix* z = sparse_rows(out);
    if (z == nullptr) return false;
    auto entry = static_cast<std::size_t>(z->offsets[static_cast<std::size_t>(range.begin)]);
    for (const double slope : g) {
      const auto k = static_cast<std::size_t>(z->columns[entry]);
      parameters[param_ + static_cast<Index>(k)] -= slope * z->values[entry++] / ell_[k];
    }
    return true;
  }

 private:
  struct Reach {
    double low = 0, high = 0, sum = 0;
    Index count = 0;
    void add(double v) {
      low = count == 0 ? v : std::min(low, v);
      high = count == 0 ? v : std::max(high, v);
      sum += v;
      ++count;
    }
    // The mean where it is far from 0 beside the spread; elsewhere 0, which keeps all digits of small numbers.
    double centre() const {
      const double mean = count == 0 ? 0 : sum / static_cast<double>(count);
      return std::abs(mean) > high - low ? mean : 0;
    }
  };
  std::vector<Reach> reach(const PointsPair& in) const {
    std::vector<Reach> out(ell_.size());
    for (const Points* points : {&in.x, &in.y}) {
      if (const SparseMatrix* sparse = sparse_rows(*points)) {
        for (std::size_t p = 0; p < sparse->values.size(); ++p) {
          out[static_cast<std::size_t>(sparse->columns[p])].add(sparse->values[p]);
        }
        continue;
      }
      const DenseRows rows = dense_rows(*points);
      for (Index i = 0; i < rows.values.rows(); ++i) {
        for (Index k = 0; k < rows.values.cols(); ++k) out[static_cast<std::size_t>(k)].add(rows.values(i, k));
      }
      if (in.same()) break;
    }
    return out;
  }
  void require_width(const Points& x) const {
    require_reals(x, who_);
    if (x.domain().dimension != static_cast<Index>(ell_.size())) {
      fail(ErrorKind::shape, "{}: ell has {} values, the data have {} columns; give one per column, or a single number",
           who_, ell_.size(), x.domain().dimension);
    }
  }
  std::string who_;
  Index param_;
  Vector ell_;
  Tail tail_;
};

class PowerOfTwoStep final : public Pointwise {
 public:
  explicit PowerOfTwoStep(int exponent) : factor_(std::ldexp(1.0, exponent)) {}
  void pullback(const Points&, const Points&, Range, MatrixView g, MatrixRef g_in, double*) const override {
    if (g_in.empty()) return;
    for (Index i = 0; i < g.rows(); ++i) {
      for (Index k = 0; k < g.cols(); ++k) g_in(i, k) += factor_ * g(i, k);
    }
  }

 private:
  Points one(const Points& x) const override {
    require_reals(x, "a length scale");
    Points out = transform(
        x, [&](Index, Index, double v) { return factor_ * v; }, true);
    out.rep().cached<bool>("finite", [] { return true; });  // though perhaps larger than what is taken from users
    return out;
  }
  double factor_;
};

// x -> (cos, sin)(2 pi x_k / period) for every column k: each column becomes a point on a circle, and
// the periodic kernel of any dimension is an rbf of these points. The remainder of x by the period is exact, however
// far from 0 x is.
class CircleStep final : public Step {
 public:
  CircleStep(Index param, double period) : param_(param), period_(period) {}
  bool has_parameters() const override { return true; }

  PointsPair apply(const PointsPair& in) const override {
    require_same_width(in, "periodic()");
    const Points mapped = wrap(dense_rows(in.x).values);
    return {mapped, in.same() ? mapped : wrap(dense_rows(in.y).values)};
  }

  // With the angle a = 2 pi x / period: da/dx = 2 pi / period, da/dperiod = -2 pi x / period^2.
  void pullback(const Points& in, const Points& out, Range range, MatrixView g, MatrixRef g_in,
                double* parameters) const override {
    const DenseRows x = dense_rows(in.slice(range)), z = dense_rows(out.slice(range));
    const Index d = x.values.cols();
    for (Index i = 0; i < g.rows(); ++i) {
      for (Index k = 0; k < d; ++k) {
        const double along = g(i, d + k) * z.values(i, k) - g(i, k) * z.values(i, d + k);  // dL/d(angle)
        const double rate = 2 * M_PI / period_;
        parameters[param_] -= along * rate * x.values(i, k) / period_;
        if (!g_in.empty()) g_in(i, k) += along * rate;
      }
    }
  }

 private:
  Points wrap(MatrixView x) const {
    const Index d = x.cols();
    Matrix out = Matrix::uninitialized(x.rows(), 2 * d);
    const Tiling parts(x.rows(), 1 + kAngles / std::max<Index>(1, d));
    parallel_for(parts.count(), thread_count(0), {}, "periodic", [&](Index part, int) {
      const Range some = parts.block(part);
      for (Index i = some.begin; i < some.end; ++i) {
        for (Index k = 0; k < d; ++k) {
          const double angle = 2 * M_PI * (remainder_of(x(i, k)) / period_);
          out(i, k) = std::cos(angle);
          out(i, d + k) = std::sin(angle);
        }
      }
    });
    return rows(std::move(out));
  }
  // The remainder of x by the period: std::remainder, which takes as long as the sine, where the number of periods is
  // not an exact double. A fused multiply-add rounds once, what is no larger than x.
  double remainder_of(double x) const {
    const double periods = std::nearbyint(x / period_);
    return std::abs(periods) < 0x1p50 ? std::fma(-periods, period_, x) : std::remainder(x, period_);
  }

  static constexpr Index kAngles = 5000;  // of one piece of parallel work: a tenth of a millisecond

  Index param_;
  double period_;
};

class FactorStep final : public Pointwise {
 public:
  explicit FactorStep(Matrix factor) : factor_(std::move(factor)) {}
  void pullback(const Points&, const Points&, Range, MatrixView g, MatrixRef g_in, double*) const override {
    if (!g_in.empty()) linalg::multiply_transposed(1, g, factor_, 1, g_in);
  }

 private:
  Points one(const Points& points) const override {
    const DenseRows x = dense_rows(require_reals(points, "quadratic()"));
    if (x.values.cols() != factor_.rows()) {
      fail(ErrorKind::shape, "quadratic(): A is {0} x {0}, the data have {1} columns", factor_.rows(), x.values.cols());
    }
    Matrix out(x.values.rows(), factor_.cols());
    linalg::multiply(1, x.values, factor_, 0, out);
    return rows(std::move(out));
  }
  Matrix factor_;
};

class UnitStep final : public Pointwise {
 public:
  explicit UnitStep(std::string who) : who_(std::move(who)) {}
  void pullback(const Points& in, const Points& out, Range range, MatrixView g, MatrixRef g_in,
                double*) const override {
    if (g_in.empty()) return;
    const Vector norms = row_norms(in.slice(range));
    const DenseRows u = dense_rows(out.slice(range));
    for (Index i = 0; i < g.rows(); ++i) {
      const double norm = norms[static_cast<std::size_t>(i)];
      if (norm == 0) continue;
      double along = 0;
      for (Index k = 0; k < g.cols(); ++k) along += g(i, k) * u.values(i, k);
      for (Index k = 0; k < g.cols(); ++k) g_in(i, k) += (g(i, k) - along * u.values(i, k)) / norm;
    }
  }

 private:
  Points one(const Points& x) const override {
    const Vector norms = row_norms(require_reals(x, who_));
    const auto value = [&](Index i, Index, double v) {
      const double norm = norms[static_cast<std::size_t>(i)];
      return norm > 0 ? v / norm : 0;
    };
    return transform(x, value, true);
  }
  std::string who_;
};

class NonnegativeStep final : public Pointwise {
 public:
  explicit NonnegativeStep(std::string who) : who_(std::move(who)) {}
  void pullback(const Points&, const Points&, Range, MatrixView g, MatrixRef g_in, double*) const override {
    if (g_in.empty()) return;
    for (Index i = 0; i < g.rows(); ++i) {
      for (Index k = 0; k < g.cols(); ++k) g_in(i, k) += g(i, k);
    }
  }

 private:
  Points one(const Points& points) const override {
    require_reals(points, who_);
    const auto look = [&](Index i, Index k, double value) {
      if (value >= 0) return;
      fail(ErrorKind::domain, "{}: needs x >= 0; row {}, {} is {}", who_, i + 1,
           describe_column(points.column_names(), k), value);
    };
    if (const SparseMatrix* sparse = sparse_rows(points)) {
      for (Index i = 0; i < sparse->rows; ++i) {
        for (Index p = sparse->offsets[at(i)]; p < sparse->offsets[at(i + 1)]; ++p) {
          look(i, sparse->columns[at(p)], sparse->values[at(p)]);
        }
      }
      return points;
    }
    const DenseRows x = dense_rows(points);
    for (Index i = 0; i < x.values.rows(); ++i) {
      for (Index k = 0; k < x.values.cols(); ++k) look(i, k, x.values(i, k));
    }
    return points;
  }
  std::string who_;
};

}  // namespace

std::shared_ptr<const Step> columns_step(const Columns& columns) { return std::make_shared<ColumnsStep>(columns); }
std::shared_ptr<const Step> map_step(const NamedMap& map) {
  if (map.custom) return std::make_shared<MappedStep>(map.custom);
  return std::make_shared<ElementStep>(*find_map(map.name));
}
std::shared_ptr<const Step> scale_step(const std::string& who, Index param, Vector ell, Tail tail) {
  return std::make_shared<ScaleStep>(who, param, std::move(ell), tail);
}
std::shared_ptr<const Step> power_of_two_step(int exponent) { return std::make_shared<PowerOfTwoStep>(exponent); }
std::shared_ptr<const Step> circle_step(Index param, double period) {
  return std::make_shared<CircleStep>(param, period);
}
std::shared_ptr<const Step> factor_step(Matrix factor) { return std::make_shared<FactorStep>(std::move(factor)); }
std::shared_ptr<const Step> unit_step(const std::string& who) { return std::make_shared<UnitStep>(who); }
std::shared_ptr<const Step> nonnegative_step(const std::string& who) { return std::make_shared<NonnegativeStep>(who); }

}  // namespace mercer::detail
