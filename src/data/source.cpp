#include "data/source.hpp"

#include <filesystem>

#include "base/fail.hpp"
#include "base/text.hpp"
#include "data/columns.hpp"
#include "data/graph_columns.hpp"
#include "data/node_columns.hpp"
#include "data/row_groups.hpp"
#include "mercer/io.hpp"

namespace mercer::data {

namespace {

// What a reader of files sees to.
Dataset checked(Dataset data, const std::string& name) {
  const std::size_t targets = data.target_numbers.size() + data.target_texts.size();
  if (targets > 0 && static_cast<Index>(targets) != data.points.size()) {
    fail(ErrorKind::shape, "{}: {} targets for {} points; give one for each", name, targets, data.points.size());
  }
  if (targets > 0 && data.target_name.empty()) data.target_name = "target";
  return data;
}

Dataset without_target(Dataset data, Index position) {
  Column column = column_at(data.points, position);
  data.points = without_columns(data.points, std::vector<Index>{position});
  data.target_name = std::move(column.name);
  data.target_numbers = std::move(column.numbers);
  data.target_texts = std::move(column.words);
  return data;
}

}  // namespace

bool is_empty(const Source& source) { return source.path.empty() && !source.data; }

Column target_of(const Dataset& data) { return {data.target_name, data.target_numbers, data.target_texts}; }

namespace {

// Columns that the source names, where it does not number them.
std::vector<std::string> named_columns(const Source& source) {
  std::vector<std::string> out = {source.bag, source.series, source.node};
  for (const std::string& word : split(source.graphs, ',')) out.push_back(word.substr(0, word.find('=')));
  for (const std::string& word : split(source.text, ',')) out.push_back(word);
  std::erase_if(out, [](const std::string& name) { return name.empty() || parse_number(name); });
  return out;
}

// With what the source says of its file.
ReadOptions completed(ReadOptions options, const Source& source) {
  options.format = source.format;
  options.header = source.header;
  if (!source.text.empty()) {
    for (std::string& name : split(source.text, ',')) options.texts.push_back(std::move(name));
  }
  for (std::string& name : named_columns(source)) options.expected.push_back(std::move(name));
  return options;
}

Dataset read_file(const Source& source, ReadOptions options) {
  options = completed(std::move(options), source);
  const bool knows_nodes = !source.graph.empty() && source.graph != "-" && !source.header && source.path != "-";
  if (knows_nodes) options.header_if_unclear = false;
  Dataset data = read_data(source.path, options);
  if (!knows_nodes || !data.counted || !begins_with_names(data.points, source)) return data;
  options.header = true;
  return read_data(source.path, options);
}

}  // namespace

Dataset read(const Source& source, const ReadOptions& options) {
  if (!source.data) return read_file(source, options);
  const Dataset data = checked(*source.data, source.path);
  if (!options.target.empty()) {
    return without_target(data, column_position(data.points, options.target, "`target`", source.path));
  }
  const bool last = options.last_is_target && data.target_name.empty();
  return last ? without_target(data, column_count(data.points) - 1) : data;
}

std::optional<RowReader> open_rows(const Source& source, const ReadOptions& options,
                                   const std::vector<std::string>& with_gaps) {
  const bool row_by_row = source.graphs.empty() && source.bag.empty() && source.series.empty() && source.graph.empty();
  if (source.data || source.path.empty() || !row_by_row) return std::nullopt;
  return RowReader::open(source.path, completed(options, source), with_gaps);
}

Dataset points_of(Dataset data, const Source& source) {
  data.points = with_nodes(with_graphs(data.points, source), source);
  return grouped(data, source);
}

Dataset read_points(const Source& source, const ReadOptions& options) {
  return points_of(read(source, options), source);
}

bool is_file_beside(const Source& source, const std::string& text) {
  if (source.data) return false;
  std::string name = text;
  if (name.ends_with(".gz")) name.resize(name.size() - 3);
  const bool looks = name.find('/') != std::string::npos || name.ends_with(".csv") || name.ends_with(".tsv") ||
                     name.ends_with(".txt") || name.ends_with(".npy") || name.ends_with(".idx") ||
                     name.ends_with("-ubyte");
  std::error_code ignored;
  return looks && std::filesystem::is_regular_file(text, ignored);
}

void require_files(const Source& source, const std::string& option, const std::string& file) {
  if (!source.data) return;
  fail(ErrorKind::usage, "{}: {} are data at hand, beside which no file is read; leave out {}", option, source.path,
       mercer::quoted(file));
}

}  // namespace mercer::data
