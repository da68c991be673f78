// mercer/recipe.hpp: what the columns of a raw table are, and how inputs are made of them, as part of a model.
//
// A table as people have it holds gaps, categories, dates and ids. Its Recipe says of each column what it is taken for
// and why, and the numbers that its inputs need: made once of the training table, then used for every other
// (mercer/tables.hpp). Values; thread-safe.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace mercer {

enum class ColumnType {
  number,
  count,     // whole numbers from 0 on
  yes_no,    // two values
  category,  // a few names, or numbers that are names
  ordered,   // categories in an order
  date,      // days, or points in time
  text,      // words for a kernel on strings
  // Left out:
  id,        // names the row and nothing else
  constant,  // one value
  empty,     // no value
  dropped,   // by the user
};
std::string_view name_of(ColumnType type);            // "number", "yes/no", ...
ColumnType column_type_named(std::string_view name);  // throws UsageError
constexpr bool is_left_out(ColumnType type) { return type >= ColumnType::id; }

// How a column writes its numbers: "$1,862" has the prefix "$" and the comma between thousands.
struct NumberStyle {
  char decimal = '.', thousands = '\0';
  std::string prefix = {}, suffix = {};
  friend bool operator==(const NumberStyle&, const NumberStyle&) = default;
};

// One column, and what becomes of its cells. Each gives one or several numbers, in this order:
//   number, count  x, or sign(x) log(1 + |x| / unit) where unit > 0; a gap is `fill`
//   ordered        the place of the level, from 0; a gap or another level is `fill`
//   yes_no         0 for the first level and 1 for the second; a gap or another level lies in the middle
//   category       1 / sqrt(2) for the level it is, 0 for all others, so that two levels are 1 apart; of a level that
//   is
//                  not listed all are 0. on() knows them together by the name of the column
//   date           days since 1970 (a gap is `fill`), then half the cosine and the sine of its place in each cycle, 0
//                  and 0 for a gap
//   text           itself, for kernels on strings; a gap is empty
// and where the training table had gaps, one more: 1 for a gap and 0 else, 1 / sqrt(2) of a category.
struct ColumnRecipe {
  std::string name;
  ColumnType type = ColumnType::number;
  std::string why = {};  // the type, in words
  bool gaps = false;     // whether the training table had any
  double fill = 0, unit = 0;
  NumberStyle style = {};
  std::vector<std::string> levels = {};
  std::string date = {};                 // "y-m-d": the order of its parts and what stands between them
  std::vector<std::string> cycles = {};  // of a date: "year", "week", "day"
  friend bool operator==(const ColumnRecipe&, const ColumnRecipe&) = default;
};

struct Recipe {
  std::vector<ColumnRecipe> columns;      // all of the training table but targets and weights
  std::vector<std::string> missing = {};  // what means a gap beside nothing, NA, N/A, NaN, nan, null and ?
  friend bool operator==(const Recipe&, const Recipe&) = default;
};

// "age: number (62 different values; 19 gaps are filled by 29.7)"
std::string str(const ColumnRecipe& column);

}  // namespace mercer
