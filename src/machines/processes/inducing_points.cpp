#include "machines/processes/inducing_points.hpp"

#include <algorithm>
#include <numeric>

#include "base/at.hpp"
#include "base/fail.hpp"
#include "points/rep.hpp"

namespace mercer::detail {

namespace {

Points by_content(const Points& x) {
  std::vector<Index> order(at(x.size()));
  std::iota(order.begin(), order.end(), Index{0});
  std::stable_sort(order.begin(), order.end(), [&](Index a, Index b) { return x.rep().compare(a, b) < 0; });
  return x.select(order);
}

}  // namespace

InducingPoints::InducingPoints(const Points& x, Index count, std::uint64_t seed)
    : ordered_(by_content(x)), wishes_{.count = std::min(count, x.size()), .seed = seed} {}

Points InducingPoints::drawn_for(const Kernel& k, const Execution& how) const {
  return choose_centres(k, ordered_, wishes_, how).points();
}

void require_inducing_points(std::string_view machine, Index count, Index points, bool kernel) {
  if (!kernel) {
    fail(ErrorKind::usage, "{}: inducing points need a kernel, and K was given as numbers; fit without `inducing`",
         machine);
  }
  if (count > points) {
    fail(ErrorKind::usage, "{}: {} inducing points of {} that count; choose at most all", machine, count, points);
  }
}

}  // namespace mercer::detail
