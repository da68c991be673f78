#include "data/row_groups.hpp"

#include "base/at.hpp"
#include "base/fail.hpp"

namespace mercer::data {

Column RowsTogether::single(const Column& column, const std::string& what) const {
  Column out{column.name};
  const std::vector<Index> rows = groups.single(column.texts(), what);
  for (const Index row : rows) {
    if (!column.numbers.empty()) out.numbers.push_back(column.numbers[at(row)]);
    if (!column.words.empty()) out.words.push_back(column.words[at(row)]);
  }
  return out;
}

std::optional<RowsTogether> rows_together(const Source& source, const Points& x) {
  if (source.bag.empty() && source.series.empty()) return std::nullopt;
  if (!source.bag.empty() && !source.series.empty()) {
    fail(ErrorKind::usage, "`bag` and `series`: rows are a bag or a series, not both");
  }
  const Grouping grouping = source.series.empty() ? Grouping::bags : Grouping::series;
  const bool in_bags = grouping == Grouping::bags;
  const Index position =
      column_position(x, in_bags ? source.bag : source.series, in_bags ? "`bag`" : "`series`", source.path);
  return RowsTogether{position, grouping, RowGroups::of(column_at(x, position).texts())};
}

Dataset grouped(const Dataset& data, const Source& source) {
  const std::optional<RowsTogether> together = rows_together(source, data.points);
  if (!together) return data;
  return mercer::grouped(data, std::to_string(together->position + 1), together->grouping);
}

}  // namespace mercer::data
