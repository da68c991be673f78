#include "data/data_pair.hpp"

#include <algorithm>

#include "data/source.hpp"

namespace mercer::data {

namespace {

// New inputs often come without the column that is to be predicted from them, so it is taken out only if it is there.
Dataset read_second(const Source& source, const std::string& target, const Dataset& first) {
  // What the first file is called tells the names of the second one from values.
  ReadOptions options{.header_if_unclear = first.counted ? std::optional(false) : std::nullopt};
  if (!first.counted) options.expected = first.points.column_names();
  Dataset plain = read(source, options);
  if (target.empty()) return plain;
  const std::vector<std::string> names = plain.points.column_names();
  const bool named = std::find(names.begin(), names.end(), target) != names.end();
  if (!named && column_count(plain.points) != column_count(first.points) + 1) return plain;
  options.target = target;
  return read(source, options);
}

// A LIBSVM file does not know of columns that are 0 in all its rows: the narrower of two is read again, as wide as the
// other. Only such a file has labels that nobody asked for.
void match_widths(Dataset& a, const Source& a_source, Dataset& b, const Source& b_source) {
  const Index wide = std::max(a.points.domain().dimension, b.points.domain().dimension);
  for (const auto& [data, source] : {std::pair(&a, &a_source), std::pair(&b, &b_source)}) {
    const bool libsvm = !source->data && !data->target_name.empty();
    const bool narrow = data->points.domain().dimension < wide && source->path != "-";
    if (libsvm && narrow) *data = read(*source, {.columns = wide});
  }
}

}  // namespace

DataPair read_pair(const Source& first_source, const std::optional<Source>& second_source, const std::string& target) {
  Dataset first = read(first_source, {.target = target});
  if (!second_source) return {points_of(std::move(first), first_source).points, std::nullopt};
  Dataset second = read_second(*second_source, target, first);
  if (target.empty()) match_widths(first, first_source, second, *second_source);
  // Names that only count the columns differ where a target stood between them.
  if (first.counted && second.counted) second.points = counted_as(first.points.column_names(), second.points);
  return {points_of(std::move(first), first_source).points, points_of(std::move(second), *second_source).points};
}

}  // namespace mercer::data
