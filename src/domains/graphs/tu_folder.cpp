#include "domains/graphs/tu_folder.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <numeric>

#include "base/at.hpp"
#include "base/fail.hpp"
#include "base/text.hpp"

namespace mercer {

namespace {

// The lines of one file, trimmed; blank ones may stand at its end only.
class Lines {
 public:
  Lines(std::string_view text, std::string file) : file_(std::move(file)) {
    while (!text.empty()) {
      const std::size_t stop = std::min(text.find('\n'), text.size());
      lines_.push_back(trim(text.substr(0, stop)));
      text.remove_prefix(std::min(stop + 1, text.size()));
    }
    while (!lines_.empty() && lines_.back().empty()) lines_.pop_back();
    for (std::size_t i = 0; i < lines_.size(); ++i) {
      if (lines_[i].empty()) refuse(i, "is blank; blank lines may stand at the end only");
    }
  }

  std::size_t size() const { return lines_.size(); }
  std::string_view operator[](std::size_t i) const { return lines_[i]; }
  const std::string& file() const { return file_; }

  void require(std::size_t count, const char* of_what) const {
    if (size() == count) return;
    fail(ErrorKind::data, "{}: has {} lines, and there are {} {}; each must have its line", file_, size(), count,
         of_what);
  }
  template <class... Args>
  [[noreturn]] void refuse(std::size_t i, fmt::format_string<Args...> text, Args&&... args) const {
    fail(ErrorKind::data, "{}: line {} {}", file_, i + 1, fmt::format(text, std::forward<Args>(args)...));
  }

 private:
  std::string file_;
  std::vector<std::string_view> lines_;
};

std::string shown_line(std::string_view line) { return quoted(shortened(line)); }

// A whole number at the beginning of the text, which is cut off with the blanks and the comma behind it.
bool take_whole(std::string_view& text, Index& value) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc()) return false;
  text = trim(text.substr(static_cast<std::size_t>(end - text.data())));
  if (text.starts_with(',')) text = trim(text.substr(1));
  return true;
}

// Where a node of the whole folder is.
struct Place {
  std::size_t graph;
  Index node;
};

std::vector<Place> places_of(const Lines& graph_of_node, std::size_t& graphs) {
  std::vector<Place> out;
  std::vector<Index> sizes(graphs);
  const bool known = graphs > 0;
  for (std::size_t i = 0; i < graph_of_node.size(); ++i) {
    std::string_view rest = graph_of_node[i];
    Index graph = 0;
    if (!take_whole(rest, graph) || !rest.empty()) {
      graph_of_node.refuse(i, "is {}; it must be the number of a graph", shown_line(graph_of_node[i]));
    }
    // No more graphs than nodes, unless their labels say so: a slip of the pen must not make a million of them.
    const std::size_t most = known ? graphs : graph_of_node.size();
    if (graph < 1 || at(graph) > most) {
      graph_of_node.refuse(i, "is {}; graphs are numbered from 1, and there are {}{}", graph, known ? "" : "at most ",
                           most);
    }
    if (at(graph) > sizes.size()) sizes.resize(at(graph));
    out.push_back({at(graph) - 1, sizes[at(graph) - 1]++});
  }
  graphs = sizes.size();
  return out;
}

// An edge and the line it is from.
struct Directed {
  Index from, to;  // nodes of the folder, from 0
  std::size_t line;
};

std::vector<Directed> edges_of(const Lines& file, const std::vector<Place>& places) {
  std::vector<Directed> out(file.size());
  const auto count = static_cast<Index>(places.size());
  for (std::size_t i = 0; i < file.size(); ++i) {
    std::string_view rest = file[i];
    Index from = 0, to = 0;
    if (!take_whole(rest, from) || !take_whole(rest, to) || !rest.empty()) {
      file.refuse(i, "is {}; it must be two nodes: \"i, j\"", shown_line(file[i]));
    }
    for (const Index end : {from, to}) {
      if (end < 1 || end > count) {
        file.refuse(i, "names node {}; nodes are numbered from 1, and there are {}", end, count);
      }
    }
    if (places[at(from - 1)].graph != places[at(to - 1)].graph) {
      file.refuse(i, "leads from node {} of graph {} to node {} of graph {}; an edge is within one graph", from,
                  places[at(from - 1)].graph + 1, to, places[at(to - 1)].graph + 1);
    }
    out[i] = {from - 1, to - 1, i};
  }
  return out;
}

