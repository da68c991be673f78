#include "mercer/proof.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/json.hpp"
#include "base/text.hpp"
#include "kernel/print.hpp"

namespace mercer {

namespace detail {

namespace {

std::string with_range(const Arg& arg, const std::string& value) {
  const std::string range = arg.range.str();
  return fmt::format("{} = {}{}{}", arg.name, value, range.empty() ? "" : " ", range);
}

// "ell = 0.5 > 0": each number with the condition it meets, or the conditions in words where there is none.
std::string met_conditions(const Node& node) {
  std::vector<std::string> met;
  auto param = node.params.begin();
  for (const Arg& arg : node.entry->args) {
    if (arg.is_param()) {
      met.push_back(with_range(arg, print_param(*param++, arg)));
    } else if (arg.kind == ArgKind::integer) {
      met.push_back(fmt::format("{} = {}, a whole number >= {}", arg.name, node.number(arg.name), arg.range.lower));
    } else if (arg.kind == ArgKind::number) {
      met.push_back(with_range(arg, fmt::format("{}", node.number(arg.name))));
    } else if (arg.kind == ArgKind::choice) {
      met.push_back(fmt::format("{} = {}, one of {}", arg.name, node.number(arg.name), fmt::join(arg.choices, ", ")));
    }
  }
  if (met.empty()) return node.entry->conditions;
  return fmt::format("{}", fmt::join(met, "; "));
}

Proof prove(const Node& node) {
  Proof proof{print(node), node.entry->name, node.entry->because, met_conditions(node), node.entry->citation, {}};
  if (node.entry->name == "assume_psd") {
    proof.because += ", because: " + std::get<std::string>(node.option("because"));
  }
  for (const NodePtr& child : node.children) proof.premises.push_back(prove(*child));
  return proof;
}

}  // namespace

}  // namespace detail

Proof Kernel::proof() const { return detail::prove(*node_); }

bool Proof::assumes() const {
  return rule == "assume_psd" ||
         std::any_of(premises.begin(), premises.end(), [](const Proof& p) { return p.assumes(); });
}

namespace {

struct Line {
  std::string tree, reason;
  std::size_t width;  // of `tree` on the screen: its box characters take three bytes each
};

void draw(const Proof& proof, const std::string& first, const std::string& rest, std::size_t depth,
          std::vector<Line>& lines) {
  // A leaf shows its whole text; a rule its name and, where it has one, its own number or choice.
  std::string label = proof.statement;
  if (!proof.premises.empty()) {
    label = proof.rule;
    if (label == "scale") label = "scale by " + proof.conditions.substr(proof.conditions.find("= ") + 2);
    if (label == "power") label = "power " + proof.statement.substr(proof.statement.rfind('^') + 1);
    if (label == "on" || label == "warp" || label == "scaled" || label == "polynomial") {
      const std::string& premise = proof.premises.front().statement;
      label = proof.statement.substr(0, proof.statement.size() - premise.size() - 1) + "...)";
    }
  }
  std::string reason = proof.because;
  if (proof.premises.empty() && !proof.conditions.empty()) reason += " [" + proof.conditions + "]";
  if (!proof.citation.empty()) reason += " (" + proof.citation + ")";
  lines.push_back({first + label, reason, 3 * depth + label.size()});
  for (std::size_t p = 0; p < proof.premises.size(); ++p) {
    const bool last = p + 1 == proof.premises.size();
    draw(proof.premises[p], rest + (last ? "└─ " : "├─ "), rest + (last ? "   " : "│  "), depth + 1, lines);
  }
}

Json to_json(const Proof& proof) {
  Json out{{"statement", proof.statement},   {"rule", proof.rule},         {"because", proof.because},
           {"conditions", proof.conditions}, {"citation", proof.citation}, {"premises", Json::array()}};
  for (const Proof& premise : proof.premises) out["premises"].push_back(to_json(premise));
  return out;
}

}  // namespace

std::string Proof::str() const {
  std::vector<Line> lines;
  draw(*this, "", "", 0, lines);
  std::size_t width = 0;
  for (const Line& line : lines) width = std::max(width, line.width);
  std::string out;
  for (const Line& line : lines) out += line.tree + std::string(width + 3 - line.width, ' ') + line.reason + "\n";
  return out;
}

std::string Proof::json() const {
  // Names and reasons are the user's and may be no UTF-8.
  return to_json(*this).dump({.indent = 2});
}

}  // namespace mercer
