// --bag and --series: files in which several rows are one point.
#pragma once

#include <optional>

#include "columns.hpp"
#include "mercer/grouping.hpp"

namespace mercer::cli {

class Arguments;

void declare_groups(Arguments& arguments, FormatWords& words);

// Which rows of a file go together.
struct RowsTogether {
  Index position;  // of the column that tells
  Grouping grouping;
  RowGroups groups;

  Index size() const { return static_cast<Index>(groups.names.size()); }
  Points points(const Points& rows) const { return groups.points(rows, grouping); }
  // The value of each group. `what` is for errors: `the target "class"`.
  Column single(const Column& column, const std::string& what) const;
};
// By the column that the words name, if they name one.
std::optional<RowsTogether> rows_together(const FormatWords& words, const Points& x, const std::string& path);
// The same of what was read for itself, target and all.
Dataset grouped(const Dataset& data, const FormatWords& words, const std::string& path);

}  // namespace mercer::cli
