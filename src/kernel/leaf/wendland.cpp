// wendland: piecewise polynomials of the distance that are 0 beyond ell.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "base/at.hpp"
#include "kernel/leaves.hpp"
#include "kernel/program_parts.hpp"
#include "kernel/side.hpp"

namespace mercer::detail {

namespace {

// (1 - r)^m p(r) for points of so many columns.
class Wendland {
 public:
  Wendland(int k, Index columns) {
    const double j = static_cast<double>(columns / 2) + k + 1;
    m_ = j + k;
    switch (k) {
      case 0: p_ = {1}; break;
      case 1: p_ = {1, j + 1}; break;
      case 2: p_ = {1, j + 2, (j + 1) * (j + 3) / 3}; break;
      default: p_ = {1, j + 3, (6 * j * j + 36 * j + 45) / 15, (j + 1) * (j + 3) * (j + 5) / 15}; break;
    }
  }
  double at(double r) const { return r < 1 ? std::pow(1 - r, m_) * p(r) : 0; }
  double slope(double r) const {
    return r < 1 ? std::pow(1 - r, m_ - 1) * ((1 - r) * (p_[1] + r * (2 * p_[2] + r * 3 * p_[3])) - m_ * p(r)) : 0;
  }

 private:
  double p(double r) const { return p_[0] + r * (p_[1] + r * (p_[2] + r * p_[3])); }

  double m_;
  std::array<double, 4> p_{};
};

class WendlandEdge final : public EdgeOn<RealSide> {
 public:
  WendlandEdge(int k, std::optional<ParamRef> ell) : k_(k), ell_(ell), unit_(ell ? ell->value : 1) {}

  bool has_parameters() const override { return ell_.has_value(); }
  Sides prepare(const PointsPair& points) const override {
    return prepare_sides(points, "wendland()", false, [](RealSide& side, const RealSide&) { pack_plain(side); });
  }

 private:
  double distance(const double* x, const double* y, Index columns) const {
    double sum = 0;
    for (Index c = 0; c < columns; ++c) {
      const double u = (x[c] - y[c]) / unit_;  // equal ones stay so where 1 / ell is infinite
      sum += u * u;
    }
    return std::sqrt(sum);
  }
  void pairs(const RealSide& x, const RealSide& y, Range i, Range j, MatrixRef out, Scratch&) const override {
    const Wendland f(k_, x.cols);
    for (Index a = 0; a < i.size(); ++a) {
      for (Index b = 0; b < j.size(); ++b) {
        out(a, b) = f.at(distance(x.dense.row(i.begin + a), y.dense.row(j.begin + b), x.cols));
      }
    }
  }
  void selves(const RealSide&, Range i, double* out) const override { std::fill_n(out, i.size(), 1.0); }

  void pull_pairs(const RealSide& x, const RealSide& y, Range i, Range j, MatrixView v, const EdgeGradient& to,
                  Scratch&) const override {
    const Wendland f(k_, x.cols);
    for (Index a = 0; a < i.size() && !to.gx.empty(); ++a) std::fill_n(to.gx.row(a), to.gx.cols(), 0.0);
    for (Index b = 0; b < j.size() && !to.gy.empty(); ++b) std::fill_n(to.gy.row(b), to.gy.cols(), 0.0);
    double by_r = 0;  // sum of r d value / d r
    for (Index a = 0; a < i.size(); ++a) {
      for (Index b = 0; b < j.size(); ++b) {
        const double *one = x.dense.row(i.begin + a), *other = y.dense.row(j.begin + b);
        const double r = distance(one, other, x.cols);
        if (!(r > 0) || !(r < 1)) continue;  // the distance itself has no slope at equal points
        const double slope = v(a, b) * f.slope(r);
        by_r += slope * r;
        for (Index c = 0; c < x.cols; ++c) {
          const double along = slope / r * ((one[c] - other[c]) / unit_) / unit_;
          if (!to.gx.empty()) to.gx(a, c) += along;
          if (!to.gy.empty()) to.gy(b, c) -= along;
        }
      }
    }
    if (ell_) to.parameters[ell_->at] -= by_r / unit_;
  }
  void pull_selves(const RealSide&, Range, const double*, const EdgeGradient&) const override {}

  int k_;
  std::optional<ParamRef> ell_;  // none: the columns are in units of their own
  double unit_;
};

}  // namespace

Value emit_wendland(const Site& site, Emitter& e) {
  const int k = static_cast<int>(site.node.number("k"));
  const bool list = site.node.param("ell").list;
  const View view = list ? e.scaled_by(site, "ell", site.view) : site.view;
  const std::optional<ParamRef> ell = list ? std::nullopt : std::optional(site.param("ell"));
  return {.factors = {e.edge(view, std::make_shared<WendlandEdge>(k, ell),
                             fmt::format("wendland{}{}", k, ell ? fmt::format(" {}", ell->at) : ""))},
          .bound = 1};
}

}  // namespace mercer::detail
