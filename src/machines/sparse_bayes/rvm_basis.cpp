#include "machines/sparse_bayes/rvm_basis.hpp"

#include <algorithm>
#include <numeric>

#include "base/at.hpp"
#include "base/parallel.hpp"
#include "linalg/lapack.hpp"
#include "model/needs.hpp"
#include "model/training.hpp"
#include "points/rep.hpp"

namespace mercer::detail {

namespace {

constexpr Index kRows = 256;  // asked of a Gram at a time

// The points of positive weight, in an order that is theirs and not that of the file: what follows then adds the same
// numbers in the same order, and breaks ties in the same way, however the points were given.
std::vector<Index> canonical_points(const Training& training) {
  std::vector<Index> which = weighted_points(training);
  const auto points = training.K.points();
  const auto before = [&](Index i, Index j) {
    if (const int order = points ? points->rep().compare(i, j) : 0; order != 0) return order < 0;
    for (Index t = 0; t < training.y.cols(); ++t) {
      if (training.y(i, t) != training.y(j, t)) return training.y(i, t) < training.y(j, t);
    }
    if (!training.labels.of.empty() && training.labels.of[at(i)] != training.labels.of[at(j)]) {
      return training.labels.of[at(i)] < training.labels.of[at(j)];
    }
    return !training.weights.empty() && training.weights[at(i)] < training.weights[at(j)];
  };
  if (points) std::stable_sort(which.begin(), which.end(), before);
  return which;
}

Gram in_order(const Gram& K, const std::vector<Index>& which) {
  const bool all = static_cast<Index>(which.size()) == K.size() && std::is_sorted(which.begin(), which.end());
  return all ? K : select(K, which);
}

double weighted_squares(const double* row, const Vector& w) {
  double sum = 0;
  for (std::size_t i = 0; i < w.size(); ++i) sum += w[i] * row[i] * row[i];
  return sum;
}

}  // namespace

Needs needs_of_basis(const Extent& extent) {
  constexpr double kProducts = 50;  // with K, as a rule
  const Index n = extent.weighted;
  const auto size = static_cast<double>(n);
  Needs out = by_all_pairs(n, 1, "functions added and taken away, one by one", 0);
  out.flops = 2 * kProducts * size * size * static_cast<double>(extent.outputs);
  if (out.squares() <= extent.share()) return out;
  return by_passes(extent, out.solver, kProducts);
}

RvmBasis::RvmBasis(const Training& training, bool bias)
    : which_(canonical_points(training)),
      gram_(in_order(training.K, which_)),
      bias_(bias),
      threads_(thread_count(training.how.threads)),
      dense_(gram_.dense()) {
  if (!dense_.empty() || needs_of_basis(extent_of(training)).matrices == 0) return;
  own_ = Matrix::uninitialized(points(), points());
  gram_.fill(own_, training.how);
  dense_ = own_;
}

Vector RvmBasis::column(Index j) const {
  if (is_bias(j)) return Vector(at(points()), 1.0);
  if (in_memory()) return Vector(dense_.row(j), dense_.row(j) + points());
  Vector out(at(points()));
  gram_.rows(std::span(&j, 1), MatrixRef(out.data(), 1, points()));
  return out;
}

Matrix RvmBasis::project(MatrixView rows) const {
  const Index n = points();
  Matrix out = Matrix::uninitialized(rows.rows(), columns());
  const MatrixRef by_kernel = out.ref().block({0, rows.rows()}, {0, n});
  if (in_memory()) {
    // K is symmetric: its rows serve for its columns.
    parallel_for((n + kRows - 1) / kRows, threads_, {}, "project", [&](Index chunk, int) {
      const Range some{chunk * kRows, std::min(n, (chunk + 1) * kRows)};
      linalg::multiply_transposed(1, rows, dense_.block(some, {0, n}), 0, by_kernel.block({0, rows.rows()}, some));
    });
  } else {
    Matrix v = Matrix::uninitialized(n, rows.rows());
    for (Index i = 0; i < n; ++i) {
      for (Index r = 0; r < rows.rows(); ++r) v(i, r) = rows(r, i);
    }
    const Matrix product = gram_.multiply(v.view());
    for (Index i = 0; i < n; ++i) {
      for (Index r = 0; r < rows.rows(); ++r) by_kernel(r, i) = product(i, r);
    }
  }
  if (bias_) {
    for (Index r = 0; r < rows.rows(); ++r) out(r, n) = std::accumulate(rows.row(r), rows.row(r) + n, 0.0);
  }
  return out;
}

Vector RvmBasis::squares(const Vector& w) const {
  Vector sums(at(points()));
  const auto chunk_of = [&](Index chunk, int) {
    const Index first = chunk * kRows, last = std::min(points(), first + kRows);
    Matrix computed;
    if (!in_memory()) {
      std::vector<Index> which(at(last - first));
      std::iota(which.begin(), which.end(), first);
      computed = gram_.rows(which);
    }
    for (Index j = first; j < last; ++j) {
      sums[at(j)] = weighted_squares(in_memory() ? dense_.row(j) : computed.row(j - first), w);
    }
  };
  // Rows that have yet to be computed are so on all threads already.
  parallel_for((points() + kRows - 1) / kRows, in_memory() ? threads_ : 1, {}, "squares", chunk_of);
  if (bias_) sums.push_back(std::accumulate(w.begin(), w.end(), 0.0));
  return sums;
}

}  // namespace mercer::detail
