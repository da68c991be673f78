// Source::bag and series: data in which several rows are one point.
#pragma once

#include <optional>

#include "data/columns.hpp"
#include "mercer/grouping.hpp"

namespace mercer::data {

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
// By the column that the source names, if it names one. `x` is what was read of it.
std::optional<RowsTogether> rows_together(const Source& source, const Points& x);
// The same of what was read for itself, target and all.
Dataset grouped(const Dataset& data, const Source& source);

}  // namespace mercer::data
