// Nodes of a graph.
#include <pybind11/stl.h>

#include "module.hpp"

namespace mercer::python {

namespace {

using Ends = py::array_t<std::int64_t, py::array::c_style | py::array::forcecast>;

NamedGraph make_graph(Index nodes, const Ends& from, const Ends& to, const Numbers& weights, bool directed,
                      std::vector<std::string> names) {
  GraphParts parts{.nodes = nodes, .directed = directed};
  for (py::ssize_t e = 0; e < from.size(); ++e) parts.edges.push_back({from.at(e), to.at(e), weights.at(e)});
  return {Graph(std::move(parts)), std::move(names)};
}

// Rows, columns and weights of the edges, each one once.
py::tuple edges_of(const Graph& graph) {
  std::vector<Index> from, to;
  Vector weights;
  for (Index i = 0; i < graph.nodes(); ++i) {
    for (std::size_t p = 0; p < graph.neighbours(i).size(); ++p) {
      if (!graph.directed() && graph.neighbours(i)[p] < i) continue;
      from.push_back(i);
      to.push_back(graph.neighbours(i)[p]);
      weights.push_back(graph.weights(i)[p]);
    }
  }
  return py::make_tuple(to_array(from), to_array(to), to_array(std::move(weights)));
}

}  // namespace

void bind_nodes(py::module_& m) {
  py::class_<NamedGraph>(m, "NodeGraph", "A graph whose nodes are points.")
      .def(py::init(&make_graph))
      .def("__len__", [](const NamedGraph& g) { return g.graph.nodes(); })
      .def("name", &NamedGraph::name)
      .def_property_readonly("edges", [](const NamedGraph& g) { return edges_of(g.graph); })
      .def("points", [](const NamedGraph& g, const std::vector<Index>& ids) { return nodes(g, ids); })
      // Graphs do not change, and copies of nodes are nodes of the same one.
      .def("__copy__", [](const py::object& g) { return g; })
      .def("__deepcopy__", [](const py::object& g, const py::dict&) { return g; })
      .def("__reduce__", [](const py::object& object) {
        const auto& g = object.cast<const NamedGraph&>();
        const py::tuple edges = edges_of(g.graph);
        return py::make_tuple(object.attr("__class__"), py::make_tuple(g.graph.nodes(), edges[0], edges[1], edges[2],
                                                                       g.graph.directed(), g.names));
      });
  m.def("read_edges", [](const std::string& path) { return read_edges(path); });
  m.def("nearest_neighbours", [](const Points& x, Index k, double ell) {
    const py::gil_scoped_release release;
    return NamedGraph{nearest_neighbours(x, {.k = k, .ell = ell})};
  });
}

}  // namespace mercer::python
