#include "gram/row_tree.hpp"

#include <algorithm>
#include <limits>
#include <numeric>

#include "base/at.hpp"

namespace mercer::detail {

namespace {

constexpr std::int32_t kLeaf = 12;
// What a gap may have lost to rounding: who is nearest does not depend on the tree.
constexpr double kRounding = 1 - 1e-12;

}  // namespace

// `gaps` are those of the box that is visited from the point, squared, column by column.
struct RowTree::Search {
  const double* q;
  Index before;
  Nearest& nearest;
  Vector gaps;
};

RowTree::RowTree(MatrixView rows)
    : columns_(rows.cols()), numbers_(at(rows.rows())), low_(at(rows.cols())), high_(at(rows.cols())) {
  std::iota(numbers_.begin(), numbers_.end(), 0);
  if (rows.rows() == 0) return;
  for (Index k = 0; k < columns_; ++k) {
    low_[at(k)] = std::numeric_limits<double>::infinity();
    high_[at(k)] = -low_[at(k)];
    for (Index i = 0; i < rows.rows(); ++i) {
      low_[at(k)] = std::min(low_[at(k)], rows(i, k));
      high_[at(k)] = std::max(high_[at(k)], rows(i, k));
    }
  }
  build(rows, 0, static_cast<std::int32_t>(rows.rows()));
  values_.reserve(at(rows.rows() * columns_));
  for (const std::int32_t i : numbers_) values_.insert(values_.end(), rows.row(i), rows.row(i) + columns_);
}

std::int32_t RowTree::build(MatrixView rows, std::int32_t begin, std::int32_t end) {
  const auto own = static_cast<std::int32_t>(nodes_.size());
  const auto first = numbers_.begin() + begin, last = numbers_.begin() + end;
  nodes_.push_back({begin, end, *std::min_element(first, last)});
  Index widest = 0;
  double width = 0;
  for (Index k = 0; k < columns_ && end - begin > kLeaf; ++k) {
    double low = rows(*first, k), high = low;
    for (auto it = first; it != last; ++it) {
      low = std::min(low, rows(*it, k));
      high = std::max(high, rows(*it, k));
    }
    if (high - low > width) {
      width = high - low;
      widest = k;
    }
  }
  if (width == 0) {  // few rows, or equal ones: in the order of their numbers, so that a look can end early
    std::sort(first, last);
    return own;
  }
  const auto before = [&](std::int32_t a, std::int32_t b) {
    return rows(a, widest) != rows(b, widest) ? rows(a, widest) < rows(b, widest) : a < b;
  };
  const std::int32_t middle = begin + (end - begin) / 2;
  std::nth_element(first, numbers_.begin() + middle, last, before);
  const std::int32_t last_left = *std::max_element(first, numbers_.begin() + middle, before);
  const double below = rows(last_left, widest), above = rows(numbers_[at(middle)], widest);
  build(rows, begin, middle);
  const std::int32_t right = build(rows, middle, end);
  Node& node = nodes_[at(own)];
  node.right = right;
  node.column = static_cast<std::int32_t>(widest);
  node.below = below;
  node.above = above;
  return own;
}

void RowTree::visit(std::int32_t which, double gap, Search& search) const {
  const Node& node = nodes_[at(which)];
  if (node.least >= search.before) return;
  if (search.nearest.full() && gap * kRounding > search.nearest.limit()) return;
  if (node.right == 0) {
    for (std::int32_t p = node.begin; p < node.end; ++p) {
      const std::int32_t number = numbers_[at(p)];
      if (number >= search.before) return;
      const double* row = values_.data() + p * columns_;
      double far = 0;
      for (Index k = 0; k < columns_; ++k) far += (search.q[k] - row[k]) * (search.q[k] - row[k]);
      if (!search.nearest.full() || far <= search.nearest.limit()) search.nearest.offer({far, number});
    }
    return;
  }
  const double at_column = search.q[node.column];
  double& own = search.gaps[at(node.column)];
  const double before = own;
  // The nearer child has the gap of both; the other one is at least as far as its nearest side.
  const bool left_first = at_column - node.below <= node.above - at_column;
  const double step = left_first ? node.above - at_column : at_column - node.below;
  const double side = step > 0 ? step * step : 0;
  visit(left_first ? which + 1 : node.right, gap, search);
  const double farther = std::max(before, side);
  own = farther;
  visit(left_first ? node.right : which + 1, gap - before + farther, search);
  own = before;
}

void RowTree::search(const double* q, Index before, Nearest& nearest) const {
  if (numbers_.empty()) return;
  Search search{q, before, nearest, Vector(at(columns_))};
  double gap = 0;
  for (Index k = 0; k < columns_; ++k) {
    const double out = std::max({low_[at(k)] - q[k], q[k] - high_[at(k)], 0.0});
    search.gaps[at(k)] = out * out;
    gap += out * out;
  }
  visit(0, gap, search);
}

}  // namespace mercer::detail
