#include "gram/about_mean.hpp"

#include <algorithm>
#include <cmath>

#include "kernel/origin.hpp"
#include "points/objects.hpp"
#include "points/rep.hpp"

namespace mercer::detail {

namespace {

// Of the mean from 0, by the measure of the spread: nearer, fewer than two of sixteen digits are lost.
constexpr double kFar = 10;

// Of sparse rows the zeros would go, and what bags hold is not only for linear().
bool can_move(const Points& x) {
  if (const Table* const table = find_table(x)) {
    return std::all_of(table->parts.begin(), table->parts.end(),
                       [](const auto& part) { return can_move(part.second); });
  }
  return !is_sparse(x) && !elements_of(x);
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

AboutMean about_mean(const Gram& K, VectorView weights, const Execution& how) {
  AboutMean as_it_is{K, {}};
  if (K.kind() != GramKind::kernel || K.size() == 0 || origin_of(*K.kernel()) != Origin::adds) return as_it_is;
  const Points x = *K.points();
  if (!can_move(x)) return as_it_is;
  const Points some = counted(x, weights);
  if (!is_far(some)) return as_it_is;
  const Scaling to_mean = Scaling::of(Scaling::Kind::centred, some);
  const Points moved = to_mean.apply(x);
  return {K.dense().empty() ? lazy(*K.kernel(), moved) : exact(*K.kernel(), moved, how), to_mean};
}

}  // namespace mercer::detail
