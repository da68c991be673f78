#include "mercer/graph.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "base/at.hpp"
#include "base/fail.hpp"

namespace mercer {

struct NumberedLabels {
  std::vector<std::int32_t> numbers;
  std::vector<std::string> names;  // sorted, distinct
};

namespace {

NumberedLabels numbered(const std::vector<std::string>& labels) {
  NumberedLabels out;
  out.names = labels;
  std::sort(out.names.begin(), out.names.end());
  out.names.erase(std::unique(out.names.begin(), out.names.end()), out.names.end());
  out.numbers.reserve(labels.size());
  for (const std::string& label : labels) {
    const auto place = std::lower_bound(out.names.begin(), out.names.end(), label);
    out.numbers.push_back(static_cast<std::int32_t>(place - out.names.begin()));
  }
  return out;
}

void require_sizes(const GraphParts& parts) {
  constexpr Index most = std::numeric_limits<std::int32_t>::max();
  if (parts.nodes < 0 || parts.nodes > most) {
    fail(ErrorKind::data, "a graph of {} nodes; there must be at least 0 and at most {}", parts.nodes, most);
  }
  if (!parts.node_labels.empty() && parts.node_labels.size() != at(parts.nodes)) {
    fail(ErrorKind::data, "{} node labels in a graph of {} nodes; give each node one, or none any",
         parts.node_labels.size(), parts.nodes);
  }
  if (!parts.edge_labels.empty() && parts.edge_labels.size() != parts.edges.size()) {
    fail(ErrorKind::data, "{} edge labels in a graph of {} edges; give each edge one, or none any",
         parts.edge_labels.size(), parts.edges.size());
  }
  const Matrix& attributes = parts.attributes;
  if (attributes.cols() == 0) return;
  if (attributes.rows() != parts.nodes) {
    fail(ErrorKind::data, "attributes of {} nodes in a graph of {} nodes; give each node a row", attributes.rows(),
         parts.nodes);
  }
  for (Index i = 0; i < attributes.rows(); ++i) {
    for (Index j = 0; j < attributes.cols(); ++j) {
      if (!std::isfinite(attributes(i, j))) {
        fail(ErrorKind::data, "attribute {} of node {} is {}; attributes must be finite numbers", j + 1, i,
             attributes(i, j));
      }
    }
  }
}

void require_edge(const GraphEdge& edge, std::size_t number, Index nodes) {
  for (const Index end : {edge.from, edge.to}) {
    if (end >= 0 && end < nodes) continue;
    fail(ErrorKind::data,
         "edge {} leads from node {} to node {}, and node {} is not there: the graph has {} nodes, "
         "counted from 0",
         number + 1, edge.from, edge.to, end, nodes);
  }
  if (!std::isfinite(edge.weight)) {
    fail(ErrorKind::data, "the edge from node {} to node {} has weight {}; weights must be finite numbers", edge.from,
         edge.to, edge.weight);
  }
}

}  // namespace

struct Graph::Parts {
  Index edges = 0;
  bool directed = false, self_loops = false, weighted = false;
  std::vector<Index> offsets = {0};
  std::vector<std::int32_t> neighbours;
  std::vector<double> weights;
  NumberedLabels node_labels, edge_labels;
  Matrix attributes;
};

Graph::Graph() : parts_(std::make_shared<const Parts>()) {}

Graph::Graph(GraphParts given) {
  require_sizes(given);
  auto out = std::make_shared<Parts>();
  out->edges = static_cast<Index>(given.edges.size());
  out->directed = given.directed;
  out->node_labels = numbered(given.node_labels);
  NumberedLabels labels = numbered(given.edge_labels);  // of the edges as they were given

  const auto both_ways = [&](const GraphEdge& edge) { return !given.directed && edge.from != edge.to; };
  std::vector<Index>& offsets = out->offsets;
  offsets.assign(at(given.nodes) + 1, 0);
  for (std::size_t e = 0; e < given.edges.size(); ++e) {
    const GraphEdge& edge = given.edges[e];
    require_edge(edge, e, given.nodes);
    ++offsets[at(edge.from) + 1];
    if (both_ways(edge)) ++offsets[at(edge.to) + 1];
    out->self_loops |= edge.from == edge.to;
    out->weighted |= edge.weight != 1;
  }
  std::partial_sum(offsets.begin(), offsets.end(), offsets.begin());

  struct Entry {
    std::int32_t neighbour;
    std::size_t edge;
  };
  std::vector<Entry> entries(at(offsets.back()));
  std::vector<Index> next(offsets.begin(), offsets.end() - 1);
  const auto put = [&](Index row, Index neighbour, std::size_t edge) {
    entries[at(next[at(row)]++)] = {static_cast<std::int32_t>(neighbour), edge};
  };
  for (std::size_t e = 0; e < given.edges.size(); ++e) {
    const GraphEdge& edge = given.edges[e];
    put(edge.from, edge.to, e);
    if (both_ways(edge)) put(edge.to, edge.from, e);
  }
  out->neighbours.reserve(entries.size());
  out->weights.reserve(entries.size());
  for (Index i = 0; i < given.nodes; ++i) {
    const auto first = entries.begin() + offsets[at(i)], last = entries.begin() + offsets[at(i) + 1];
    std::sort(first, last, [](const Entry& a, const Entry& b) { return a.neighbour < b.neighbour; });
    const auto twin =
        std::adjacent_find(first, last, [](const Entry& a, const Entry& b) { return a.neighbour == b.neighbour; });
    if (twin != last) {
      fail(ErrorKind::data, "the edge from node {} to node {} is given twice{}; give each edge once", i,
           twin->neighbour, given.directed ? "" : ", and an undirected edge leads both ways");
    }
    for (auto entry = first; entry != last; ++entry) {
      out->neighbours.push_back(entry->neighbour);
      out->weights.push_back(given.edges[entry->edge].weight);
      if (!labels.numbers.empty()) out->edge_labels.numbers.push_back(labels.numbers[entry->edge]);
    }
  }
  out->edge_labels.names = std::move(labels.names);
  if (given.attributes.cols() > 0) out->attributes = std::move(given.attributes);
  parts_ = std::move(out);
}

Index Graph::nodes() const { return static_cast<Index>(parts_->offsets.size()) - 1; }
Index Graph::edges() const { return parts_->edges; }
bool Graph::directed() const { return parts_->directed; }
bool Graph::has_self_loops() const { return parts_->self_loops; }
bool Graph::is_weighted() const { return parts_->weighted; }

std::span<const Index> Graph::offsets() const { return parts_->offsets; }
std::span<const std::int32_t> Graph::neighbours() const { return parts_->neighbours; }
std::span<const double> Graph::weights() const { return parts_->weights; }

std::span<const std::int32_t> Graph::neighbours(Index i) const {
  const Index first = parts_->offsets[at(i)];
  return neighbours().subspan(at(first), at(parts_->offsets[at(i) + 1] - first));
}

std::span<const double> Graph::weights(Index i) const {
  const Index first = parts_->offsets[at(i)];
  return weights().subspan(at(first), at(parts_->offsets[at(i) + 1] - first));
}

std::span<const std::int32_t> Graph::node_labels() const { return parts_->node_labels.numbers; }
std::span<const std::int32_t> Graph::edge_labels() const { return parts_->edge_labels.numbers; }
const std::vector<std::string>& Graph::node_label_names() const { return parts_->node_labels.names; }
const std::vector<std::string>& Graph::edge_label_names() const { return parts_->edge_labels.names; }

MatrixView Graph::attributes() const { return {parts_->attributes.data(), nodes(), parts_->attributes.cols()}; }

Graph graph(Index nodes, std::vector<GraphEdge> edges) { return Graph({.nodes = nodes, .edges = std::move(edges)}); }
Graph graph(GraphParts parts) { return Graph(std::move(parts)); }

}  // namespace mercer
