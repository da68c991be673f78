// How the closure rules compute: each turns the values of its premises into its own.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "kernel/leaves.hpp"
#include "kernel/print.hpp"
#include "kernel/program_parts.hpp"

namespace mercer::detail {

Value emit_sum(const Site& site, Emitter& e) {
  std::vector<Value> terms;
  double bound = 0;
  for (std::size_t c = 0; c < site.node.children.size(); ++c) {
    terms.push_back(e.premise(site, c, site.view));
    bound += terms.back().bound;
  }
  return {.factors = {e.sum_of(std::move(terms))}, .bound = bound};
}

Value emit_product(const Site& site, Emitter& e) {
  Value value{.bound = 1, .one_for_equals = true};
  for (std::size_t c = 0; c < site.node.children.size(); ++c) {
    value = product(std::move(value), e.premise(site, c, site.view));
  }
  return value;
}

Value emit_scale(const Site& site, Emitter& e) {
  Value value = e.premise(site, 0, site.view);
  value.scales.push_back(site.param("scale"));
  value.bound *= site.param("scale").value;
  return value;
}

Value emit_power(const Site& site, Emitter& e) {
  const double degree = site.node.number("degree");
  Value value = e.premise(site, 0, site.view);
  if (value.factors.empty() && value.scales.empty()) {  // a pure exponential: (e^a)^n = e^(n a)
    for (Value::Exponent& exponent : value.exponents) {
      exponent.coefficient.value *= degree;
      for (Coefficient::Slope& slope : exponent.coefficient.slopes) slope.value *= degree;
    }
    value.bound = std::pow(value.bound, degree);
    return value;
  }
  return {.factors = {e.op(power_op(e.slot_of(value), {0.0, {}}, static_cast<int>(degree)))},
          .bound = std::pow(value.bound, degree)};
}

Value emit_exp(const Site& site, Emitter& e) {
  const Value premise = e.premise(site, 0, site.view);
  return {.exponents = {{e.slot_of(premise), {1.0, {}}}}, .bound = std::exp(premise.bound)};
}

Value emit_polynomial(const Site& site, Emitter& e) {
  std::vector<Coefficient> coefficients;
  Index at = site.param_at("coefficients");
  for (const double value : site.node.param("coefficients").values) coefficients.push_back({value, {{at++, 1.0}}});
  return {.factors = {e.op(polynomial_op(e.slot_of(e.premise(site, 0, site.view)), std::move(coefficients)))}};
}

// A pure exponential, whatever stands in front of it, is normalised among its exponents: no k(x,x) overflows there.
Value emit_normalize(const Site& site, Emitter& e) {
  Value premise = e.premise(site, 0, site.view);
  const bool positive = std::all_of(premise.scales.begin(), premise.scales.end(), [](auto& p) { return p.value > 0; });
  if (premise.factors.empty() && positive && !premise.exponents.empty()) {
    Value value{.exponents = premise.exponents, .bound = 1};
    for (const Value::Exponent& exponent : premise.exponents) {
      value.exponents.push_back({e.sum_of(e.of_diagonal(exponent.slot, OfDiagonal::minus_half)), exponent.coefficient});
    }
    return value;
  }
  const Slot k = e.slot_of(premise);
  return {.factors = {k, e.product_of(e.of_diagonal(k, OfDiagonal::inverse_root))}};
}

Value emit_rbf_of(const Site& site, Emitter& e) {
  const Slot squared = e.feature_distance(e.premise(site, 0, site.view));
  const ParamRef ell = site.param("ell");
  const double factor = limited(-0.5 / (ell.value * ell.value));
  return {.exponents = {{squared, {factor, {{ell.at, limited(-2 * factor / ell.value)}}}}},
          .bound = 1,
          .one_for_equals = true};
}

Value emit_scaled(const Site& site, Emitter& e) {
  const auto& weight = std::get<NamedWeight>(site.node.option("f"));
  const std::string key = fmt::format("weight{}{}", weight.name, fmt::ptr(weight.custom.get()));
  const Emitter::Ends f = e.vertex(site.view, weight_vertex(weight), key);
  return product({.factors = {e.product_of(f)}}, e.premise(site, 0, site.view));
}

Value emit_warp(const Site& site, Emitter& e) {
  const auto& map = std::get<NamedMap>(site.node.option("phi"));
  const std::string key = fmt::format("map{}{}", map.name, fmt::ptr(map.custom.get()));
  return e.premise(site, 0, e.through(site.view, map_step(map), key));
}

Value emit_on(const Site& site, Emitter& e) {
  const auto& columns = std::get<Columns>(site.node.option("columns"));
  return e.premise(site, 0, e.through(site.view, columns_step(columns), "on" + columns.str()));
}

// What on() asks of its columns is met when it meets the data.
Domain on_domain(const Node&) { return {}; }
Points chosen_columns(const Node& node, const Points& x) {
  return x.columns(std::get<Columns>(node.option("columns")));
}

Domain scaled_domain(const Node& node) { return meet(*node.entry, common_domain(node), {"reals"}); }

// A map of the user's may lead to another number of columns.
Domain warp_domain(const Node& node) {
  const Domain domain = meet(*node.entry, common_domain(node), {"reals"});
  return std::get<NamedMap>(node.option("phi")).custom ? Domain{"reals"} : domain;
}
Points warped(const Node& node, const Points& x) {
  return map_step(std::get<NamedMap>(node.option("phi")))->apply({x, x}).x;
}

Value emit_inner_product(const Site& site, Emitter& e) {
  const std::string text = print(site.node);
  return {.factors = {e.dot(e.through(site.view, site.node.entry->features(site.node), text), text)}};
}

Value emit_assumed(const Site& site, Emitter& e) {
  const auto& similarity = std::get<Similarity>(site.node.option("similarity"));
  const std::string who = fmt::format("assume_psd({})", similarity.str());
  return {
      .factors = {e.edge(site.view, function_edge(who, similarity), fmt::format("function{}", fmt::ptr(&similarity)))}};
}

}  // namespace mercer::detail
