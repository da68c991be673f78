// wl(h, base), shortest_path(node) and random_walk(lambda, node): kernels between graphs whose nodes have real
// attributes, which a kernel compares.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "base/at.hpp"
#include "base/fail.hpp"
#include "base/text.hpp"
#include "domains/graphs/distances.hpp"
#include "domains/graphs/node_pairs.hpp"
#include "domains/graphs/row.hpp"
#include "domains/graphs/words.hpp"
#include "kernel/leaves.hpp"

namespace mercer::detail {

namespace {

// sum over rounds r and pairs of nodes i, j of the same colour in round r of base(i, j). Nodes whose colours differ in
// one round differ in all later ones.
class WlNodesEdge final : public NodePairEdge {
 public:
  WlNodesEdge(int h, LabelUse labels, NodeKernel base)
      : NodePairEdge("wl()", std::move(base.k), base.first), rounds_(h + 1), labels_(labels) {}

 private:
  void describe(NodesOfGraph& graph, Vocabulary& texts) const override {
    Refinement refinement({&graph.graph, 1}, labels_, texts);
    graph.colours.resize(at(graph.graph.nodes() * rounds_));
    for (Index round = 0; round < rounds_; ++round) {
      if (round > 0) refinement.refine();
      for (Index i = 0; i < graph.graph.nodes(); ++i)
        graph.colours[at(i * rounds_ + round)] = refinement.colours()[at(i)];
    }
  }

  double rounds_alike(const NodesOfGraph& x, const NodesOfGraph& y, Index i, Index j) const {
    const auto a = x.colours.begin() + i * rounds_, b = y.colours.begin() + j * rounds_;
    return static_cast<double>(std::mismatch(a, a + rounds_, b).first - a);
  }

  double value(const NodesOfGraph& x, const NodesOfGraph& y, MatrixView base) const override {
    double total = 0;
    for (Index i = 0; i < base.rows(); ++i) {
      for (Index j = 0; j < base.cols(); ++j) total += rounds_alike(x, y, i, j) * base(i, j);
    }
    return total;
  }

  void pull(const NodesOfGraph& x, const NodesOfGraph& y, MatrixView base, double v, MatrixRef to,
            double*) const override {
    for (Index i = 0; i < base.rows(); ++i) {
      for (Index j = 0; j < base.cols(); ++j) to(i, j) = v * rounds_alike(x, y, i, j);
    }
  }

  Index rounds_;
  LabelUse labels_;
};

// sum over pairs of pairs of nodes (i, j) and (k, l) at the same distance of base(i, k) base(j, l), where labels count
// those of the same labels: for each distance, the pairs that have it on one side and on the other.
class PathNodesEdge final : public NodePairEdge {
 public:
  PathNodesEdge(LabelUse labels, NodeKernel base)
      : NodePairEdge("shortest_path()", std::move(base.k), base.first), labels_(labels) {}

 private:
  void describe(NodesOfGraph& graph, Vocabulary& texts) const override {
    graph.labelled.node_labels = node_labels({&graph.graph, 1}, labels_.nodes, texts.node_labels);
    std::map<double, std::vector<std::pair<Index, Index>>> found;
    Distances distances(graph.graph, "shortest_path()");
    for (Index i = 0; i < graph.graph.nodes(); ++i) {
      const std::vector<double>& from = distances.from(i);
      for (Index j = 0; j < graph.graph.nodes(); ++j) {
        if (j != i && std::isfinite(from[at(j)])) found[from[at(j)]].emplace_back(i, j);
      }
    }
    graph.at_distance.assign(found.begin(), found.end());
  }

  Matrix alike(const NodesOfGraph& x, const NodesOfGraph& y, MatrixView base) const {
    Matrix out(base);
    for (Index i = 0; i < base.rows(); ++i) {
      for (Index j = 0; j < base.cols(); ++j) {
        if (x.labelled.node_labels[at(i)] != y.labelled.node_labels[at(j)]) out(i, j) = 0;
      }
    }
    return out;
  }

  // For each distance d that both have: visit(pairs of x, pairs of y, M) with M(i, l) the sum of base(j, l) over the
  // pairs (i, j) of x at distance d.
  template <class Visit>
  static void for_each_distance(const NodesOfGraph& x, const NodesOfGraph& y, const Matrix& base, bool reversed,
                                Visit visit) {
    Matrix M;
    auto b = y.at_distance.begin();
    for (const auto& [distance, pairs] : x.at_distance) {
      while (b != y.at_distance.end() && b->first < distance) ++b;
      if (b == y.at_distance.end()) return;
      if (b->first != distance) continue;
      M = Matrix(base.rows(), base.cols());
      for (const auto& [i, j] : pairs) {
        const Index to = reversed ? j : i, from = reversed ? i : j;
        for (Index l = 0; l < base.cols(); ++l) M(to, l) += base(from, l);
      }
      visit(b->second, M);
    }
  }

  double value(const NodesOfGraph& x, const NodesOfGraph& y, MatrixView given) const override {
    const Matrix base = alike(x, y, given);
    double total = 0;
    for_each_distance(x, y, base, false, [&](const auto& pairs, const Matrix& M) {
      for (const auto& [k, l] : pairs) {
        for (Index i = 0; i < base.rows(); ++i) total += base(i, k) * M(i, l);
      }
    });
    return total;
  }

