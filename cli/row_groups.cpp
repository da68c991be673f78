#include "row_groups.hpp"

#include "arguments.hpp"
#include "base/at.hpp"
#include "base/fail.hpp"

namespace mercer::cli {

void declare_groups(Arguments& arguments, FormatWords& words) {
  arguments.option("--bag", words.bag, "COL", "Rows with the same value of this column are one point, a bag of them");
  arguments.option("--series", words.series, "COL", "The same, a series of them in the order of the file");
}

Column RowsTogether::single(const Column& column, const std::string& what) const {
  Column out{column.name};
  const std::vector<Index> rows = groups.single(column.texts(), what);
  for (const Index row : rows) {
    if (!column.numbers.empty()) out.numbers.push_back(column.numbers[at(row)]);
    if (!column.words.empty()) out.words.push_back(column.words[at(row)]);
  }
  return out;
}

std::optional<RowsTogether> rows_together(const FormatWords& words, const Points& x, const std::string& path) {
  if (words.bag.empty() && words.series.empty()) return std::nullopt;
  if (!words.bag.empty() && !words.series.empty()) {
    fail(ErrorKind::usage, "--bag and --series: rows are a bag or a series, not both");
  }
  const Grouping grouping = words.series.empty() ? Grouping::bags : Grouping::series;
  const bool in_bags = grouping == Grouping::bags;
  const Index position = column_position(x, in_bags ? words.bag : words.series, in_bags ? "--bag" : "--series", path);
  return RowsTogether{position, grouping, RowGroups::of(column_at(x, position).texts())};
}

Dataset grouped(const Dataset& data, const FormatWords& words, const std::string& path) {
  const std::optional<RowsTogether> together = rows_together(words, data.points, path);
  if (!together) return data;
  return mercer::grouped(data, std::to_string(together->position + 1), together->grouping);
}

}  // namespace mercer::cli
