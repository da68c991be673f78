// The trusted core. Every Kernel in a program has come through TrustedCore::theorem, which checks the
// side conditions its catalog row states; nothing else can make one.
#include <algorithm>
#include <cassert>
#include <cmath>

#include "base/fail.hpp"
#include "base/text.hpp"
#include "kernel/catalog.hpp"
#include "kernel/maps.hpp"
#include "mercer/kernels.hpp"

namespace mercer::detail {

namespace {

// Below what the grammar takes, so that every kernel has a text that parses.
constexpr int kDeepest = 150;

template <class Item>
const Item& named_item(const Entry& entry, const std::vector<Item>& items, std::string_view name, bool params) {
  std::size_t at = 0;
  for (const Arg& arg : entry.args) {
    if (arg.kind == ArgKind::kernel || arg.is_param() != params) continue;
    if (arg.name == name) return items[at];
    ++at;
  }
  assert(false && "no such argument");
  return items.front();
}

// " > 0", or nothing.
std::string after_space(const ValueRange& range) {
  const std::string text = range.str();
  return text.empty() ? text : " " + text;
}

void check_param(const Entry& entry, const Arg& arg, const Param& p) {
  for (const double value : p.values) {
    if (!arg.range.holds(value)) {
      fail(ErrorKind::kernel, "{}(): {} must be a finite number{}, not {}", entry.name, p.name, after_space(arg.range),
           value);
    }
    if (!p.automatic && (value < p.lower || value > p.upper)) {
      fail(ErrorKind::kernel, "{}(): {} = {} lies outside its range [{}, {}]", entry.name, p.name, value, p.lower,
           p.upper);
    }
  }
  if (p.values.empty())
    fail(ErrorKind::kernel, "{}(): {} is an empty list; give at least one number", entry.name, p.name);
  if (p.lower < arg.range.lower || !(p.lower <= p.upper) || p.upper > arg.range.upper) {
    const std::string within = arg.range.str().empty() ? "" : "within " + arg.range.str() + " and ";
    fail(ErrorKind::kernel, "{}(): the range [{}, {}] of {} must be {}not empty", entry.name, p.lower, p.upper, p.name,
         within);
  }
  const bool by_columns = entry.heuristic != Heuristic::none && arg.kind == ArgKind::per_column;
  if (p.automatic && !by_columns && arg.automatic.empty()) {
    fail(ErrorKind::kernel, "{}(): {} cannot be auto; give it a number", entry.name, p.name);
  }
}

void check_option(const Entry& entry, const Arg& arg, const Option& option) {
  if (arg.kind == ArgKind::integer) {
    const double value = std::get<double>(option);
    if (value != std::floor(value) || !arg.range.holds(value)) {
      fail(ErrorKind::kernel, "{}(): {} must be a whole number from {} to {}, not {}", entry.name, arg.name,
           arg.range.lower, arg.range.upper, value);
    }
  } else if (arg.kind == ArgKind::number) {
    const double value = std::get<double>(option);
    if (!arg.range.holds(value)) {
      fail(ErrorKind::kernel, "{}(): {} must be a number{}, not {}", entry.name, arg.name, after_space(arg.range),
           value);
    }
  } else if (arg.kind == ArgKind::choice) {
    const double value = std::get<double>(option);
    for (const double choice : arg.choices) {
      if (value == choice) return;
    }
    fail(ErrorKind::kernel, "{}(): {} must be one of {}, not {}", entry.name, arg.name, fmt::join(arg.choices, ", "),
         value);
  } else if (arg.kind == ArgKind::word) {
    const std::string& word = std::get<std::string>(option);
    if (std::find(arg.words.begin(), arg.words.end(), word) == arg.words.end()) {
      fail(ErrorKind::kernel, "{}(): {} must be one of {}, not {}{}", entry.name, arg.name, fmt::join(arg.words, ", "),
           word, did_you_mean(word, arg.words));
    }
  } else if (arg.kind == ArgKind::map) {
    const auto& map = std::get<NamedMap>(option);
    if (!map.custom && find_map(map.name) == nullptr) {
      fail(ErrorKind::kernel, "{}(): no map is called \"{}\"{}", entry.name, map.name,
           did_you_mean(map.name, map_names()));
    }
  } else if (arg.kind == ArgKind::text) {
    if (std::get<std::string>(option).empty()) {
      fail(ErrorKind::kernel, "{}(): say why it is positive semi-definite; the reason is empty", entry.name);
    }
  } else if (arg.kind == ArgKind::weight) {
    const auto& weight = std::get<NamedWeight>(option);
    if (!weight.custom && find_map(weight.name) == nullptr && find_weight(weight.name) == nullptr) {
      fail(ErrorKind::kernel, "{}(): no weight is called \"{}\"{}", entry.name, weight.name,
           did_you_mean(weight.name, weight_names()));
    }
  }
}

Domain domain_of(const Node& node) {
  const Entry& entry = *node.entry;
  if (entry.takes != nullptr) return entry.takes(node);
  if (entry.domain.empty()) return common_domain(node);
  Domain domain{entry.domain};
  for (const Param& p : node.params) {
    if (p.list && !p.automatic) domain.dimension = static_cast<Index>(p.values.size());
  }
  return domain;
}

}  // namespace

Domain meet(const Entry& entry, const Domain& a, const Domain& b) {
  if (a.kind == "any") return b;
  if (b.kind == "any") return a;
  if (a.kind != b.kind || (a.of != b.of && !a.of.empty() && !b.of.empty())) {
    fail(ErrorKind::kernel, "{}: the left kernel is on {}, the right on {}; put each on its column: on(NAME, ...)",
         entry.name, a.str(), b.str());
  }
  if (a.dimension != Domain::any_dimension && b.dimension != Domain::any_dimension && a.dimension != b.dimension) {
    fail(ErrorKind::kernel,
         "{}: the left kernel is on {} columns, the right on {}; put each on its columns: on(COLUMNS, ...)", entry.name,
         a.dimension, b.dimension);
  }
  return {a.kind, a.dimension == Domain::any_dimension ? b.dimension : a.dimension, a.of.empty() ? b.of : a.of};
}

Domain common_domain(const Node& node) {
  Domain domain;
  for (const NodePtr& child : node.children) domain = meet(*node.entry, domain, child->domain);
  return domain;
}

const Param& Node::param(std::string_view name) const { return named_item(*entry, params, name, true); }
const Option& Node::option(std::string_view name) const { return named_item(*entry, options, name, false); }

bool equal(const Node& a, const Node& b) {
  if (a.entry != b.entry || a.params != b.params || a.options != b.options || a.children.size() != b.children.size()) {
    return false;
  }
  for (std::size_t c = 0; c < a.children.size(); ++c) {
    if (!equal(*a.children[c], *b.children[c])) return false;
  }
  return true;
}

Index own_parameters(const Node& node) {
  Index count = 0;
  for (const Param& p : node.params) count += static_cast<Index>(p.values.size());
  return count;
}

Index all_parameters(const Node& node) {
  Index count = own_parameters(node);
  for (const NodePtr& child : node.children) count += all_parameters(*child);
  return count;
}

Kernel TrustedCore::theorem(const Entry& entry, std::vector<Param> params, std::vector<Option> options,
                            std::vector<NodePtr> children) {
  auto param = params.begin();
  auto option = options.begin();
  for (const Arg& arg : entry.args) {
    if (arg.is_param()) {
      check_param(entry, arg, *param++);
    } else if (arg.kind != ArgKind::kernel) {
      check_option(entry, arg, *option++);
    }
  }
  auto node = std::make_shared<Node>(Node{&entry, std::move(params), std::move(options), std::move(children), {}, 1});
  for (const NodePtr& child : node->children) node->depth = std::max(node->depth, child->depth + 1);
  if (node->depth > kDeepest) {
    fail(ErrorKind::kernel, "{}: an expression more than {} levels deep; its text could not be read back", entry.name,
         kDeepest);
  }
  if (entry.check != nullptr) entry.check(*node);
  node->domain = domain_of(*node);
  return Kernel(std::move(node));
}

}  // namespace mercer::detail

namespace mercer {

Domain Kernel::domain() const { return node_->domain; }
bool operator==(const Kernel& a, const Kernel& b) { return a.node_ == b.node_ || detail::equal(*a.node_, *b.node_); }

}  // namespace mercer
