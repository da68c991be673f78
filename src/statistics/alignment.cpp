#include "mercer/statistics/alignment.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "base/at.hpp"
#include "base/fail.hpp"
#include "base/parallel.hpp"
#include "gram/about_mean.hpp"
#include "kernel/tiling.hpp"
#include "simd/loops.hpp"

namespace mercer {

Matrix alignments(std::span<const Gram> given, const Execution& how) {
  if (given.empty()) return {};
  std::vector<Gram> matrices;
  for (const Gram& K : given) matrices.push_back(detail::about_mean(K, {}, how).K);
  const Threads limit(how.threads);
  const Index n = matrices[0].size(), count = static_cast<Index>(matrices.size());
  std::vector<Gram> centred_ones;
  for (const Gram& K : matrices) {
    if (K.size() != n)
      fail(ErrorKind::shape, "align: matrices of {} and {} points; they must be the same points", n, K.size());
    centred_ones.push_back(centred(K, how));
  }
  const Tiling blocks(n, 64);
  std::vector<Matrix> sums(at(blocks.count()), Matrix(count, count));
  parallel_for(blocks.count(), thread_count(how.threads), how.monitor, "align", [&](Index block, int) {
    const Range some = blocks.block(block);
    std::vector<Index> which(at(some.size()));
    std::iota(which.begin(), which.end(), some.begin);
    std::vector<Matrix> rows;
    for (const Gram& K : centred_ones) rows.push_back(K.rows(which, {.tile = how.tile}));
    for (Index a = 0; a < count; ++a) {
      for (Index b = 0; b <= a; ++b) {
        sums[at(block)](a, b) = simd::dot(rows[at(a)].data(), rows[at(b)].data(), at(some.size() * n));
      }
    }
  });
  Matrix products(count, count);
  for (const Matrix& sum : sums) simd::add_scaled(1, sum.data(), at(count * count), products.data());
  Matrix out(count, count, 1.0);
  for (Index a = 0; a < count; ++a) {
    const Vector diagonal = matrices[at(a)].diagonal();
    const double largest = *std::max_element(diagonal.begin(), diagonal.end());
    if (!(std::sqrt(products(a, a)) > 1e-13 * static_cast<double>(n) * largest)) {
      const std::optional<Kernel> k = matrices[at(a)].kernel();
      fail(ErrorKind::data, "align: {} is the same for all pairs of points; it is aligned with nothing",
           k ? k->str() : fmt::format("matrix {}", a + 1));
    }
    for (Index b = 0; b < a; ++b) {
      // Each root for itself: the product of two large norms could overflow.
      out(a, b) = out(b, a) = products(a, b) / std::sqrt(products(a, a)) / std::sqrt(products(b, b));
    }
  }
  return out;
}

double alignment(const Gram& K, const Gram& L, const Execution& how) {
  const std::vector<Gram> both = {K, L};
  return alignments(both, how)(0, 1);
}

}  // namespace mercer
