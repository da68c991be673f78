#include "kernel/origin.hpp"

#include <algorithm>
#include <array>
#include <span>
#include <string_view>
#include <vector>

#include "kernel/catalog.hpp"

namespace mercer::detail {

namespace {

constexpr std::array<std::string_view, 11> kOfDifferences = {
    "rbf", "laplace", "exponential", "matern", "rq", "periodic", "wave", "sho", "wendland", "hamming", "equal"};
constexpr std::array<std::string_view, 7> kOfValues = {"product", "power",          "exp", "polynomial", "normalize",
                                                       "rbf_of",  "random_features"};

bool among(std::string_view name, std::span<const std::string_view> names) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

Origin of_leaf(const Node& node) {
  const std::string& name = node.entry->name;
  if (name == "const") return Origin::constant;
  if (name == "linear" || name == "quadratic" || (name == "poly" && node.number("degree") == 1)) return Origin::adds;
  // What is said of strings, graphs, ... no number changes.
  const bool of_objects = node.entry->domain != "reals" && node.entry->domain != "any";
  return of_objects || among(name, kOfDifferences) ? Origin::unseen : Origin::seen;
}

// A sum, or a + b k of the one premise that is not constant.
bool is_affine(const Node& node, std::span<const Origin> children) {
  const std::string& name = node.entry->name;
  if (name == "product")
    return std::count(children.begin(), children.end(), Origin::constant) + 1 >= std::ssize(children);
  if (name == "power") return node.number("degree") == 1;
  if (name == "polynomial") {
    const Vector& coefficients = node.param("coefficients").values;
    return std::all_of(coefficients.begin() + std::min<std::ptrdiff_t>(2, std::ssize(coefficients)), coefficients.end(),
                       [](double a) { return a == 0; });
  }
  return name == "sum" || name == "scale" || name == "on";
}

Origin origin_of(const Node& node) {
  if (node.children.empty()) return of_leaf(node);
  std::vector<Origin> children;
  for (const NodePtr& child : node.children) children.push_back(origin_of(*child));
  const Origin worst = *std::max_element(children.begin(), children.end());
  if (is_affine(node, children)) return worst;
  if (node.entry->name == "rbf_of" && worst == Origin::adds) return Origin::unseen;  // of distances between features
  return worst <= Origin::unseen && among(node.entry->name, kOfValues) ? worst : Origin::seen;
}

}  // namespace

Origin origin_of(const Kernel& k) { return origin_of(k.node()); }

}  // namespace mercer::detail
