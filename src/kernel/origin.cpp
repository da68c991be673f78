#include "kernel/origin.hpp"

#include <algorithm>
#include <array>
#include <string_view>

#include "kernel/catalog.hpp"

namespace mercer::detail {

namespace {

constexpr std::array<std::string_view, 7> kOfDifferences = {"rbf", "laplace",  "exponential", "matern",
                                                            "rq",  "periodic", "const"};

Origin origin_of(const Node& node) {
  const std::string& name = node.entry->name;
  if (node.children.empty()) {
    if (name == "linear" || name == "quadratic") return Origin::adds;
    // What is said of strings, graphs, ... no number changes.
    const bool of_objects = node.entry->domain != "reals" && node.entry->domain != "any";
    const bool known = std::find(kOfDifferences.begin(), kOfDifferences.end(), name) != kOfDifferences.end();
    return of_objects || known ? Origin::unseen : Origin::seen;
  }
  Origin worst = Origin::unseen;
  for (const NodePtr& child : node.children) worst = std::max(worst, origin_of(*child));
  if (name == "sum" || name == "scale" || name == "on") return worst;
  if (name == "rbf_of" && worst == Origin::adds) return Origin::unseen;  // of distances between features
  const bool of_values = name == "product" || name == "power" || name == "exp" || name == "polynomial" ||
                         name == "normalize" || name == "rbf_of";
  return of_values && worst == Origin::unseen ? Origin::unseen : Origin::seen;
}

}  // namespace

Origin origin_of(const Kernel& k) { return origin_of(k.node()); }

}  // namespace mercer::detail
