// Graphs in model files: lists of what all graphs have, one graph after the other.
#include <algorithm>

#include "base/at.hpp"
#include "base/fail.hpp"
#include "domains/graphs/graphs.hpp"
#include "domains/graphs/row.hpp"
#include "file/blocks.hpp"

namespace mercer {

namespace {

using detail::BlockReader;
using detail::BlockWriter;

template <class T>
void add(BlockWriter& blocks, const std::string& name, std::vector<T> values) {
  const auto kept = std::make_shared<const std::vector<T>>(std::move(values));
  blocks.add<T>(name, {static_cast<Index>(kept->size())},
                [kept](detail::Sink& sink) { sink.write(kept->data(), kept->size() * sizeof(T)); });
}

// Labels of many graphs: their texts one after the other, and a number for each node or edge. A graph that has none
// keeps none.
struct LabelBlocks {
  std::vector<std::int32_t> numbers;
  std::vector<std::int64_t> ends;
  std::vector<char> letters;

  void append(std::span<const std::int32_t> labels, const std::vector<std::string>& names) {
    const auto first = static_cast<std::int32_t>(ends.size());
    for (const std::int32_t label : labels) numbers.push_back(first + label);
    for (const std::string& name : names) {
      letters.insert(letters.end(), name.begin(), name.end());
      ends.push_back(static_cast<std::int64_t>(letters.size()));
    }
  }
  void write(BlockWriter& blocks, const std::string& name) {
    add(blocks, name, std::move(numbers));
    add(blocks, name + ".ends", std::move(ends));
    add(blocks, name + ".bytes", std::move(letters));
  }
};

// One list of a file, of which graphs take their parts in turn.
template <class T>
class Taken {
 public:
  Taken(const BlockReader& blocks, std::string name) : name_(std::move(name)), all_(blocks.numbers<T>(name_)) {}
  std::span<const T> take(std::int64_t count) {
    if (count < 0 || at(count) > all_.size() - next_) {
      fail(ErrorKind::file, "{} has {} entries, too few for its graphs", name_, all_.size());
    }
    next_ += at(count);
    return std::span(all_).subspan(next_ - at(count), at(count));
  }
  void require_end() const {
    if (next_ != all_.size()) fail(ErrorKind::file, "{} has {} entries, its graphs {}", name_, all_.size(), next_);
  }

 private:
  std::string name_;
  std::vector<T> all_;
  std::size_t next_ = 0;
};

class TakenLabels {
 public:
  TakenLabels(const BlockReader& blocks, const std::string& name) : name_(name), numbers_(blocks, name) {
    const auto ends = blocks.numbers<std::int64_t>(name + ".ends");
    const auto letters = blocks.numbers<char>(name + ".bytes");
    std::int64_t begin = 0;
    for (const std::int64_t end : ends) {
      if (end < begin || at(end) > letters.size()) fail(ErrorKind::file, "{}: a text ends at {}", name, end);
      names_.emplace_back(letters.data() + begin, at(end - begin));
      begin = end;
    }
  }
  std::vector<std::string> take(bool has_labels, std::int64_t count) {
    std::vector<std::string> out;
    if (!has_labels) return out;
    for (const std::int32_t number : numbers_.take(count)) {
      if (number < 0 || at(number) >= names_.size()) fail(ErrorKind::file, "{}: there is no text {}", name_, number);
      out.push_back(names_[at(number)]);
    }
    return out;
  }
  void require_end() const { numbers_.require_end(); }

