// Columns of data files that name nodes of a graph.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "mercer/model.hpp"
#include "mercer/nodes.hpp"

namespace mercer::workflow {

// The same points with one column read as nodes of the graph, by their names: the one named, else the first. `path` is
// the file's, for errors.
Points with_nodes(const Points& x, const std::string& column, const NamedGraph& graph, const std::string& path);

// Whether a file without names of columns, as it seems, has them: its first line names no node in the column that does
// below.
bool begins_with_names(const Points& x, const std::string& column, const NamedGraph& graph);

// The same with the columns that were nodes when the model was fitted.
Points with_nodes_of(const Model& model, const Points& x, const std::string& path);

// All nodes of the graph of a model that takes nothing but nodes.
std::optional<Points> all_nodes_of(const Model& model);

std::vector<std::string> node_names(const Points& nodes);

}  // namespace mercer::workflow
