// mercer/tables.hpp: inputs of raw tables: types of columns, and the recipe that makes numbers of them.
//
//     data::TableRecipe made = data::recipe_for(data::columns_of(raw.points), {.types = {{"zip", "category"}}},
//     "a.csv"); Points x = data::apply(made, raw.points, "a.csv").points;          // of the training table
//     data::Cooked later = data::apply(recipe, other.points, "b.csv");   // in any order, with other columns and gaps
//     later.remarks;                                                     // what was filled, and what is new
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "mercer/points.hpp"
#include "mercer/recipe.hpp"

namespace mercer::data {

// What a user says of the columns of a table.
struct TableWishes {
  std::map<std::string, std::string> types = {};  // {"zip", "category"}; of an ordered one its levels: "low<mid<high"
  std::vector<std::string> columns = {};          // the inputs; empty: all
  std::vector<std::string> drop = {};             // no inputs
  std::vector<std::string> missing = {};          // further marks of gaps: "-999"
  bool empty() const { return types.empty() && columns.empty() && drop.empty() && missing.empty(); }
};
// "age=number, zip=category". Throws UsageError.
std::map<std::string, std::string> type_wishes(const std::string& text);

// Decides on the type of each column of a table of numbers and texts, and on what its inputs need. Throws one line for
// what cannot be decided: texts among numbers, dates in several formats.
Recipe recipe_for(const Points& table, const TableWishes& wishes, const std::string& path);

// Names of the inputs that stand for categories, gaps and cycles: on a scale of their own, beside numbers of mean 0 and
// standard deviation 1.
std::vector<std::string> coded_columns(const Recipe& recipe);

// How often something happened in a column, and the first of it.
struct Happened {
  Index count = 0;
  std::string first = {};
};
struct Cooked {
  Points points;
  std::map<std::string, Happened> filled = {}, unseen = {};  // by column: gaps, and levels the recipe does not know
  std::vector<std::string> extra = {};                       // columns it does not know
};
// What a recipe makes of a table that has its columns, in any order. Throws DataError where one is not there, or holds
// what it cannot.
Cooked apply(const Recipe& recipe, const Points& table, const std::string& path);
// One line each.
std::vector<std::string> remarks_of(const Cooked& cooked);

}  // namespace mercer::data
