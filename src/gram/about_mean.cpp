#include "gram/about_mean.hpp"

#include <algorithm>
#include <cmath>

#include "kernel/origin.hpp"
#include "points/objects.hpp"
#include "points/rep.hpp"
#include "points/streamed.hpp"

namespace mercer::detail {

namespace {

// Of the mean from 0, by the measure of the spread: nearer, fewer than two of sixteen digits are lost.
constexpr double kFar = 10;

// Of sparse rows the zeros would go, what bags hold is not only for linear(), and rows that are not in memory stay
// there.
bool can_move(const Points& x) {
  if (const Table* const table = find_table(x)) {
    return std::all_of(table->parts.begin(), table->parts.end(),
                       [](const auto& part) { return can_move(part.second); });
  }
  return !is_sparse(x) && !elements_of(x) && !is_streamed(x);
}

Points counted(const Points& x, VectorView weights) {
  std::vector<Index> which;
  for (std::size_t i = 0; i < weights.size(); ++i) {
    if (weights[i] > 0) which.push_back(static_cast<Index>(i));
  }
  return which.empty() || which.size() == weights.size() ? x : x.select(which);
}

// In any column: a kernel may look at one of them alone.
bool is_far(const Points& x) {
  const Scaling spread = Scaling::of(Scaling::Kind::standard, x);
  for (std::size_t c = 0; c < spread.shift.size(); ++c) {
    if (std::abs(spread.shift[c]) * spread.factor[c] > kFar) return true;
  }
  return false;
}

}  // namespace

bool is_far_from_origin(const Gram& K, VectorView weights) {
  if (K.kind() != GramKind::kernel || K.size() == 0 || origin_of(*K.kernel()) != Origin::adds) return false;
  const Points x = *K.points();
  return can_move(x) && is_far(counted(x, weights));
}

AboutMean about_mean(const Gram& K, VectorView weights, const Execution& how) {
  if (!is_far_from_origin(K, weights)) return {K, {}};
  const Points x = *K.points();
  const Scaling to_mean = Scaling::of(Scaling::Kind::centred, counted(x, weights));
  const Points moved = to_mean.apply(x);
  return {K.dense().empty() ? lazy(*K.kernel(), moved) : exact(*K.kernel(), moved, how), to_mean};
}

}  // namespace mercer::detail
