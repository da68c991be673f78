#include "domains/series/series.hpp"

#include "base/fail.hpp"
#include "base/random.hpp"
#include "domains/series/row.hpp"
#include "file/blocks.hpp"
#include "mercer/bags.hpp"
#include "points/rep.hpp"

namespace mercer {

Series::Series(Points elements, std::vector<Index> offsets)
    : Groups(std::move(elements), std::move(offsets), "series") {
  if (find_reals(this->elements()) == nullptr) {
    fail(ErrorKind::domain, "series: {}; each step must be a row of numbers", this->elements().rep().describe());
  }
}

Points series(const Points& steps, std::vector<Index> offsets) {
  return collection(std::make_shared<Series>(steps, std::move(offsets)));
}

namespace detail {

Points load_series(const Json& json, const std::string& prefix, const BlockReader& blocks, int level) {
  ChosenGroups loaded = load_groups(json, prefix, blocks, level);
  return series(loaded.elements, std::move(loaded.offsets));
}

// Walks of one to nine steps, one of them constant.
Points sample_series(Index count, std::uint64_t seed) {
  Random random(seed);
  std::vector<Index> offsets = {0};
  Vector values;
  for (Index i = 0; i < count; ++i) {
    const Index length = i % 7 == 3 ? 1 : 1 + random.below(9);
    double place[2] = {random.normal(), random.normal()};
    for (Index t = 0; t < length; ++t) {
      for (double& p : place) values.push_back(p += i == 2 ? 0 : 0.5 * random.normal());
    }
    offsets.push_back(offsets.back() + length);
  }
  Matrix steps(offsets.back(), 2);
  std::copy(values.begin(), values.end(), steps.data());
  return series(rows(std::move(steps)), std::move(offsets));
}

}  // namespace detail

}  // namespace mercer
