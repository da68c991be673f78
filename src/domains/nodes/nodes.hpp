// Nodes of a graph as points.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "domains/nodes/operator.hpp"
#include "mercer/nodes.hpp"
#include "points/objects.hpp"

namespace mercer {

// A graph that nodes are of. Equal graphs are one object, which `shared()` finds, so that points made in different
// places know that they go together and share what is computed of their graph.
class NodeGraph {
 public:
  static std::shared_ptr<const NodeGraph> shared(NamedGraph named);

  const NamedGraph& named() const { return named_; }
  const Graph& graph() const { return named_.graph; }
  Index find(std::string_view name) const;                         // DataError where there is none
  const std::string& description() const { return description_; }  // tells it from other graphs

  template <class T, class Make>
  std::shared_ptr<const T> cached(const std::string& key, Make make) const {
    return cache_.get<T>(key, make);
  }
  // Made once; DataError in the name of `who` where the graph is directed or has an edge with a weight below 0.
  std::shared_ptr<const detail::NodeOperator> matrix(detail::NodeMatrix which, const std::string& who) const;

 private:
  NodeGraph(NamedGraph named, std::string description);

  const NamedGraph named_;
  const std::string description_;
  std::unordered_map<std::string_view, Index> by_name_;
  Cache cache_;
};

class Nodes final : public Objects {
 public:
  Nodes(std::shared_ptr<const NodeGraph> graph, std::vector<std::int32_t> ids)
      : graph_(std::move(graph)), ids_(std::move(ids)) {}

  std::int32_t operator[](Index i) const { return ids_[static_cast<std::size_t>(i)]; }
  const std::shared_ptr<const NodeGraph>& graph() const { return graph_; }

  Index size() const override { return static_cast<Index>(ids_.size()); }
  Domain domain() const override { return {.kind = "nodes", .of = graph_->description()}; }
  int compare(Index i, Index j) const override { return (*this)[i] - (*this)[j]; }
  std::shared_ptr<const Objects> join(const Selection& own, const Objects& other,
                                      const Selection& others) const override;
  Json save(const Selection& which, const std::string& prefix, detail::BlockWriter& blocks) const override;
  std::string describe(const Selection& which) const override;

 private:
  std::shared_ptr<const NodeGraph> graph_;
  std::vector<std::int32_t> ids_;
};

// Both sides of a kernel on nodes: of one graph, or a DomainError in the name of `who`.
struct NodesPair {
  std::shared_ptr<const NodeGraph> graph;
  std::vector<std::int32_t> x, y;
};
NodesPair nodes_pair(const Points& x, const Points& y, const std::string& who);

}  // namespace mercer
