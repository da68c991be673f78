// The distance of feature vectors, |phi(x) - phi(y)|^2, from the values of their kernel.
#include <algorithm>

#include "kernel/emitter.hpp"
#include "kernel/program_parts.hpp"

namespace mercer::detail {

namespace {

bool is_fall(const Value& k) { return k.factors.empty() && !k.exponents.empty() && k.one_for_equals; }

double total_scale(const std::vector<ParamRef>& scales) {
  double out = 1;
  for (const ParamRef& scale : scales) out *= scale.value;
  return out;
}

}  // namespace

void Emitter::add_distances(const Value& k, std::vector<ParamRef> scales, std::vector<Value>& terms) {
  scales.insert(scales.end(), k.scales.begin(), k.scales.end());
  const auto add = [&](Slot squared) { terms.push_back({.scales = scales, .factors = {squared}}); };
  if (k.factors.empty() && k.exponents.empty()) return;  // a constant: all points are one
  if (is_fall(k)) return add(op(fall_op(k.exponents)));
  if (k.factors.size() == 1 && k.exponents.empty()) {
    const Program::SlotSpec& spec = program_.slots[static_cast<std::size_t>(k.factors.front())];
    if (spec.source == Program::SlotSpec::Source::op) {
      const Op& op = *program_.ops[static_cast<std::size_t>(spec.index)];
      if (op.terms() != nullptr) {
        for (const Value& term : std::vector(*op.terms())) add_distances(term, scales, terms);
        return;
      }
    }
    if (const auto dot = dots_.find(k.factors.front()); dot != dots_.end()) {
      return add(squared_distance(dot->second.view, dot->second.who));
    }
  }
  const Slot plain = slot_of({.factors = k.factors, .exponents = k.exponents});
  add(op(feature_distance_op(plain, sum_of(of_diagonal(plain, OfDiagonal::minus_half)))));
}

Slot Emitter::feature_distance(const Value& k) {
  std::vector<Value> terms;
  add_distances(k, {}, terms);
  if (terms.empty()) {
    const Slot constant = slot_of(k);
    return op(feature_distance_op(constant, sum_of(of_diagonal(constant, OfDiagonal::minus_half))));
  }
  if (terms.size() == 1) return slot_of(terms.front());
  return sum_of(std::move(terms));
}

void Emitter::emit_distance(const Value& k) {
  const double scale = total_scale(k.scales);
  if (!is_fall(k) || scale == 0) {
    program_.result = feature_distance(k);
    return;
  }
  if (k.exponents.size() == 1) {
    program_.result = k.exponents.front().slot;
    program_.fall = Fall{2 * scale, k.exponents.front().coefficient.value};
    return;
  }
  std::vector<Value> sum;
  for (const Value::Exponent& exponent : k.exponents) {
    sum.push_back({.scales = {{-1, -exponent.coefficient.value}}, .factors = {exponent.slot}});
  }
  program_.result = sum_of(std::move(sum));
  program_.fall = Fall{2 * scale, -1};
}

}  // namespace mercer::detail
