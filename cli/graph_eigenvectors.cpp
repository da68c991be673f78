// mercer graph eigenvectors: those of the Laplacian, as numbers or as a picture.
#include <algorithm>
#include <cmath>
#include <iostream>

#include "arguments.hpp"
#include "base/at.hpp"
#include "chart.hpp"
#include "graph_verbs.hpp"
#include "io/csv_field.hpp"
#include "mercer/io.hpp"
#include "mercer/nodes.hpp"
#include "output.hpp"

namespace mercer::cli {

namespace {

constexpr Index kMostNodes = 10000;  // n^3 flops and n^2 numbers

void write_table(std::ostream& out, const NamedGraph& named, const LaplacianSpectrum& spectrum, Index count) {
  out << "node";
  for (Index k = 1; k <= count; ++k) out << ",u" << k;
  out << "\n";
  for (Index i = 0; i < named.graph.nodes(); ++i) {
    out << csv_field(named.name(i));
    for (Index k = 0; k < count; ++k) out << "," << number(spectrum.vectors(k, i));
    out << "\n";
  }
}

double largest_entry(const LaplacianSpectrum& spectrum, Index count) {
  double largest = 0;
  for (Index k = 0; k < count; ++k) {
    for (Index i = 0; i < spectrum.vectors.cols(); ++i) largest = std::max(largest, std::abs(spectrum.vectors(k, i)));
  }
  return largest;
}

// One diagram for each eigenvector: its entries by node, bars from 0.
std::string charts(const LaplacianSpectrum& spectrum, Index count) {
  const Index n = spectrum.vectors.cols();
  const double high = 1.05 * largest_entry(spectrum, count), last = static_cast<double>(std::max<Index>(n - 1, 1));
  std::string out;
  for (Index k = 0; k < count; ++k) {
    Chart chart(60, 7, {0, last}, {-high, high});
    for (Index i = 0; i < n; ++i) {
      const double value = spectrum.vectors(k, i);
      chart.fill(static_cast<double>(i), {std::min(value, 0.0), std::max(value, 0.0)});
    }
    out += fmt::format("u{}, lambda = {:.6g}\n{}", k + 1, spectrum.values[at(k)], chart.str());
  }
  return out;
}

// The same as a drawing: the graph as a line of nodes with its edges as arcs, and below it the eigenvectors.
std::string drawing(const NamedGraph& named, const LaplacianSpectrum& spectrum, Index count) {
  constexpr double width = 640, left = 70, right = 20, top = 80, row = 110, margin = 20;
  const Index n = named.graph.nodes();
  const double step = (width - left - right) / static_cast<double>(std::max<Index>(n - 1, 1));
  const double high = largest_entry(spectrum, count), height = top + row * static_cast<double>(count) + margin;
  const auto x = [&](Index i) { return left + step * static_cast<double>(i); };
  std::string out = fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0}\" height=\"{1}\" viewBox=\"0 0 {0} {1}\" "
      "font-family=\"sans-serif\" font-size=\"12\">\n<rect width=\"{0}\" height=\"{1}\" fill=\"white\"/>\n",
      width, height);
  const double line = top - 24;
  for (Index i = 0; i < n; ++i) {
    for (const std::int32_t j : named.graph.neighbours(i)) {
      if (j <= i) continue;
      // Neighbours in the row are joined straight, others by an arc above.
      const double rise = j == i + 1 ? 0 : std::min(line - 8, 6 + 4 * std::sqrt(x(j) - x(i)));
      out += fmt::format("<path d=\"M{:.1f} {:.1f} Q{:.1f} {:.1f} {:.1f} {:.1f}\" fill=\"none\" stroke=\"#888\"/>\n",
                         x(i), line, (x(i) + x(j)) / 2, line - 2 * rise, x(j), line);
    }
  }
  const double radius = std::clamp(step / 3, 1.0, 5.0);
  for (Index i = 0; i < n; ++i) {
    out += fmt::format("<circle cx=\"{:.1f}\" cy=\"{}\" r=\"{:.1f}\" fill=\"#333\"/>\n", x(i), line, radius);
  }
  for (Index k = 0; k < count; ++k) {
    const double zero = top + row * (static_cast<double>(k) + 0.5), scale = 0.42 * row / high;
    out += fmt::format("<line x1=\"{}\" y1=\"{:.1f}\" x2=\"{}\" y2=\"{:.1f}\" stroke=\"#ccc\"/>\n", left, zero,
                       width - right, zero);
    out += fmt::format(
        "<text x=\"8\" y=\"{:.1f}\">u{}</text><text x=\"8\" y=\"{:.1f}\" fill=\"#777\">&#955; = {:.3g}</text>\n",
        zero - 2, k + 1, zero + 14, spectrum.values[at(k)] < 1e-12 ? 0 : spectrum.values[at(k)]);
    for (Index i = 0; i < n; ++i) {
      const double value = spectrum.vectors(k, i), y = zero - scale * value;
      const char* const colour = value < 0 ? "#c0392b" : "#2166ac";
      out += fmt::format(
          "<line x1=\"{0:.1f}\" y1=\"{1:.1f}\" x2=\"{0:.1f}\" y2=\"{2:.1f}\" stroke=\"{3}\"/>"
          "<circle cx=\"{0:.1f}\" cy=\"{2:.1f}\" r=\"{4:.1f}\" fill=\"{3}\"/>\n",
          x(i), zero, y, colour, radius);
    }
  }
  return out + "</svg>\n";
}

}  // namespace

