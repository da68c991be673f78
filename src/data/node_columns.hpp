// Columns of data files that name nodes of a graph.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "mercer/model.hpp"
#include "mercer/nodes.hpp"
#include "mercer/source.hpp"

namespace mercer::data {

// The same points with one column read as nodes of the source's graph, by their names: the one that it names, else the
// first.
Points with_nodes(const Points& x, const Source& source);

// Whether a file without names of columns, as it seems, has them: its first line names no node of the source's graph in
// the column that does below.
bool begins_with_names(const Points& x, const Source& source);

// The same with the columns that were nodes when the model was fitted.
Points with_nodes_of(const Model& model, const Points& x, const std::string& path);

// All nodes of the graph of a model that takes nothing but nodes.
std::optional<Points> all_nodes_of(const Model& model);

std::vector<std::string> node_names(const Points& nodes);

}  // namespace mercer::data
