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
  const Index columns = column_count(x);
  if (columns < 2 || (x.domain().kind != "reals" && x.domain().kind != "table") || is_sparse(x)) return std::nullopt;
  const std::vector<std::string> names = x.column_names();
  for (Index j = 0; j < columns; ++j) {
    const bool last = j == columns - 1, named = !names.empty() && named_like_labels(names[at(j)]);
    const std::string kind = column_kind(x, j);
    if ((!last && !named) || (kind != "reals" && kind != "strings")) continue;
    const Column column = column_at(x, j);
    const std::size_t classes = classes_in(column);
    if (classes > 0 && kind == "strings") {
      return fmt::format(
          "column {} holds {} different texts, as labels do, and is taken for an input; `target={}` "
          "leaves it out",
          mercer::quoted(column.name), classes, names.empty() ? std::to_string(j + 1) : column.name);
    }
    // A table of counts is all whole numbers; only beside measurements does one such column stand out.
    if (classes == 0 || !(named || (column_kind(x, j - 1) == "reals" && holds_fractions(column_at(x, j - 1)))))
      continue;
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
  const std::vector<std::string> names = x.column_names();
  for (Index j = 0; j < column_count(x); ++j) {
    const std::string kind = column_kind(x, j);
    if (kind != "reals" && kind != "strings") continue;
    const Column column = column_at(x, j);
    const std::size_t classes = classes_in(column);
    if (classes > 0) return LikelyLabels{names.empty() ? std::to_string(j + 1) : column.name, classes};
  }
  return std::nullopt;
}

}  // namespace mercer::data
