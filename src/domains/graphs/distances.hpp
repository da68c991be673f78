// Distances between the nodes of a graph.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "domains/graphs/length.hpp"
#include "mercer/graph.hpp"

namespace mercer {

// How far it is from one node to all others: edges counted, or their weights added up where there are any (see
// length.hpp); infinity where there is no path. The graph must live as long. For one thread.
class Distances {
 public:
  // DomainError in the name of `who` for weights below 0, NumericError for such that add up to no number.
  Distances(const Graph& g, const std::string& who);
  const std::vector<double>& from(Index source);

 private:
  void count_edges(Index source);
  void add_lengths(Index source);

  const Graph& graph_;
  std::vector<double> from_;
  std::vector<Length> weights_, lengths_;  // of the edges, beside the neighbours; of the way to each node
  std::vector<std::int32_t> queue_;
  std::vector<std::pair<Length, std::int32_t>> heap_;
};

}  // namespace mercer
