// From an expression to its text: the one spelling that parse() reads back as an equal kernel.
#include "kernel/print.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/text.hpp"
#include "kernel/build.hpp"

namespace mercer::detail {

namespace {

// How tightly the outermost operator of a text binds.
enum Precedence { sums, products, powers, atoms };

std::string print(const Node& node, Precedence around);

std::string print_values(const Param& p) {
  if (!p.list) return p.automatic ? "auto" : number(p.values.front());
  if (p.automatic) return "[auto]";
  std::vector<std::string> items;
  for (const double value : p.values) items.push_back(number(value));
  return fmt::format("[{}]", fmt::join(items, ", "));
}

std::string print_option(const Option& option) {
  struct Visitor {
    std::string operator()(double value) const { return number(value); }
    std::string operator()(const Matrix& m) const {
      std::vector<std::string> lines;
      for (Index i = 0; i < m.rows(); ++i) {
        std::vector<std::string> items;
        for (Index j = 0; j < m.cols(); ++j) items.push_back(number(m(i, j)));
        lines.push_back(fmt::format("[{}]", fmt::join(items, ", ")));
      }
      return fmt::format("[{}]", fmt::join(lines, ", "));
    }
    std::string operator()(const Columns& columns) const { return columns.str(); }
    std::string operator()(const NamedMap& map) const { return map.name; }
    std::string operator()(const NamedWeight& weight) const { return weight.name; }
    std::string operator()(const Similarity& s) const { return s.str(); }
    std::string operator()(const std::string& text) const { return quoted(text); }
  };
  return std::visit(Visitor{}, option);
}

// Choices without which a rule's premise makes no sense stand first and unnamed: on(x1, ...), warp(log, ...); what
// comes behind the premise is named: rbf_of(k, ell=1).
bool named_when_printed(const Entry& entry, const Arg& arg, bool behind_premise) {
  if (entry.is_rule) return behind_premise;
  return arg.kind != ArgKind::similarity && arg.kind != ArgKind::text && arg.kind != ArgKind::map;
}

std::string print_call(const Node& node) {
  std::vector<std::string> args;
  auto param = node.params.begin();
  auto option = node.options.begin();
  auto child = node.children.begin();
  for (const Arg& arg : node.entry->args) {
    if (arg.kind == ArgKind::kernel) {
      if (child == node.children.end()) continue;  // left out
      args.push_back((arg.optional ? arg.name + "=" : "") + print(**child++, sums));
      continue;
    }
    if (arg.kind == ArgKind::word) {
      const std::string& word = std::get<std::string>(*option++);
      if (word != arg.words.front()) args.push_back(arg.name + "=" + word);
      continue;
    }
    const std::string value = arg.is_param() ? print_param(*param++, arg) : print_option(*option++);
    const bool behind_premise = child != node.children.begin();
    args.push_back(named_when_printed(*node.entry, arg, behind_premise) ? arg.name + "=" + value : value);
  }
  return fmt::format("{}({})", node.entry->name, fmt::join(args, ", "));
}

std::string join(const Node& node, const char* between, Precedence inside) {
  std::vector<std::string> parts;
  for (const NodePtr& child : node.children) parts.push_back(print(*child, inside));
  return fmt::format("{}", fmt::join(parts, between));
}

// A constant is written as its bare number where it stands in a sum.
std::string print_term(const Node& node) {
  if (node.entry->name == "const" && is_plain(node.params.front(), node.entry->args.front())) {
    return number(node.params.front().values.front());
  }
  return print(node, products);
}

std::string print_scale(const Node& node) {
  const Param& c = node.params.front();
  std::string text = print_param(c, node.entry->args.front());
  if (text.find(' ') != std::string::npos) text = "(" + text + ")";  // 2 in [1, 3]
  return text + "*" + print(*node.children.front(), products);
}

std::string print(const Node& node, Precedence around) {
  const std::string& name = node.entry->name;
  std::string text;
  Precedence own = atoms;
  if (name == "sum") {
    std::vector<std::string> parts;
    for (const NodePtr& child : node.children) parts.push_back(print_term(*child));
    text = fmt::format("{}", fmt::join(parts, " + "));
    own = sums;
  } else if (name == "product") {
    text = join(node, "*", powers);
    own = products;
  } else if (name == "scale") {
    text = print_scale(node);
    own = products;
  } else if (name == "power") {
    text = print(*node.children.front(), atoms) + "^" + number(node.number("degree"));
    own = powers;
  } else {
    text = print_call(node);
  }
  return own < around ? "(" + text + ")" : text;
}

}  // namespace

std::string print_param(const Param& p, const Arg& arg) {
  std::string value = print_values(p);
  if (p.fixed) return "fixed(" + value + ")";
  if (p.lower != arg.range.lower || p.upper != arg.range.upper) {
    return fmt::format("{} in [{}, {}]", value, number(p.lower), number(p.upper));
  }
  return value;
}

std::string print(const Node& node) { return print(node, sums); }

std::string print_short(const Kernel& k) {
  std::vector<Parameter> params;
  for (Parameter p : k.params()) {
    // A value at a bound stays inside.
    const double rounded = std::clamp(*parse_number(fmt::format("{:.4g}", p.value)), p.lower, p.upper);
    if (!p.fixed && p.range.holds(rounded)) p.value = rounded;
    params.push_back(std::move(p));
  }
  return k.with(Params(std::move(params))).str();
}

}  // namespace mercer::detail

namespace mercer {

std::string Kernel::str() const { return detail::print(*node_); }

}  // namespace mercer
