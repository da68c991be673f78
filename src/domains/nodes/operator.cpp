#include "domains/nodes/operator.hpp"

#include <algorithm>
#include <cmath>

#include "base/at.hpp"
#include "base/fail.hpp"
#include "base/parallel.hpp"

namespace mercer::detail {

namespace {

constexpr Index kRowsAtOnce = 8192;  // that one piece of parallel work goes through
constexpr int kPowerSteps = 12;
constexpr double kLargestDegree = 1e150;  // squares still are numbers

// Runs body(range) over all rows.
template <class Body>
void for_rows(Index n, Body body) {
  parallel_for((n + kRowsAtOnce - 1) / kRowsAtOnce, thread_count(0), {}, "graph", [&](Index b, int) {
    body(Range{b * kRowsAtOnce, std::min(n, (b + 1) * kRowsAtOnce)});
  });
}

double largest_eigenvalue(const NodeOperator& m) {
  Vector x(m.diagonal.size(), 1.0), y(x.size()), most(at((m.size() + kRowsAtOnce - 1) / kRowsAtOnce));
  double bound = std::numeric_limits<double>::infinity();
  for (int step = 0; step < kPowerSteps; ++step) {
    for_rows(m.size(), [&](Range rows) {
      double& largest = most[at(rows.begin / kRowsAtOnce)];
      largest = 0;
      for (Index i = rows.begin; i < rows.end; ++i) {
        double sum = 0;
        for (Index p = m.offsets[at(i)]; p < m.offsets[at(i + 1)]; ++p) {
          sum += (m.weights.empty() ? 1 : m.weights[at(p)]) * x[at(m.columns[at(p)])];
        }
        sum = std::abs(m.beside) * sum + std::abs(m.diagonal[at(i)]) * x[at(i)];
        largest = std::max(largest, sum / x[at(i)]);
        y[at(i)] = sum;
      }
    });
    bound = std::min(bound, *std::max_element(most.begin(), most.end()));
    // A part of x itself keeps nodes without edges above 0, and both halves of a bipartite graph together.
    double largest = 0;
    for (std::size_t i = 0; i < x.size(); ++i) largest = std::max(largest, x[i] = y[i] + 0.1 * bound * x[i]);
    if (!(largest > 0)) return 0;  // no edges
    for (double& value : x) value = std::max(value / largest, 1e-200);
  }
  return bound * (1 + 1e-12);  // the ratios are rounded
}

}  // namespace

void require_undirected(const Graph& graph, const std::string& who) {
  if (graph.directed()) {
    fail(ErrorKind::data, "{} needs an undirected graph, and this one has directions; make its edges undirected", who);
  }
  const auto weights = graph.weights();
  const auto negative = std::find_if(weights.begin(), weights.end(), [](double w) { return w < 0; });
  if (negative == weights.end()) return;
  const auto offsets = graph.offsets();
  const Index place = negative - weights.begin();
  const Index from = std::upper_bound(offsets.begin(), offsets.end(), place) - offsets.begin() - 1;
  fail(ErrorKind::data, "{} needs weights >= 0, and the edge of nodes {} and {} has the weight {}", who, from,
       graph.neighbours()[at(place)], *negative);
}

NodeOperator::NodeOperator(const Graph& graph, NodeMatrix which)
    : offsets(at(graph.nodes() + 1)),
      diagonal(at(graph.nodes())),
      degrees(at(graph.nodes())),
      beside(which == NodeMatrix::adjacency ? 1 : -1) {
  const Index n = graph.nodes();
  const bool weighted = graph.is_weighted() || which == NodeMatrix::normalized;
  for (Index i = 0; i < n; ++i) {
    for (const double w : graph.weights(i)) degrees[at(i)] += w;
  }
  columns.reserve(graph.neighbours().size() + simd::kSparseAhead);
  if (weighted) weights.reserve(graph.neighbours().size());
  for (Index i = 0; i < n; ++i) {
    const auto to = graph.neighbours(i);
    const auto w = graph.weights(i);
    const double degree = degrees[at(i)];
    if (!(degree < kLargestDegree)) {
      fail(ErrorKind::data, "the weights of the edges of node {} add up to {}; bring them to a smaller scale", i,
           degree);
    }
    double loop = 0;
    for (std::size_t p = 0; p < to.size(); ++p) {
      if (to[p] == i) {
        loop = w[p];
        continue;
      }
      if (w[p] == 0) continue;  // no edge
      columns.push_back(to[p]);
      if (!weighted) continue;
      weights.push_back(which == NodeMatrix::normalized ? w[p] / (std::sqrt(degree) * std::sqrt(degrees[at(to[p])]))
                                                        : w[p]);
    }
    offsets[at(i + 1)] = static_cast<Index>(columns.size());
    switch (which) {
      case NodeMatrix::adjacency: diagonal[at(i)] = loop; break;
      case NodeMatrix::plain: diagonal[at(i)] = degree - loop; break;
      case NodeMatrix::normalized: diagonal[at(i)] = degree == 0 ? 0 : 1 - loop / degree; break;
    }
  }
  columns.resize(columns.size() + simd::kSparseAhead);
  top = which == NodeMatrix::normalized ? 2 : largest_eigenvalue(*this);
}

simd::SparseRows NodeOperator::rows() const {
  return {offsets.data(),  offsets.data() + 1,
          columns.data(),  weights.empty() ? nullptr : weights.data(),
          diagonal.data(), beside};
}

std::size_t NodeOperator::bytes() const {
  return offsets.size() * sizeof(Index) + columns.size() * sizeof(std::int32_t) +
         (weights.size() + diagonal.size() + degrees.size()) * sizeof(double);
}

Matrix NodeOperator::dense() const {
  Matrix m(size(), size());
  for (Index i = 0; i < size(); ++i) {
    m(i, i) = diagonal[at(i)];
    for (Index p = offsets[at(i)]; p < offsets[at(i + 1)]; ++p) {
      m(i, columns[at(p)]) = beside * (weights.empty() ? 1 : weights[at(p)]);
    }
  }
  return m;
}

}  // namespace mercer::detail
