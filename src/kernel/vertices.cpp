// Numbers of one point: its norm, a weight f(x).
#include <cmath>

#include "base/fail.hpp"
#include "kernel/maps.hpp"
#include "kernel/program_parts.hpp"
#include "points/rep.hpp"
#include "simd/loops.hpp"

namespace mercer::detail {

namespace {

class NormVertex final : public Vertex {
 public:
  explicit NormVertex(std::string who) : who_(std::move(who)) {}
  Vector values(const Points& x) const override { return row_norms(require_reals(x, who_)); }
  void pullback(const Points& x, const Vector& values, Range range, const double* v, MatrixRef g) const override {
    const DenseRows rows = dense_rows(x.slice(range));
    for (Index i = 0; i < range.size(); ++i) {
      const double norm = values[static_cast<std::size_t>(range.begin + i)];
      if (norm == 0) continue;
      for (Index k = 0; k < g.cols(); ++k) g(i, k) += v[i] * rows.values(i, k) / norm;
    }
  }

 private:
  std::string who_;
};

class SquaredNormVertex final : public Vertex {
 public:
  explicit SquaredNormVertex(std::string who) : who_(std::move(who)) {}
  Vector values(const Points& points) const override {
    const Points x = require_reals(points, who_);
    Vector out(static_cast<std::size_t>(x.size()));
    if (const SparseMatrix* sparse = sparse_rows(x)) {
      for (std::size_t i = 0; i < out.size(); ++i) {
        const double* row = sparse->values.data() + sparse->offsets[i];
        out[i] = simd::dot(row, row, static_cast<std::size_t>(sparse->offsets[i + 1] - sparse->offsets[i]));
      }
      return out;
    }
    const DenseRows rows = dense_rows(x);
    for (std::size_t i = 0; i < out.size(); ++i) {
      const double* row = rows.values.row(static_cast<Index>(i));
      out[i] = simd::dot(row, row, static_cast<std::size_t>(rows.values.cols()));
    }
    return out;
  }
  void pullback(const Points& x, const Vector&, Range range, const double* v, MatrixRef g) const override {
    const DenseRows rows = dense_rows(x.slice(range));
    for (Index i = 0; i < range.size(); ++i) {
      for (Index k = 0; k < g.cols(); ++k) g(i, k) += 2 * v[i] * rows.values(i, k);
    }
  }

 private:
  std::string who_;
};

class WeightVertex final : public Vertex {
 public:
  explicit WeightVertex(NamedWeight weight) : weight_(std::move(weight)) {}

  Vector values(const Points& points) const override {
    const std::string who = fmt::format("scaled({}, ...)", weight_.name);
    const DenseRows x = dense_rows(require_reals(points, who));
    const ElementMap* map = weight_.custom ? nullptr : find_map(weight_.name);
    if (map != nullptr && x.values.cols() != 1) {
      fail(ErrorKind::domain,
           "{}: {} is a function of one number, the inputs have {} columns; "
           "put it on one: on(COLUMN, scaled({}, ...))",
           who, weight_.name, x.values.cols(), weight_.name);
    }
    Vector out;
    for (Index i = 0; i < x.values.rows(); ++i) {
      const VectorView row(x.values.row(i), static_cast<std::size_t>(x.values.cols()));
      if (map != nullptr && !map->defined(row[0])) {
        fail(ErrorKind::domain, "{}: needs {}; row {}, {} is {}", who, map->needs, i + 1,
             describe_column(points.column_names(), 0), row[0]);
      }
      const double value = weight_.custom   ? weight_.custom->apply(row)
                           : map != nullptr ? map->value(row[0])
                                            : find_weight(weight_.name)->value(row);
      if (!std::isfinite(value)) fail(ErrorKind::numeric, "{}: the weight of row {} is {}", who, i + 1, value);
      out.push_back(value);
    }
    return out;
  }

  void pullback(const Points& points, const Vector&, Range range, const double* v, MatrixRef g) const override {
    const DenseRows x = dense_rows(points.slice(range));
    const ElementMap* map = weight_.custom ? nullptr : find_map(weight_.name);
    if (weight_.custom && !weight_.custom->gradient) {
      fail(ErrorKind::usage, "scaled({}): gradients with respect to the inputs need WeightFunction::gradient",
           weight_.name);
    }
    Vector slope(static_cast<std::size_t>(g.cols()));
    for (Index i = 0; i < range.size(); ++i) {
      const VectorView row(x.values.row(i), slope.size());
      if (weight_.custom) {
        slope = weight_.custom->gradient(row);
      } else if (map != nullptr) {
        slope[0] = map->slope(row[0]);
      } else {
        find_weight(weight_.name)->gradient(row, slope);
      }
      for (Index k = 0; k < g.cols(); ++k) g(i, k) += v[i] * slope[static_cast<std::size_t>(k)];
    }
  }

 private:
  NamedWeight weight_;
};

}  // namespace

std::shared_ptr<const Vertex> norm_vertex(const std::string& who) { return std::make_shared<NormVertex>(who); }
std::shared_ptr<const Vertex> squared_norm_vertex(const std::string& who) {
  return std::make_shared<SquaredNormVertex>(who);
}
std::shared_ptr<const Vertex> weight_vertex(const NamedWeight& weight) {
  return std::make_shared<WeightVertex>(weight);
}

}  // namespace mercer::detail
