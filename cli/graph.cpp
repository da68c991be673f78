// mercer graph: graphs whose nodes are points.
#include "arguments.hpp"
#include "graph_verbs.hpp"

namespace mercer::cli {

int run_graph(const Words& words) {
  static const std::vector<std::pair<std::string, int (*)(const Words&)>> all = {
      {"eigenvectors", run_graph_eigenvectors}, {"knn", run_graph_knn}, {"info", run_graph_info}};
  for (const auto& [name, run] : all) {
    if (!words.empty() && words.front() == name) return run(Words(words.begin() + 1, words.end()));
  }
  std::string what, file;
  Arguments arguments("graph",
                      "Graphs whose nodes are points, for kernels such as diffusion(t=1).\n"
                      "  eigenvectors EDGES   of the Laplacian of a graph, as numbers or as a picture\n"
                      "  knn DATA             the graph of the nearest neighbours of the points of a data file\n"
                      "  info EDGES           what there is in a graph: nodes, edges, connected parts, degrees",
                      "  mercer graph knn digits.csv --target label --k 10 -o edges.txt\n"
                      "  mercer fit svc labels.csv --graph edges.txt --kernel 'diffusion(t=1)' -o m.mercer\n"
                      "  mercer graph eigenvectors edges.txt --count 4 --plot\n");
  arguments.required("WHAT", what, "eigenvectors, knn or info; each has --help");
  arguments.optional("FILE", file, "An edge list, `from to` or `from to weight` on each line; for knn a data file");
  if (!arguments.parse(words)) return 0;
  std::vector<std::string> names;
  for (const auto& [name, run] : all) names.push_back(name);
  fail(ErrorKind::usage, "graph: {} is none of {}{}", mercer::quoted(what), fmt::join(names, ", "),
       did_you_mean(what, names));
}

}  // namespace mercer::cli
