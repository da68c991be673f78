// walks(length) and p_step(p, a): powers of a matrix M >= 0 of the graph, as inner products of explicit sparse
// features.
//
// walks:   A^(2 l) = (A^l)(A^l)', so the features of x are row x of A^l: the numbers of walks to each node.
// p_step:  M = a I - L = (a - 2) I + B B', with a column of B for each edge: sqrt(w_ij) (e_i / sqrt(d_i) + e_j /
// sqrt(d_j)),
//          since 2 I - L = I + D^(-1/2) A D^(-1/2). Then M^(2 h) = M^h (M^h)', and M^(2 h + 1) = M^h (M) (M^h)' is the
//          inner product of the rows of M^h [sqrt(a - 2) I, B].
// A row of M^h holds the nodes within h steps. All its terms are >= 0: nothing cancels.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>

#include "base/at.hpp"
#include "base/fail.hpp"
#include "base/parallel.hpp"
#include "domains/nodes/nodes.hpp"
#include "domains/nodes/row.hpp"
#include "kernel/catalog.hpp"
#include "kernel/program_parts.hpp"

namespace mercer::detail {

namespace {

struct Entries {
  std::vector<std::int32_t> columns;
  std::vector<double> values;
};

// Numbers at some of n places, added up in any order and read in increasing order.
class Gathered {
 public:
  explicit Gathered(Index n) : sums_(at(n)), used_(at(n)) {}

  void add(std::int32_t place, double value) {
    if (used_[at(place)] == 0) {
      used_[at(place)] = 1;
      places_.push_back(place);
    }
    sums_[at(place)] += value;
  }
  Entries take() {
    std::sort(places_.begin(), places_.end());
    Entries out{places_, {}};
    for (const std::int32_t place : places_) {
      out.values.push_back(sums_[at(place)]);
      sums_[at(place)] = 0;
      used_[at(place)] = 0;
    }
    places_.clear();
    return out;
  }

 private:
  Vector sums_;
  std::vector<char> used_;
  std::vector<std::int32_t> places_;
};

class PowerStep final : public Step {
 public:
  PowerStep(NodeMatrix which, double shift, int power, std::string who)
      : which_(which), shift_(shift), power_(power), who_(std::move(who)) {}

  PointsPair apply(const PointsPair& in) const override {
    const NodesPair nodes = nodes_pair(in.x, in.y, who_);
    const auto m = nodes.graph->matrix(which_, who_);
    const Points x = rows(features(*m, nodes.x));
    return {x, in.same() ? x : rows(features(*m, nodes.y))};
  }

  void pullback(const Points&, const Points&, Range, MatrixView, MatrixRef, double*) const override {
    fail(ErrorKind::usage, "{}: nodes have no gradient with respect to the inputs", who_);
  }

 private:
  bool by_edges() const { return which_ == NodeMatrix::normalized && power_ % 2 == 1; }

  // |M_ij| beside the diagonal, and M_ii: M is A itself, or a I - L.
  double weight(const NodeOperator& m, Index p) const { return m.weights.empty() ? 1 : m.weights[at(p)]; }
  double diagonal(const NodeOperator& m, std::int32_t i) const {
    return which_ == NodeMatrix::adjacency ? m.diagonal[at(i)] : shift_ - m.diagonal[at(i)];
  }

  SparseMatrix features(const NodeOperator& m, const std::vector<std::int32_t>& ids) const {
    // Columns of B: a node's own, for a part of the diagonal that its edges do not account for, and one for each edge,
    // numbered by the place of its entry above the diagonal.
    const Index places = by_edges() ? 2 * m.size() + m.offsets.back() : m.size();
    if (places > std::numeric_limits<std::int32_t>::max()) {
      fail(ErrorKind::usage, "{}: an odd p is for graphs of at most 2^31 nodes and edges; take an even one", who_);
    }
    std::vector<Entries> rows(ids.size());
    const int threads = thread_count(0);
    std::vector<std::unique_ptr<Gathered>> nodes(at(threads)), edges(at(threads));
    parallel_for(static_cast<Index>(ids.size()), threads, {}, "features", [&](Index i, int thread) {
      auto& by_node = nodes[at(thread)];
      if (!by_node) by_node = std::make_unique<Gathered>(m.size());
      rows[at(i)] = row_of_power(m, ids[at(i)], *by_node);
      if (!by_edges()) return;
      auto& by_edge = edges[at(thread)];
      if (!by_edge) by_edge = std::make_unique<Gathered>(places);
      rows[at(i)] = times_root(m, rows[at(i)], *by_edge);
    });
    SparseMatrix out;
    out.rows = static_cast<Index>(ids.size());
    out.cols = places;
    for (const Entries& row : rows) {
      out.columns.insert(out.columns.end(), row.columns.begin(), row.columns.end());
      out.values.insert(out.values.end(), row.values.begin(), row.values.end());
      out.offsets.push_back(static_cast<Index>(out.columns.size()));
    }
    for (const double value : out.values) {
      if (!std::isfinite(value)) {
        fail(ErrorKind::numeric, "{}: a power of the matrix is beyond double precision; take fewer steps", who_);
      }
    }
    return out;
  }

