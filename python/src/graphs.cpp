// Graphs from what python/mercer/_domains/graphs.py reads off the objects of other packages.
#include <pybind11/stl.h>

#include "module.hpp"

namespace mercer::python {

namespace {

using Ends = py::array_t<std::int64_t, py::array::c_style | py::array::forcecast>;
using Texts = std::vector<std::string>;
// How many nodes; edges, a row of two each; their weights; whether they are directed; labels of nodes and of edges, or
// none; attributes, or None.
using Parts = std::tuple<Index, Ends, Numbers, bool, Texts, Texts, py::object>;

Graph graph_of(Parts& given) {
  auto& [nodes, ends, weights, directed, node_labels, edge_labels, attributes] = given;
  GraphParts parts{.nodes = nodes, .directed = directed};
  parts.node_labels = std::move(node_labels);
  parts.edge_labels = std::move(edge_labels);
  const auto end = ends.unchecked<2>();
  const auto weight = weights.unchecked<1>();
  for (py::ssize_t e = 0; e < end.shape(0); ++e) parts.edges.push_back({end(e, 0), end(e, 1), weight(e)});
  if (!attributes.is_none()) parts.attributes = to_matrix(attributes);
  return graph(std::move(parts));
}

Points graph_points(std::vector<Parts> all) {
  std::vector<Graph> out;
  for (Parts& parts : all) out.push_back(graph_of(parts));
  return graphs(std::move(out));
}

}  // namespace

void bind_graphs(py::module_& m) { m.def("graph_points", &graph_points); }

}  // namespace mercer::python
