#include "centres/effective_dimension.hpp"

#include <algorithm>
#include <cmath>

#include "base/at.hpp"
#include "base/drawn.hpp"
#include "centres/pass.hpp"
#include "centres/summand.hpp"
#include "linalg/cholesky.hpp"
#include "linalg/lapack.hpp"
#include "points/streamed.hpp"

namespace mercer::centres {

namespace {

// Of fewer points for each centre the number comes out too low: a direction cannot be told from its neighbours.
constexpr Index kForEach = 5, kLeast = 2000;

double weight_of(VectorView weights, Index row) { return weights.empty() ? 1 : weights[at(row)]; }

}  // namespace

Index looked_at_for_dimension(Index centres, Index points) {
  return std::min(points, std::max(kLeast, kForEach * centres));
}

double dimension_from(MatrixRef factor, double shift) {
  linalg::invert_lower(factor);
  double rest = 0;
  for (Index i = 0; i < factor.rows(); ++i) {
    for (Index j = 0; j <= i; ++j) rest += factor(i, j) * factor(i, j);
  }
  return std::max(0.0, static_cast<double>(factor.rows()) - shift * rest);
}

EffectiveDimension effective_dimension(const Centres& centres, const Points& x, VectorView weights,
                                       const Execution& how) {
  const Index n = x.size(), m = centres.size(), some = looked_at_for_dimension(m, n);
  Random random(centres.choice().wishes.seed);
  const std::vector<Index> which = drawn(n, some, random);
  const Points sample = in_memory(some == n ? x : x.select(which));
  const Vector own = diagonal(centres.kernel(), sample);
  double all = 0, seen = 0, trace = 0;
  for (Index i = 0; i < n; ++i) all += weight_of(weights, i);
  for (Index i = 0; i < some; ++i) {
    const double v = weight_of(weights, which[at(i)]);
    seen += v;
    trace += v * own[at(i)];
  }
  if (!(trace > 0)) return {0, some};
  const double shift = trace / seen;
  const Pass pass(centres.kernel(), centres.points(), pieces_of(sample));
  const Matrix none(some, 1);  // targets
  Vector counts;
  for (Index i = 0; i < some && !weights.empty(); ++i) counts.push_back(weights[at(which[at(i)])]);
  const MatrixView beside = {counts.data(), std::ssize(counts), 1};
  distributed::Part sums = pass.sum(moments, {{centres.root()}, {none, beside}}, how);
  Matrix& M = sums[0];
  for (Index i = 0; i < m * m; ++i) M.data()[i] *= all / seen;
  for (Index i = 0; i < m; ++i) M(i, i) += shift;
  if (linalg::cholesky(M) != 0) return {0, some};  // overflow
  return {dimension_from(M, shift), some};
}

}  // namespace mercer::centres
