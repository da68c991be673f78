#include "model/rates.hpp"

#include <algorithm>
#include <limits>
#include <map>
#include <mutex>

#include "base/at.hpp"
#include "base/parallel.hpp"
#include "base/stopwatch.hpp"
#include "gram/packed/float_array.hpp"
#include "gram/packed/packed_points.hpp"
#include "linalg/lapack.hpp"
#include "points/streamed.hpp"

namespace mercer::detail {

namespace {

// Long enough for the clock and for threads to wake.
constexpr double kLongEnough = 1e-3, kTooLong = 0.1;
constexpr Index kProduct = 512;      // its rows and columns
constexpr Index kMostPoints = 1024;  // at a time, of those that a kernel is tried on

// The shortest of some runs: other programs only make them longer.
template <class Work>
double seconds_of(int runs, const Work& work) {
  double best = std::numeric_limits<double>::infinity();
  for (int run = 0; run < runs; ++run) {
    const Stopwatch watch;
    work();
    best = std::min(best, watch.seconds());
    if (run > 0 && best > kTooLong) break;
  }
  return std::max(best, 1e-9);
}

double measured_flops() {
  const Matrix a(kProduct, kProduct, 1.0 / 3);
  Matrix c(kProduct, kProduct);
  const auto product = [&] { linalg::multiply(1, a, a, 0, c); };
  product();  // starts threads and fills buffers
  return 2.0 * kProduct * kProduct * kProduct / seconds_of(3, product);
}

std::vector<Index> spread(Index n, Index count) {
  std::vector<Index> out;
  for (Index i = 0; i < count; ++i) out.push_back(i * n / count);
  return out;
}

// Of all rows of packed points, on one thread.
double seconds_of_rows(const PackedPoints& points, Index count) {
  const Index columns = padded_to_panels(count);
  std::vector<float> values(at(count * columns));
  std::vector<float*> rows;
  for (Index i = 0; i < count; ++i) rows.push_back(values.data() + i * columns);
  const std::unique_ptr<PackedPoints::Group> group = points.group(spread(count, count));
  return seconds_of(3, [&] {
    points.rows(*group, {0, count}, 0, 0, columns / static_cast<Index>(simd::kFloatPanel), rows.data());
  });
}

}  // namespace

double flops_per_second(int threads) {
  static std::mutex mutex;
  static std::map<int, double> known;
  const std::lock_guard lock(mutex);
  const auto [found, is_new] = known.emplace(thread_count(threads), 0);
  if (is_new) {
    const Threads limit(threads);
    found->second = measured_flops();
  }
  return found->second;
}

double pairs_per_second(const Kernel& k, const Points& x, const Execution& how, bool in_single) {
  const Kernel resolved = k.resolve(x);
  const Points near = is_streamed(x) ? in_memory(x.select(spread(x.size(), std::min(kMostPoints, x.size())))) : x;
  double rate = 0;
  for (Index count = 1; count <= std::min(kMostPoints, near.size()); count *= 2) {
    const Points some = near.select(spread(near.size(), count));
    const auto size = static_cast<double>(count);
    double seconds = 0, pairs = size * (size + 1) / 2;
    if (const auto form = in_single ? float_form(resolved, some) : std::nullopt) {
      const std::vector<Part> part = {{*form, spread(count, count)}};
      const std::unique_ptr<PackedPoints> packed = pack_points(part, how);
      seconds = seconds_of_rows(*packed, count) / thread_count(how.threads);
      pairs = size * size;
    } else {
      Matrix out = Matrix::uninitialized(count, count);
      seconds = seconds_of(3, [&] { gram(resolved, some, out, how); });
    }
    rate = std::max(rate, pairs / seconds);
    if (seconds > kLongEnough) break;
  }
  return rate;
}

}  // namespace mercer::detail
