// mercer graph info: what there is in a graph.
#include <algorithm>

#include "arguments.hpp"
#include "base/at.hpp"
#include "graph_verbs.hpp"
#include "mercer/nodes.hpp"
#include "output.hpp"

namespace mercer::cli {

int run_graph_info(const Words& words) {
  std::string path;
  bool as_json = false;
  Arguments arguments("graph info", "What there is in a graph: nodes, edges, connected parts, degrees.",
                      "  mercer graph info edges.txt\n");
  arguments.required("EDGES", path, "An edge list, `from to` or `from to weight` on each line, also .gz");
  arguments.flag("--json", as_json, "For programs");
  if (!arguments.parse(words)) return 0;

  const NamedGraph named = read_edges(path);
  const Graph& graph = named.graph;
  const std::vector<Index> part = connected_parts(graph);
  std::vector<Index> sizes(at(*std::max_element(part.begin(), part.end()) + 1));
  for (const Index p : part) ++sizes[at(p)];
  std::sort(sizes.rbegin(), sizes.rend());
  Index alone = 0, most = 0, least = graph.nodes();
  for (Index i = 0; i < graph.nodes(); ++i) {
    const auto degree = static_cast<Index>(graph.neighbours(i).size());
    alone += degree == 0;
    most = std::max(most, degree);
    least = std::min(least, degree);
  }
  const double mean = static_cast<double>(graph.neighbours().size()) / static_cast<double>(graph.nodes());
  if (as_json) {
    put_json(Json{{"nodes", graph.nodes()},
                  {"edges", graph.edges()},
                  {"named", !named.names.empty()},
                  {"weighted", graph.is_weighted()},
                  {"self_loops", graph.has_self_loops()},
                  {"without_edges", alone},
                  {"parts", sizes},
                  {"degree", {{"least", least}, {"mean", mean}, {"most", most}}}});
    return 0;
  }
  std::vector<std::vector<std::string>> rows = {
      {"nodes", fmt::format("{}{}", graph.nodes(), named.names.empty() ? "" : ", with names")},
      {"edges", fmt::format("{}{}{}", graph.edges(), graph.is_weighted() ? ", with weights" : "",
                            graph.has_self_loops() ? ", some from a node to itself" : "")},
      {"neighbours", fmt::format("{} to {}, {:.3g} on average", least, most, mean)},
      {"alone", fmt::format("{} nodes without edges", alone)}};
  const std::size_t shown = std::min<std::size_t>(sizes.size(), 8);
  rows.push_back(
      {"parts", fmt::format("{} connected, of {}{} nodes", sizes.size(),
                            fmt::join(sizes.begin(), sizes.begin() + static_cast<std::ptrdiff_t>(shown), ", "),
                            sizes.size() > shown ? ", ..." : "")});
  put(table(rows));
  return 0;
}

}  // namespace mercer::cli
