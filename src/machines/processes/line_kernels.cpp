#include "machines/processes/line_kernels.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "base/at.hpp"
#include "selection/first_kernel.hpp"
#include "state_space/period.hpp"

namespace mercer::detail {

namespace {

constexpr Index kTriedOn = 20000;  // points: seconds for each kernel

// What repeats itself with this period, taken out: the mean of each of its parts.
void take_out(double period, VectorView times, Vector& y) {
  constexpr std::size_t kPhases = 64;
  const auto phase = [&](double t) {
    const double turns = t / period;
    return std::min(static_cast<std::size_t>((turns - std::floor(turns)) * kPhases), kPhases - 1);
  };
  std::array<double, kPhases> sums{}, counts{};
  for (std::size_t i = 0; i < y.size(); ++i) {
    sums[phase(times[i])] += y[i];
    counts[phase(times[i])] += 1;
  }
  for (std::size_t i = 0; i < y.size(); ++i) y[i] -= sums[phase(times[i])] / counts[phase(times[i])];
}

// After how long half of what is no noise is forgotten, by mean squared differences of points 1, 2, 4, ... apart: about
// the ell of a matern kernel, from where a search finds it. None where all looks like noise.
std::optional<double> memory_of(VectorView times, VectorView y) {
  const std::size_t n = y.size();
  Vector differences, spans;
  for (std::size_t lag = 1; 4 * lag <= n; lag *= 2) {
    double squares = 0, span = 0;
    for (std::size_t i = lag; i < n; ++i) {
      squares += (y[i] - y[i - lag]) * (y[i] - y[i - lag]) / 2;
      span += times[i] - times[i - lag];
    }
    differences.push_back(squares / static_cast<double>(n - lag));
    spans.push_back(span / static_cast<double>(n - lag));
  }
  if (differences.size() < 3) return std::nullopt;
  const double most = *std::ranges::max_element(differences);
  const double noise = std::max(0.0, 2 * differences[0] - differences[1]);
  if (!(most - noise > 0.05 * most)) return std::nullopt;
  for (std::size_t l = 0; l < spans.size(); ++l) {
    if (differences[l] >= (noise + most) / 2 && spans[l] > 0) return spans[l];
  }
  return std::nullopt;
}

}  // namespace

Choosing kernels_along_lines(const state_space::AlongLines& lines, const Training& training) {
  const std::shared_ptr<const state_space::Placed> places = state_space::placed(lines, *training.K.points());
  const Range longest = *std::ranges::max_element(places->lines, {}, &Range::size);
  const VectorView times = VectorView(places->times).subspan(at(longest.begin), at(longest.size()));
  Vector y;
  for (Index p = longest.begin; p < longest.end; ++p) y.push_back(training.y(places->order[at(p)], 0));
  const std::optional<double> period = state_space::period_of(times, y);
  if (period) take_out(*period, times, y);
  const std::optional<double> memory = memory_of(times, y);
  const std::string ell = memory ? fmt::format("{:.3g}", *memory) : "auto";
  std::vector<std::string> kernels;
  for (const char* const nu : {"0.5", "2.5"}) kernels.push_back(fmt::format("matern(nu={}, ell={})", nu, ell));
  for (const char* const nu : {"0.5", "1.5", "2.5"}) {
    if (period)
      kernels.push_back(fmt::format("matern(nu={}, ell={}) + periodic(period={:.8g}, ell=1)", nu, ell, *period));
  }
  for (std::string& k : kernels) k = along(lines, k);
  return {.figure = "log_marginal_likelihood", .larger_is_better = true, .kernels = kernels, .most = kTriedOn};
}

}  // namespace mercer::detail
