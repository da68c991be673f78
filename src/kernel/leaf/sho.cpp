// sho: the stochastically driven, damped harmonic oscillator.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/at.hpp"
#include "kernel/leaves.hpp"
#include "kernel/oscillation.hpp"
#include "kernel/program_parts.hpp"
#include "kernel/side.hpp"

namespace mercer::detail {

Oscillation oscillation(double d, double u) {
  const double square = (1 - d) * (1 + d), z = square * u * u;
  Oscillation out;
  double by_square = 0;      // of S, in s^2
  if (std::abs(z) < 1e-2) {  // both branches meet here
    const double e = std::exp(-d * u);
    out.c = e * (1 - z / 2 * (1 - z / 12 * (1 - z / 30 * (1 - z / 56 * (1 - z / 90)))));
    out.S = e * u * (1 - z / 6 * (1 - z / 20 * (1 - z / 42 * (1 - z / 72 * (1 - z / 110)))));
    by_square = -e * u * u * u / 6 * (1 - z / 10 * (1 - z / 28 * (1 - z / 54 * (1 - z / 88))));
  } else {
    const double s = std::sqrt(std::abs(square));
    if (square > 0) {
      const double e = std::exp(-d * u);
      if (e == 0) return {.c = 0};
      out.c = e * std::cos(s * u);
      out.S = e * std::sin(s * u) / s;
    } else {
      const double slow = std::exp(-u / (d + s)), fast = std::exp(-u * (d + s));  // (d - s)(d + s) = 1
      if (slow == 0) return {.c = 0};
      out.c = 0.5 * (slow + fast);
      out.S = 0.5 * (slow - fast) / s;
    }
    by_square = (u * out.c - out.S) / (2 * square);
  }
  out.dc = u * (d * out.S - out.c);
  out.dS = -u * out.S - 2 * d * by_square;
  return out;
}

namespace {

// prod_k k(omega |x_k - y_k|)
class ShoEdge final : public EdgeOn<RealSide> {
 public:
  ShoEdge(ParamRef omega, ParamRef q) : omega_(omega), q_(q), damping_(1 / (2 * q.value)) {}

  bool has_parameters() const override { return true; }
  Sides prepare(const PointsPair& points) const override {
    return prepare_sides(points, "sho()", false, [](RealSide& side, const RealSide&) { pack_plain(side); });
  }

 private:
  void pairs(const RealSide& x, const RealSide& y, Range i, Range j, MatrixRef out, Scratch&) const override {
    for (Index a = 0; a < i.size(); ++a) {
      for (Index b = 0; b < j.size(); ++b) {
        const double *one = x.dense.row(i.begin + a), *other = y.dense.row(j.begin + b);
        double value = 1;
        for (Index k = 0; k < x.cols; ++k) value *= factor(one[k] - other[k]).value(damping_);
        out(a, b) = value;
      }
    }
  }
  void selves(const RealSide&, Range i, double* out) const override { std::fill_n(out, i.size(), 1.0); }

  void pull_pairs(const RealSide& x, const RealSide& y, Range i, Range j, MatrixView v, const EdgeGradient& to,
                  Scratch&) const override {
    for (Index a = 0; a < i.size() && !to.gx.empty(); ++a) std::fill_n(to.gx.row(a), to.gx.cols(), 0.0);
    for (Index b = 0; b < j.size() && !to.gy.empty(); ++b) std::fill_n(to.gy.row(b), to.gy.cols(), 0.0);
    std::vector<Oscillation> factors(at(x.cols));
    double by_omega = 0, by_damping = 0;
    for (Index a = 0; a < i.size(); ++a) {
      for (Index b = 0; b < j.size(); ++b) {
        if (v(a, b) == 0) continue;
        const double *one = x.dense.row(i.begin + a), *other = y.dense.row(j.begin + b);
        for (Index k = 0; k < x.cols; ++k) factors[at(k)] = factor(one[k] - other[k]);
        for (Index k = 0; k < x.cols; ++k) {
          double others = v(a, b);
          for (Index l = 0; l < x.cols; ++l) {
            if (l != k) others *= factors[at(l)].value(damping_);
          }
          const double difference = one[k] - other[k], by_time = others * factors[at(k)].by_time();
          by_omega += by_time * std::abs(difference);
          by_damping += others * factors[at(k)].by_damping(damping_);
          const double slope = by_time * omega_.value * (difference < 0 ? -1 : 1);  // 0 where they are equal
          if (!to.gx.empty()) to.gx(a, k) += slope;
          if (!to.gy.empty()) to.gy(b, k) -= slope;
        }
      }
    }
    to.parameters[omega_.at] += by_omega;
    to.parameters[q_.at] -= by_damping / (2 * q_.value * q_.value);
  }
  void pull_selves(const RealSide&, Range, const double*, const EdgeGradient&) const override {}

  Oscillation factor(double difference) const { return oscillation(damping_, omega_.value * std::abs(difference)); }

  ParamRef omega_, q_;
  double damping_;
};

}  // namespace

Value emit_sho(const Site& site, Emitter& e) {
  const ParamRef omega = site.param("omega"), q = site.param("q");
  return {.factors = {e.edge(site.view, std::make_shared<ShoEdge>(omega, q), fmt::format("sho{}", omega.at))},
          .bound = 1};
}

}  // namespace mercer::detail
