// The expression tree behind Kernel: what it is made of, before any data are seen.
#pragma once

#include <memory>
#include <string>
#include <variant>
#include <vector>

#include "mercer/kernel.hpp"
#include "mercer/similarity.hpp"

namespace mercer::detail {

struct Entry;
struct Node;
using NodePtr = std::shared_ptr<const Node>;

// A continuous argument: one number, or one per column.
struct Param {
  std::string name;
  Vector values;
  double lower = 0;
  double upper = 0;
  bool fixed = false;
  bool automatic = false;
  bool list = false;  // written as a list, so one number per column
  friend bool operator==(const Param&, const Param&) = default;
};

// A map or a weight: built in when `custom` is null, else given by the user; equal when named alike.
template <class Custom>
struct Named {
  std::string name;
  std::shared_ptr<const Custom> custom;
  friend bool operator==(const Named& a, const Named& b) {
    return a.name == b.name && (a.custom == nullptr) == (b.custom == nullptr);
  }
};
using NamedMap = Named<FeatureMap>;
using NamedWeight = Named<WeightFunction>;

// A discrete argument: a degree, a matrix, some columns, ...
using Option = std::variant<double, Matrix, Columns, NamedMap, NamedWeight, Similarity, std::string>;

struct Node {
  const Entry* entry;           // the axiom or rule it instantiates
  std::vector<Param> params;    // in the order of the entry's arguments
  std::vector<Option> options;  // likewise
  std::vector<NodePtr> children;
  Domain domain;
  int depth;  // levels of the tree below and including this one

  const Param& param(std::string_view name) const;
  const Option& option(std::string_view name) const;
  double number(std::string_view name) const { return std::get<double>(option(name)); }
  const std::string& word(std::string_view name) const { return std::get<std::string>(option(name)); }
};

bool equal(const Node& a, const Node& b);
// How many numbers its parameters hold, without and with those of its children.
Index own_parameters(const Node& node);
Index all_parameters(const Node& node);

// The only door to Kernel: checks the side conditions of the entry, then states the theorem.
struct TrustedCore {
  static Kernel theorem(const Entry& entry, std::vector<Param> params, std::vector<Option> options,
                        std::vector<NodePtr> children);
};

}  // namespace mercer::detail
