#include "mercer/distances.hpp"

#include <algorithm>
#include <cmath>

#include "base/at.hpp"
#include "base/fail.hpp"
#include "base/parallel.hpp"
#include "base/stages.hpp"
#include "gram/nearest.hpp"
#include "kernel/all_pairs.hpp"
#include "kernel/tiling.hpp"
#include "simd/loops.hpp"

namespace mercer {

using detail::AllPairs;
using detail::Bound;
using detail::Of;
using detail::Scratch;

namespace {

void for_each_row(Matrix& m, const Execution& how, const std::function<void(double*)>& change) {
  parallel_for(m.rows(), thread_count(how.threads), how.monitor, "distances", [&](Index i, int) { change(m.row(i)); });
}

Matrix rooted(Matrix squared, const Execution& how) {
  for_each_row(squared, how, [&](double* row) { simd::square_root(row, at(squared.cols()), row); });
  return squared;
}

void require_count(Index count, Index points, const char* which) {
  if (count < 1 || count > points) {
    fail(ErrorKind::usage, "neighbours: {} neighbours are asked for, and there are {} {}; ask for 1 to {}", count,
         points, which, points);
  }
}

Neighbours search(const Bound& bound, Index count, bool without_itself, const Execution& how) {
  std::vector<Index> which(at(bound.rows() * count));
  Matrix far = Matrix::uninitialized(bound.rows(), count);
  detail::for_each_nearest(bound, count, without_itself, how, [&](Index i, std::span<const detail::Near> nearest) {
    for (Index rank = 0; rank < count; ++rank) {
      which[at(i * count + rank)] = nearest[at(rank)].which;
      far(i, rank) = nearest[at(rank)].far;
    }
    bound.squared_distances_from(far.row(i), count);
    simd::square_root(far.row(i), at(count), far.row(i));
  });
  return Neighbours(std::move(which), std::move(far));
}

}  // namespace

Matrix squared_distances(const Kernel& k, const Points& x, const Execution& how) {
  Matrix out = Matrix::uninitialized(x.size(), x.size());
  const AllPairs pairs(k.resolve(x), x, Of::distance);
  pairs.gram(out, how);
  for_each_row(out, how, [&](double* row) { pairs.bound().squared_distances_from(row, out.cols()); });
  return out;
}

Matrix squared_distances(const Kernel& k, const Points& x, const Points& y, const Execution& how) {
  const Stage stage("rows");
  Matrix out = Matrix::uninitialized(x.size(), y.size());
  const Bound bound(k.resolve(x), x, y, Of::distance);
  const std::vector<Tiling::Pair> tiles = all_pairs(Tiling(x.size(), how.tile), Tiling(y.size(), how.tile));
  const int threads = thread_count(how.threads);
  std::vector<Scratch> scratch(at(threads));
  parallel_for(static_cast<Index>(tiles.size()), threads, how.monitor, "distances", [&](Index t, int thread) {
    const auto [i, j] = tiles[at(t)];
    const double* tile = bound.tile(i, j, scratch[at(thread)]);
    for (Index a = 0; a < i.size(); ++a) {
      double* row = out.row(i.begin + a) + j.begin;
      std::copy_n(tile + a * j.size(), j.size(), row);
      bound.squared_distances_from(row, j.size());
    }
  });
  return out;
}

Matrix squared_distances(const Gram& K, const Execution& how) {
  if (K.kind() == GramKind::kernel) return squared_distances(*K.kernel(), *K.points(), how);
  std::vector<Index> all(at(K.size()));
  for (Index i = 0; i < K.size(); ++i) all[at(i)] = i;
  Matrix out = K.rows(all, how);
  const Vector own = K.diagonal();
  for (Index i = 0; i < K.size(); ++i) {
    for (Index j = 0; j < i; ++j) {
      // Numbers that were given may differ across the diagonal by rounding.
      out(i, j) = out(j, i) = std::max(0.0, own[at(i)] + own[at(j)] - (out(i, j) + out(j, i)));
    }
    out(i, i) = 0;
  }
  return out;
}

Matrix distances(const Kernel& k, const Points& x, const Execution& how) {
  return rooted(squared_distances(k, x, how), how);
}

Matrix distances(const Kernel& k, const Points& x, const Points& y, const Execution& how) {
  return rooted(squared_distances(k, x, y, how), how);
}

Neighbours neighbours(const Kernel& k, const Points& x, const Points& y, Index count, const Execution& how) {
  require_count(count, y.size(), "points to choose from");
  return search(Bound(k.resolve(y), x, y, Of::distance), count, false, how);
}

Neighbours neighbours(const Kernel& k, const Points& x, Index count, const Execution& how) {
  require_count(count, x.size() - 1, "other points");
  return search(Bound(k.resolve(x), x, x, Of::distance), count, true, how);
}

}  // namespace mercer
