// Where the nodes of a graph go in a drawing.
#pragma once

#include "mercer/graph.hpp"

namespace mercer::report {

// So that distances on the page are near the numbers of edges between nodes: classical scaling for a start, then steps
// that lower the stress sum (d_ij - |y_i - y_j|)^2 / d_ij^2 (Gansner, Koren & North 2004). Connected parts stand side
// by side. One row of two coordinates per node; the same graph is always drawn alike. O(n^2) a step: up to some
// hundred nodes.
Matrix layout(const Graph& graph);

}  // namespace mercer::report
