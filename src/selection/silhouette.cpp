// How well clusters are apart, from rows of K.
#include <algorithm>
#include <cmath>
#include <limits>
#include <map>

#include "base/at.hpp"
#include "base/fail.hpp"
#include "base/parallel.hpp"
#include "base/random.hpp"
#include "mercer/metrics.hpp"

namespace mercer {

namespace {

constexpr Index kBlock = 64;  // rows of K at a time

// The clusters numbered from 0 without a gap, and how many points each has.
struct Numbered {
  std::vector<Index> of;
  Vector sizes;
};

Numbered numbered(ClassNumbers clusters) {
  std::map<Index, Index> number;
  for (const Index c : clusters) number.emplace(c, 0);
  Index next = 0;
  for (auto& [name, n] : number) n = next++;
  Numbered out{{}, Vector(number.size())};
  for (const Index c : clusters) {
    out.of.push_back(number[c]);
    out.sizes[at(out.of.back())] += 1;
  }
  return out;
}

// A sample in the order of the points: each is taken with the chance that so many are still wanted of so many left.
std::vector<Index> sample(Index n, Index most, std::uint64_t seed) {
  Random random(seed);
  std::vector<Index> out;
  for (Index i = 0; i < n; ++i) {
    const Index wanted = std::min(n, most) - static_cast<Index>(out.size());
    if (random.below(n - i) < wanted) out.push_back(i);
  }
  return out;
}

// From the distances of one point to the points of each cluster, added up.
double silhouette_of(Index own, const Vector& sums, const Vector& sizes) {
  if (sizes[at(own)] == 1) return 0;
  const double a = sums[at(own)] / (sizes[at(own)] - 1);
  double b = std::numeric_limits<double>::infinity();
  for (std::size_t c = 0; c < sums.size(); ++c) {
    if (static_cast<Index>(c) != own) b = std::min(b, sums[c] / sizes[c]);
  }
  return a == b ? 0 : (b - a) / std::max(a, b);
}

}  // namespace

Silhouette silhouette(const Gram& K, ClassNumbers clusters, Index most, std::uint64_t seed, const Execution& how) {
  const Index n = K.size();
  if (static_cast<Index>(clusters.size()) != n) {
    fail(ErrorKind::shape, "silhouette: {} points are in clusters, K has {}", clusters.size(), n);
  }
  const Numbered in = numbered(clusters);
  const auto count = static_cast<Index>(in.sizes.size());
  if (count < 2 || count >= n) {
    fail(ErrorKind::usage, "silhouette: {} clusters of {} points; it takes two, and fewer than points", count, n);
  }
  if (most < 1) fail(ErrorKind::usage, "silhouette: a sample of {} points; take one at least", most);
  const Vector diagonal = K.diagonal();
  Silhouette out;
  out.points = sample(n, most, seed);
  const auto looked_at = static_cast<Index>(out.points.size());
  out.of.resize(out.points.size());
  const int threads = thread_count(how.threads);
  Matrix rows = Matrix::uninitialized(std::min(kBlock, looked_at), n);
  for (Index first = 0; first < looked_at; first += kBlock) {
    how.monitor.report({"silhouette", static_cast<double>(first) / static_cast<double>(looked_at)});
    const std::span<const Index> which =
        std::span(out.points).subspan(at(first), at(std::min(kBlock, looked_at - first)));
    const auto some = static_cast<Index>(which.size());
    K.rows(which, rows.ref().block({0, some}, {0, n}), {.tile = how.tile, .threads = how.threads});
    parallel_for(some, threads, {}, "silhouette", [&](Index r, int) {
      const Index i = which[at(r)];
      const double* const row = rows.row(r);
      Vector sums(at(count));
      for (Index j = 0; j < n; ++j) {
        if (j == i) continue;
        sums[at(in.of[at(j)])] += std::sqrt(std::max(0.0, diagonal[at(i)] + diagonal[at(j)] - 2 * row[j]));
      }
      out.of[at(first + r)] = silhouette_of(in.of[at(i)], sums, in.sizes);
    });
  }
  for (const double s : out.of) out.mean += s;
  out.mean /= static_cast<double>(looked_at);
  return out;
}

}  // namespace mercer