 private:
  std::string name_;
  Taken<std::int32_t> numbers_;
  std::vector<std::string> names_;
};

// What a graph is, as bits of one number.
constexpr std::int32_t kDirected = 1, kNodeLabels = 2, kEdgeLabels = 4;

}  // namespace

Json Graphs::save(const Selection& which, const std::string& prefix, BlockWriter& blocks) const {
  std::vector<std::int64_t> nodes, columns;
  std::vector<std::int32_t> kinds, degrees, ends;  // of each node the edges of its row, an undirected one once
  Vector weights, attributes;
  LabelBlocks node_labels, edge_labels;
  for (Index i = 0; i < which.size; ++i) {
    const Graph& g = (*this)[which[i]];
    nodes.push_back(g.nodes());
    columns.push_back(g.attributes().cols());
    kinds.push_back((g.directed() ? kDirected : 0) | (g.node_labels().empty() ? 0 : kNodeLabels) |
                    (g.edge_labels().empty() ? 0 : kEdgeLabels));
    node_labels.append(g.node_labels(), g.node_label_names());
    std::vector<std::int32_t> labels;
    for (Index from = 0; from < g.nodes(); ++from) {
      const std::size_t before = ends.size();
      for (Index e = g.offsets()[at(from)]; e < g.offsets()[at(from) + 1]; ++e) {
        if (!g.directed() && g.neighbours()[at(e)] < from) continue;
        ends.push_back(g.neighbours()[at(e)]);
        weights.push_back(g.weights()[at(e)]);
        if (!g.edge_labels().empty()) labels.push_back(g.edge_labels()[at(e)]);
      }
      degrees.push_back(static_cast<std::int32_t>(ends.size() - before));
    }
    edge_labels.append(labels, g.edge_label_names());
    const MatrixView x = g.attributes();
    attributes.insert(attributes.end(), x.data(), x.data() + x.rows() * x.cols());
  }
  add(blocks, prefix + ".nodes", std::move(nodes));
  add(blocks, prefix + ".kinds", std::move(kinds));
  add(blocks, prefix + ".degrees", std::move(degrees));
  add(blocks, prefix + ".ends", std::move(ends));
  add(blocks, prefix + ".weights", std::move(weights));
  node_labels.write(blocks, prefix + ".node_labels");
  edge_labels.write(blocks, prefix + ".edge_labels");
  add(blocks, prefix + ".columns", std::move(columns));
  add(blocks, prefix + ".attributes", std::move(attributes));
  return {{"kind", "graphs"}};
}

namespace detail {

Points load_graphs(const Json&, const std::string& prefix, const BlockReader& blocks, int) {
  const auto nodes = blocks.numbers<std::int64_t>(prefix + ".nodes");
  const auto count = static_cast<std::int64_t>(nodes.size());
  Taken<std::int64_t> columns(blocks, prefix + ".columns");
  Taken<std::int32_t> kinds(blocks, prefix + ".kinds"), degrees(blocks, prefix + ".degrees"),
      ends(blocks, prefix + ".ends");
  Taken<double> weights(blocks, prefix + ".weights"), attributes(blocks, prefix + ".attributes");
  TakenLabels node_labels(blocks, prefix + ".node_labels"), edge_labels(blocks, prefix + ".edge_labels");
  constexpr std::int64_t widest = 1 << 30;

  std::vector<Graph> out;
  const auto width_of = columns.take(count);
  const auto kind_of = kinds.take(count);
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    GraphParts parts{.nodes = nodes[i], .directed = (kind_of[i] & kDirected) != 0};
    const auto degree = degrees.take(nodes[i]);
    for (std::size_t from = 0; from < degree.size(); ++from) {
      for (const std::int32_t to : ends.take(degree[from])) parts.edges.push_back({static_cast<Index>(from), to});
    }
    const auto links = static_cast<std::int64_t>(parts.edges.size());
    const auto weight = weights.take(links);
    for (std::size_t e = 0; e < weight.size(); ++e) parts.edges[e].weight = weight[e];
    parts.node_labels = node_labels.take((kind_of[i] & kNodeLabels) != 0, nodes[i]);
    parts.edge_labels = edge_labels.take((kind_of[i] & kEdgeLabels) != 0, links);
    if (width_of[i] < 0 || width_of[i] > widest)
      fail(ErrorKind::file, "graph {} has {} attributes", i + 1, width_of[i]);
    const auto values = attributes.take(nodes[i] * width_of[i]);
    if (!values.empty()) parts.attributes = Matrix(MatrixView(values.data(), nodes[i], width_of[i]));
    out.emplace_back(std::move(parts));
  }
  columns.require_end();
  kinds.require_end();
  degrees.require_end();
  ends.require_end();
  weights.require_end();
  attributes.require_end();
  node_labels.require_end();
  edge_labels.require_end();
  return graphs(std::move(out));
}

}  // namespace detail

}  // namespace mercer
