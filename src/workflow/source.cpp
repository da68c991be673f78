#include "workflow/source.hpp"

#include <filesystem>

#include "base/fail.hpp"
#include "base/text.hpp"
#include "mercer/io.hpp"
#include "workflow/columns.hpp"

namespace mercer::workflow {

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

Dataset read(const Source& source, ReadOptions options) {
  if (!source.data) {
    options.format = source.format;
    options.header = options.header ? options.header : source.header;
    return read_data(source.path, options);
  }
  const Dataset data = checked(*source.data, source.path);
  if (!options.target.empty()) {
    return without_target(data, column_position(data.points, options.target, "--target", source.path));
  }
  const bool last = options.last_is_target && data.target_name.empty();
  return last ? without_target(data, column_count(data.points) - 1) : data;
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

}  // namespace mercer::workflow
