#include "report/bootstrap.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/at.hpp"
#include "base/parallel.hpp"
#include "base/random.hpp"

namespace mercer::report {

namespace {

std::vector<std::vector<Index>> members_of(Index n, std::span<const Index> strata) {
  std::vector<std::vector<Index>> out(1);
  for (Index i = 0; i < n; ++i) {
    const std::size_t s = strata.empty() ? 0 : at(strata[at(i)]);
    if (s >= out.size()) out.resize(s + 1);
    out[s].push_back(i);
  }
  return out;
}

// Linear between the order statistics.
double quantile(const Vector& sorted, double level) {
  const double place = level * static_cast<double>(sorted.size() - 1);
  const auto below = static_cast<std::size_t>(place);
  const std::size_t above = std::min(below + 1, sorted.size() - 1);
  return sorted[below] + (place - static_cast<double>(below)) * (sorted[above] - sorted[below]);
}

}  // namespace

std::vector<Interval> bootstrap(Index n, std::span<const Index> strata, const std::function<Vector(Counts)>& statistics,
                                const Execution& how, Index resamples, std::uint64_t seed) {
  const std::vector<std::vector<Index>> members = members_of(n, strata);
  std::vector<Vector> drawn(at(resamples));
  parallel_for(resamples, thread_count(how.threads), how.monitor, "bootstrap", [&](Index r, int) {
    Random random(seed * 1'000'003 + static_cast<std::uint64_t>(r));
    std::vector<Index> count(at(n), 0);
    for (const std::vector<Index>& stratum : members) {
      const auto size = static_cast<Index>(stratum.size());
      for (Index i = 0; i < size; ++i) ++count[at(stratum[at(random.below(size))])];
    }
    drawn[at(r)] = statistics(count);
  });
  std::vector<Interval> out;
  for (std::size_t s = 0; s < drawn[0].size(); ++s) {
    Vector values;
    for (const Vector& one : drawn) {
      if (std::isfinite(one[s])) values.push_back(one[s]);
    }
    if (values.empty()) values.push_back(std::numeric_limits<double>::quiet_NaN());
    std::sort(values.begin(), values.end());
    out.push_back({quantile(values, 0.025), quantile(values, 0.975)});
  }
  return out;
}

}  // namespace mercer::report
