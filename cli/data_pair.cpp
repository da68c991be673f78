#include "data_pair.hpp"

#include <algorithm>

#include "graph_columns.hpp"
#include "row_groups.hpp"

namespace mercer::cli {

namespace {

// New inputs often come without the column that is to be predicted from them, so it is taken out only if it is there.
Dataset read_second(const std::string& path, ReadOptions options, const Points& first) {
  const std::string target = std::exchange(options.target, "");
  Dataset plain = read_data(path, options);
  if (target.empty()) return plain;
  const std::vector<std::string> names = plain.points.column_names();
  const bool named = std::find(names.begin(), names.end(), target) != names.end();
  if (!named && column_count(plain.points) != column_count(first) + 1) return plain;
  options.target = target;
  return read_data(path, options);
}

// A LIBSVM file does not know of columns that are 0 in all its rows: the narrower of two is read again, as wide as the
// other. Only such a file has labels that nobody asked for.
void match_widths(Dataset& a, const std::string& a_path, Dataset& b, const std::string& b_path, ReadOptions options) {
  const Index wide = std::max(a.points.domain().dimension, b.points.domain().dimension);
  options.columns = wide;
  for (const auto& [data, path] : {std::pair(&a, &a_path), std::pair(&b, &b_path)}) {
    const bool libsvm = options.target.empty() && !data->target_name.empty();
    if (libsvm && data->points.domain().dimension < wide && *path != "-") *data = read_data(*path, options);
  }
}

}  // namespace

DataPair read_pair(const std::string& path, const std::string& with, const ReadOptions& options,
                   const FormatWords& file) {
  Dataset first = read_data(path, options);
  first.points = with_graphs(first.points, file.graphs, path);
  std::optional<Points> second_points;
  if (!with.empty()) {
    Dataset second = read_second(with, options, first.points);
    match_widths(first, path, second, with, options);
    second.points = with_graphs(second.points, file.graphs, with);
    // Names that only count the columns differ where a target stood between them.
    const bool both_counted = first.counted && second.counted;
    if (both_counted) second.points = counted_as(first.points.column_names(), second.points);
    second_points = grouped(second, file, with).points;
  }
  return {grouped(first, file, path).points, second_points};
}

}  // namespace mercer::cli
