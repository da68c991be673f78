// mercer/nodes.hpp: the nodes of one graph as points, for kernels on nodes (walks, diffusion, ...).
//
//     Graph path = graph(3, {{0, 1}, {1, 2}});
//     Points labelled = nodes(path, {0, 2}), others = nodes(path, {1});
//     NamedGraph friends = read_edges("friends.txt");
//     Points some = nodes(friends, std::vector<std::string>{"ann", "bob"});
//
// Points of one graph go together, however often the graph was read or made: equal graphs are one. What kernels ask of
// a graph (its eigenvectors, ...) is computed once, for all points on it.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "mercer/graph.hpp"
#include "mercer/kernels.hpp"
#include "mercer/points.hpp"

namespace mercer {

struct NamedGraph {
  Graph graph;
  std::vector<std::string> names = {};  // of the nodes, no two the same; none: they are called 0, 1, 2, ...

  std::string name(Index node) const;
};

Points nodes(const Graph& graph);                                 // all of them
Points nodes(const Graph& graph, const std::vector<Index>& ids);  // DataError for one that is not there
Points nodes(const NamedGraph& graph);
Points nodes(const NamedGraph& graph, const std::vector<Index>& ids);
Points nodes(const NamedGraph& graph, const std::vector<std::string>& names);

// An edge list: on each line two nodes and, where edges have weights, a number >= 0, separated by spaces, tabs or a
// comma; a node alone on its line has no edges (or has them elsewhere). What follows a # is a comment; .gz is unpacked;
// a first line of names of columns is passed over where it can be told. Edges have no direction: an edge that is there
// both ways must have one weight, and one that is there twice the same way is an error. Self loops are edges. Nodes
// that are called 0, 1, ..., n - 1 get these numbers; other whole numbers are names in their order, and texts are names
// in the order of the file.
NamedGraph read_edges(const std::string& path);
NamedGraph parse_edges(std::string_view text, const std::string& name);  // `name` is for errors

// The neighbours of points in space: a graph with an edge between two points where one of them is among the k nearest
// of the other, by Euclidean distance (exact; of equal ones the first). An edge weighs 1, or exp(-|x-y|^2 / (2 ell^2)).
struct NeighbourOptions {
  Index k = 10;
  double ell = 0;  // 0: all edges weigh 1
};
Graph nearest_neighbours(const Points& x, const NeighbourOptions& options = {});

// Eigenvalues of a Laplacian in increasing order, and eigenvectors of length 1, the first entry that is not small above
// 0. All of them, by dense algebra: O(n^3), n^2 numbers.
struct LaplacianSpectrum {
  Vector values;
  Matrix vectors;  // row k belongs to values[k]
};
LaplacianSpectrum laplacian_spectrum(const Graph& graph, Laplacian laplacian = Laplacian::plain);

// Which of the connected parts each node is in, numbered from 0 by their first nodes.
std::vector<Index> connected_parts(const Graph& graph);

// The graph whose nodes the points are, and which of them; DomainError where they are something else.
const NamedGraph& graph_of(const Points& nodes);
std::vector<Index> ids_of(const Points& nodes);

}  // namespace mercer
