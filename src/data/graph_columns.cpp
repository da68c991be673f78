#include "data/graph_columns.hpp"

#include <cmath>

#include "base/at.hpp"
#include "base/fail.hpp"
#include "base/text.hpp"
#include "data/columns.hpp"
#include "data/source.hpp"
#include "mercer/io.hpp"

namespace mercer::data {

namespace {

Points pointed_to(const Column& column, const std::string& folder, const std::string& path) {
  const Points all = read_data(folder).points;
  if (all.domain().kind != "graphs") fail(ErrorKind::usage, "`graphs`: {} is no folder of graphs", folder);
  std::vector<Index> which;
  for (std::size_t i = 0; i < column.size(); ++i) {
    const double number = column.numbers.empty() ? 0 : column.numbers[i];
    if (number < 1 || number > static_cast<double>(all.size()) || number != std::floor(number)) {
      fail(ErrorKind::data, "{}: row {}, column {}: {} is no graph of {}, which has {}, numbered from 1", path, i + 1,
           mercer::quoted(column.name), column.text(i), folder, all.size());
    }
    which.push_back(static_cast<Index>(number) - 1);
  }
  return all.select(which);
}

}  // namespace

Points with_graphs(const Points& x, const Source& source) {
  if (source.graphs.empty()) return x;
  require_files(source, "`graphs`", source.graphs);
  Points out = x;
  for (const std::string& word : split(source.graphs, ',')) {
    const std::size_t equal = word.find('=');
    if (equal == word.npos || equal == 0 || equal + 1 == word.size()) {
      fail(ErrorKind::usage, "`graphs={}`: give a column and a folder: `graphs=molecule=MUTAG`", mercer::quoted(word));
    }
    const Index position = column_position(out, word.substr(0, equal), "`graphs`", source.path);
    out = with_column(out, position, pointed_to(column_at(out, position), word.substr(equal + 1), source.path));
  }
  return out;
}

}  // namespace mercer::data
