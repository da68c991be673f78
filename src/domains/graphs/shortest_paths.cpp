// Pairs of nodes by their labels and their distance, after Borgwardt & Kriegel, ICDM 2005. Breadth first from each
// node, or Dijkstra's algorithm where edges have weights: O(V (V + E)) or O(V E log V) per graph.
#include <algorithm>
#include <cmath>
#include <limits>
#include <tuple>

#include "base/at.hpp"
#include "base/fail.hpp"
#include "base/memory.hpp"
#include "base/parallel.hpp"
#include "domains/graphs/counts.hpp"
#include "domains/graphs/distances.hpp"

namespace mercer {

namespace {
constexpr double kNoPath = std::numeric_limits<double>::infinity();
}  // namespace

Distances::Distances(const Graph& g, const std::string& who) : graph_(g), from_(at(g.nodes())) {
  if (!g.is_weighted()) return;
  double total = 0;
  for (const double weight : g.weights()) {
    if (weight < 0) fail(ErrorKind::domain, "{}: an edge has the length {}; lengths must be >= 0", who, weight);
    weights_.push_back(written_length(weight));
    total += weight;
  }
  if (!std::isfinite(total)) {
    fail(ErrorKind::numeric, "{}: the lengths of the edges add up to no number; give them in a larger unit", who);
  }
}

const std::vector<double>& Distances::from(Index source) {
  std::fill(from_.begin(), from_.end(), kNoPath);
  graph_.is_weighted() ? add_lengths(source) : count_edges(source);
  return from_;
}

void Distances::count_edges(Index source) {
  queue_.assign(1, static_cast<std::int32_t>(source));
  from_[at(source)] = 0;
  for (std::size_t next = 0; next < queue_.size(); ++next) {
    const double beyond = from_[at(queue_[next])] + 1;
    for (const std::int32_t j : graph_.neighbours(queue_[next])) {
      if (from_[at(j)] < kNoPath) continue;
      from_[at(j)] = beyond;
      queue_.push_back(j);
    }
  }
}

void Distances::add_lengths(Index source) {
  lengths_.assign(at(graph_.nodes()), {kNoPath, 0});
  lengths_[at(source)] = {};
  const std::greater<> shortest_first;
  heap_.assign(1, {Length{}, static_cast<std::int32_t>(source)});
  while (!heap_.empty()) {
    std::pop_heap(heap_.begin(), heap_.end(), shortest_first);
    const auto [length, i] = heap_.back();
    heap_.pop_back();
    if (length > lengths_[at(i)]) continue;
    for (Index e = graph_.offsets()[at(i)]; e < graph_.offsets()[at(i) + 1]; ++e) {
      Length& known = lengths_[at(graph_.neighbours()[at(e)])];
      const Length longer = length + weights_[at(e)];
      if (!(longer < known)) continue;
      known = longer;
      heap_.emplace_back(longer, graph_.neighbours()[at(e)]);
      std::push_heap(heap_.begin(), heap_.end(), shortest_first);
    }
  }
  for (std::size_t i = 0; i < lengths_.size(); ++i) from_[i] = lengths_[i].high;
}

namespace {

struct Triple {
  std::int32_t first, second;  // labels
  double distance;

  // NOLINTNEXTLINE(modernize-use-nullptr): clang-tidy 14 takes the zero of a default <=> for a pointer
  friend auto operator<=>(const Triple&, const Triple&) = default;
  std::string_view key() const { return {reinterpret_cast<const char*>(this), sizeof *this}; }
};
static_assert(sizeof(Triple) == 2 * sizeof(std::int32_t) + sizeof(double));

// How often each triple was added, in one graph. There are few where edges are counted, which are looked up; weights
// may make as many as there are pairs of nodes, which are sorted from time to time.
class Tally {
 public:
  struct Counted {
    Triple triple;
    double times;
  };

  explicit Tally(bool sorts) : sorts_(sorts) {}

  void add(const Triple& triple) {
    if (sorts_) {
      if (fresh_.size() == fresh_.capacity()) make_room();
      fresh_.push_back(triple);
      return;
    }
    const auto number = at(known_.add(triple.key()));
    if (number == counted_.size()) counted_.push_back({triple, 0});
    ++counted_[number].times;
  }

  std::vector<Counted> take() {
    sort();
    fresh_ = {};
    return std::move(counted_);
  }

 private:
  static constexpr std::size_t kAtOnce = std::size_t{1} << 16;

