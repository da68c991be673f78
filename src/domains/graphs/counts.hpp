// Kernels between graphs that count: each graph is a sparse row of how often it has each feature.
//
// Which column a feature has is written down in a Vocabulary. That of the training graphs is made once; features of
// other graphs are looked up in it, and new ones get columns behind it. All counts are whole numbers, so inner products
// are exact (below 2^53) and no result depends on the order of the columns.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "domains/graphs/dictionary.hpp"
#include "mercer/graph.hpp"
#include "mercer/points.hpp"

namespace mercer {

struct Vocabulary {
  Vocabulary() = default;
  // That begins behind another.
  explicit Vocabulary(const std::shared_ptr<const Vocabulary>& before);

  Dictionary node_labels, edge_labels;  // by their texts
  Dictionary features;                  // the columns
};

// Which labels count. Where they do, the nodes or edges of a graph without labels have the empty label.
struct LabelUse {
  bool nodes = true, edges = false;
};

// The labels of the nodes of all graphs, one after the other, as numbers of their texts; with `use` false, 0s.
std::vector<std::int32_t> node_labels(std::span<const Graph> graphs, bool use, Dictionary& texts);
// The same of the edges of a graph, beside its neighbours.
std::vector<std::int32_t> edge_labels(const Graph& g, Dictionary& texts);
// The place of each graph's first node among the nodes of all, and at the end how many nodes there are.
std::vector<Index> first_nodes(std::span<const Graph> graphs);

// One more row of counts, of how often each number is in `found`, which becomes sorted.
void append_counts(std::vector<std::int32_t>& found, SparseMatrix& out);

// How many nodes have each label.
SparseMatrix label_counts(std::span<const Graph> graphs, Vocabulary& vocabulary);

// Weisfeiler and Lehman's colours of the nodes in rounds 0, ..., h: round 0 has the labels, and in each further round a
// node's colour stands for its last colour together with the multiset of its neighbours' last colours (and of the
// labels of the edges to them, if these count). Neighbours are those that a directed edge leads to; a node with a
// self loop is its own neighbour; weights do not count.
class Refinement {
 public:
  Refinement(std::span<const Graph> graphs, LabelUse labels, Vocabulary& vocabulary);
  void refine();  // the next round
  std::span<const std::int32_t> colours() const { return colours_; }

 private:
  std::span<const Graph> graphs_;
  Vocabulary& vocabulary_;
  std::vector<Index> first_;
  std::vector<std::int32_t> colours_;
  std::vector<std::vector<std::int32_t>> edge_label_of_;  // of each graph, where edges have labels: their numbers here
};
// How many nodes have each colour of each round.
SparseMatrix wl_counts(std::span<const Graph> graphs, int h, LabelUse labels, Vocabulary& vocabulary);

// How many ordered pairs of two different nodes have labels a and b and lie at distance d, for each (a, b, d): a node
// and itself, at distance 0, are no pair. Pairs without a path between them are left out. Distances count edges, or add
// up the weights of a graph that has any (which are equal, and which not: length.hpp); negative weights are refused.
SparseMatrix shortest_path_counts(std::span<const Graph> graphs, bool use_labels, Vocabulary& vocabulary);

}  // namespace mercer
