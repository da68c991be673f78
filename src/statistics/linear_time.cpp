#include "statistics/linear_time.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include "base/at.hpp"
#include "base/fail.hpp"
#include "base/parallel.hpp"
#include "kernel/bound.hpp"
#include "kernel/tiling.hpp"
#include "statistics/resampling.hpp"

namespace mercer::detail {

namespace {

// k(x_i, y_i) of points side by side. Tiles are small: what is off their diagonals is computed for nothing.
Vector of_pairs(const Kernel& k, const Points& x, const Points& y, const Execution& how) {
  constexpr Index kTile = 8, kTask = 1024;
  const Bound bound(k, x, y);
  const Tiling tasks(x.size(), kTask);
  const int threads = thread_count(how.threads);
  std::vector<Scratch> scratch(at(threads));
  Vector out(at(x.size()));
  parallel_for(tasks.count(), threads, how.monitor, "pairs", [&](Index task, int thread) {
    const Range all = tasks.block(task);
    for (Index begin = all.begin; begin < all.end; begin += kTile) {
      const Range i{begin, std::min(begin + kTile, all.end)};
      const double* const tile = bound.tile(i, i, scratch[at(thread)]);
      for (Index a = 0; a < i.size(); ++a) out[at(begin + a)] = tile[a * i.size() + a];
    }
  });
  return out;
}

}  // namespace

TestResult linear_time_test(const Kernel& k, const Points& both, Index first, const Resampling& options,
                            const Execution& how) {
  if (!(options.alpha > 0 && options.alpha < 1)) {
    fail(ErrorKind::usage, "mmd: alpha must be between 0 and 1, and is {}", options.alpha);
  }
  const Index count = std::min(first, both.size() - first) / 2;
  if (count < 2) {
    fail(ErrorKind::data, "mmd: the statistic in linear time needs four points of each sample, and there are {} and {}",
         first, both.size() - first);
  }
  Random random(options.seed);
  std::vector<Index> of_first, of_second;
  for (const Index i : by_content(std::span(&both, 1), both.size())) (i < first ? of_first : of_second).push_back(i);
  shuffle(of_first, random);
  shuffle(of_second, random);
  const auto part = [&](const std::vector<Index>& list, Index from) {
    return both.select(std::span(list).subspan(at(from), at(count)));
  };
  const Points x = part(of_first, 0), x2 = part(of_first, count), y = part(of_second, 0), y2 = part(of_second, count);
  const Vector within = of_pairs(k, x, x2, how), within2 = of_pairs(k, y, y2, how), across = of_pairs(k, x, y2, how),
               across2 = of_pairs(k, x2, y, how);
  double sum = 0, squares = 0;
  Vector h(at(count));
  for (std::size_t i = 0; i < h.size(); ++i) sum += h[i] = within[i] + within2[i] - across[i] - across2[i];
  const auto n = static_cast<double>(count);
  const double mean = sum / n;
  for (const double value : h) squares += (value - mean) * (value - mean);
  const double error = std::sqrt(squares / (n - 1) / n);
  // All h equal: the samples are constant, and differ where h is not 0.
  const double z = error > 0 ? mean / error : mean > 0 ? std::numeric_limits<double>::infinity() : 0;
  const double p = std::max(0.5 * std::erfc(z / std::numbers::sqrt2), std::numeric_limits<double>::min());
  TestResult out{
      .statistic = mean, .p = p, .alpha = options.alpha, .seed = options.seed, .null = "normal distribution"};
  out.parts.push_back({k.str(), mean, p});
  if (count < 50) {
    out.remarks.push_back(fmt::format("{} quadruples are few for a normal distribution; use permutations", count));
  }
  return out;
}

}  // namespace mercer::detail
