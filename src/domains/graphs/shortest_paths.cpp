// Pairs of nodes by their labels and their distance, after Borgwardt & Kriegel, ICDM 2005. Breadth first from each
// node, or Dijkstra's algorithm where edges have weights: O(V (V + E)) or O(V E log V) per graph.
#include <algorithm>
#include <bit>
#include <limits>

#include "base/at.hpp"
#include "base/fail.hpp"
#include "base/parallel.hpp"
#include "domains/graphs/counts.hpp"
#include "domains/graphs/distances.hpp"

namespace mercer {

Distances::Distances(const Graph& g, const std::string& who) : graph_(g), from_(at(g.nodes())) {
  if (!g.is_weighted()) return;
  for (const double weight : g.weights()) {
    if (weight < 0) fail(ErrorKind::domain, "{}: an edge has the length {}; lengths must be >= 0", who, weight);
  }
}

const std::vector<float>& Distances::from(Index source) {
  std::fill(from_.begin(), from_.end(), std::numeric_limits<float>::infinity());
  graph_.is_weighted() ? add_lengths(source) : count_edges(source);
  return from_;
}

void Distances::count_edges(Index source) {
  queue_.assign(1, static_cast<std::int32_t>(source));
  from_[at(source)] = 0;
  for (std::size_t next = 0; next < queue_.size(); ++next) {
    const float beyond = from_[at(queue_[next])] + 1;
    for (const std::int32_t j : graph_.neighbours(queue_[next])) {
      if (from_[at(j)] < std::numeric_limits<float>::infinity()) continue;
      from_[at(j)] = beyond;
      queue_.push_back(j);
    }
  }
}

void Distances::add_lengths(Index source) {
  lengths_.assign(at(graph_.nodes()), std::numeric_limits<double>::infinity());
  lengths_[at(source)] = 0;
  const std::greater<> shortest_first;
  heap_.assign(1, {0.0, static_cast<std::int32_t>(source)});
  while (!heap_.empty()) {
    std::pop_heap(heap_.begin(), heap_.end(), shortest_first);
    const auto [length, i] = heap_.back();
    heap_.pop_back();
    if (length > lengths_[at(i)]) continue;
    const auto neighbours = graph_.neighbours(i);
    const auto weights = graph_.weights(i);
    for (std::size_t e = 0; e < neighbours.size(); ++e) {
      const double longer = length + weights[e];
      if (!(longer < lengths_[at(neighbours[e])])) continue;
      lengths_[at(neighbours[e])] = longer;
      heap_.emplace_back(longer, neighbours[e]);
      std::push_heap(heap_.begin(), heap_.end(), shortest_first);
    }
  }
  for (std::size_t i = 0; i < lengths_.size(); ++i) from_[i] = static_cast<float>(lengths_[i]);
}

SparseMatrix shortest_path_counts(std::span<const Graph> graphs, bool use_labels, Vocabulary& vocabulary) {
  const std::vector<std::int32_t> labels = node_labels(graphs, use_labels, vocabulary.node_labels);
  const std::vector<Index> first = first_nodes(graphs);

  struct Found {
    Dictionary triples;  // label, label, bits of the distance
    std::vector<double> counts;
  };
  std::vector<Found> found(graphs.size());
  parallel_for(static_cast<Index>(graphs.size()), thread_count(0), {}, "shortest paths", [&](Index g, int) {
    const std::int32_t* const label = labels.data() + first[at(g)];
    Found& here = found[at(g)];
    Distances distances(graphs[at(g)], "shortest_path()");
    for (Index i = 0; i < graphs[at(g)].nodes(); ++i) {
      const std::vector<float>& from = distances.from(i);
      for (std::size_t j = 0; j < from.size(); ++j) {
        if (static_cast<Index>(j) == i || !(from[j] < std::numeric_limits<float>::infinity())) continue;
        const std::int32_t key[] = {label[i], label[j], std::bit_cast<std::int32_t>(from[j])};
        const auto number = at(here.triples.add(as_key(key)));
        if (number == here.counts.size()) here.counts.push_back(0);
        ++here.counts[number];
      }
    }
  });

  SparseMatrix out;
  std::vector<std::pair<std::int32_t, double>> row;
  for (Found& here : found) {
    row.clear();
    for (std::size_t f = 0; f < here.counts.size(); ++f) {
      row.emplace_back(vocabulary.features.add(here.triples.key(static_cast<std::int32_t>(f))), here.counts[f]);
    }
    std::sort(row.begin(), row.end());
    for (const auto& [column, count] : row) {
      out.columns.push_back(column);
      out.values.push_back(count);
    }
    out.offsets.push_back(static_cast<Index>(out.columns.size()));
    here = {};
  }
  out.rows = static_cast<Index>(graphs.size());
  out.cols = vocabulary.features.size();
  return out;
}

}  // namespace mercer
