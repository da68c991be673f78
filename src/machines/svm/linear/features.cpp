#include "machines/svm/linear/features.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/at.hpp"
#include "machines/risk/newton.hpp"
#include "model/needs.hpp"
#include "points/rep.hpp"
#include "simd/loops.hpp"

namespace mercer::detail {

namespace {

// K = F F' to rounding, by a Cholesky factor whose next pivot is the largest that is left. n r^2 for a rank of r.
Matrix factored(MatrixView K, const Monitor& monitor) {
  const Index n = K.rows();
  Matrix F(n, n);
  Vector left(at(n));
  double largest = 0;
  for (Index i = 0; i < n; ++i) {
    left[at(i)] = K(i, i);
    largest = std::max(largest, K(i, i));
  }
  const double small = static_cast<double>(n) * std::numeric_limits<double>::epsilon() * largest;
  Index rank = 0;
  for (; rank < n; ++rank) {
    monitor.report({"features", static_cast<double>(rank) / static_cast<double>(n)});
    const Index pivot = std::max_element(left.begin(), left.end()) - left.begin();
    if (!(left[at(pivot)] > small)) break;
    const double root = std::sqrt(left[at(pivot)]);
    for (Index i = 0; i < n; ++i) {
      if (left[at(i)] <= 0 && i != pivot) continue;
      F(i, rank) = i == pivot ? root : (K(i, pivot) - simd::dot(F.row(i), F.row(pivot), at(rank))) / root;
    }
    for (Index i = 0; i < n; ++i) left[at(i)] -= F(i, rank) * F(i, rank);
    left[at(pivot)] = 0;
  }
  Matrix out = Matrix::uninitialized(n, rank);
  for (Index i = 0; i < n; ++i) std::copy_n(F.row(i), rank, out.row(i));
  return out;
}

// Of n x n numbers, beside K: its factor.
constexpr int kBesideK = 1;

}  // namespace

Needs needs_of_features(const Extent& extent) {
  constexpr double kPasses = 50;  // over the points, as a rule
  const auto n = static_cast<double>(extent.points), outputs = static_cast<double>(extent.outputs);
  const std::string solver = "dual coordinate descent";
  if (extent.linear && extent.plain) {
    Needs out = by_passes(extent, solver, 0);
    out.form = Form::factor;
    out.copies = 1;
    out.flops = kPasses * 4 * n * extent.stored * outputs;
    out.why = "K = X X': the inputs are the features";
    return out;
  }
  if (auto few = by_features(extent, extent.points, extent.points / 2, solver)) {
    few->flops = kPasses * 4 * n * static_cast<double>(extent.features) * outputs;
    return *few;
  }
  // The factor is made as if its rank were n, and copied.
  const double held = kBesideK + (extent.in_memory ? 0 : 1);
  Needs out = by_all_pairs(extent.points, held + 1, "a pivoted Cholesky factor, dual coordinate descent", 1);
  out.least = held;
  return out;
}

Features::Features(std::string_view machine, const Training& training) {
  const auto kernel = training.K.kernel();
  const auto x = training.K.points();
  if (training.K.kind() == GramKind::kernel && kernel->str() == "linear()" && x->domain().kind == "reals") {
    require_finite(*x);
    inputs_ = *x;
    FeatureMatrix::operator=(FeatureMatrix(*inputs_));
    return;
  }
  std::optional<Matrix> known = training.K.factor(training.K.size() / 2);
  FeatureMatrix::operator=(FeatureMatrix(
      known ? std::move(*known) : factored(held(machine, training, kBesideK).dense(), training.how.monitor)));
}

}  // namespace mercer::detail
