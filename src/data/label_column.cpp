#include "data/label_column.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>

#include "base/at.hpp"
#include "base/fail.hpp"
#include "base/text.hpp"
#include "data/class_look.hpp"
#include "points/rep.hpp"

namespace mercer::data {

namespace {

bool named_like_labels(std::string name) {
  constexpr std::array<std::string_view, 8> kNames = {"class",   "label",   "target", "y",
                                                      "species", "outcome", "group",  "category"};
  std::ranges::transform(name, name.begin(), [](unsigned char c) { return std::tolower(c); });
  return std::ranges::find(kNames, name) != kNames.end();
}

// How many, or 0 where the column holds anything else.
std::size_t classes_in(const Column& column) {
  const ClassLook look = look_for_classes(column);
  return look.as == ClassLook::As::classes ? look.different : 0;
}

bool holds_fractions(const Column& column) {
  return std::ranges::any_of(column.numbers, [](double value) { return value != std::floor(value); });
}

}  // namespace

std::optional<std::string> label_remark(const Points& x) {
  if ((x.domain().kind != "reals" && x.domain().kind != "table") || is_sparse(x)) return std::nullopt;
  const ColumnList columns(x);
  if (columns.size() < 2) return std::nullopt;
  const std::vector<std::string> names = x.column_names();
  for (Index j = 0; j < columns.size(); ++j) {
    const bool last = j == columns.size() - 1, named = !names.empty() && named_like_labels(names[at(j)]);
    if (!last && !named) continue;
    const std::string kind = columns.kind(j);
    if (kind != "reals" && kind != "strings") continue;
    const Column column = columns[j];
    const std::size_t classes = classes_in(column);
    if (classes > 0 && kind == "strings") {
      return fmt::format(
          "column {} holds {} different texts, as labels do, and is taken for an input; `target={}` "
          "leaves it out",
          mercer::quoted(column.name), classes, names.empty() ? std::to_string(j + 1) : column.name);
    }
    // A table of counts is all whole numbers; only beside measurements does one such column stand out.
    const auto beside_fractions = [&] { return columns.kind(j - 1) == "reals" && holds_fractions(columns[j - 1]); };
    if (classes == 0 || !(named || beside_fractions())) continue;
    return fmt::format(
        "column {} holds {} different whole numbers, as labels do, and is taken for an input; `target={}` "
        "leaves it out",
        mercer::quoted(column.name), classes, names.empty() ? std::to_string(j + 1) : column.name);
  }
  return std::nullopt;
}

std::optional<LikelyLabels> likely_labels(const Points& x) {
  if ((x.domain().kind != "reals" && x.domain().kind != "table" && x.domain().kind != "strings") || is_sparse(x)) {
    return std::nullopt;
  }
  const ColumnList columns(x);
  for (Index j = 0; j < columns.size(); ++j) {
    const std::string kind = columns.kind(j);
    if (kind != "reals" && kind != "strings") continue;
    const Column column = columns[j];
    const std::size_t classes = classes_in(column);
    if (classes > 0) return LikelyLabels{x.column_names().empty() ? std::to_string(j + 1) : column.name, classes};
  }
  return std::nullopt;
}

}  // namespace mercer::data
