// Kernels between graphs that are made of the values of another kernel between their nodes, by real attributes.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "domains/graphs/counts.hpp"
#include "domains/graphs/graphs.hpp"
#include "domains/graphs/walks.hpp"
#include "kernel/bound.hpp"

namespace mercer::detail {

// One graph as a pair of them needs it. What else depends on the kernel.
struct NodesOfGraph {
  Graph graph;
  Range rows;        // of its nodes among those of its side
  Index number = 0;  // for messages, from 1
  LabelledGraph labelled = {};
  std::vector<std::int32_t> colours = {};  // of each node in rounds 0, 1, ...
  std::vector<std::pair<double, std::vector<std::pair<Index, Index>>>> at_distance = {};  // pairs of nodes by distance
  double radius = 0;                                                                      // of walks
};

struct NodePairSide final : Side {
  std::shared_ptr<const Side> select(std::span<const Index> which) const override;

  std::vector<std::shared_ptr<const NodesOfGraph>> graphs;
  std::shared_ptr<const Bound> pairs;   // the kernel between the nodes of both sides; null where one has none
  std::shared_ptr<const Bound> selves;  // the same of this side with itself
  double largest = 0;                   // of that kernel between nodes of this side
};

// What is left to say: what is needed of each graph, and k of two graphs from the values between their nodes. The two
// graphs always come in the same order, so that k(x, y) and k(y, x) are the same bits.
class NodePairEdge : public EdgeOn<NodePairSide> {
 public:
  // The parameters of `base`, the kernel between nodes, begin at `first`.
  NodePairEdge(std::string who, Kernel base, Index first)
      : who_(std::move(who)), base_(std::move(base)), first_(first), count_(base_.params().size()) {}

  bool has_parameters() const override { return count_ > 0 || own_parameter(); }
  Sides prepare(const PointsPair& points) const final;

 private:
  virtual bool own_parameter() const { return false; }
  // Fills in what the kernel needs, with labels as numbers of `texts`.
  virtual void describe(NodesOfGraph& graph, Vocabulary& texts) const = 0;
  virtual void require(const NodePairSide&, const NodePairSide&) const {}
  virtual double value(const NodesOfGraph& x, const NodesOfGraph& y, MatrixView base) const = 0;
  // From dL/dk = v: writes dL/dbase, and adds to the parameters of the kernel itself.
  virtual void pull(const NodesOfGraph& x, const NodesOfGraph& y, MatrixView base, double v, MatrixRef to,
                    double* parameters) const = 0;

  void pairs(const NodePairSide& x, const NodePairSide& y, Range i, Range j, MatrixRef out, Scratch&) const final;
  void selves(const NodePairSide& side, Range i, double* out) const final;
  void pull_pairs(const NodePairSide& x, const NodePairSide& y, Range i, Range j, MatrixView v, const EdgeGradient& to,
                  Scratch&) const final;
  void pull_selves(const NodePairSide& side, Range i, const double* v, const EdgeGradient& to) const final;

  std::shared_ptr<NodePairSide> side_of(const Points& points, Vocabulary& texts, Points& nodes) const;
  double of_pair(const Bound* bound, const NodesOfGraph& x, const NodesOfGraph& y, Scratch& scratch) const;
  void pull_pair(const Bound* bound, const NodesOfGraph& x, const NodesOfGraph& y, double v, double* parameters,
                 Scratch& scratch) const;

  std::string who_;
  Kernel base_;
  Index first_, count_;
};

// The kernel that a kernel between graphs has as its only premise, and where its parameters begin.
struct NodeKernel {
  Kernel k;
  Index first;
};
NodeKernel node_kernel(const Site& site);

}  // namespace mercer::detail
