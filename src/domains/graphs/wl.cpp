// Weisfeiler and Lehman's colours, after Shervashidze et al., JMLR 12 (2011). A round costs one look at every edge, the
// sorting of each node's neighbours, and one search in the vocabulary for each node.
#include <algorithm>

#include "base/at.hpp"
#include "domains/graphs/counts.hpp"

namespace mercer {

namespace {

// What no colour is: begins the keys of labels, so that they differ from those of later rounds.
constexpr std::int32_t kLabel = -1;

}  // namespace

Refinement::Refinement(std::span<const Graph> graphs, LabelUse labels, Vocabulary& vocabulary)
    : graphs_(graphs),
      vocabulary_(vocabulary),
      first_(first_nodes(graphs)),
      colours_(node_labels(graphs, labels.nodes, vocabulary.node_labels)) {
  for (std::int32_t& colour : colours_) {
    const std::int32_t key[] = {kLabel, colour};
    colour = vocabulary_.features.add(as_key(key));
  }
  for (const Graph& g : graphs) {
    if (labels.edges) edge_label_of_.push_back(edge_labels(g, vocabulary.edge_labels));
  }
}

void Refinement::refine() {
  std::vector<std::int32_t> next(colours_.size()), key;
  std::vector<std::pair<std::int32_t, std::int32_t>> pairs;  // label of an edge, colour of its end
  for (std::size_t g = 0; g < graphs_.size(); ++g) {
    const std::int32_t* const colours = colours_.data() + first_[g];
    for (Index i = 0; i < graphs_[g].nodes(); ++i) {
      const auto neighbours = graphs_[g].neighbours(i);
      key.assign(1, colours[i]);
      if (edge_label_of_.empty()) {
        for (const std::int32_t neighbour : neighbours) key.push_back(colours[neighbour]);
        std::sort(key.begin() + 1, key.end());
      } else {
        const std::int32_t* const labels = edge_label_of_[g].data() + graphs_[g].offsets()[at(i)];
        pairs.clear();
        for (std::size_t e = 0; e < neighbours.size(); ++e) pairs.emplace_back(labels[e], colours[neighbours[e]]);
        std::sort(pairs.begin(), pairs.end());
        for (const auto& [label, colour] : pairs) key.insert(key.end(), {label, colour});
      }
      next[at(first_[g] + i)] = vocabulary_.features.add(as_key(key));
    }
  }
  colours_ = std::move(next);
}

SparseMatrix wl_counts(std::span<const Graph> graphs, int h, LabelUse labels, Vocabulary& vocabulary) {
  Refinement refinement(graphs, labels, vocabulary);
  std::vector<std::vector<std::int32_t>> rounds;
  for (int round = 0; round <= h; ++round) {
    if (round > 0) refinement.refine();
    rounds.emplace_back(refinement.colours().begin(), refinement.colours().end());
  }
  const std::vector<Index> first = first_nodes(graphs);
  SparseMatrix out;
  std::vector<std::int32_t> found;
  for (std::size_t g = 0; g < graphs.size(); ++g) {
    found.clear();
    for (const auto& colours : rounds) {
      found.insert(found.end(), colours.begin() + first[g], colours.begin() + first[g + 1]);
    }
    append_counts(found, out);
  }
  out.cols = vocabulary.features.size();
  return out;
}

}  // namespace mercer