// Of the two directions of each undirected edge the one that goes up; both must be there, alike.
std::vector<Directed> upward(std::vector<Directed> edges, const Lines& file, const std::optional<Lines>& labels) {
  const auto ends = [](const Directed& e) { return std::minmax(e.from, e.to); };
  std::sort(edges.begin(), edges.end(), [&](const Directed& a, const Directed& b) {
    return std::tuple(ends(a), a.from, a.line) < std::tuple(ends(b), b.from, b.line);
  });
  std::vector<Directed> out;
  for (std::size_t e = 0; e < edges.size();) {
    const Directed edge = edges[e];
    std::size_t last = e + 1;
    while (last < edges.size() && ends(edges[last]) == ends(edge)) ++last;
    for (std::size_t again = e + 1; again < last; ++again) {
      if (edges[again].from == edges[again - 1].from) {
        file.refuse(edges[again].line, "is the edge {}, {} again; it stands in line {}", edges[again].from + 1,
                    edges[again].to + 1, edges[again - 1].line + 1);
      }
    }
    if (edge.from != edge.to && last == e + 1) {
      file.refuse(edge.line,
                  "is the edge {}, {} without its other direction {}, {}; graphs are undirected, and each "
                  "edge stands in two lines",
                  edge.from + 1, edge.to + 1, edge.to + 1, edge.from + 1);
    }
    if (labels && last == e + 2 && (*labels)[edge.line] != (*labels)[edges[e + 1].line]) {
      labels->refuse(edges[e + 1].line, "is {}, and line {}, the other direction of the same edge, {}; they must agree",
                     shown_line((*labels)[edges[e + 1].line]), edge.line + 1, shown_line((*labels)[edge.line]));
    }
    out.push_back(edge);
    e = last;
  }
  return out;
}

Matrix attributes_of(const Lines& file) {
  Matrix out;
  Vector row;
  for (std::size_t i = 0; i < file.size(); ++i) {
    row.clear();
    for (const std::string& field : split(file[i], ',')) {
      const std::optional<double> value = parse_number(field);
      if (!value || !std::isfinite(*value)) file.refuse(i, "has {}, which is no finite number", shown_line(field));
      row.push_back(*value);
    }
    if (i == 0) out = Matrix(static_cast<Index>(file.size()), static_cast<Index>(row.size()));
    if (static_cast<Index>(row.size()) != out.cols()) {
      file.refuse(i, "has {} numbers, the first line {}; give each node as many", row.size(), out.cols());
    }
    std::copy(row.begin(), row.end(), out.row(static_cast<Index>(i)));
  }
  return out;
}

}  // namespace

TuGraphs parse_tu(const TuTexts& texts, const std::string& name) {
  const auto file = [&](const char* part) { return fmt::format("{}: {}", name, part); };
  const auto lines = [&](const std::optional<std::string_view>& text, const char* part) {
    return text ? std::optional<Lines>(std::in_place, *text, file(part)) : std::nullopt;
  };
  const Lines edge_lines(texts.edges, file("A")), graph_of_node(texts.graph_of_node, file("graph_indicator"));
  const auto classes = lines(texts.graph_labels, "graph_labels"),
             numbers = lines(texts.graph_attributes, "graph_attributes"),
             node_labels = lines(texts.node_labels, "node_labels"),
             edge_labels = lines(texts.edge_labels, "edge_labels"),
             attributes = lines(texts.node_attributes, "node_attributes");
  const std::optional<Lines>& targets = classes ? classes : numbers;

  std::size_t count = targets ? targets->size() : 0;
  const std::vector<Place> places = places_of(graph_of_node, count);
  if (count == 0) fail(ErrorKind::data, "{}: holds no graphs", name);
  if (targets) targets->require(count, "graphs");
  if (node_labels) node_labels->require(places.size(), "nodes");
  if (attributes) attributes->require(places.size(), "nodes");
  if (edge_labels) edge_labels->require(edge_lines.size(), "edges");

  std::vector<GraphParts> parts(count);
  for (std::size_t i = 0; i < places.size(); ++i) {
    GraphParts& graph = parts[places[i].graph];
    ++graph.nodes;
    if (node_labels) graph.node_labels.emplace_back((*node_labels)[i]);
  }
  for (const Directed& edge : upward(edges_of(edge_lines, places), edge_lines, edge_labels)) {
    GraphParts& graph = parts[places[at(edge.from)].graph];
    graph.edges.push_back({places[at(edge.from)].node, places[at(edge.to)].node});
    if (edge_labels) graph.edge_labels.emplace_back((*edge_labels)[edge.line]);
  }
  if (attributes) {
    const Matrix all = attributes_of(*attributes);
    for (GraphParts& graph : parts) graph.attributes = Matrix(graph.nodes, all.cols());
    for (std::size_t i = 0; i < places.size(); ++i) {
      std::copy_n(all.row(static_cast<Index>(i)), all.cols(), parts[places[i].graph].attributes.row(places[i].node));
    }
  }

  TuGraphs out;
  for (GraphParts& graph : parts) out.graphs.emplace_back(std::move(graph));
  for (std::size_t g = 0; targets && g < count; ++g) out.targets.emplace_back((*targets)[g]);
  return out;
}

}  // namespace mercer
