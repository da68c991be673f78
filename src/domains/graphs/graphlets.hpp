// How often each small graph is an induced subgraph: every set of 3 or 4 nodes counts once, by the edges within it.
#pragma once

#include <array>

#include "mercer/graph.hpp"
#include "mercer/points.hpp"

namespace mercer {

// In the order: no edge, one edge, path, triangle.
std::array<double, 4> graphlets_of_3(const Graph& g);

// In the order: no edge; one edge; two edges apart; path of 3 and a node; triangle and a node; star; path of 4;
// triangle with a tail; ring; ring with a chord; all six edges.
std::array<double, 11> graphlets_of_4(const Graph& g);

// Both take undirected graphs; self loops do not count. Exact below 2^53. Cost: O(sum over edges of the degrees of
// their ends), and for 4 nodes the same for each triangle: what there are of graphs with few edges comes from formulas.

}  // namespace mercer
