#include "points/distinct.hpp"

#include <algorithm>
#include <numeric>

#include "base/at.hpp"
#include "points/rep.hpp"

namespace mercer {

std::vector<Index> first_equal(Index n, const std::function<int(Index, Index)>& compare) {
  std::vector<Index> order(at(n)), out(at(n));
  std::iota(order.begin(), order.end(), Index{0});
  std::stable_sort(order.begin(), order.end(), [&](Index a, Index b) { return compare(a, b) < 0; });
  for (std::size_t r = 0; r < order.size(); ++r) {
    const bool same = r > 0 && compare(order[r - 1], order[r]) == 0;
    out[at(order[r])] = same ? out[at(order[r - 1])] : order[r];
  }
  return out;
}

std::vector<Index> Points::Rep::first_equal() const {
  return mercer::first_equal(size(), [&](Index a, Index b) { return compare(a, b); });
}

std::vector<Index> first_equal(const Points& x) { return x.rep().first_equal(); }

Points distinct(const Points& x) {
  const std::vector<Index> equal_to = first_equal(x);
  std::vector<Index> first;
  for (Index i = 0; i < x.size(); ++i) {
    if (equal_to[at(i)] == i) first.push_back(i);
  }
  return first.size() < 2 || static_cast<Index>(first.size()) == x.size() ? x : x.select(first);
}

}  // namespace mercer
