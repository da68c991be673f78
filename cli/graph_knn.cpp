// mercer graph knn: the graph of the nearest neighbours of points.
#include <iostream>

#include "arguments.hpp"
#include "base/at.hpp"
#include "base/parallel.hpp"
#include "data/columns.hpp"
#include "data/source.hpp"
#include "file/fields.hpp"
#include "graph_verbs.hpp"
#include "input_words.hpp"
#include "io/csv_field.hpp"
#include "mercer/io.hpp"
#include "mercer/nodes.hpp"
#include "mercer/scaling.hpp"
#include "output.hpp"
#include "watch.hpp"

namespace mercer::cli {

namespace {

void write_edges(std::ostream& out, const Graph& graph) {
  out << "# " << graph.nodes() << " nodes, numbered by the rows of the data from 0\n";
  for (Index i = 0; i < graph.nodes(); ++i) {
    const auto to = graph.neighbours(i);
    if (to.empty()) out << i << "\n";
    for (std::size_t p = 0; p < to.size(); ++p) {
      if (to[p] < i) continue;
      out << i << " " << to[p];
      if (graph.is_weighted()) out << " " << number(graph.weights(i)[p]);
      out << "\n";
    }
  }
}

// The rows whose target is there.
void write_labels(std::ostream& out, const workflow::Column& target) {
  out << "node," << csv_field(target.name) << "\n";
  for (std::size_t i = 0; i < target.size(); ++i) {
    if (!is_missing(target.text(i))) out << i << "," << csv_field(target.text(i)) << "\n";
  }
}

}  // namespace

int run_graph_knn(const Words& words) {
  std::string data, k, ell, target, labels, output, scale = "none", threads;
  FormatWords file;
  bool as_json = false;
  Arguments arguments(
      "graph knn",
      "The graph of the nearest neighbours of the points of DATA, by Euclidean distance: an edge between two "
      "points where one of them is among the k nearest of the other. Nodes are numbered by rows, from 0. "
      "Rows with and without a target are points alike; --labels writes those that have one, for `mercer fit`.",
      "  mercer graph knn digits.csv --target label --labels labels.csv -o edges.txt\n"
      "  mercer fit svc labels.csv --graph edges.txt --kernel 'diffusion(t=1)' -o m.mercer\n"
      "  mercer predict m.mercer > all.csv\n");
  arguments.required("DATA", data, kDataHelp);
  arguments.option("--k", k, "N", "How many neighbours of each point [10]");
  arguments.option("--ell", ell, "L", "Edges weigh exp(-|x-y|^2 / (2 L^2)) [all weigh 1]");
  arguments.option("--target", target, "COL", "A column to leave out: its name, or its number from 1");
  arguments.option("--labels", labels, "FILE", "Where the rows with a target go: node and target, as CSV");
  arguments.is_output();
  arguments.option("--scale", scale, "WORD", "Of the inputs: none, centred, standard, minmax [none]");
  arguments.option("-o,--output", output, "FILE", "The edge list [standard output]");
  arguments.is_output();
  file.declare(arguments);
  arguments.option("--threads", threads, "N", "[MERCER_NUM_THREADS, or one per core]");
  arguments.flag("--json", as_json, "A summary on standard output, for programs; needs -o");
  if (!arguments.parse(words)) return 0;
  if (as_json && is_standard(output)) {
    fail(ErrorKind::usage, "graph knn: --json puts a summary on standard output, so the edges need a file: add -o");
  }

  NeighbourOptions options{.k = static_cast<Index>(whole_number("--k", k, 10, 1, 1 << 20))};
  if (!ell.empty()) {
    const auto given = parse_number(ell);
    if (!given || !(*given > 0)) fail(ErrorKind::usage, "--ell: {} is no number > 0", mercer::quoted(ell));
    options.ell = *given;
  }
  if (!labels.empty() && target.empty()) fail(ErrorKind::usage, "--labels: of which column? --target names it");
  const Scaling::Kind kind = scaling_kind(scale);
  const Threads limit(static_cast<int>(whole_number("--threads", threads, 0, 1, 4096)));

  // Points without a label are what a graph is made for: it is not missing there.
  const std::vector<std::string> labelled = target.empty() ? std::vector<std::string>() : std::vector{target};
  const Dataset read = data::read(file.source(data), {.expected_texts = labelled});
  Points x = read.points;
  if (!target.empty()) {
    const Index position = data::column_position(x, target, "--target", data);
    const workflow::Column column = data::column_at(x, position);
    x = data::without_columns(x, std::vector<Index>{position});
    if (!labels.empty()) write_output(labels, [&](std::ostream& out) { write_labels(out, column); });
  }
  const Graph graph = nearest_neighbours(Scaling::of(kind, x).apply(x), options);
  write_output(output, [&](std::ostream& out) { write_edges(out, graph); });
  if (as_json) put_json(Json{{"nodes", graph.nodes()}, {"edges", graph.edges()}, {"output", output}});
  return 0;
}

}  // namespace mercer::cli
