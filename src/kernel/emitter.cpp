#include "kernel/emitter.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "kernel/catalog.hpp"
#include "kernel/program_parts.hpp"

namespace mercer::detail {

namespace {

std::string edge_key(View view, const std::string& kind) { return fmt::format("{}/{}", view, kind); }

// Between these, no power of ell that a leaf takes leaves the range of doubles, and a squared distance that underflows
// is nothing beside ell.
constexpr double kShortest = 1e-60, kLongest = 1e60;
// Points go up to 1e150. Doubled so often they are still finite; for heavy tails those up to 1e79 have finite squares.
constexpr int kMostDoublings = 498, kMostDoublingsHeavy = 249;

}  // namespace

Index Site::param_at(std::string_view name) const {
  Index at = offset;
  for (const Param& p : node.params) {
    if (p.name == name) return at;
    at += static_cast<Index>(p.values.size());
  }
  return -1;
}

ParamRef Site::param(std::string_view name) const { return {param_at(name), node.param(name).values.front()}; }

Program Emitter::compile(const Node& root, Of of) {
  Emitter emitter;
  emitter.program_.views.push_back({-1, nullptr});
  const Value value = emitter.emit({root, 0, 0});
  if (of == Of::kernel) {
    emitter.program_.result = emitter.slot_of(value);
  } else {
    emitter.emit_distance(value);
  }
  emitter.program_.may_overflow = !(value.bound < kCertainlyFinite);
  emitter.program_.parameters = all_parameters(root);
  emitter.share_dots();
  emitter.drop_unused();
  return std::move(emitter.program_);
}

void Emitter::share_dots() {
  for (Program::EdgeSpec& spec : program_.edges) {
    const auto distance = edges_.find(edge_key(spec.view, "squared_distance")),
               dots = edges_.find(edge_key(spec.view, "dot"));
    if (distance == edges_.end() || dots == edges_.end()) continue;
    const auto edge_of = [&](Slot slot) { return program_.slots[static_cast<std::size_t>(slot)].index; };
    if (&spec == &program_.edges[static_cast<std::size_t>(edge_of(distance->second))])
      spec.dots = edge_of(dots->second);
  }
}

// What was emitted for a kernel and then not used, as the inner products whose distances took their place.
void Emitter::drop_unused() {
  const auto count = program_.slots.size();
  std::vector<bool> used(count);
  std::vector<Slot> open{program_.result};
  while (!open.empty()) {
    const auto slot = static_cast<std::size_t>(open.back());
    open.pop_back();
    if (used[slot]) continue;
    used[slot] = true;
    const auto index = static_cast<std::size_t>(program_.slots[slot].index);
    switch (program_.slots[slot].source) {
      case Program::SlotSpec::Source::edge: break;
      case Program::SlotSpec::Source::op:
        open.insert(open.end(), program_.ops[index]->inputs().begin(), program_.ops[index]->inputs().end());
        break;
      case Program::SlotSpec::Source::vertex_x:
      case Program::SlotSpec::Source::vertex_y:
        if (!program_.vertices[index].vertex) open.push_back(program_.vertices[index].slot);
        break;
    }
  }
  if (std::all_of(used.begin(), used.end(), [](bool u) { return u; })) return;

  Program kept;
  kept.views = std::move(program_.views);
  std::vector<Slot> slot_now(count, -1);
  std::map<int, int> edge_now, vertex_now;
  for (std::size_t s = 0; s < count; ++s) {
    if (!used[s]) continue;
    Program::SlotSpec spec = program_.slots[s];
    const auto index = static_cast<std::size_t>(spec.index);
    if (spec.source == Program::SlotSpec::Source::edge) {
      spec.index = edge_now.try_emplace(spec.index, static_cast<int>(kept.edges.size())).first->second;
      kept.edges.push_back(std::move(program_.edges[index]));
    } else if (spec.source == Program::SlotSpec::Source::op) {
      spec.index = static_cast<int>(kept.ops.size());
      kept.ops.push_back(std::move(program_.ops[index]));
      kept.ops.back()->renumber(slot_now);
    } else {
      const auto [at, fresh] = vertex_now.try_emplace(spec.index, static_cast<int>(kept.vertices.size()));
      spec.index = at->second;
      if (fresh) {
        Program::VertexSpec& vertex = kept.vertices.emplace_back(std::move(program_.vertices[index]));
        if (!vertex.vertex) vertex.slot = slot_now[static_cast<std::size_t>(vertex.slot)];
      }
    }
    slot_now[s] = static_cast<Slot>(kept.slots.size());
    kept.slots.push_back(spec);
  }
  for (Program::EdgeSpec& edge : kept.edges) {
    const auto dots = edge_now.find(edge.dots);
    edge.dots = dots == edge_now.end() ? -1 : dots->second;
  }
  kept.result = slot_now[static_cast<std::size_t>(program_.result)];
  kept.fall = program_.fall;
  kept.may_overflow = program_.may_overflow;
  kept.parameters = program_.parameters;
  program_ = std::move(kept);
}

Value Emitter::emit(const Site& site) { return site.node.entry->emit(site, *this); }

Value Emitter::premise(const Site& site, std::size_t child, View view) {
  Index offset = site.offset + own_parameters(site.node);
  for (std::size_t c = 0; c < child; ++c) offset += all_parameters(*site.node.children[c]);
  return emit({*site.node.children[child], offset, view});
}

Slot Emitter::add_slot(Program::SlotSpec::Source source, int index) {
  program_.slots.push_back({source, index});
  return static_cast<Slot>(program_.slots.size()) - 1;
}

View Emitter::through(View source, std::shared_ptr<const Step> step, const std::string& key) {
  const auto [at, fresh] =
      views_.try_emplace(fmt::format("{}/{}", source, key), static_cast<int>(program_.views.size()));
  if (fresh) program_.views.push_back({source, std::move(step)});
  return at->second;
}

Slot Emitter::edge(View view, std::shared_ptr<const Edge> edge, const std::string& key) {
  const auto [at, fresh] = edges_.try_emplace(edge_key(view, key), 0);
  if (fresh) {
    at->second = add_slot(Program::SlotSpec::Source::edge, static_cast<int>(program_.edges.size()));
    program_.edges.push_back({view, std::move(edge)});
  }
  return at->second;
}

Emitter::Ends Emitter::vertex(View view, std::shared_ptr<const Vertex> vertex, const std::string& key) {
  const auto [at, fresh] = vertices_.try_emplace(fmt::format("{}/{}", view, key), 0);
  if (fresh) {
    const int index = static_cast<int>(program_.vertices.size());
    program_.vertices.push_back({view, std::move(vertex), -1});
    at->second = add_slot(Program::SlotSpec::Source::vertex_x, index);
    add_slot(Program::SlotSpec::Source::vertex_y, index);
  }
  return {at->second, at->second + 1};
}

Emitter::Ends Emitter::of_diagonal(Slot slot, OfDiagonal what) {
  const int index = static_cast<int>(program_.vertices.size());
  program_.vertices.push_back({0, nullptr, slot, what});
  const Slot x = add_slot(Program::SlotSpec::Source::vertex_x, index);
  return {x, add_slot(Program::SlotSpec::Source::vertex_y, index)};
}

Slot Emitter::op(std::unique_ptr<Op> op) {
  program_.ops.push_back(std::move(op));
  return add_slot(Program::SlotSpec::Source::op, static_cast<int>(program_.ops.size()) - 1);
}

Slot Emitter::square_root(Slot slot) {
  const auto [at, fresh] = roots_.try_emplace(slot, 0);
  if (fresh) at->second = op(square_root_op(slot));
  return at->second;
}

Slot Emitter::slot_of(const Value& value) {
  if (value.scales.empty() && value.exponents.empty() && value.factors.size() == 1) return value.factors.front();
  return sum_of({value});
}

Slot Emitter::sum_of(std::vector<Value> values) { return op(sum_op(std::move(values))); }

Slot Emitter::squared_distance(View view, const std::string& who) {
  return edge(view, squared_distance_edge(who), "squared_distance");
}

Slot Emitter::dot(View view, const std::string& who) {
  const Slot slot = edge(view, dot_edge(who), "dot");
  dots_.try_emplace(slot, Dot{view, who});
  return slot;
}

View Emitter::scaled_by(const Site& site, std::string_view param, View view, Tail tail) {
  const Index at = site.param_at(param);
  return through(view, scale_step(site.node.entry->name + "()", at, site.node.param(param).values, tail),
                 fmt::format("scale{}", at));
}

View Emitter::unit(View view, const std::string& who) { return through(view, unit_step(who), "unit"); }

Emitter::Ends Emitter::norm(View view, const std::string& who) { return vertex(view, norm_vertex(who), "norm"); }

InUnits in_units_of_ell(const Site& site, View view, Emitter& emitter, Tail tail) {
  const ParamRef ell = site.param("ell");
  if (ell.value >= kShortest && ell.value <= kLongest) {
    return {view, {1 / ell.value, {{ell.at, -1 / (ell.value * ell.value)}}}, false};
  }
  const int most = tail == Tail::heavy ? kMostDoublingsHeavy : kMostDoublings;
  const int doublings = std::clamp(-std::ilogb(ell.value), -most, most);
  const double inverse = 1 / std::ldexp(ell.value, doublings);
  return {emitter.through(view, power_of_two_step(doublings), fmt::format("doubled{}", doublings)),
          {inverse, {{ell.at, limited(-inverse / ell.value)}}},
          true};
}

Radial radial(const Site& site, View view, Emitter& emitter, Tail tail) {
  const std::string who = site.node.entry->name + "()";
  if (site.node.param("ell").list) {
    return {emitter.squared_distance(emitter.scaled_by(site, "ell", view, tail), who), {1.0}};
  }
  const InUnits units = in_units_of_ell(site, view, emitter, tail);
  if (!units.moved) return {emitter.squared_distance(view, who), units.inverse_ell};
  return {emitter.edge(units.view, wide_distance_edge(who, tail), tail == Tail::heavy ? "heavy" : "wide"),
          units.inverse_ell, tail == Tail::heavy ? std::numeric_limits<double>::infinity() : 1};
}

double limited(double value) { return std::clamp(value, -kLargestCoefficient, kLargestCoefficient); }

Value product(Value a, const Value& b) {
  a.scales.insert(a.scales.end(), b.scales.begin(), b.scales.end());
  a.factors.insert(a.factors.end(), b.factors.begin(), b.factors.end());
  a.exponents.insert(a.exponents.end(), b.exponents.begin(), b.exponents.end());
  a.bound *= b.bound;
  a.one_for_equals = a.one_for_equals && b.one_for_equals;
  return a;
}

}  // namespace mercer::detail
