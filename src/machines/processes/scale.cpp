#include "machines/processes/scale.hpp"

#include <algorithm>
#include <cmath>

#include "kernel/catalog.hpp"

namespace mercer::detail {

namespace {

bool is_free(const Param& p) { return !p.fixed && p.values.front() != 0 && p.lower < p.upper; }

bool free_scale(const Node& node) {
  const std::string& name = node.entry->name;
  const auto scaled = [](const NodePtr& child) { return free_scale(*child); };
  if (name == "sum") return std::all_of(node.children.begin(), node.children.end(), scaled);
  if (name == "product") return std::any_of(node.children.begin(), node.children.end(), scaled);
  if (name == "on" || name == "warp" || name == "scaled" || name == "power") return scaled(node.children.front());
  if (name != "scale" && name != "const") return false;
  return is_free(node.params.front()) || (name == "scale" && scaled(node.children.front()));
}

// None where bounds forbid it, or a power is in the way.
std::optional<Kernel> rescaled_node(const Node& node, double factor) {
  const std::string& name = node.entry->name;
  std::vector<Param> params = node.params;
  std::vector<NodePtr> children = node.children;
  if ((name == "scale" || name == "const") && is_free(params.front())) {
    Param& p = params.front();
    double& value = p.values.front();
    value *= factor;
    if (!(value > p.lower && value < p.upper && std::isfinite(value))) return std::nullopt;
    return TrustedCore::theorem(*node.entry, params, node.options, children);
  }
  if (name == "power") return std::nullopt;
  const bool each = name == "sum";
  for (NodePtr& child : children) {
    if (!free_scale(*child)) continue;
    const std::optional<Kernel> other = rescaled_node(*child, factor);
    if (!other) return std::nullopt;
    child = other->share();
    if (!each) break;
  }
  return TrustedCore::theorem(*node.entry, params, node.options, children);
}

void collect(const Node& node, std::vector<Kernel>& out) {
  if (node.entry->name != "sum") {
    out.push_back(TrustedCore::theorem(*node.entry, node.params, node.options, node.children));
    return;
  }
  for (const NodePtr& child : node.children) collect(*child, out);
}

}  // namespace

bool has_free_scale(const Kernel& k) { return free_scale(k.node()); }

std::optional<Kernel> rescaled(const Kernel& k, double factor) {
  return detail::has_free_scale(k) ? rescaled_node(k.node(), factor) : std::nullopt;
}

std::vector<Kernel> addends(const Kernel& k) {
  std::vector<Kernel> out;
  collect(k.node(), out);
  return out;
}

}  // namespace mercer::detail