int run_graph_eigenvectors(const Words& words) {
  std::string path, count_text, laplacian = "plain", output, svg;
  bool plot = false;
  Arguments arguments(
      "graph eigenvectors",
      "Eigenvectors of the Laplacian of a graph, those of the smallest eigenvalues first: one row for each\n"
      "node, a column for each. The eigenvalues go to standard error. Where the graph has several connected\n"
      "parts, as many eigenvalues are 0, and kernels such as diffusion(t) see no likeness between the parts.",
      "  mercer graph eigenvectors edges.txt --count 4\n"
      "  mercer graph eigenvectors edges.txt --count 4 --plot\n"
      "  mercer graph eigenvectors edges.txt --svg eigenvectors.svg\n");
  arguments.required("EDGES", path, "An edge list, `from to` or `from to weight` on each line, also .gz");
  arguments.option("--count", count_text, "N", "How many [6]");
  arguments.option("--laplacian", laplacian, "WORD", "plain (D - A) or normalized [plain]");
  arguments.flag("--plot", plot, "Diagrams on the terminal, nodes from left to right");
  arguments.option("--svg", svg, "FILE", "A drawing: the graph, and the eigenvectors below it");
  arguments.is_output();
  arguments.option("-o,--output", output, "FILE", "A CSV file [standard output]");
  arguments.is_output();
  if (!arguments.parse(words)) return 0;
  const std::vector<std::pair<std::string, Laplacian>> kinds = {{"plain", Laplacian::plain},
                                                                {"normalized", Laplacian::normalized}};
  const auto kind = choice<Laplacian>("--laplacian", laplacian, kinds);
  const auto wanted = static_cast<Index>(whole_number("--count", count_text, 6, 1));

  const NamedGraph named = read_edges(path);
  if (named.graph.nodes() > kMostNodes) {
    fail(ErrorKind::usage,
         "graph eigenvectors: {} has {} nodes, and at most {} are taken: all eigenvectors are computed", path,
         named.graph.nodes(), kMostNodes);
  }
  const LaplacianSpectrum spectrum = laplacian_spectrum(named.graph, kind);
  const Index count = std::min(wanted, named.graph.nodes());
  if (!svg.empty()) write_atomically(svg, [&](std::ostream& out) { out << drawing(named, spectrum, count); });
  if (plot) {
    put(charts(spectrum, count));
    return 0;
  }
  if (svg.empty() || !output.empty()) {
    write_output(output, [&](std::ostream& out) { write_table(out, named, spectrum, count); });
  }
  std::vector<std::string> values;
  for (Index k = 0; k < count; ++k) values.push_back(fmt::format("{:.6g}", spectrum.values[at(k)]));
  say(fmt::format("eigenvalues: {}", fmt::join(values, ", ")));
  return 0;
}

}  // namespace mercer::cli
