// rbf, laplace, exponential, matern, rq, periodic, wave, min: functions of the distance, and the Brownian kernel.
#include <fmt/format.h>

#include <cmath>

#include "kernel/leaves.hpp"
#include "kernel/matern_table.hpp"
#include "kernel/program_parts.hpp"

namespace mercer::detail {

namespace {

// factor * c^power, with its slopes: the coefficients of radial leaves are powers of 1/ell.
Coefficient power_of(const Coefficient& c, int power, double factor) {
  Coefficient out{limited(factor * std::pow(c.value, power)), {}};
  for (const Coefficient::Slope& slope : c.slopes) {
    out.slopes.push_back({slope.param, limited(factor * power * std::pow(c.value, power - 1) * slope.value)});
  }
  return out;
}

Value squared_exponential(const Radial& r) {
  return {.exponents = {{r.r2, power_of(r.inverse_ell, 2, -0.5)}}, .bound = r.bound, .one_for_equals = true};
}

}  // namespace

Value emit_rbf(const Site& site, Emitter& e) { return squared_exponential(radial(site, site.view, e)); }

Value emit_exponential(const Site& site, Emitter& e) {
  const Radial r = radial(site, site.view, e);
  return {
      .exponents = {{e.square_root(r.r2), power_of(r.inverse_ell, 1, -1)}}, .bound = r.bound, .one_for_equals = true};
}

// With s = sqrt(2 nu) r / ell: p(s) exp(-s) with a polynomial p for nu = 1/2, 3/2, ..., and else exp(T(s) - s) with T
// from a table.
Value emit_matern(const Site& site, Emitter& e) {
  const double nu = site.node.number("nu");
  const Radial r = radial(site, site.view, e);
  const Slot distance = e.square_root(r.r2);
  const double root = std::sqrt(2 * nu);
  Value value{.exponents = {{distance, power_of(r.inverse_ell, 1, -root)}}, .bound = r.bound, .one_for_equals = true};
  const Vector polynomial = matern_polynomial(nu);
  if (polynomial.empty()) {
    value.exponents.push_back({e.op(matern_op(distance, power_of(r.inverse_ell, 1, root), nu)), {1.0, {}}});
  } else if (polynomial.size() > 1) {
    value.factors = {e.op(scaled_polynomial_op(distance, power_of(r.inverse_ell, 1, root), polynomial))};
  }
  return value;
}

// (1 + b r2)^-alpha = exp(-alpha log(1 + b r2)), b = 1 / (2 alpha ell^2). Its limit for large alpha is rbf, to all
// digits of a double from 1e20 on.
Value emit_rq(const Site& site, Emitter& e) {
  const ParamRef alpha = site.param("alpha");
  if (alpha.value >= 1e20) return squared_exponential(radial(site, site.view, e));
  const Radial r = radial(site, site.view, e, Tail::heavy);
  const Slot logarithm = e.op(rq_logarithm_op(r.r2, r.inverse_ell, alpha));
  return {.exponents = {{logarithm, {-alpha.value, {{alpha.at, -1.0}}}}}, .bound = r.bound, .one_for_equals = true};
}

Value emit_laplace(const Site& site, Emitter& e) {
  const auto distance = [&](View view) { return e.edge(view, absolute_distance_edge("laplace()"), "l1"); };
  if (site.node.param("ell").list) {
    return {
        .exponents = {{distance(e.scaled_by(site, "ell", site.view)), {-1.0, {}}}}, .bound = 1, .one_for_equals = true};
  }
  const InUnits units = in_units_of_ell(site, site.view, e);
  return {
      .exponents = {{distance(units.view), power_of(units.inverse_ell, 1, -1)}}, .bound = 1, .one_for_equals = true};
}

// With z = (cos, sin)(2 pi x / period) per column, |z - z'|^2 = 4 sum_k sin^2(pi (x_k - x'_k) / period):
// an rbf on circles.
Value emit_periodic(const Site& site, Emitter& e) {
  const ParamRef period = site.param("period");
  const View circle = e.through(site.view, circle_step(period.at, period.value), fmt::format("circle{}", period.at));
  return squared_exponential(radial(site, circle, e));
}

// z.z' of the same circles.
Value emit_wave(const Site& site, Emitter& e) {
  const ParamRef period = site.param("period");
  const View circle = e.through(site.view, circle_step(period.at, period.value), fmt::format("circle{}", period.at));
  return {.factors = {e.dot(circle, "wave()")}};
}

Value emit_min(const Site& site, Emitter& e) {
  const View checked = e.through(site.view, nonnegative_step("min()"), "nonnegative");
  return {.factors = {e.edge(checked, min_edge("min()"), "min")}};
}

}  // namespace mercer::detail
