// Graphs as points.
#pragma once

#include <span>
#include <vector>

#include "mercer/graph.hpp"
#include "points/objects.hpp"

namespace mercer {

class Graphs final : public Objects {
 public:
  explicit Graphs(std::vector<Graph> graphs) : graphs_(std::move(graphs)) {}

  const Graph& operator[](Index i) const { return graphs_[static_cast<std::size_t>(i)]; }
  std::span<const Graph> all() const { return graphs_; }

  Index size() const override { return static_cast<Index>(graphs_.size()); }
  Domain domain() const override { return {"graphs"}; }
  int compare(Index i, Index j) const override;
  std::shared_ptr<const Objects> join(const Selection& own, const Objects& other,
                                      const Selection& others) const override;
  Json save(const Selection& which, const std::string& prefix, detail::BlockWriter& blocks) const override;

 private:
  std::vector<Graph> graphs_;
};

// Below, above or equal to 0: an order of graphs as they are written down. Nodes in another order make another graph.
int compare(const Graph& a, const Graph& b);

}  // namespace mercer
