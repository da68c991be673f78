// Some of many numbers, drawn.
#pragma once

#include <algorithm>
#include <numeric>
#include <utility>
#include <vector>

#include "base/at.hpp"
#include "base/random.hpp"

namespace mercer {

// `count` of 0 ... n - 1, increasing, every choice equally likely.
inline std::vector<Index> drawn(Index n, Index count, Random& random) {
  std::vector<Index> out(at(n));
  std::iota(out.begin(), out.end(), Index{0});
  for (Index i = 0; i < count; ++i) std::swap(out[at(i)], out[at(i + random.below(n - i))]);
  out.resize(at(count));
  std::sort(out.begin(), out.end());
  return out;
}

}  // namespace mercer
