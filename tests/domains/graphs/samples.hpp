// Small graphs that the tests of kernels between graphs share.
#pragma once

#include <algorithm>
#include <random>
#include <string>
#include <vector>

#include "mercer/graph.hpp"

namespace mercer::test {

inline Graph path(Index n) {
  GraphParts parts{.nodes = n};
  for (Index i = 0; i + 1 < n; ++i) parts.edges.push_back({i, i + 1});
  return graph(std::move(parts));
}

inline Graph ring(Index n) {
  GraphParts parts{.nodes = n};
  for (Index i = 0; i < n; ++i) parts.edges.push_back({i, (i + 1) % n});
  return graph(std::move(parts));
}

inline Graph complete(Index n) {
  GraphParts parts{.nodes = n};
  for (Index i = 0; i < n; ++i) {
    for (Index j = 0; j < i; ++j) parts.edges.push_back({i, j});
  }
  return graph(std::move(parts));
}

inline Graph star(Index n) {
  GraphParts parts{.nodes = n};
  for (Index i = 1; i < n; ++i) parts.edges.push_back({0, i});
  return graph(std::move(parts));
}

inline Graph two_triangles() { return graph(6, {{0, 1}, {1, 2}, {2, 0}, {3, 4}, {4, 5}, {5, 3}}); }
inline Graph water() { return graph({.nodes = 3, .edges = {{0, 1}, {0, 2}}, .node_labels = {"O", "H", "H"}}); }
inline Graph hydronium() {
  return graph({.nodes = 4, .edges = {{0, 1}, {0, 2}, {0, 3}}, .node_labels = {"O", "H", "H", "H"}});
}

struct Kind {
  bool node_labels = true, edge_labels = false, weights = false, directed = false, self_loops = false;
};

inline Graph random_graph(Index nodes, double density, unsigned seed, Kind kind = {}) {
  std::mt19937 engine(seed);
  const auto chance = [&] { return static_cast<double>(engine()) / 4294967296.0; };
  GraphParts parts{.nodes = nodes, .directed = kind.directed};
  for (Index i = 0; i < nodes; ++i) {
    if (kind.node_labels) parts.node_labels.push_back(std::string(1, "CNO"[engine() % 3]));
    for (Index j = 0; j < nodes; ++j) {
      if ((kind.directed ? i == j : j <= i) && !(kind.self_loops && i == j)) continue;
      if (chance() >= density) continue;
      parts.edges.push_back({i, j, kind.weights ? 0.5 + chance() : 1.0});
      if (kind.edge_labels) parts.edge_labels.push_back(std::string(1, "-="[engine() % 2]));
    }
  }
  return graph(std::move(parts));
}

// The same graph with its nodes in another order.
inline Graph shuffled(const Graph& g, unsigned seed) {
  std::vector<Index> to(static_cast<std::size_t>(g.nodes()));
  for (std::size_t i = 0; i < to.size(); ++i) to[i] = static_cast<Index>(i);
  std::shuffle(to.begin(), to.end(), std::mt19937(seed));
  GraphParts parts{.nodes = g.nodes(), .directed = g.directed()};
  parts.node_labels.resize(g.node_labels().size());
  if (g.attributes().cols() > 0) parts.attributes = Matrix(g.nodes(), g.attributes().cols());
  for (Index i = 0; i < g.nodes(); ++i) {
    const auto moved = static_cast<std::size_t>(to[static_cast<std::size_t>(i)]);
    if (!g.node_labels().empty()) {
      const auto label = static_cast<std::size_t>(g.node_labels()[static_cast<std::size_t>(i)]);
      parts.node_labels[moved] = g.node_label_names()[label];
    }
    for (Index k = 0; k < g.attributes().cols(); ++k) {
      parts.attributes(static_cast<Index>(moved), k) = g.attributes()(i, k);
    }
    for (std::size_t e = 0; e < g.neighbours(i).size(); ++e) {
      const Index j = g.neighbours(i)[e];
      if (!g.directed() && j < i) continue;
      parts.edges.push_back({to[static_cast<std::size_t>(i)], to[static_cast<std::size_t>(j)], g.weights(i)[e]});
      if (!g.edge_labels().empty()) {
        const auto place = static_cast<std::size_t>(g.offsets()[static_cast<std::size_t>(i)]) + e;
        parts.edge_labels.push_back(g.edge_label_names()[static_cast<std::size_t>(g.edge_labels()[place])]);
      }
    }
  }
  return graph(std::move(parts));
}

}  // namespace mercer::test
