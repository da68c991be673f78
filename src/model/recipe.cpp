#include "mercer/recipe.hpp"

#include <algorithm>
#include <array>

#include "base/fail.hpp"
#include "base/text.hpp"

namespace mercer {

namespace {

const std::array<std::string, 11> kNames = {"number", "count", "yes/no",   "category", "ordered", "date",
                                            "text",   "id",    "constant", "empty",    "dropped"};

}  // namespace

std::string_view name_of(ColumnType type) { return kNames[static_cast<std::size_t>(type)]; }

ColumnType column_type_named(std::string_view name) {
  const auto found = std::ranges::find(kNames, name);
  if (found == kNames.end()) {
    fail(ErrorKind::usage, "no column is of the type {}; there are {}{}", quoted(name), fmt::join(kNames, ", "),
         did_you_mean(name, kNames));
  }
  return static_cast<ColumnType>(found - kNames.begin());
}

std::string str(const ColumnRecipe& column) {
  return fmt::format("{}: {}{} ({})", column.name, name_of(column.type), is_left_out(column.type) ? ", left out" : "",
                     column.why);
}

}  // namespace mercer
