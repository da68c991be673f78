#include "workflow/node_columns.hpp"

#include <algorithm>

#include "base/at.hpp"
#include "base/fail.hpp"
#include "base/text.hpp"
#include "points/rep.hpp"
#include "workflow/columns.hpp"

namespace mercer::workflow {

namespace {

bool are_nodes(const Points& x) { return x.domain().kind == "nodes"; }

Points nodes_of_column(const Points& x, Index position, const NamedGraph& graph, const std::string& path) {
  const Column column = column_at(x, position);
  try {
    return nodes(graph, column.texts());
  } catch (const Error& error) {
    const std::string text = error.what();
    fail(error.kind(), "{}: column {}: {}", path, mercer::quoted(column.name), text.substr(text.find(": ") + 2));
  }
}

Points replaced(const Points& x, Index position, const Points& nodes) {
  const std::vector<std::string> names = x.column_names();
  if (column_count(x) == 1) return names.empty() ? nodes : table({{names[0], nodes}});
  std::vector<std::pair<std::string, Points>> parts;
  for (Index j = 0; j < column_count(x); ++j) {
    const std::string name = names.empty() ? fmt::format("x{}", j + 1) : names[at(j)];
    const Columns one(std::vector<Columns::Item>{{j + 1, j + 1}});
    parts.emplace_back(name, j == position ? nodes : x.columns(one));
  }
  return table(std::move(parts));
}

}  // namespace

Points with_nodes(const Points& x, const std::string& column, const NamedGraph& graph, const std::string& path) {
  const Index position = column.empty() ? 0 : column_position(x, column, "--node", path);
  return replaced(x, position, nodes_of_column(x, position, graph, path));
}

bool begins_with_names(const Points& x, const std::string& column, const NamedGraph& graph) {
  const auto number = parse_number(column);
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
    return replaced(x, position, nodes_of_column(x, position, graph_of(*centres), path));
  }
  Points out = x;
  for (const std::string& name : centres->column_names()) {
    const Points part = centres->columns(Columns(std::vector<Columns::Item>{{name, name}}));
    const Index position = are_nodes(part) ? remembered_position(x, name) : -1;
    if (position >= 0) out = replaced(out, position, nodes_of_column(x, position, graph_of(part), path));
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

}  // namespace mercer::workflow
