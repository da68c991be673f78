// rbf, laplace, exponential, matern, rq, periodic, min: functions of the distance, and the Brownian kernel.
#include <fmt/format.h>

#include <cmath>

#include "kernel/leaves.hpp"
#include "kernel/program_parts.hpp"

namespace mercer::detail {

namespace {

// factor * c^power, with its slopes: the coefficients of radial leaves are powers of 1/ell.
Coefficient power_of(const Coefficient& c, int power, double factor) {
  Coefficient out{factor * std::pow(c.value, power), {}};
  for (const Coefficient::Slope& slope : c.slopes) {
    out.slopes.push_back({slope.param, factor * power * std::pow(c.value, power - 1) * slope.value});
  }
  return out;
}

}  // namespace

Value emit_rbf(const Site& site, Emitter& e) {
  const Radial r = radial(site, e);
  return {.exponents = {{r.r2, power_of(r.inverse_ell, 2, -0.5)}}};
}

Value emit_exponential(const Site& site, Emitter& e) {
  const Radial r = radial(site, e);
  return {.exponents = {{e.square_root(r.r2), power_of(r.inverse_ell, 1, -1)}}};
}

// With s = sqrt(2 nu) r / ell: exp(-s), (1 + s) exp(-s), (1 + s + s^2/3) exp(-s) for nu = 1/2, 3/2, 5/2.
Value emit_matern(const Site& site, Emitter& e) {
  const double nu = site.node.number("nu");
  const Radial r = radial(site, e);
  const Slot distance = e.square_root(r.r2);
  const double root = std::sqrt(2 * nu);
  Value value{.exponents = {{distance, power_of(r.inverse_ell, 1, -root)}}};
  if (nu > 0.5) {
    std::vector<Coefficient> polynomial{{1.0, {}}, power_of(r.inverse_ell, 1, root)};
    if (nu > 1.5) polynomial.push_back(power_of(r.inverse_ell, 2, root * root / 3));
    value.factors = {e.op(polynomial_op(distance, std::move(polynomial)))};
  }
  return value;
}

// (1 + b r2)^-alpha = exp(-alpha log(1 + b r2)), b = 1 / (2 alpha ell^2).
Value emit_rq(const Site& site, Emitter& e) {
  const Radial r = radial(site, e);
  const ParamRef alpha = site.param("alpha");
  Coefficient b = power_of(r.inverse_ell, 2, 0.5 / alpha.value);
  b.slopes.push_back({alpha.at, -b.value / alpha.value});
  const Slot logarithm = e.op(log1p_op(r.r2, std::move(b)));
  return {.exponents = {{logarithm, {-alpha.value, {{alpha.at, -1.0}}}}}};
}

Value emit_laplace(const Site& site, Emitter& e) {
  if (site.node.param("ell").list) {
    const View scaled = e.scaled_by(site, "ell", site.view);
    return {.exponents = {{e.edge(scaled, absolute_distance_edge("laplace()"), "l1"), {-1.0, {}}}}};
  }
  const ParamRef ell = site.param("ell");
  const Slot distance = e.edge(site.view, absolute_distance_edge("laplace()"), "l1");
  return {.exponents = {{distance, {-1 / ell.value, {{ell.at, 1 / (ell.value * ell.value)}}}}}};
}

// With z = (cos, sin)(2 pi x / period) per column, |z - z'|^2 = 4 sum_k sin^2(pi (x_k - x'_k) / period):
// an rbf on circles.
Value emit_periodic(const Site& site, Emitter& e) {
  const ParamRef period = site.param("period"), ell = site.param("ell");
  const View circle = e.through(site.view, circle_step(period.at, period.value), fmt::format("circle{}", period.at));
  const Coefficient inverse_ell{1 / ell.value, {{ell.at, -1 / (ell.value * ell.value)}}};
  return {.exponents = {{e.squared_distance(circle, "periodic()"), power_of(inverse_ell, 2, -0.5)}}};
}

Value emit_min(const Site& site, Emitter& e) {
  const View checked = e.through(site.view, nonnegative_step("min()"), "nonnegative");
  return {.factors = {e.edge(checked, min_edge("min()"), "min")}};
}

}  // namespace mercer::detail
