// Finding rows of the catalog, and what they tell a reader. The rows stand beside their kernels: entries() is
// src/domains/domains.cpp.
#include "kernel/catalog.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cassert>

#include "base/text.hpp"
#include "kernel/maps.hpp"
#include "mercer/kernels.hpp"

namespace mercer::detail {

const Entry* find_entry(std::string_view name) {
  const auto all = entries();
  const auto at = std::find_if(all.begin(), all.end(), [&](const Entry& e) { return e.name == name; });
  return at == all.end() ? nullptr : &*at;
}

const Entry& entry(std::string_view name) {
  const Entry* found = find_entry(name);
  assert(found != nullptr);
  return *found;
}

}  // namespace mercer::detail

namespace mercer {

namespace {

std::string signature(const detail::Entry& entry) {
  if (entry.name == "sum" || entry.name == "product" || entry.name == "scale" || entry.name == "power")
    return entry.formula;
  std::vector<std::string> args;
  for (const detail::Arg& arg : entry.args)
    args.push_back(arg.required()      ? arg.name
                   : arg.optional      ? arg.name + "=KERNEL"
                   : arg.words.empty() ? arg.name + "=" + number(arg.fallback)
                                       : arg.name + "=" + arg.words.front());
  return fmt::format("{}({})", entry.name, fmt::join(args, ", "));
}

std::string describe(const detail::Arg& arg) {
  using detail::ArgKind;
  std::string text = arg.name + ": ";
  switch (arg.kind) {
    case ArgKind::real:
      text += arg.range.str().empty() ? "any number" : "a number " + arg.range.str();
      if (!arg.automatic.empty()) text += "; auto: " + arg.automatic;
      break;
    case ArgKind::per_column:
      text += "a number > 0, or a list with one per column; auto: 0.6 of the median distance";
      break;
    case ArgKind::coefficients:
      text += arg.range.str().empty() ? "a list of any numbers" : "a list of numbers " + arg.range.str();
      break;
    case ArgKind::integer: text += fmt::format("a whole number from {} to {}", arg.range.lower, arg.range.upper); break;
    case ArgKind::number: text += "a number " + arg.range.str(); break;
    case ArgKind::choice: text += fmt::format("one of {}", fmt::join(arg.choices, ", ")); break;
    case ArgKind::word: text += fmt::format("one of {}", fmt::join(arg.words, ", ")); break;
    case ArgKind::matrix: text += "a matrix, [[2, 1], [1, 2]]"; break;
    case ArgKind::columns: text += "a name, a number from 1, a range x1:x5, or a list of these in [ ]"; break;
    case ArgKind::map: text += fmt::format("a map: {}", fmt::join(map_names(), ", ")); break;
    case ArgKind::weight: text += fmt::format("a weight: {}", fmt::join(weight_names(), ", ")); break;
    case ArgKind::similarity: text += "a formula in x and y"; break;
    case ArgKind::text: text += "a text in quotes"; break;
    case ArgKind::kernel: text += arg.optional ? "a kernel; may be left out" : "a kernel"; break;
  }
  if (!arg.words.empty()) text += fmt::format(" (default {})", arg.words.front());
  if (!std::isnan(arg.fallback)) text += fmt::format(" (default {})", arg.fallback);
  for (const detail::Alias& alias : arg.aliases) text += fmt::format("; or {}=", alias.name);
  return text;
}

}  // namespace

std::vector<CatalogRow> catalog() {
  std::vector<CatalogRow> out;
  for (const detail::Entry& e : detail::entries()) {
    std::vector<std::string> arguments;
    for (const detail::Arg& arg : e.args) arguments.push_back(describe(arg));
    out.push_back({e.name, signature(e), e.formula, e.domain, e.conditions, e.because, e.citation, arguments, e.is_rule,
                   e.example});
  }
  return out;
}

std::vector<std::string> map_names() {
  std::vector<std::string> names;
  for (const detail::ElementMap& map : detail::element_maps()) names.emplace_back(map.name);
  return names;
}

std::vector<std::string> weight_names() {
  std::vector<std::string> names = map_names();
  for (const detail::Weight& weight : detail::weights()) names.emplace_back(weight.name);
  return names;
}

}  // namespace mercer
