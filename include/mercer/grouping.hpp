// mercer/grouping.hpp: files in which several rows are one point, a bag or a series.
//
//     Dataset rows = read_data("musk.csv", {.target = "class"});
//     Dataset bags = grouped(rows, "molecule", Grouping::bags);       // one target per bag
#pragma once

#include <span>

#include "mercer/dataset.hpp"

namespace mercer {

enum class Grouping { bags, series };  // rows in any order, or in that of the file

// Which rows go together: those with the same value, in the order in which the values first come.
struct RowGroups {
  std::vector<std::string> names = {};  // the values
  std::vector<Index> order = {};        // numbers of rows, group after group; those of a group as they come
  std::vector<Index> offsets = {0};     // group g is order[offsets[g]] .. order[offsets[g + 1]]

  static RowGroups of(std::span<const std::string> values);
  Points points(const Points& rows, Grouping grouping) const;
  // A row of each group, where all rows of a group have the same value; a DataError that names a group and two rows
  // where they do not. `what` is for that: `the target "class"`.
  std::vector<Index> single(std::span<const std::string> values, const std::string& what) const;
};

// The rows of `data` as groups by one of its columns (its name, or its number from 1), which is no input then.
Dataset grouped(const Dataset& data, const std::string& column, Grouping grouping);

}  // namespace mercer
