// What paths call the parts of a kernel: rbf, a second one rbf2.
#pragma once

#include <string>
#include <vector>

#include "kernel/node.hpp"

namespace mercer::detail {

// Axioms have one, and rules that make a kernel on other things out of one: mean_embedding(rbf()) has numbers of its
// own. The numbers of other rules are called after the first part below them that has a label.
bool has_label(const Node& node);

// The labels of a tree, a node before its premises.
std::vector<std::string> labels_of(const Node& node);

}  // namespace mercer::detail
