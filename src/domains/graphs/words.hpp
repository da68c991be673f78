// Words in the arguments of kernels between graphs.
#pragma once

#include "domains/graphs/counts.hpp"
#include "kernel/node.hpp"

namespace mercer::detail {

// labels=none, nodes, edges or both.
inline LabelUse label_use(const Node& node) {
  const std::string& word = node.word("labels");
  return {.nodes = word == "nodes" || word == "both", .edges = word == "edges" || word == "both"};
}

}  // namespace mercer::detail
