#include "domains/bags/bags.hpp"

#include <algorithm>
#include <numeric>

#include "base/random.hpp"
#include "domains/bags/row.hpp"
#include "file/blocks.hpp"
#include "mercer/bags.hpp"

namespace mercer {

namespace {

Points in_order(const Points& elements, const std::vector<Index>& offsets) {
  std::vector<Index> order(static_cast<std::size_t>(elements.size()));
  std::iota(order.begin(), order.end(), Index{0});
  const auto before = [&](Index a, Index b) { return elements.rep().compare(a, b) < 0; };
  bool sorted = true;
  for (std::size_t i = 1; i < offsets.size(); ++i) {
    const auto begin = order.begin() + offsets[i - 1], end = order.begin() + offsets[i];
    if (std::is_sorted(begin, end, before)) continue;
    std::stable_sort(begin, end, before);
    sorted = false;
  }
  return sorted ? elements : elements.select(order);
}

}  // namespace

Bags::Bags(Points elements, std::vector<Index> offsets) : Groups(std::move(elements), std::move(offsets), "bags") {}

Points bags(const Points& elements, std::vector<Index> offsets) {
  const Bags checked(elements, offsets);  // offsets are right, no number is NaN: now they can be sorted
  return collection(std::make_shared<Bags>(in_order(elements, offsets), std::move(offsets)));
}

namespace detail {

Points load_bags(const Json& json, const std::string& prefix, const BlockReader& blocks, int level) {
  ChosenGroups loaded = load_groups(json, prefix, blocks, level);
  return bags(loaded.elements, std::move(loaded.offsets));
}

// Some of one point, one that comes twice.
Points sample_bags(Index count, std::uint64_t seed) {
  Random random(seed);
  std::vector<Index> offsets = {0};
  Vector values;
  for (Index i = 0; i < count; ++i) {
    const Index size = i % 5 == 1 ? 1 : 1 + random.below(6);
    for (Index k = 0; k < 2 * size; ++k) values.push_back(random.normal() + 0.1 * static_cast<double>(i % 3));
    offsets.push_back(offsets.back() + size);
  }
  Matrix elements(offsets.back(), 2);
  std::copy(values.begin(), values.end(), elements.data());
  std::vector<Index> which(static_cast<std::size_t>(count));
  std::iota(which.begin(), which.end(), Index{0});
  if (count > 3) which.back() = 1;
  return bags(rows(std::move(elements)), std::move(offsets)).select(which);
}

}  // namespace detail

}  // namespace mercer
