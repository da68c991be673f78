#include "data/node_columns.hpp"

#include <algorithm>

#include "base/at.hpp"
#include "base/fail.hpp"
#include "base/text.hpp"
#include "data/columns.hpp"
#include "data/source.hpp"
#include "points/rep.hpp"

namespace mercer::data {

namespace {

bool are_nodes(const Points& x) { return x.domain().kind == "nodes"; }

Points nodes_of_column(const Points& x, Index position, const NamedGraph& graph, const std::string& path) {
  const Column column = column_at(x, position);
  try {
    return nodes(graph, column.texts());
  } catch (const Error& error) {
    fail(error.kind(), "{}: column {}: {}", path, mercer::quoted(column.name), error.message());
  }
}

}  // namespace

Points with_nodes(const Points& x, const Source& source) {
  if (source.graph.empty()) {
    if (source.node.empty()) return x;
    fail(ErrorKind::usage, "`node`: nodes of which graph? `graph` names its edge list");
  }
  require_files(source, "`graph`", source.graph);
  const Index position = source.node.empty() ? 0 : column_position(x, source.node, "`node`", source.path);
  return with_column(x, position, nodes_of_column(x, position, read_edges(source.graph), source.path));
}

bool begins_with_names(const Points& x, const Source& source) {
  const NamedGraph graph = read_edges(source.graph);
  const auto number = parse_number(source.node);
  const Index position =
      number && *number >= 1 && *number <= static_cast<double>(column_count(x)) ? static_cast<Index>(*number) - 1 : 0;
  const Column all = column_at(x, position);
  const auto is_node = [&](std::size_t row) {
    try {
      (void)nodes(graph, std::vector<std::string>{all.text(row)});
      return true;
    } catch (const Error&) {
      return false;
    }
  };
  return all.size() > 1 && !is_node(0) && is_node(1);
}

Points with_nodes_of(const Model& model, const Points& x, const std::string& path) {
  const std::optional<Points>& centres = model.expansion().parts().centres;
  if (!centres) return x;
  if (are_nodes(*centres)) {
    const std::vector<std::string> known = centres->column_names();
    const Index found = known.empty() ? -1 : remembered_position(x, known[0]);
    const Index position = std::max<Index>(found, 0);
    return with_column(x, position, nodes_of_column(x, position, graph_of(*centres), path));
  }
  Points out = x;
  const Table* const columns = find_table(*centres);
  if (columns == nullptr) return out;
  for (const auto& [name, part] : columns->parts) {
    const Index position = are_nodes(part) ? remembered_position(x, name) : -1;
    if (position >= 0) out = with_column(out, position, nodes_of_column(x, position, graph_of(part), path));
  }
  return out;
}

std::optional<Points> all_nodes_of(const Model& model) {
  const std::optional<Points>& centres = model.expansion().parts().centres;
  if (!centres || !are_nodes(*centres)) return std::nullopt;
  const Points all = nodes(graph_of(*centres));
  const std::vector<std::string> names = centres->column_names();
  return names.empty() ? all : table({{names[0], all}});
}

std::vector<std::string> node_names(const Points& x) {
  const NamedGraph& graph = graph_of(x);
  std::vector<std::string> out;
  for (const Index id : ids_of(x)) out.push_back(graph.name(id));
  return out;
}

}  // namespace mercer::data
