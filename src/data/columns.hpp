// Columns of data files: finding them, reading them off, leaving them out.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "mercer/source.hpp"

namespace mercer::data {

Index column_count(const Points& x);

// The columns of a table, counted from 0, found once for those who look at many of them.
class ColumnList {
 public:
  explicit ColumnList(const Points& x);
  Index size() const { return static_cast<Index>(places_.size()); }
  std::string kind(Index position) const;  // "reals", "strings", ...
  Column operator[](Index position) const;

 private:
  struct Place {
    std::size_t part;
    Index inside;  // which column of the part
  };
  Points points(Index position) const;

  std::vector<std::string> names_;
  std::vector<Points> parts_;
  std::vector<Place> places_;
};

// Of one of them.
std::string column_kind(const Points& x, Index position);  // "reals", "strings", ...
Column column_at(const Points& x, Index position);
// All of them, in one go; of columns that are neither numbers nor have words (graphs, bags, ...) the names alone.
std::vector<Column> all_columns(const Points& x);
Points without_columns(const Points& x, std::span<const Index> positions);
// The same with another column in the place of one, under its name.
Points with_column(const Points& x, Index position, const Points& column);
// Of a matrix of numbers, what is beside a first column of texts: the names of its rows.
Points without_row_names(const Points& x);
// Where the column is that has this name, or this number from 1. `what` and `path` are for errors: "`weights`",
// "train.csv".
Index column_position(const Points& x, const std::string& name, const std::string& what, const std::string& path);
// The names in a list with commas, or the one column that is called so; none of nothing.
std::vector<std::string> names_in(const std::string& list, const Points& x);
// Where such a column is, for columns that a model remembers: by name, and "column 5" where nothing is named; -1 if
// there is none.
Index remembered_position(const Points& x, const std::string& name);
// The inputs of a file without a header under the names that another such file gave them: a target between or before
// them counts as well, so that names differ where columns do not.
Points counted_as(const std::vector<std::string>& names, const Points& x);

// Throws DataError where a value of a target is missing.
void require_present(const Column& column, const std::string& path);
// Throws DataError where two classes are one, written differently: "a" and " a", 1 and 1.0; or where a number is too
// large to be told from its neighbours.
void require_distinct_classes(const std::vector<std::string>& classes, const std::string& path);

// What a column says of how much each point counts. `where` is for errors. Throws DataError where it holds text.
Vector weights_of(const Column& column, const std::string& where);
// The same of a file of one column.
Vector read_weights(const std::string& path, Index rows);

// All columns of a file that goes with `rows` points: targets, weights, folds. Throws unless it has that many rows. A
// file of texts with one row more has a name on its first line.
std::vector<Column> read_columns(const std::string& path, Index rows);

}  // namespace mercer::data
