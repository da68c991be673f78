#include "kernel/labels.hpp"

#include <fmt/format.h>

#include <map>

#include "kernel/catalog.hpp"

namespace mercer::detail {

namespace {

void append(const Node& node, std::map<std::string, int>& seen, std::vector<std::string>& labels) {
  if (has_label(node)) {
    const int count = ++seen[node.entry->name];
    labels.push_back(count == 1 ? node.entry->name : fmt::format("{}{}", node.entry->name, count));
  }
  for (const NodePtr& child : node.children) append(*child, seen, labels);
}

}  // namespace

bool has_label(const Node& node) { return !node.entry->is_rule || !node.entry->domain.empty(); }

std::vector<std::string> labels_of(const Node& node) {
  std::map<std::string, int> seen;
  std::vector<std::string> labels;
  append(node, seen, labels);
  return labels;
}

}  // namespace mercer::detail
