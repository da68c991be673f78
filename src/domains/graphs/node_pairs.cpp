#include "domains/graphs/node_pairs.hpp"

#include <algorithm>

#include "base/at.hpp"
#include "base/fail.hpp"
#include "domains/graphs/row.hpp"

namespace mercer::detail {

namespace {

// The attributes of all nodes, graph after graph.
Points attributes_of(const ObjectsOf<Graphs>& graphs, const std::string& who) {
  Index nodes = 0, columns = 0;
  for (Index i = 0; i < graphs.size(); ++i) {
    if (graphs[i].nodes() == 0) continue;
    const Index own = graphs[i].attributes().cols();
    if (own == 0) {
      fail(ErrorKind::domain, "{}: a kernel between nodes needs their attributes, and graph {} has none", who, i + 1);
    }
    if (columns != 0 && own != columns) {
      fail(ErrorKind::domain, "{}: the nodes of graph {} have {} attributes, those of others {}", who, i + 1, own,
           columns);
    }
    columns = own;
    nodes += graphs[i].nodes();
  }
  Matrix out(nodes, columns);
  Index row = 0;
  for (Index i = 0; i < graphs.size(); ++i) {
    const MatrixView own = graphs[i].attributes();
    if (own.empty()) continue;
    std::copy_n(own.data(), own.rows() * own.cols(), out.row(row));
    row += own.rows();
  }
  return rows(std::move(out));
}

Matrix transposed(MatrixView m) {
  Matrix out(m.cols(), m.rows());
  for (Index i = 0; i < m.rows(); ++i) {
    for (Index j = 0; j < m.cols(); ++j) out(j, i) = m(i, j);
  }
  return out;
}

bool turned(const NodesOfGraph& x, const NodesOfGraph& y) { return mercer::compare(y.graph, x.graph) < 0; }

}  // namespace

NodeKernel node_kernel(const Site& site) {
  const Node& child = *site.node.children.front();
  return {TrustedCore::theorem(*child.entry, child.params, child.options, child.children),
          site.offset + own_parameters(site.node)};
}

Points attributes_of_nodes(const Node& node, const Points& x) {
  if (node.children.empty()) return x;
  const std::string who = node.entry->name + "()";
  return attributes_of(objects_of<Graphs>(x, who, "graphs"), who);
}

std::shared_ptr<const Side> NodePairSide::select(std::span<const Index> which) const {
  auto out = std::make_shared<NodePairSide>();
  out->rows = static_cast<Index>(which.size());
  for (const Index i : which) out->graphs.push_back(graphs[at(i)]);
  out->pairs = pairs;
  out->selves = selves;
  out->largest = largest;
  return out;
}

std::shared_ptr<NodePairSide> NodePairEdge::side_of(const Points& points, Vocabulary& texts, Points& nodes) const {
  const ObjectsOf<Graphs> graphs = objects_of<Graphs>(points, who_, "graphs");
  nodes = attributes_of(graphs, who_);
  auto out = std::make_shared<NodePairSide>();
  out->rows = graphs.size();
  Index row = 0;
  for (Index i = 0; i < graphs.size(); ++i) {
    auto one = std::make_shared<NodesOfGraph>();
    one->graph = graphs[i];
    one->rows = {row, row + graphs[i].nodes()};
    one->number = i + 1;
    row = one->rows.end;
    describe(*one, texts);
    out->graphs.push_back(std::move(one));
  }
  if (row == 0) return out;  // graphs without nodes: there is nothing to compare
  out->selves = std::make_shared<const Bound>(base_, nodes, nodes);
  Vector diagonal(at(row));
  Scratch scratch;
  out->selves->diagonal({0, row}, diagonal.data(), scratch);
  for (const double value : diagonal) out->largest = std::max(out->largest, value);
  return out;
}

Sides NodePairEdge::prepare(const PointsPair& points) const {
  Vocabulary texts;
  Points nodes_x = points.x, nodes_y = points.y;
  const auto x = side_of(points.x, texts, nodes_x);
  if (points.same()) {
    x->pairs = x->selves;
    require(*x, *x);
    return {x, x};
  }
  const auto y = side_of(points.y, texts, nodes_y);
  if (x->selves && y->selves) x->pairs = y->pairs = std::make_shared<const Bound>(base_, nodes_x, nodes_y);
  require(*x, *y);
  return {x, y};
}

double NodePairEdge::of_pair(const Bound* bound, const NodesOfGraph& x, const NodesOfGraph& y, Scratch& scratch) const {
  if (x.rows.size() == 0 || y.rows.size() == 0) return 0;
  const MatrixView base(bound->tile(x.rows, y.rows, scratch), x.rows.size(), y.rows.size());
  return turned(x, y) ? value(y, x, transposed(base)) : value(x, y, base);
}

void NodePairEdge::pull_pair(const Bound* bound, const NodesOfGraph& x, const NodesOfGraph& y, double v,
                             double* parameters, Scratch& scratch) const {
  if (v == 0 || x.rows.size() == 0 || y.rows.size() == 0) return;
  const Matrix base(MatrixView(bound->tile(x.rows, y.rows, scratch), x.rows.size(), y.rows.size()));
  Matrix to(base.rows(), base.cols());
  if (turned(x, y)) {
    Matrix across(base.cols(), base.rows());
    pull(y, x, transposed(base), v, across, parameters);
    to = transposed(across);
  } else {
    pull(x, y, base, v, to, parameters);
  }
  if (count_ > 0) bound->pullback(x.rows, y.rows, to.data(), parameters + first_, {}, scratch);
}

void NodePairEdge::pairs(const NodePairSide& x, const NodePairSide& y, Range i, Range j, MatrixRef out,
                         Scratch&) const {
  Scratch scratch;
  for (Index a = i.begin; a < i.end; ++a) {
    for (Index b = j.begin; b < j.end; ++b) {
      out(a - i.begin, b - j.begin) = of_pair(x.pairs.get(), *x.graphs[at(a)], *y.graphs[at(b)], scratch);
    }
  }
}

void NodePairEdge::selves(const NodePairSide& side, Range i, double* out) const {
  Scratch scratch;
  require(side, side);
  for (Index a = i.begin; a < i.end; ++a) {
    out[a - i.begin] = of_pair(side.selves.get(), *side.graphs[at(a)], *side.graphs[at(a)], scratch);
  }
}

void NodePairEdge::pull_pairs(const NodePairSide& x, const NodePairSide& y, Range i, Range j, MatrixView v,
                              const EdgeGradient& to, Scratch&) const {
  Scratch scratch;
  for (Index a = i.begin; a < i.end; ++a) {
    for (Index b = j.begin; b < j.end; ++b) {
      pull_pair(x.pairs.get(), *x.graphs[at(a)], *y.graphs[at(b)], v(a - i.begin, b - j.begin), to.parameters, scratch);
    }
  }
}

void NodePairEdge::pull_selves(const NodePairSide& side, Range i, const double* v, const EdgeGradient& to) const {
  Scratch scratch;
  for (Index a = i.begin; a < i.end; ++a) {
    const NodesOfGraph& one = *side.graphs[at(a)];
    pull_pair(side.selves.get(), one, one, v[a - i.begin], to.parameters, scratch);
  }
}

}  // namespace mercer::detail
