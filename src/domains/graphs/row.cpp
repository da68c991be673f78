#include "domains/graphs/row.hpp"

#include "base/fail.hpp"
#include "base/random.hpp"
#include "kernel/leaves.hpp"
#include "kernel/rows.hpp"
#include "mercer/graph.hpp"

namespace mercer::detail {

using namespace row;

DomainRow graphs_domain() {
  return {.kind = "graphs",
          .kernels = graph_kernels,
          .loads = {{"graphs", load_graphs}},
          .formats = graph_formats,
          .sample = sample_graphs};
}

namespace {

void check_random_walk(const Node& node) {
  const bool steps = node.word("kind") == "steps";
  if (steps && node.number("steps") == 0) {
    fail(ErrorKind::kernel, "random_walk(): kind=steps needs the length of the longest walks: steps=3");
  }
  if (!steps && node.number("steps") != 0) {
    fail(ErrorKind::kernel, "random_walk(): steps={} goes with kind=steps; kind={} counts walks of all lengths",
         node.number("steps"), node.word("kind"));
  }
  if (!node.children.empty() && node.word("kind") != "geometric") {
    fail(ErrorKind::kernel, "random_walk(): node goes with kind=geometric, not with kind={}", node.word("kind"));
  }
}

}  // namespace

// clang-format off
std::vector<Entry> graph_kernels() {
  return {
      featured({"wl", axiom, "graphs", {whole("h", 3, 0, 1000), one_of("labels", {"nodes", "both", "edges", "none"}), optional_premise("base")},
       "sum_r sum_c count_rc(x) count_rc(y) over colours c of the nodes in rounds r = 0..h; with base: the sum of base(i, j) over nodes i of x and j of y, for each round in which their colours are equal",
       "h a whole number >= 0; round 0 has the nodes' labels, each further round a node's colour with the multiset of its neighbours' (and the edges' labels); in a directed graph the neighbours of a node are those that its edges lead to; weights do not count; base a kernel between the real attributes of nodes",
       "the inner product of counts of colours; with base a sum of products of kernels between nodes", "Shervashidze et al. 2011", "wl(h=3)",
       emit_wl, nullptr, Heuristic::none, nullptr, attributes_of_nodes}, wl_features),
      featured({"shortest_path", axiom, "graphs", {one_of("labels", {"nodes", "none"}), optional_premise("node")},
       "sum_abd count_abd(x) count_abd(y) over ordered pairs of two different nodes with labels a, b at distance d; with node: pairs (i, j) of x and (k, l) of y of the same labels and distance count node(i, k) node(j, l)",
       "a node and itself, at distance 0, are no pair, as they are in some other programs; pairs without a path are left out; distances count edges, or add up weights, which must be >= 0, as the decimals they are written as, and are equal where they round to the same double; node a kernel between the real attributes of nodes",
       "the inner product of counts of pairs; with node a sum of products of kernels between nodes", "Borgwardt & Kriegel 2005", "shortest_path()",
       emit_shortest_path, nullptr, Heuristic::none, nullptr, attributes_of_nodes}, shortest_path_features),
      featured({"label_histogram", axiom, "graphs", {}, "sum_a count_a(x) count_a(y) over labels a of the nodes", "",
       "the inner product of counts of labels: the baseline that a kernel between graphs has to beat", "", "label_histogram()",
       emit_inner_product}, label_histogram_features),
      featured({"graphlet", axiom, "graphs", {one_of("size", 3, {3, 4})}, "sum_g count_g(x) count_g(y) over graphs g of so many nodes, connected or not",
       "size 3 or 4, no others; undirected graphs; every set of nodes counts once, by the edges within it; self loops do not count",
       "the inner product of counts of induced subgraphs", "Shervashidze et al. 2009", "graphlet(size=4)", emit_inner_product}, graphlet_features),
      featured({"random_walk", axiom, "graphs",
       {positive("lambda", 0.01), one_of("kind", {"geometric", "exponential", "steps"}),
        one_of("labels", {"none", "nodes", "edges", "both"}), whole("steps", 0, 0, 1000), optional_premise("node")},
       "sum_s c_s 1'W^s 1, W the adjacency matrix of the direct product of x and y; c_s = lambda^s, lambda^s/s!, or lambda^s up to s = steps; with node: each walk counts with the product of node(i, j) over the pairs of nodes it visits",
       "steps > 0 for kind=steps, 0 for the others; undirected graphs, but for kind=steps; geometric: lambda < 1/(rho(x) rho(y)), the largest eigenvalues, for all graphs; node a kernel >= 0 between the real attributes of nodes, with kind=geometric",
       "a sum over lengths s, with weights >= 0, of inner products of counts of walks", "Gaertner, Flach & Wrobel 2003",
       "random_walk(lambda=0.01)", emit_random_walk, check_random_walk, Heuristic::none, nullptr, attributes_of_nodes}, walk_features),
  };
}
// clang-format on

// Small molecules, so that they share subtrees; one has no node, one no edge, one comes twice.
Points sample_graphs(Index count, std::uint64_t seed) {
  Random random(seed);
  std::vector<Graph> out;
  for (Index g = 0; g < count; ++g) {
    if (g == 3) {
      out.push_back(out[1]);
      continue;
    }
    GraphParts parts{.nodes = g == 0 ? 0 : 1 + random.below(7)};
    for (Index i = 0; i < parts.nodes; ++i) parts.node_labels.emplace_back(1, "CNO"[random.below(3)]);
    for (Index i = 1; i < parts.nodes && g != 2; ++i) {
      const Index to = random.below(i);  // a tree, and some edges more
      parts.edges.push_back({i, to, 1});
      if (i > to + 1 && random.below(3) == 0) parts.edges.push_back({i, to + 1, 1});
    }
    parts.attributes = Matrix(parts.nodes, 2);
    for (Index i = 0; i < 2 * parts.nodes; ++i) parts.attributes.data()[i] = random.normal();
    for (std::size_t e = 0; e < parts.edges.size(); ++e)
      parts.edge_labels.emplace_back(random.below(2) == 0 ? "-" : "=");
    out.emplace_back(std::move(parts));
  }
  return graphs(std::move(out));
}

}  // namespace mercer::detail
