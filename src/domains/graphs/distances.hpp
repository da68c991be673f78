// Distances between the nodes of a graph.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "mercer/graph.hpp"

namespace mercer {

// How far it is from one node to all others: edges counted, or their weights added up where there are any, rounded to
// float once; infinity where there is no path. The graph must live as long. For one thread.
class Distances {
 public:
  Distances(const Graph& g, const std::string& who);  // DomainError in the name of `who` for weights below 0
  const std::vector<float>& from(Index source);

 private:
  void count_edges(Index source);
  void add_lengths(Index source);

  const Graph& graph_;
  std::vector<float> from_;
  std::vector<double> lengths_;
  std::vector<std::int32_t> queue_;
  std::vector<std::pair<double, std::int32_t>> heap_;
};

}  // namespace mercer