  // A quarter of what is counted waits: so little is held beside it, and each triple is merged a few times only.
  void make_room() {
    sort();
    fresh_.reserve(std::max(kAtOnce, counted_.size() / 4));
  }

  void sort() {
    if (fresh_.empty()) return;
    require_memory();
    std::sort(fresh_.begin(), fresh_.end());
    std::vector<Counted> all;
    all.reserve(counted_.size() + new_ones());
    auto known = counted_.begin();
    for (auto at = fresh_.begin(); at != fresh_.end();) {
      const auto next = std::find_if(at, fresh_.end(), [&](const Triple& other) { return other != *at; });
      for (; known != counted_.end() && known->triple < *at; ++known) all.push_back(*known);
      const bool again = known != counted_.end() && known->triple == *at;
      all.push_back({*at, static_cast<double>(next - at) + (again ? (known++)->times : 0)});
      at = next;
    }
    all.insert(all.end(), known, counted_.end());
    counted_ = std::move(all);
    fresh_.clear();
  }

  // Of the sorted ones, how many different triples are not counted yet.
  std::size_t new_ones() const {
    std::size_t out = 0;
    auto known = counted_.begin();
    for (std::size_t i = 0; i < fresh_.size(); ++i) {
      if (i > 0 && fresh_[i] == fresh_[i - 1]) continue;
      while (known != counted_.end() && known->triple < fresh_[i]) ++known;
      out += known == counted_.end() || known->triple != fresh_[i] ? 1 : 0;
    }
    return out;
  }

  void require_memory() const {
    constexpr double kEach = 140;  // as measured: here, in the vocabulary and in the matrix
    const double bytes = kEach * static_cast<double>(counted_.size() + fresh_.size());
    if (bytes <= available_memory()) return;
    fail(ErrorKind::numeric,
         "shortest_path(): a graph has more than {} pairs of nodes at different distances, and {:.3g} GB are free; "
         "round the lengths of its edges, or leave them out to count edges",
         counted_.size(), available_memory() / 1e9);
  }

  bool sorts_;
  Dictionary known_;
  std::vector<Triple> fresh_;
  std::vector<Counted> counted_;
};

}  // namespace

SparseMatrix shortest_path_counts(std::span<const Graph> graphs, bool use_labels, Vocabulary& vocabulary) {
  const std::vector<std::int32_t> labels = node_labels(graphs, use_labels, vocabulary.node_labels);
  const std::vector<Index> first = first_nodes(graphs);

  std::vector<std::vector<Tally::Counted>> found(graphs.size());
  parallel_for(static_cast<Index>(graphs.size()), thread_count(0), {}, "shortest paths", [&](Index g, int) {
    const Graph& graph = graphs[at(g)];
    const std::int32_t* const label = labels.data() + first[at(g)];
    Tally tally(graph.is_weighted());
    Distances distances(graph, "shortest_path()");
    for (Index i = 0; i < graph.nodes(); ++i) {
      const std::vector<double>& from = distances.from(i);
      for (std::size_t j = 0; j < from.size(); ++j) {
        if (static_cast<Index>(j) != i && from[j] < kNoPath) tally.add({label[i], label[j], from[j]});
      }
    }
    found[at(g)] = tally.take();
  });

  std::size_t entries = 0;
  for (const std::vector<Tally::Counted>& here : found) entries += here.size();
  SparseMatrix out;
  out.columns.reserve(entries);
  out.values.reserve(entries);
  std::vector<std::pair<std::int32_t, double>> row;
  for (std::vector<Tally::Counted>& here : found) {
    const std::size_t begin = out.columns.size();
    for (const auto& [triple, times] : here) {
      out.columns.push_back(vocabulary.features.add(triple.key()));
      out.values.push_back(times);
    }
    here = {};
    // Features that are all new are numbered in their order.
    if (!std::is_sorted(out.columns.begin() + static_cast<std::ptrdiff_t>(begin), out.columns.end())) {
      row.clear();
      for (std::size_t e = begin; e < out.columns.size(); ++e) row.emplace_back(out.columns[e], out.values[e]);
      std::sort(row.begin(), row.end());
      for (std::size_t e = begin; e < out.columns.size(); ++e) std::tie(out.columns[e], out.values[e]) = row[e - begin];
    }
    out.offsets.push_back(static_cast<Index>(out.columns.size()));
  }
  out.rows = static_cast<Index>(graphs.size());
  out.cols = vocabulary.features.size();
  return out;
}

}  // namespace mercer
