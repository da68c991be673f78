// Rows of exp(-t L) for some nodes of a large random graph, by series: time, memory, and how far from a slower way.
#include <cmath>
#include <memory>
#include <numeric>
#include <unordered_set>

#include "bench.hpp"
#include "domains/nodes/series_rows.hpp"
#include "domains/nodes/spectral.hpp"
#include "mercer/graph.hpp"
#include "timing.hpp"

namespace mercer::bench {
namespace {

using namespace mercer::detail;

Json rows_case(const Words& words) {
  const Index n = std::stol(words.at(0)), edges = std::stol(words.at(1)), rows = std::stol(words.at(2));
  const bool all = words.size() > 3 && words[3] == "all";

  // Edges drawn one by one: degrees are Poisson, neighbours are anywhere.
  std::mt19937_64 engine(1);
  std::unordered_set<std::uint64_t> seen;
  GraphParts parts{.nodes = n};
  while (static_cast<Index>(parts.edges.size()) < edges) {
    const auto i = static_cast<Index>(engine() % static_cast<std::uint64_t>(n)),
               j = static_cast<Index>(engine() % static_cast<std::uint64_t>(n));
    const auto [low, high] = std::minmax(i, j);
    if (i != j && seen.insert(static_cast<std::uint64_t>(low * n + high)).second) parts.edges.push_back({low, high});
  }
  seen.clear();
  const Graph graph(std::move(parts));
  std::vector<std::int32_t> asked(static_cast<std::size_t>(rows)), everywhere(static_cast<std::size_t>(n));
  for (std::int32_t& node : asked) node = static_cast<std::int32_t>(engine() % static_cast<std::uint64_t>(n));
  std::iota(everywhere.begin(), everywhere.end(), 0);

  double setup = 0, taken = 0;
  Matrix k;
  Index degree = 0;
  std::unique_ptr<const NodeOperator> l;
  setup = seconds([&] { l = std::make_unique<const NodeOperator>(graph, NodeMatrix::plain); });
  const ChebyshevSeries f = exponential_series(1, l->top, kSeriesError).value;
  degree = f.degree();
  taken = seconds([&] { k = series_rows(*l, f, kSeriesRounding, asked, all ? everywhere : asked); });

  // All in double, to 1e-13, for a few of them: what single precision and the end of the series cost.
  const std::span<const std::int32_t> few = std::span(asked).first(std::min<std::size_t>(16, asked.size()));
  const Matrix exact = series_rows(*l, exponential_series(1, l->top, 1e-13).value, 0, few, all ? everywhere : asked);
  double error = 0;
  for (Index i = 0; i < exact.rows(); ++i) {
    for (Index j = 0; j < exact.cols(); ++j) error = std::max(error, std::abs(exact(i, j) - k(i, j)));
  }
  return {{"nodes", n},
          {"edges", edges},
          {"rows", rows},
          {"top", l->top},
          {"degree", degree},
          {"setup", setup},
          {"seconds", taken},
          {"error", error},
          {"bound", f.error + kSeriesRounding},
          {"peak_gb", peak_megabytes() / 1024}};
}

}  // namespace

Bench nodes_bench() {
  return {"nodes",
          "diffusion on the nodes of a large random graph",
          {{"rows", "NODES EDGES ROWS [labelled|all]",
            "`all`: a number for each node of the graph; `labelled`: at the nodes asked for only", rows_case}}};
}

}  // namespace mercer::bench
