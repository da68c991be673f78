// Kernels between graphs that are inner products of counts: wl, shortest_path, label_histogram, graphlet.
#include <fmt/format.h>

#include <functional>

#include "domains/counts_step.hpp"
#include "domains/graphs/counts.hpp"
#include "domains/graphs/graphlets.hpp"
#include "domains/graphs/graphs.hpp"
#include "domains/graphs/row.hpp"
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

class GraphCountsStep final : public CountsStep<Graphs> {
 public:
  GraphCountsStep(const std::string& key, const std::string& who, CountGraphs count)
      : CountsStep(key, who, "graphs"), count_(std::move(count)) {}

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

  CountGraphs count_;
};

Value dot_of_counts(const Site& site, Emitter& e, const std::string& key, CountGraphs count) {
  const std::string who = site.node.entry->name + "()";
  const View counts = e.through(site.view, std::make_shared<GraphCountsStep>(key, who, std::move(count)), key);
  return {.factors = {e.dot(counts, who)}};
}

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

Value emit_wl(const Site& site, Emitter& e) {
  const int h = static_cast<int>(site.node.number("h"));
  const LabelUse labels = label_use(site.node);
  return dot_of_counts(site, e, fmt::format("wl {} {}", h, site.node.word("labels")),
                       [=](std::span<const Graph> graphs, Vocabulary& v) { return wl_counts(graphs, h, labels, v); });
}

Value emit_shortest_path(const Site& site, Emitter& e) {
  const bool labels = label_use(site.node).nodes;
  return dot_of_counts(
      site, e, fmt::format("shortest_path {}", site.node.word("labels")),
      [=](std::span<const Graph> graphs, Vocabulary& v) { return shortest_path_counts(graphs, labels, v); });
}

Value emit_label_histogram(const Site& site, Emitter& e) { return dot_of_counts(site, e, "wl 0 nodes", label_counts); }

Value emit_graphlet(const Site& site, Emitter& e) {
  const int size = static_cast<int>(site.node.number("size"));
  return dot_of_counts(site, e, fmt::format("graphlet {}", size), [=](std::span<const Graph> graphs, Vocabulary&) {
    return size == 3 ? graphlet_rows(graphs, graphlets_of_3) : graphlet_rows(graphs, graphlets_of_4);
  });
}

}  // namespace mercer::detail
