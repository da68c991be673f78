// mercer/graph.hpp: one graph, with labels, weights and attributes where it has them.
//
//     Graph path = graph(3, {{0, 1}, {1, 2}});                          // nodes 0, 1, 2; undirected
//     Graph water = graph({.nodes = 3, .edges = {{0, 1}, {0, 2}}, .node_labels = {"O", "H", "H"}});
//
// Nodes are numbered from 0. Edges are kept by rows (CSR): the neighbours of node i in increasing order, and beside
// each the weight of the edge and, where edges have labels, its label. An undirected edge {i, j} is given once and
// stands in both rows; a directed one stands in the row it leaves from. A self loop {i, i} is an edge like any other
// and stands once in its row: A_ii is its weight. Kernels that have no use for self loops say so.
//
// `Graph` is immutable and thread-safe; copying it copies a pointer. Making one costs O(nodes + edges log degree).
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "mercer/matrix.hpp"
#include "mercer/points.hpp"

namespace mercer {

struct GraphEdge {
  Index from, to;  // from 0
  double weight = 1;
};

// What a graph is made of; the lists of labels are empty, or have one label for each node or edge. A label is a text,
// and nothing but its text counts: write numbers in one way.
struct GraphParts {
  Index nodes = 0;
  std::vector<GraphEdge> edges = {};
  bool directed = false;
  std::vector<std::string> node_labels = {}, edge_labels = {};
  Matrix attributes = {};  // a row for each node; no columns where there are none
};

class Graph {
 public:
  // A graph without nodes.
  Graph();
  // Throws DataError for a node that is not there, a weight or an attribute that is not finite, an edge given twice (in
  // an undirected graph also as {j, i}), and lists that are too short or too long.
  explicit Graph(GraphParts parts);

  Index nodes() const;
  Index edges() const;  // as they were given: an undirected one counts once
  bool directed() const;
  bool has_self_loops() const;
  bool is_weighted() const;  // an edge has another weight than 1

  // Row i: where the edges of node i lead to, in increasing order, and their weights.
  std::span<const std::int32_t> neighbours(Index i) const;
  std::span<const double> weights(Index i) const;
  // All rows one after the other; row i is [offsets()[i], offsets()[i + 1]).
  std::span<const Index> offsets() const;  // nodes() + 1 of them
  std::span<const std::int32_t> neighbours() const;
  std::span<const double> weights() const;

  // Labels are numbers into their names, which are sorted and distinct; empty where the graph has none.
  std::span<const std::int32_t> node_labels() const;  // of each node
  std::span<const std::int32_t> edge_labels() const;  // beside neighbours()
  const std::vector<std::string>& node_label_names() const;
  const std::vector<std::string>& edge_label_names() const;
  MatrixView attributes() const;  // nodes() rows; no columns where there are none

 private:
  struct Parts;
  std::shared_ptr<const Parts> parts_;
};

// An undirected graph of n nodes; the same as Graph({.nodes = n, .edges = edges}).
Graph graph(Index nodes, std::vector<GraphEdge> edges);
Graph graph(GraphParts parts);

// Each graph is a point, for kernels between graphs.
Points graphs(std::vector<Graph> graphs);

}  // namespace mercer