  // Row `node` of M^h, h = power / 2 (walks: power is 2 length).
  Entries row_of_power(const NodeOperator& m, std::int32_t node, Gathered& next) const {
    Entries row{{node}, {1.0}};
    for (int step = 0; step < power_ / 2; ++step) {
      for (std::size_t r = 0; r < row.columns.size(); ++r) {
        const std::int32_t i = row.columns[r];
        const double own = diagonal(m, i);
        if (own != 0) next.add(i, row.values[r] * own);
        for (Index p = m.offsets[at(i)]; p < m.offsets[at(i + 1)]; ++p) {
          next.add(m.columns[at(p)], row.values[r] * weight(m, p));
        }
      }
      row = next.take();
    }
    return row;
  }

  // row [sqrt(a - 2) I, B]. A node's edges account for 1 - loop/d of the diagonal of 2 I - L in B B', which is
  // 1 + loop/d, or 2 where there are no edges: what is left is a column of its own.
  Entries times_root(const NodeOperator& m, const Entries& row, Gathered& out) const {
    const auto n = static_cast<std::int32_t>(m.size());
    for (std::size_t r = 0; r < row.columns.size(); ++r) {
      const std::int32_t i = row.columns[r];
      if (shift_ > 2) out.add(i, row.values[r] * std::sqrt(shift_ - 2));
      const double left = 2 - 2 * m.diagonal[at(i)];
      if (left > 0) out.add(n + i, row.values[r] * std::sqrt(left));
      for (Index p = m.offsets[at(i)]; p < m.offsets[at(i + 1)]; ++p) {
        const std::int32_t j = m.columns[at(p)];
        const Index edge = i < j ? p : mirror(m, i, j);
        // w_ij / d_i, from w_ij / sqrt(d_i d_j)
        const double share = m.weights[at(p)] * std::sqrt(m.degrees[at(j)] / m.degrees[at(i)]);
        out.add(2 * n + static_cast<std::int32_t>(edge), row.values[r] * std::sqrt(share));
      }
    }
    return out.take();
  }

  // Where row j holds i.
  static Index mirror(const NodeOperator& m, std::int32_t i, std::int32_t j) {
    const auto begin = m.columns.begin() + m.offsets[at(j)], end = m.columns.begin() + m.offsets[at(j + 1)];
    return std::lower_bound(begin, end, i) - m.columns.begin();
  }

  NodeMatrix which_;
  double shift_;
  int power_;
  std::string who_;
};

Value emit_power(const Site& site, Emitter& e, const std::shared_ptr<const PowerStep>& step, const std::string& key) {
  const View features = e.through(site.view, step, key);
  return {.factors = {e.dot(features, site.node.entry->name + "()")}};
}

}  // namespace

Value emit_walks(const Site& site, Emitter& e) {
  const int length = static_cast<int>(site.node.number("length"));
  return emit_power(site, e, std::make_shared<PowerStep>(NodeMatrix::adjacency, 0, 2 * length, "walks()"),
                    fmt::format("walks{}", length));
}

Value emit_p_step(const Site& site, Emitter& e) {
  const int p = static_cast<int>(site.node.number("p"));
  const double a = site.node.number("a");
  return emit_power(site, e, std::make_shared<PowerStep>(NodeMatrix::normalized, a, p, "p_step()"),
                    fmt::format("p_step{}:{}", p, a));
}

}  // namespace mercer::detail
