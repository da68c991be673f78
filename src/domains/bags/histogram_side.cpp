// Histograms under probability products: sum_k p_k^rho q_k^rho, an inner product of powers.
#include <cmath>

#include "base/at.hpp"
#include "base/fail.hpp"
#include "domains/bags/distribution_side.hpp"
#include "points/rep.hpp"
#include "simd/log_of_zero.hpp"

namespace mercer::detail {

namespace {

struct HistogramSide final : DistributionSide {
  std::shared_ptr<const Side> select(std::span<const Index> which) const override {
    auto out = std::make_shared<HistogramSide>();
    out->rows = static_cast<Index>(which.size());
    out->dots = dots;
    out->powers = powers->select(which);
    out->slopes = slopes->select(which);
    return out;
  }

  void logs(const ProbabilityProduct&, const DistributionSide& other, Range i, Range j, MatrixRef out,
            Scratch& scratch) const override {
    dots->tile(*powers, *static_cast<const HistogramSide&>(other).powers, i, j, out, scratch);
    for (Index a = 0; a < out.rows(); ++a) {
      for (Index b = 0; b < out.cols(); ++b) out(a, b) = logarithm(out(a, b));
    }
  }

  void self_logs(const ProbabilityProduct&, Range i, double* out) const override {
    dots->diagonal(*powers, i, out);
    for (Index a = 0; a < i.size(); ++a) out[a] = logarithm(out[a]);
  }

  // d/d rho of sum_k (p_k q_k)^rho is sum_k (p_k q_k)^rho (log p_k + log q_k).
  void pull(const ProbabilityProduct& product, const DistributionSide& other, Range i, Range j, MatrixView v,
            double* parameters, Scratch& scratch) const override {
    if (product.rho_at < 0) return;
    const auto& y = static_cast<const HistogramSide&>(other);
    Matrix value(i.size(), j.size()), of_x(i.size(), j.size()), of_y(i.size(), j.size());
    dots->tile(*powers, *y.powers, i, j, value, scratch);
    dots->tile(*slopes, *y.powers, i, j, of_x, scratch);
    dots->tile(*powers, *y.slopes, i, j, of_y, scratch);
    for (Index a = 0; a < value.rows(); ++a) {
      for (Index b = 0; b < value.cols(); ++b) {
        if (value(a, b) > 0) parameters[product.rho_at] += v(a, b) * (of_x(a, b) + of_y(a, b)) / value(a, b);
      }
    }
  }

  void pull_selves(const ProbabilityProduct& product, Range i, const double* v, double* parameters) const override {
    Scratch scratch;
    for (Index a = i.begin; a < i.end; ++a) {
      const MatrixView one(v + a - i.begin, 1, 1);
      pull(product, *this, {a, a + 1}, {a, a + 1}, one, parameters, scratch);
    }
  }

  static double logarithm(double value) { return value > 0 ? std::log(value) : simd::kLogOfZero; }

  std::shared_ptr<const Edge> dots;
  std::shared_ptr<const Side> powers, slopes;  // p^rho and p^rho log p
};

// f(x_k / sum of the row) for all entries that are not 0.
template <class F>
Points of_shares(const Points& x, F f) {
  const auto row = [&](double* first, double* last) {
    double sum = 0;
    for (const double* at = first; at != last; ++at) sum += *at;
    for (double* at = first; at != last; ++at) *at = *at > 0 ? f(*at / sum) : 0;
  };
  if (const SparseMatrix* sparse = sparse_rows(x)) {
    SparseMatrix out = *sparse;
    for (Index i = 0; i < out.rows; ++i) {
      row(out.values.data() + out.offsets[at(i)], out.values.data() + out.offsets[at(i) + 1]);
    }
    return rows(std::move(out));
  }
  Matrix out(dense_rows(x).values);
  for (Index i = 0; i < out.rows(); ++i) row(out.row(i), out.row(i) + out.cols());
  return rows(std::move(out));
}

template <class F>
PointsPair of_shares(const PointsPair& points, F f) {
  const Points x = of_shares(points.x, f);
  return {x, points.same() ? x : of_shares(points.y, f)};
}

}  // namespace

Sides histogram_sides(const ProbabilityProduct& product, const PointsPair& points) {
  if (product.ridge != 0) {
    fail(ErrorKind::domain, "{}: ridge is added to covariances, and the inputs are histograms; leave it out",
         product.who);
  }
  const PointsPair counts = nonnegative_step(product.who)->apply(points);
  const double rho = product.rho;
  const auto dots = dot_edge(product.who);
  const Sides powers = dots->prepare(of_shares(counts, [rho](double p) { return std::pow(p, rho); }));
  const Sides slopes = dots->prepare(of_shares(counts, [rho](double p) { return std::pow(p, rho) * std::log(p); }));
  const auto side = [&](const std::shared_ptr<const Side>& power, const std::shared_ptr<const Side>& slope) {
    auto out = std::make_shared<HistogramSide>();
    out->rows = power->rows;
    out->dots = dots;
    out->powers = power;
    out->slopes = slope;
    return out;
  };
  const auto x = side(powers.x, slopes.x);
  return {x, points.same() ? x : side(powers.y, slopes.y)};
}

}  // namespace mercer::detail
