#include "machines/processes/scale.hpp"

#include <algorithm>

#include "kernel/catalog.hpp"

namespace mercer::detail {

namespace {

bool free_scale(const Node& node) {
  const std::string& name = node.entry->name;
  const auto scaled = [](const NodePtr& child) { return free_scale(*child); };
  if (name == "sum") return std::all_of(node.children.begin(), node.children.end(), scaled);
  if (name == "product") return std::any_of(node.children.begin(), node.children.end(), scaled);
  if (name == "on" || name == "warp" || name == "scaled" || name == "power") return scaled(node.children.front());
  if (name != "scale" && name != "const") return false;
  const Param& p = node.params.front();
  const bool is_free = !p.fixed && p.values.front() != 0 && p.lower < p.upper;
  return is_free || (name == "scale" && scaled(node.children.front()));
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

std::vector<Kernel> addends(const Kernel& k) {
  std::vector<Kernel> out;
  collect(k.node(), out);
  return out;
}

}  // namespace mercer::detail
