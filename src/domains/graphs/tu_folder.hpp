// Folders of graphs as the TU Dortmund collection has them: NAME/NAME_A.txt, NAME_graph_indicator.txt, ...
//
// What a file says in line i is about node, edge or graph number i, counted from 1 over the whole folder.
//   A                 edges "i, j", an undirected one in both directions                    must be there
//   graph_indicator   the graph of each node, from 1                                        must be there
//   graph_labels      the class of each graph, the target
//   graph_attributes  a number for each graph, the target where there are no classes
//   node_labels, edge_labels   a text each
//   node_attributes   numbers separated by commas, the same count for each node
// A last .gz is allowed. Other files (edge_attributes, readme) are not read.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "mercer/graph.hpp"

namespace mercer {

struct TuTexts {
  std::string_view edges, graph_of_node;
  std::optional<std::string_view> graph_labels = {}, graph_attributes = {}, node_labels = {}, edge_labels = {},
                                  node_attributes = {};
};

struct TuGraphs {
  std::vector<Graph> graphs;
  std::vector<std::string> targets;  // of each graph; empty where there are none
};

// `name` is what errors call the folder. DataError with the file and the line for whatever does not fit.
TuGraphs parse_tu(const TuTexts& texts, const std::string& name);

}  // namespace mercer
