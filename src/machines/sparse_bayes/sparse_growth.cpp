#include "machines/sparse_bayes/sparse_growth.hpp"

#include <algorithm>
#include <cmath>

#include "base/at.hpp"

namespace mercer::detail {

namespace {

constexpr Index kColumnsForOneMore = 16;  // in the model, for one more to be added at once

}  // namespace

std::vector<Index> SparseGrowth::grow(SparseBayes& state, bool one, RvmSolution& out) {
  const Index most = one ? 1 : std::max<Index>(1, state.size() / kColumnsForOneMore);
  std::vector<Index> added;
  for (const SparseBayes::Candidate& chosen : state.choose(limits_.tolerance, at(most))) {
    if (out.iterations == limits_.max_iterations) {
      if (added.empty()) out.stopped = "iteration limit";
      break;
    }
    state.add(chosen);
    added.push_back(chosen.column);
    ++out.iterations;
    first_gain_ = std::max(first_gain_, chosen.gain());
    const double way = std::log(std::max(2.0, first_gain_ / limits_.tolerance));
    progress_.fraction = std::clamp(std::log(first_gain_ / chosen.gain()) / way, 0.0, 1.0);
  }
  return added;
}

}  // namespace mercer::detail
