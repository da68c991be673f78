// Kernels between graphs that are inner products of counts: wl, shortest_path, label_histogram, graphlet.
#include <fmt/format.h>

#include <cmath>
#include <functional>
#include <optional>

#include "domains/counts_step.hpp"
#include "domains/graphs/counts.hpp"
#include "domains/graphs/graphlets.hpp"
#include "domains/graphs/graphs.hpp"
#include "domains/graphs/row.hpp"
#include "domains/graphs/walks.hpp"
#include "domains/graphs/words.hpp"

namespace mercer::detail {

namespace {

struct GraphCounts final : Counts {
  std::size_t bytes() const override {
    return Counts::bytes() + vocabulary->features.bytes() + vocabulary->node_labels.bytes() +
           vocabulary->edge_labels.bytes();
  }
  std::shared_ptr<Vocabulary> vocabulary = std::make_shared<Vocabulary>();
};

using CountGraphs = std::function<SparseMatrix(std::span<const Graph>, Vocabulary&)>;

// Features that are colours of nodes, in rounds 0 to h: each stands at a node.
struct Colours {
  int h;
  LabelUse labels;
};

class GraphCountsStep final : public CountsStep<Graphs> {
 public:
  GraphCountsStep(const std::string& key, const std::string& who, CountGraphs count,
                  std::optional<Colours> colours = {})
      : CountsStep(key, who, "graphs"), count_(std::move(count)), colours_(colours) {}

 private:
  std::shared_ptr<const Counts> count(const Graphs& store) const override {
    auto out = std::make_shared<GraphCounts>();
    out->counts = count_(store.all(), *out->vocabulary);
    return out;
  }
  SparseMatrix count_as(const Counts& known, const Graphs& other) const override {
    Vocabulary behind(static_cast<const GraphCounts&>(known).vocabulary);
    return count_(other.all(), behind);
  }

  void locate(const Counts& known, const Graphs& other, Index i, const Visit& visit) const override {
    if (!colours_) return CountsStep::locate(known, other, i, visit);
    const Graph& graph = other[i];
    Vocabulary behind(static_cast<const GraphCounts&>(known).vocabulary);
    Refinement refinement({&graph, 1}, colours_->labels, behind);
    for (int round = 0; round <= colours_->h; ++round) {
      if (round > 0) refinement.refine();
      for (Index node = 0; node < graph.nodes(); ++node) visit({refinement.colours()[at(node)], 1, {node}});
    }
  }
  std::vector<std::string> places_of(const Graphs& other, Index i) const override {
    if (!colours_) return CountsStep::places_of(other, i);
    const Graph& graph = other[i];
    std::vector<std::string> out;
    for (Index node = 0; node < graph.nodes(); ++node) {
      out.push_back(graph.node_labels().empty() ? fmt::format("{}", node + 1)
                                                : graph.node_label_names()[at(graph.node_labels()[at(node)])]);
    }
    return out;
  }

  CountGraphs count_;
  std::optional<Colours> colours_;
};

template <std::size_t size>
SparseMatrix graphlet_rows(std::span<const Graph> graphs, std::array<double, size> (*count)(const Graph&)) {
  SparseMatrix out;
  for (std::size_t g = 0; g < graphs.size(); ++g) {
    if (graphs[g].directed()) {
      fail(ErrorKind::domain, "graphlet(): graph {} is directed; graphlets are counted in undirected graphs", g + 1);
    }
    const auto counts = count(graphs[g]);
    for (std::size_t kind = 0; kind < size; ++kind) {
      if (counts[kind] == 0) continue;
      out.columns.push_back(static_cast<std::int32_t>(kind));
      out.values.push_back(counts[kind]);
    }
    out.offsets.push_back(static_cast<Index>(out.columns.size()));
  }
  out.rows = static_cast<Index>(graphs.size());
  out.cols = size;
  return out;
}

}  // namespace

std::shared_ptr<const FeatureStep> wl_features(const Node& node) {
  if (!node.children.empty()) return nullptr;
  const int h = static_cast<int>(node.number("h"));
  const LabelUse labels = label_use(node);
  const auto count = [=](std::span<const Graph> graphs, Vocabulary& v) { return wl_counts(graphs, h, labels, v); };
  return std::make_shared<GraphCountsStep>(fmt::format("wl {} {}", h, node.word("labels")), "wl()", count,
                                           Colours{h, labels});
}

std::shared_ptr<const FeatureStep> shortest_path_features(const Node& node) {
  if (!node.children.empty()) return nullptr;
  const bool labels = label_use(node).nodes;
  const auto count = [=](std::span<const Graph> graphs, Vocabulary& v) {
    return shortest_path_counts(graphs, labels, v);
  };
  return std::make_shared<GraphCountsStep>(fmt::format("shortest_path {}", node.word("labels")), "shortest_path()",
                                           count);
}

std::shared_ptr<const FeatureStep> label_histogram_features(const Node&) {
  return std::make_shared<GraphCountsStep>("wl 0 nodes", "label_histogram()", label_counts, Colours{0, {}});
}

std::shared_ptr<const FeatureStep> graphlet_features(const Node& node) {
  const int size = static_cast<int>(node.number("size"));
  const auto count = [=](std::span<const Graph> graphs, Vocabulary&) {
    return size == 3 ? graphlet_rows(graphs, graphlets_of_3) : graphlet_rows(graphs, graphlets_of_4);
  };
  return std::make_shared<GraphCountsStep>(fmt::format("graphlet {}", size), "graphlet()", count);
}

// The number of walks of s steps times lambda^(s/2).
std::shared_ptr<const FeatureStep> walk_features(const Node& node) {
  if (node.word("kind") != "steps" || node.word("labels") != "none" || !node.children.empty()) return nullptr;
  const int steps = static_cast<int>(node.number("steps"));
  const double lambda = node.param("lambda").values.front();
  const auto count = [=](std::span<const Graph> graphs, Vocabulary&) {
    SparseMatrix out;
    for (const Graph& g : graphs) {
      const Vector walks = walk_counts(g, steps);
      for (int s = 0; s <= steps; ++s) {
        out.columns.push_back(s);
        out.values.push_back(walks[at(s)] * std::pow(lambda, 0.5 * s));
      }
      out.offsets.push_back(static_cast<Index>(out.columns.size()));
    }
    out.rows = static_cast<Index>(graphs.size());
    out.cols = steps + 1;
    return out;
  };
  return std::make_shared<GraphCountsStep>(fmt::format("walks {} {}", steps, lambda), "random_walk()", count);
}

}  // namespace mercer::detail