  void pull(const NodesOfGraph& x, const NodesOfGraph& y, MatrixView given, double v, MatrixRef to,
            double*) const override {
    const Matrix base = alike(x, y, given);
    for (const bool reversed : {false, true}) {  // base stands at both ends of a path
      for_each_distance(x, y, base, reversed, [&](const auto& pairs, const Matrix& M) {
        for (const auto& [k, l] : pairs) {
          const Index own = reversed ? l : k, other = reversed ? k : l;
          for (Index i = 0; i < base.rows(); ++i) to(i, own) += v * M(i, other);
        }
      });
    }
    for (Index i = 0; i < base.rows(); ++i) {
      for (Index j = 0; j < base.cols(); ++j) {
        if (x.labelled.node_labels[at(i)] != y.labelled.node_labels[at(j)]) to(i, j) = 0;
      }
    }
  }

  LabelUse labels_;
};

// Walks that count with the product of base over the pairs of nodes they visit. With z = B y, y = (I - lambda W B)^-1
// 1, B = diag(base), k = 1'z, dk/dbase = y^2 and dk/dlambda = z'W z.
class WalkNodesEdge final : public NodePairEdge {
 public:
  WalkNodesEdge(ParamRef lambda, LabelUse labels, NodeKernel base)
      : NodePairEdge("random_walk()", std::move(base.k), base.first), lambda_(lambda), labels_(labels) {}

 private:
  bool own_parameter() const override { return true; }

  void describe(NodesOfGraph& graph, Vocabulary& texts) const override {
    if (graph.graph.directed()) {
      fail(ErrorKind::domain, "random_walk(): graph {} is directed; with node=... it takes undirected graphs",
           graph.number);
    }
    graph.labelled.graph = graph.graph;
    if (labels_.nodes) graph.labelled.node_labels = node_labels({&graph.graph, 1}, true, texts.node_labels);
    if (labels_.edges) graph.labelled.edge_labels = edge_labels(graph.graph, texts.edge_labels);
    graph.radius = walk_radius(graph.graph);
  }

  void require(const NodePairSide& x, const NodePairSide& y) const override {
    const auto growth = [](const NodePairSide& side) {
      double radius = 0;
      for (const auto& graph : side.graphs) radius = std::max(radius, graph->radius);
      return radius * std::sqrt(side.largest);
    };
    const double most = growth(x) * growth(y);
    if (lambda_.value * most < 1) return;
    fail(ErrorKind::numeric,
         "random_walk(lambda={}): walks may grow {:.6g} times with each step, and their sum may be infinite; lambda "
         "must "
         "be below {:.6g} for these graphs and this kernel between nodes",
         mercer::number(lambda_.value), most, 1 / most);
  }

  static void require_nonnegative(MatrixView base) {
    for (Index i = 0; i < base.rows(); ++i) {
      for (Index j = 0; j < base.cols(); ++j) {
        if (base(i, j) >= 0) continue;
        fail(ErrorKind::domain, "random_walk(): the kernel between nodes is {}; take one that is >= 0 everywhere",
             base(i, j));
      }
    }
  }

  double value(const NodesOfGraph& x, const NodesOfGraph& y, MatrixView base) const override {
    require_nonnegative(base);
    ProductGraph product;
    product.assign(x.labelled, y.labelled, base);
    return product.sum({.lambda = lambda_.value}).value;
  }

  void pull(const NodesOfGraph& x, const NodesOfGraph& y, MatrixView base, double v, MatrixRef to,
            double* parameters) const override {
    ProductGraph product;
    product.assign(x.labelled, y.labelled, base);
    parameters[lambda_.at] += v * product.geometric_slopes(lambda_.value, to);
    for (Index i = 0; i < to.rows(); ++i) {
      for (Index j = 0; j < to.cols(); ++j) to(i, j) *= v;
    }
  }

  ParamRef lambda_;
  LabelUse labels_;
};

}  // namespace

Value emit_wl(const Site& site, Emitter& e) {
  if (site.node.children.empty()) return emit_inner_product(site, e);
  const int h = static_cast<int>(site.node.number("h"));
  const NodeKernel base = node_kernel(site);
  const std::string key = fmt::format("wl {} {} {} {}", h, site.node.word("labels"), base.first, base.k.str());
  return {.factors = {e.edge(site.view, std::make_shared<WlNodesEdge>(h, label_use(site.node), base), key)}};
}

Value emit_shortest_path(const Site& site, Emitter& e) {
  if (site.node.children.empty()) return emit_inner_product(site, e);
  const NodeKernel base = node_kernel(site);
  const std::string key = fmt::format("shortest_path {} {} {}", site.node.word("labels"), base.first, base.k.str());
  return {.factors = {e.edge(site.view, std::make_shared<PathNodesEdge>(label_use(site.node), base), key)}};
}

Value emit_attributed_walk(const Site& site, Emitter& e) {
  const NodeKernel base = node_kernel(site);
  const ParamRef lambda = site.param("lambda");
  const std::string key =
      fmt::format("random_walk {} {} {} {}", lambda.at, site.node.word("labels"), base.first, base.k.str());
  return {.factors = {e.edge(site.view, std::make_shared<WalkNodesEdge>(lambda, label_use(site.node), base), key)}};
}

}  // namespace mercer::detail
