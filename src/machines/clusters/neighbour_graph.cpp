// The graph of nearest neighbours as an Affinity.
#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "base/at.hpp"
#include "base/parallel.hpp"
#include "machines/clusters/affinity.hpp"
#include "model/neighbourhood.hpp"

namespace mercer::detail {

namespace {

constexpr Index kRows = 256;  // of K at a time

struct Edge {
  Index from, to;
  double weight;
};

// Edges row by row, each in both of its rows.
class Graph final : public GramSource {
 public:
  Graph(Index nodes, std::vector<Edge> edges) : first_(at(nodes + 1)) {
    const auto place = [](const Edge& e) { return std::pair(e.from, e.to); };
    const std::size_t count = edges.size();
    for (std::size_t e = 0; e < count; ++e) edges.push_back({edges[e].to, edges[e].from, edges[e].weight});
    std::ranges::sort(edges, {}, place);
    for (const Edge& e : edges) {
      if (!to_.empty() && last_ == place(e)) {
        weight_.back() += e.weight;
        continue;
      }
      last_ = place(e);
      to_.push_back(e.to);
      weight_.push_back(e.weight);
      ++first_[at(e.from + 1)];
    }
    std::partial_sum(first_.begin(), first_.end(), first_.begin());
  }

  Index size() const override { return static_cast<Index>(first_.size()) - 1; }
  void diagonal(VectorRef out) const override { std::fill(out.begin(), out.end(), 0.0); }
  void rows(std::span<const Index> which, MatrixRef out, const Execution&) const override {
    for (Index r = 0; r < out.rows(); ++r) {
      std::fill_n(out.row(r), out.cols(), 0.0);
      for (Index e = first_[at(which[at(r)])]; e < first_[at(which[at(r)] + 1)]; ++e)
        out(r, to_[at(e)]) = weight_[at(e)];
    }
  }
  void multiply(MatrixView v, MatrixRef out, const Execution& how) const override {
    const Index blocks = (size() + kRows - 1) / kRows;
    parallel_for(blocks, thread_count(how.threads), {}, "multiply", [&](Index block, int) {
      for (Index i = block * kRows; i < std::min(size(), (block + 1) * kRows); ++i) {
        std::fill_n(out.row(i), out.cols(), 0.0);
        for (Index e = first_[at(i)]; e < first_[at(i + 1)]; ++e) {
          for (Index j = 0; j < out.cols(); ++j) out(i, j) += weight_[at(e)] * v(to_[at(e)], j);
        }
      }
    });
  }

 private:
  std::vector<Index> first_, to_;
  Vector weight_;
  std::pair<Index, Index> last_{-1, -1};
};

// Squared distances from some points to all, block by block of rows.
template <class See>
void for_each_row(const Gram& K, const Vector& own, const char* stage, const Execution& how, See see) {
  const Index n = K.size();
  Vector squared(at(n));
  for (Index begin = 0; begin < n; begin += kRows) {
    how.monitor.report({stage, static_cast<double>(begin) / static_cast<double>(n)});
    std::vector<Index> which(at(std::min(kRows, n - begin)));
    std::iota(which.begin(), which.end(), begin);
    const Matrix rows = K.rows(which, {.tile = how.tile, .threads = how.threads});
    for (Index r = 0; r < rows.rows(); ++r) {
      const Index i = begin + r;
      for (Index j = 0; j < n; ++j) {
        squared[at(j)] = i == j ? 0 : std::max(0.0, own[at(i)] + own[at(j)] - 2 * rows(r, j));
      }
      see(i, VectorView(squared));
    }
  }
}

// Pieces of a graph, each called by one of its points.
class Pieces {
 public:
  explicit Pieces(Index nodes) : parent_(at(nodes)), count_(nodes) {
    std::iota(parent_.begin(), parent_.end(), Index{0});
  }
  Index of(Index i) {
    while (parent_[at(i)] != i) i = parent_[at(i)] = parent_[at(parent_[at(i)])];
    return i;
  }
  bool join(Index a, Index b) {
    a = of(a);
    b = of(b);
    if (a == b) return false;
    parent_[at(std::max(a, b))] = std::min(a, b);
    --count_;
    return true;
  }
  Index count() const { return count_; }

 private:
  std::vector<Index> parent_;
  Index count_;
};

// From each piece the shortest way to another one, until there are no more pieces than that (Boruvka 1926). An edge
// that is longer than those around it weighs less than these.
void join_pieces(const Gram& K, const Affinity& found, Index most, Pieces& pieces, std::vector<Edge>& edges,
                 const Execution& how) {
  const Index n = K.size();
  while (pieces.count() > most) {
    struct Way {
      double squared = std::numeric_limits<double>::infinity();
      Index from = -1, to = -1;
    };
    std::vector<Way> shortest(at(n));
    for_each_row(K, found.own, "pieces", how, [&](Index i, VectorView squared) {
      Way& way = shortest[at(pieces.of(i))];
      for (Index j = 0; j < n; ++j) {
        if (squared[at(j)] < way.squared && pieces.of(j) != pieces.of(i)) way = {squared[at(j)], i, j};
      }
    });
    for (const Way& way : shortest) {
      if (way.from < 0 || !pieces.join(way.from, way.to)) continue;
      const double near = std::sqrt(found.reach[at(way.from)] * found.reach[at(way.to)]);
      edges.push_back({way.from, way.to, 0.5 * std::max(near / way.squared, 1e-6)});
    }
  }
}

}  // namespace

Affinity by_neighbours(const Gram& K, VectorView weights, Index neighbours, Index pieces, const Execution& how) {
  const Index n = K.size();
  Affinity out{.A = K, .degrees = {}, .neighbours = neighbours, .own = K.diagonal(), .reach = {}};
  std::vector<Edge> edges;
  for_each_row(K, out.own, "neighbours", how, [&](Index i, VectorView squared) {
    out.reach.push_back(reach_of(squared, neighbours));
    // Half of what is between two comes from each of them.
    for (Index j = 0; j < n; ++j) {
      const double half = i == j ? 0 : joined(squared[at(j)], out.reach.back(), -1);
      if (half > 0) edges.push_back({i, j, half});
    }
  });
  Pieces joined_pieces(n);
  for (const Edge& e : edges) joined_pieces.join(e.from, e.to);
  join_pieces(K, out, std::max<Index>(1, pieces), joined_pieces, edges, how);
  out.A = Gram(std::make_shared<const Graph>(n, std::move(edges)));
  out.degrees = out.A.multiply(weights, how);
  if (n == 1) out.degrees.front() = 1;  // of nothing to be cut
  return out;
}

}  // namespace mercer::detail
