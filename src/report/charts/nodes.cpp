// The graph that the points are nodes of: what the model says on it, and the waves that its Laplacian has.
#include "mercer/nodes.hpp"

#include <fmt/format.h>

#include <cmath>

#include "base/at.hpp"
#include "report/charts.hpp"
#include "report/layout.hpp"

namespace mercer::report {

namespace {

constexpr Index kMostDrawn = 600, kWaves = 4;

Json drawing(const std::string& name, const NamedGraph& named, const Matrix& y, VectorView values) {
  const Graph& graph = named.graph;
  Json across = Json::array(), up = Json::array(), labels = Json::array(), edges = Json::array();
  for (Index i = 0; i < graph.nodes(); ++i) {
    across.push_back(y(i, 0));
    up.push_back(y(i, 1));
    labels.push_back(named.name(i));
    for (const std::int32_t other : graph.neighbours(i)) {
      if (other >= i || graph.directed()) edges.push_back({i, other});
    }
  }
  return {{"name", name},     {"x", across},    {"y", up},
          {"labels", labels}, {"edges", edges}, {"values", Vector(values.begin(), values.end())}};
}

}  // namespace

bool is_small_graph(const Subject& subject) {
  return subject.x.domain().kind == "nodes" && subject.x.size() > 0 && graph_of(subject.x).graph.nodes() <= kMostDrawn;
}

Exhibit waves_picture(const Subject& subject) {
  const NamedGraph& named = graph_of(subject.x);
  const LaplacianSpectrum spectrum = laplacian_spectrum(named.graph);
  const Matrix y = layout(named.graph);
  Json graphs = Json::array();
  const Index count = std::min(kWaves, named.graph.nodes());
  // The first wave of a connected graph is constant and shows nothing.
  const Index first = count > 1 && connected_parts(named.graph).back() == 0 ? 1 : 0;
  for (Index k = first; k < std::min(first + count, named.graph.nodes()); ++k) {
    const double value = spectrum.values[at(k)];
    graphs.push_back(drawing(fmt::format("eigenvalue {:.3g}", value < 1e-12 ? 0 : value), named, y,
                             {spectrum.vectors.row(k), at(named.graph.nodes())}));
  }
  return {
      "waves",
      "graphs",
      "The slowest waves of the graph",
      "Eigenvectors of the Laplacian with the smallest eigenvalues: kernels on nodes are sums of such waves, the slow "
      "ones with the largest weights.",
      {{"graphs", graphs}, {"value", "entry of the eigenvector"}, {"diverging", true}}};
}

Exhibit node_scores_picture(const Subject& subject) {
  const NamedGraph& named = graph_of(subject.x);
  const Matrix scores = subject.model.scores(nodes(named), subject.how);
  const Matrix y = layout(named.graph);
  const std::vector<std::string> names = subject.model.score_names();
  Json graphs = Json::array();
  for (Index c = 0; c < std::min<Index>(scores.cols(), 4); ++c) {
    Vector values;
    for (Index i = 0; i < scores.rows(); ++i) values.push_back(scores(i, c));
    graphs.push_back(drawing(names[at(c)], named, y, values));
  }
  return {"node_scores",
          "graphs",
          "What the model says on the graph",
          fmt::format("Scores at all {} nodes, of which {} are in the data.", named.graph.nodes(), subject.x.size()),
          {{"graphs", graphs}, {"value", "score"}, {"diverging", true}}};
}

}  // namespace mercer::report
