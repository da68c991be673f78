#include "machines/svm/feature_rows.hpp"

#include <algorithm>

#include "base/at.hpp"
#include "base/parallel.hpp"

namespace mercer::detail {

namespace {

// A row that is kept costs 4 bytes for each point when it is added, a feature 8, and some 250 rows are added together.
constexpr double kFew = 128;
// Beyond so many points rows are not kept as a rule: then features are the shorter way while they are fewer than this
// share of the points.
constexpr double kMany = 32768, kShare = 0.125;

double most_for(double points) { return points > kMany ? kShare * points : kFew; }

bool are_inputs(const Gram& K) {
  return K.kind() == GramKind::kernel && K.kernel()->str() == "linear()" && K.points()->domain().kind == "reals";
}

}  // namespace

bool FeatureRows::is_shorter(const Extent& extent) {
  if (!extent.plain || extent.in_memory || extent.numbers) return false;
  const double numbers = extent.linear ? extent.stored : static_cast<double>(extent.features);
  return numbers > 0 && numbers <= most_for(static_cast<double>(extent.points));
}

double FeatureRows::bytes(const Extent& extent) {
  // As they come, and in the order of the classes.
  const double numbers = extent.linear ? extent.stored : 2 * static_cast<double>(extent.features);
  return sizeof(double) * static_cast<double>(extent.points) * numbers;
}

std::optional<FeatureRows> FeatureRows::of(const Gram& K, std::span<const Index> order) {
  const double most = most_for(static_cast<double>(order.size()));
  if (are_inputs(K)) {
    const bool as_they_are = static_cast<Index>(order.size()) == K.size() && std::ranges::is_sorted(order);
    FeatureMatrix inputs(as_they_are ? *K.points() : K.points()->select(order));
    if (inputs.stored() > most) return std::nullopt;
    return FeatureRows(std::move(inputs));
  }
  const std::optional<Matrix> known = K.factor(static_cast<Index>(most));
  if (!known) return std::nullopt;
  Matrix own = Matrix::uninitialized(known->rows(), known->cols());
  for (std::size_t i = 0; i < order.size(); ++i) {
    std::copy_n(known->row(order[i]), known->cols(), own.row(static_cast<Index>(i)));
  }
  return FeatureRows(FeatureMatrix(std::move(own)));
}

void FeatureRows::add(std::span<const Index> which, VectorView weights, Range range, double* f, int threads) const {
  constexpr Index kAtOnce = 1024;
  Vector w(at(matrix_.columns()));
  for (std::size_t k = 0; k < which.size(); ++k) matrix_.add(which[k], weights[k], w.data());
  parallel_for((range.size() + kAtOnce - 1) / kAtOnce, threads, {}, "rows", [&](Index piece, int) {
    const Index first = range.begin + piece * kAtOnce, last = std::min(range.end, first + kAtOnce);
    for (Index j = first; j < last; ++j) f[j - range.begin] += matrix_.dot(j, w.data());
  });
}

}  // namespace mercer::detail
