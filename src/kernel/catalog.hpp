// The catalog: one row per axiom and per rule. The grammar, the proofs, `mercer kernels`, the law tests
// and the documentation all read it.
#pragma once

#include <cmath>
#include <limits>
#include <span>
#include <string>
#include <vector>

#include "kernel/emitter.hpp"
#include "kernel/node.hpp"

namespace mercer::detail {

enum class ArgKind {
  real,          // a parameter: one number
  per_column,    // a parameter: one number, or a list with one per column
  coefficients,  // a parameter: a list
  integer,       // an option
  choice,        // an option: one of a few numbers
  number,        // an option: any number of a range
  word,          // an option: one of a few words
  matrix,        // an option
  columns,
  map,
  weight,
  similarity,
  text,
  kernel,  // a premise; one that may be left out is written with its name: node=rbf(ell=1)
};

// Another way to write an argument: gamma = 1 / (2 ell^2).
struct Alias {
  std::string name;
  double (*to_value)(double);
};

struct Arg {
  std::string name;
  ArgKind kind;
  double fallback = std::numeric_limits<double>::quiet_NaN();  // NaN: must be given
  ValueRange range = {};                                       // of a number
  std::vector<double> choices = {};
  std::vector<Alias> aliases = {};
  std::vector<std::string> words = {};  // the first is the default
  bool optional = false;                // of a premise
  std::string automatic = {};           // of one number: what auto means, by Entry::typical; empty: it cannot be auto

  bool is_param() const {
    return kind == ArgKind::real || kind == ArgKind::per_column || kind == ArgKind::coefficients;
  }
  bool required() const { return std::isnan(fallback) && words.empty() && !optional; }
};

// What `ell=auto` means for a leaf.
enum class Heuristic { none, median_distance, median_absolute_distance };

struct Entry {
  std::string name;
  bool is_rule;
  std::string domain;  // the kind of input it takes; empty, for rules: that of its premises
  std::vector<Arg> args;
  std::string formula;
  std::string conditions;  // the side conditions in words
  std::string because;     // the theorem
  std::string citation;
  std::string example;
  Value (*emit)(const Site&, Emitter&);
  void (*check)(const Node&) = nullptr;  // side conditions beyond the ranges of the arguments
  Heuristic heuristic = Heuristic::none;
  // Where the kind alone does not say it: what it takes, given what it is made of (a number of columns, or, of a rule
  // that lifts kernels to other things, those); and the points that its premises see, given its own.
  Domain (*takes)(const Node&) = nullptr;
  Points (*inner)(const Node&, const Points&) = nullptr;
  // Of a kernel that is an inner product of explicit features of objects: these. Null for arguments that make another
  // kernel of it, which has none.
  std::shared_ptr<const FeatureStep> (*features)(const Node&) = nullptr;
  // What auto is for inputs x, given the premises without any.
  double (*typical)(const std::vector<NodePtr>& premises, const Points& x) = nullptr;
  bool takes_labels = false;  // its numbers are those of tasks or categories, which scaled are none any more
};

// What all premises of a rule can be given; a KernelError where nothing can.
Domain common_domain(const Node& node);
Domain meet(const Entry& entry, const Domain& a, const Domain& b);

std::span<const Entry> entries();
const Entry* find_entry(std::string_view name);  // null when there is none
const Entry& entry(std::string_view name);       // the name is known to be there

}  // namespace mercer::detail
