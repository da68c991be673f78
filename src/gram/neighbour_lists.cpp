#include "gram/neighbour_lists.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "base/at.hpp"
#include "base/fail.hpp"
#include "base/parallel.hpp"
#include "kernel/distance_rows.hpp"
#include "mercer/kernels.hpp"
#include "points/rep.hpp"

namespace mercer::detail {

namespace {

// With more columns a tree rules out too few of its leaves.
constexpr Index kTreeColumns = 16;
constexpr Index kSearches = 256;  // one after the other
constexpr Index kSample = 1000;   // points that tell the scale of a column

Points spread_over(const Points& x) {
  if (x.size() <= kSample) return x;
  std::vector<Index> some;
  for (Index i = 0; i < kSample; ++i) some.push_back(i * x.size() / kSample);
  return x.select(some);
}

// The root mean square of each column about its mean.
Vector spreads(const Points& z) {
  const DenseRows rows = dense_rows(z);
  Vector out;
  for (Index k = 0; k < rows.values.cols(); ++k) {
    double mean = 0, squares = 0;
    for (Index i = 0; i < rows.values.rows(); ++i) mean += rows.values(i, k) / static_cast<double>(rows.values.rows());
    for (Index i = 0; i < rows.values.rows(); ++i) squares += std::pow(rows.values(i, k) - mean, 2);
    out.push_back(std::sqrt(squares));
  }
  return out;
}

Vector scales_of(const Kernel& k, const Points& x, bool rows) {
  if (rows) {
    const std::optional<Points> z = distance_rows(k, spread_over(x));
    return z ? spreads(*z) : Vector();
  }
  Vector out;
  for (const Parameter& p : k.params()) out.push_back(p.value);
  return out;
}

// `before(i)` is how many points row i may have for neighbours. Rows are gone through in `order`, where there is one.
template <class Before>
NeighbourLists search_tree(const RowTree& tree, MatrixView rows, std::span<const std::int32_t> order, Index most,
                           const Execution& how, Before before) {
  NeighbourLists out(rows.rows(), most);
  const Index blocks = (rows.rows() + kSearches - 1) / kSearches;
  parallel_for(blocks, thread_count(how.threads), how.monitor, "neighbours", [&](Index block, int) {
    Nearest nearest(most);
    for (Index s = block * kSearches; s < std::min(rows.rows(), (block + 1) * kSearches); ++s) {
      const Index i = order.empty() ? s : order[at(s)];
      nearest.clear();
      tree.search(rows.row(i), before(i), nearest);
      out.set(i, nearest.sorted());
    }
  });
  return out;
}

}  // namespace

NeighbourLists::NeighbourLists(Index rows, Index most) : most_(most), counts_(at(rows)), which_(at(rows * most)) {}

std::span<const std::int32_t> NeighbourLists::of(Index i) const {
  return {which_.data() + i * most_, at(counts_[at(i)])};
}

void NeighbourLists::set(Index i, std::span<const Near> nearest) {
  counts_[at(i)] = static_cast<std::int32_t>(nearest.size());
  for (std::size_t r = 0; r < nearest.size(); ++r) {
    which_[at(i * most_) + r] = static_cast<std::int32_t>(nearest[r].which);
  }
}

NeighbourSearch::NeighbourSearch(const Kernel& k, const Points& x) : kernel_(k), x_(x), rows_(distance_rows(k, x)) {
  scales_ = scales_of(k, x, rows_.has_value());
  if (!rows_ || rows_->domain().dimension > kTreeColumns) return;
  require_finite(x);
  tree_ = std::make_shared<const RowTree>(dense_rows(*rows_).values);
}

namespace {

// Of r alone, where rows tell it: for their distances no kernel is needed.
Bound distances_between(const Kernel& k, const std::optional<Points>& rows, const Points& x, const Points& y) {
  return rows ? Bound(rbf(1.0), x, y, Of::distance) : Bound(k, x, y, Of::distance);
}

NeighbourLists by_pairs(const Bound& distances, std::span<const Index> before, Index most, const Execution& how) {
  NeighbourLists out(distances.rows(), most);
  for_each_nearest(distances, most, before, how, [&](Index i, std::span<const Near> nearest) { out.set(i, nearest); });
  return out;
}

}  // namespace

NeighbourLists NeighbourSearch::earlier(Index most, const Execution& how) const {
  if (tree_) {
    return search_tree(*tree_, dense_rows(*rows_).values, tree_->order(), most, how, [](Index i) { return i; });
  }
  std::vector<Index> before(at(x_.size()));
  std::iota(before.begin(), before.end(), 0);
  const Points& points = rows_ ? *rows_ : x_;
  return by_pairs(distances_between(kernel_, rows_, points, points), before, most, how);
}

NeighbourLists NeighbourSearch::earlier(std::span<const Index> some, Index most, const Execution& how) const {
  const Points chosen = (rows_ ? *rows_ : x_).select(some);
  if (tree_) {
    return search_tree(*tree_, dense_rows(chosen).values, {}, most, how, [some](Index s) { return some[at(s)]; });
  }
  return by_pairs(distances_between(kernel_, rows_, chosen, rows_ ? *rows_ : x_), some, most, how);
}

NeighbourLists NeighbourSearch::of(const Points& x, Index most, const Execution& how) const {
  const Index n = x_.size();
  if (!rows_) return by_pairs(Bound(kernel_, x, x_, Of::distance), std::vector<Index>(at(x.size()), n), most, how);
  const Points mapped = *distance_rows(kernel_, x);
  if (tree_) return search_tree(*tree_, dense_rows(mapped).values, {}, most, how, [n](Index) { return n; });
  return by_pairs(distances_between(kernel_, rows_, mapped, *rows_), std::vector<Index>(at(x.size()), n), most, how);
}

double NeighbourSearch::drift_to(const Kernel& k) const {
  const Vector now = scales_of(k, x_, rows_.has_value());
  if (now.size() != scales_.size()) return std::numeric_limits<double>::infinity();
  double least = std::numeric_limits<double>::infinity(), most = 0;
  for (std::size_t p = 0; p < now.size(); ++p) {
    if (!(scales_[p] > 0) || !(now[p] > 0)) continue;  // a constant column, or a number of any sign
    least = std::min(least, now[p] / scales_[p]);
    most = std::max(most, now[p] / scales_[p]);
  }
  if (!(most > 0)) return 1;
  return rows_ ? most / least : std::max(most, 1 / least);
}

}  // namespace mercer::detail
