// Graphs that the tests of kernels on nodes share.
#pragma once

#include "base/random.hpp"
#include "mercer/graph.hpp"

namespace mercer::nodes_test {

inline Graph complete(Index n) {
  std::vector<GraphEdge> edges;
  for (Index i = 0; i < n; ++i) {
    for (Index j = i + 1; j < n; ++j) edges.push_back({i, j});
  }
  return graph(n, edges);
}

inline Graph path(Index n) {
  std::vector<GraphEdge> edges;
  for (Index i = 0; i + 1 < n; ++i) edges.push_back({i, i + 1});
  return graph(n, edges);
}

inline Graph ring(Index n) {
  std::vector<GraphEdge> edges;
  for (Index i = 0; i < n; ++i) edges.push_back({i, (i + 1) % n});
  return graph(n, edges);
}

inline Graph star(Index n) {  // node 0 is the centre
  std::vector<GraphEdge> edges;
  for (Index i = 1; i < n; ++i) edges.push_back({0, i});
  return graph(n, edges);
}

inline Graph hypercube(int bits) {
  std::vector<GraphEdge> edges;
  for (Index i = 0; i < (Index{1} << bits); ++i) {
    for (int b = 0; b < bits; ++b) {
      if ((i >> b) % 2 == 0) edges.push_back({i, i | (Index{1} << b)});
    }
  }
  return graph(Index{1} << bits, edges);
}

// Weighted, with a self loop; the last node has no edges.
inline Graph random_graph(Index n, double density, std::uint64_t seed) {
  Random random(seed);
  std::vector<GraphEdge> edges = {{0, 0, 0.7}};
  for (Index i = 0; i + 1 < n; ++i) {
    for (Index j = i + 1; j + 1 < n; ++j) {
      if (random.uniform() < density) edges.push_back({i, j, random.uniform(0.2, 2)});
    }
  }
  return graph(n, edges);
}

}  // namespace mercer::nodes_test
