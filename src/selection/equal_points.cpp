#include "selection/equal_points.hpp"

#include <algorithm>

#include "base/at.hpp"
#include "base/fail.hpp"
#include "model/training.hpp"
#include "points/distinct.hpp"
#include "selection/held_out.hpp"

namespace mercer::detail {

namespace {

bool same_target(const Training& training, Index i, Index j) {
  if (training.labels.size() > 0 && training.labels.of[at(i)] != training.labels.of[at(j)]) return false;
  return training.y.rows() == 0 ||
         std::equal(training.y.row(i), training.y.row(i) + training.y.cols(), training.y.row(j));
}

}  // namespace

std::vector<Index> first_equal(const Gram& K) {
  if (const auto x = K.points()) return mercer::first_equal(*x);
  const MatrixView values = K.dense();
  return mercer::first_equal(K.size(), [&](Index i, Index j) {
    if (values.empty()) return i < j ? -1 : i > j ? 1 : 0;  // nothing is known of them
    const double *const a = values.row(i), *const b = values.row(j);
    const auto [first, second] = std::mismatch(a, a + values.cols(), b);
    return first == a + values.cols() ? 0 : *first < *second ? -1 : 1;
  });
}

Counted count_points(const Training& training, const std::vector<Index>& equal_to) {
  Counted out;
  std::vector<char> seen(equal_to.size(), 0);
  for (const Index i : weighted_points(training)) {
    ++out.points;
    char& before = seen[at(equal_to[at(i)])];
    if (before == 0) ++out.different;
    before = 1;
  }
  return out;
}

std::string left_out_together(const Counted& counted) {
  return fmt::format("of {} points {} are different; equal ones are left out together", counted.points,
                     counted.different);
}

Training merged(const Training& training, const std::vector<Index>& equal_to) {
  const Vector weights = weights_of(training);
  std::vector<std::vector<std::size_t>> places(equal_to.size());  // of a first point: those it stands for in `which`
  std::vector<Index> which;
  Vector together;
  bool any = !training.weights.empty();
  for (const Index i : weighted_points(training)) {
    std::vector<std::size_t>& here = places[at(equal_to[at(i)])];
    const auto same =
        std::find_if(here.begin(), here.end(), [&](std::size_t p) { return same_target(training, i, which[p]); });
    if (same != here.end()) {
      together[*same] += weights[at(i)];
      any = true;
      continue;
    }
    here.push_back(which.size());
    which.push_back(i);
    together.push_back(weights[at(i)]);
  }
  if (static_cast<Index>(which.size()) == training.K.size()) return training;
  Training out = part_of(training, which);
  out.how = training.how;
  if (any) out.weights = std::move(together);
  return out;
}

}  // namespace mercer::detail
