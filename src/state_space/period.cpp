#include "state_space/period.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <complex>
#include <numbers>

#include "base/at.hpp"

namespace mercer::state_space {

namespace {

using Complex = std::complex<double>;

constexpr Index kMostCells = Index{1} << 16, kFewest = 64;
// Cycles in the whole series; cells in a cycle.
constexpr Index kCycles = 3, kCells = 4;
// Of noise the largest of 2^16 powers is seventeen times their median; one that is more than chance is this many times
// that of its neighbours on either side. Evidence decides in the end.
constexpr double kStandsOut = 30;
constexpr Index kNeighbours = 24;

// Cooley and Tukey's, in place; the size is a power of two.
void fourier(std::vector<Complex>& a) {
  const std::size_t n = a.size();
  for (std::size_t i = 1, j = 0; i < n; ++i) {
    std::size_t bit = n >> 1;
    for (; (j & bit) != 0; bit >>= 1) j ^= bit;
    j |= bit;
    if (i < j) std::swap(a[i], a[j]);
  }
  for (std::size_t half = 1; half < n; half *= 2) {
    const double angle = -std::numbers::pi / static_cast<double>(half);
    for (std::size_t k = 0; k < half; ++k) {
      const Complex w = std::polar(1.0, angle * static_cast<double>(k));
      for (std::size_t first = k; first < n; first += 2 * half) {
        const Complex odd = w * a[first + half];
        a[first + half] = a[first] - odd;
        a[first] += odd;
      }
    }
  }
}

// Of each cell the mean of its values, less the line through all; 0 where there are none.
Vector cells_of(VectorView times, VectorView values, double first, double range, Index count) {
  const auto n = static_cast<double>(times.size());
  double t_mean = 0, y_mean = 0, tt = 0, ty = 0;
  for (std::size_t i = 0; i < times.size(); ++i) {
    t_mean += (times[i] - first) / n;
    y_mean += values[i] / n;
  }
  for (std::size_t i = 0; i < times.size(); ++i) {
    const double t = times[i] - first - t_mean;
    tt += t * t;
    ty += t * (values[i] - y_mean);
  }
  Vector sums(at(count)), numbers(at(count));
  for (std::size_t i = 0; i < times.size(); ++i) {
    const double t = times[i] - first;
    const Index cell = std::min(count - 1, static_cast<Index>(t / range * static_cast<double>(count)));
    sums[at(cell)] += values[i] - y_mean - (tt > 0 ? ty / tt * (t - t_mean) : 0);
    numbers[at(cell)] += 1;
  }
  for (std::size_t c = 0; c < sums.size(); ++c) sums[c] /= std::max(1.0, numbers[c]);
  return sums;
}

// How much of the values is a wave of this frequency.
double power_at(VectorView times, VectorView values, double first, double frequency) {
  Complex sum = 0;
  for (std::size_t i = 0; i < times.size(); ++i) {
    sum += values[i] * std::polar(1.0, -2 * std::numbers::pi * std::fmod(frequency * (times[i] - first), 1.0));
  }
  return std::norm(sum);
}

}  // namespace

std::optional<double> period_of(VectorView times, VectorView values) {
  const auto n = static_cast<Index>(times.size());
  if (n < kFewest) return std::nullopt;
  const auto [low, high] = std::minmax_element(times.begin(), times.end());
  const double first = *low, range = *high - *low;
  if (!(range > 0) || !std::isfinite(range)) return std::nullopt;
  const Index count = std::min(kMostCells, static_cast<Index>(std::bit_floor(static_cast<std::size_t>(n))));
  const Vector cells = cells_of(times, values, first, range, count);
  std::vector<Complex> a(2 * cells.size());  // zeros behind them: twice as many frequencies
  // A window lowers the side lobes of what is slow, which would be taken for cycles.
  for (std::size_t c = 0; c < cells.size(); ++c) {
    const double place = (static_cast<double>(c) + 0.5) / static_cast<double>(count);
    a[c] = cells[c] * (1 - std::cos(2 * std::numbers::pi * place));
  }
  fourier(a);
  Vector power;
  for (Index k = 0; k <= 2 * count / kCells; ++k) power.push_back(std::norm(a[at(k)]));
  Index best = 0;
  Vector around;
  const auto last = static_cast<Index>(power.size()) - 1;
  for (Index k = 2 * kCycles; k <= last; ++k) {
    if (best > 0 && power[at(k)] <= power[at(best)]) continue;
    if (power[at(k)] < power[at(k - 1)] || (k < last && power[at(k)] < power[at(k + 1)])) continue;
    // Each side by itself: what falls off steeply stands out of its far side only.
    double most = 0;
    for (const Index side : {Index{-1}, Index{1}}) {
      around.clear();
      for (Index j = 5; j <= kNeighbours; ++j) {
        const Index other = k + side * j;
        if (other >= 2 && other <= last) around.push_back(power[at(other)]);
      }
      if (around.empty()) continue;
      const auto middle = around.begin() + static_cast<Index>(around.size() / 2);
      std::nth_element(around.begin(), middle, around.end());
      most = std::max(most, *middle);
    }
    if (power[at(k)] > kStandsOut * most) best = k;
  }
  if (best == 0) return std::nullopt;
  // The peak is between two frequencies: to a hundredth of their distance, by cells, each at its middle.
  Vector middles, windowed;
  for (Index c = 0; c < count; ++c) {
    middles.push_back((static_cast<double>(c) + 0.5) / static_cast<double>(count) * range);
    windowed.push_back(cells[at(c)] * (1 - std::cos(2 * std::numbers::pi * middles.back() / range)));
  }
  double from = static_cast<double>(best - 1) / (2 * range), to = static_cast<double>(best + 1) / (2 * range);
  for (int step = 0; step < 14; ++step) {
    const double third = (to - from) / 3;
    if (power_at(middles, windowed, 0, from + third) < power_at(middles, windowed, 0, to - third)) {
      from += third;
    } else {
      to -= third;
    }
  }
  return 2 / (from + to);
}

}  // namespace mercer::state_space
