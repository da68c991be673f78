#include "mercer/statistics/representatives.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "base/at.hpp"
#include "base/fail.hpp"
#include "base/parallel.hpp"
#include "kernel/tiling.hpp"
#include "simd/loops.hpp"
#include "statistics/resampling.hpp"

namespace mercer {

namespace {

constexpr Index kRowsHeld = 64;  // rows of K that are held at a time

void require_count(std::string_view who, Index count, Index n) {
  if (count < 1 || count > n)
    fail(ErrorKind::usage, "{}: {} of {} points; choose at least 1 and at most all", who, count, n);
}

// mean_i k(x, x_i) at each point.
Vector means_of(const Gram& K, const Execution& how) {
  return K.multiply(Vector(at(K.size()), 1 / static_cast<double>(K.size())), how);
}

// Calls use(place in `which`, row of K) for each of them, a block of rows at a time.
template <class Use>
void for_each_row(const Gram& K, std::span<const Index> which, const Execution& how, Use use) {
  const Tiling blocks(static_cast<Index>(which.size()), kRowsHeld);
  for (Index b = 0; b < blocks.count(); ++b) {
    const Range some = blocks.block(b);
    const Matrix rows = K.rows(which.subspan(at(some.begin), at(some.size())), how);
    for (Index i = 0; i < some.size(); ++i) use(some.begin + i, rows.row(i));
  }
}

// |mean of the chosen - mean of all|^2, but for what all choices share.
double objective(const Gram& K, const Vector& means, std::span<const Index> chosen, const Execution& how) {
  double within = 0, to_all = 0;
  for_each_row(K, chosen, how, [&](Index, const double* row) {
    for (const Index j : chosen) within += row[j];
  });
  for (const Index i : chosen) to_all += means[at(i)];
  const auto count = static_cast<double>(chosen.size());
  return within / (count * count) - 2 * to_all / count;
}

// Two halves of the points with these numbers, an even count: of each pair in turn one goes to either.
std::pair<std::vector<Index>, std::vector<Index>> halves(const Gram& K, const std::vector<Index>& which, double delta,
                                                         Random& random, const Execution& how) {
  const Gram own = select(K, which);
  const Index n = own.size();
  const double spread = std::sqrt(2 * std::log(2 * static_cast<double>(n) / delta));
  Vector side(at(n));  // -1 in the first half, 1 in the second
  std::pair<std::vector<Index>, std::vector<Index>> out;
  double variance = 0;
  std::vector<Index> all(at(n));
  std::iota(all.begin(), all.end(), Index{0});
  const Tiling blocks(n, kRowsHeld);
  for (Index b = 0; b < blocks.count(); ++b) {
    const Range some = blocks.block(b);
    const Matrix rows = own.rows(std::span(all).subspan(at(some.begin), at(some.size())), how);
    for (Index a = 0; a + 1 < some.size(); a += 2) {
      const Index i = some.begin + a, j = i + 1;
      const double squared = rows(a, i) + rows(a + 1, j) - 2 * rows(a, j);
      // How much more alike i is to the second half so far, less the first, than j is.
      const double lean = simd::dot(rows.row(a), side.data(), at(i)) - simd::dot(rows.row(a + 1), side.data(), at(i));
      const double bound = std::max(std::sqrt(std::max(squared, 0.0) * variance) * spread, squared);
      bool exchange = random.uniform() < 0.5;
      if (bound > 0) {
        exchange = random.uniform() < std::min(1.0, 0.5 * std::max(0.0, 1 - lean / bound));
        variance += squared * std::max(0.0, 1 + (squared - 2 * bound) * variance / (bound * bound));
      }
      const Index first = exchange ? j : i, second = exchange ? i : j;
      side[at(first)] = -1;
      side[at(second)] = 1;
      out.first.push_back(which[at(first)]);
      out.second.push_back(which[at(second)]);
    }
  }
  return out;
}

// Each chosen point in turn for the one, of those that are not chosen, that brings the mean closest to that of all.
void exchange_each(const Gram& K, const Vector& means, const std::vector<Index>& order, std::vector<Index>& chosen,
                   const Execution& how) {
  const Index n = K.size();
  const auto count = static_cast<double>(chosen.size());
  const Vector diagonal = K.diagonal();
  Vector sums(at(n));  // over the chosen points
  std::vector<bool> taken(at(n));
  for_each_row(K, chosen, how, [&](Index, const double* row) { simd::add_scaled(1, row, at(n), sums.data()); });
  for (const Index i : chosen) taken[at(i)] = true;
  const double gain = 1e-13 * *std::max_element(diagonal.begin(), diagonal.end()) * count;
  const std::vector<Index> before = chosen;
  for_each_row(K, before, how, [&](Index place, const double* row) {
    const Index old = before[at(place)];
    const auto cost = [&](Index z) { return 2 * (sums[at(z)] - row[z] - count * means[at(z)]) + diagonal[at(z)]; };
    Index best = old;
    double least = cost(old) - gain;
    for (const Index z : order) {
      if (taken[at(z)]) continue;
      if (const double c = cost(z); c < least) best = z, least = c;
    }
    if (best == old) return;
    taken[at(old)] = false;
    taken[at(best)] = true;
    chosen[at(place)] = best;
    simd::add_scaled(-1, row, at(n), sums.data());
    simd::add_scaled(1, K.rows(std::span(&best, 1), how).row(0), at(n), sums.data());
  });
}

}  // namespace

std::vector<Index> Herding::choose(const Gram& K, const Execution& how) const {
  const Index n = K.size();
  require_count("herding", count, n);
  const Threads limit(how.threads);
  const Vector means = means_of(K, how);
  const std::vector<Index> order = detail::by_content(K);
  Vector sums(at(n));
  std::vector<bool> taken(at(n));
  std::vector<Index> out;
  for (Index t = 0; t < count; ++t) {
    how.monitor.report({"herding", static_cast<double>(t) / static_cast<double>(count)});
    Index best = -1;
    double most = 0;
    for (const Index i : order) {
      const double value = means[at(i)] - sums[at(i)] / static_cast<double>(t + 1);
      if (!taken[at(i)] && (best < 0 || value > most)) best = i, most = value;
    }
    taken[at(best)] = true;
    out.push_back(best);
    simd::add_scaled(1, K.rows(std::span(&best, 1), {.tile = how.tile}).row(0), at(n), sums.data());
  }
  return out;
}

std::vector<Index> Thinning::choose(const Gram& K, const Execution& how) const {
  const Index n = K.size();
  require_count("thinning", count, n);
  if (!(delta > 0 && delta < 1)) fail(ErrorKind::usage, "thinning: delta must be between 0 and 1, and is {}", delta);
  const Threads limit(how.threads);
  Random random(seed);
  const std::vector<Index> order = detail::by_content(K);
  std::vector<Index> mixed = order;
  detail::shuffle(mixed, random);
  Index size = count;
  while (2 * size <= n) size *= 2;
  mixed.resize(at(size));
  std::vector<std::vector<Index>> candidates = {mixed};
  while (static_cast<Index>(candidates[0].size()) > count) {
    how.monitor.report({"halving", static_cast<double>(count) / static_cast<double>(candidates[0].size())});
    std::vector<std::vector<Index>> next;
    for (const std::vector<Index>& one : candidates) {
      auto [first, second] = halves(K, one, delta, random, how);
      next.push_back(std::move(first));
      next.push_back(std::move(second));
    }
    candidates = std::move(next);
  }
  const Vector means = means_of(K, how);
  std::vector<Index>* best = nullptr;
  double least = std::numeric_limits<double>::infinity();
  for (std::vector<Index>& one : candidates) {
    if (const double value = objective(K, means, one, how); best == nullptr || value < least)
      best = &one, least = value;
  }
  exchange_each(K, means, order, *best, how);
  return *best;
}

double distance_to_all(const Gram& K, std::span<const Index> chosen, const Execution& how) {
  require_count("distance_to_all", static_cast<Index>(chosen.size()), K.size());
  const Threads limit(how.threads);
  const Vector means = means_of(K, how);
  double all = 0;
  for (const double mean : means) all += mean / static_cast<double>(K.size());
  return std::sqrt(std::max(0.0, all + objective(K, means, chosen, how)));
}

}  // namespace mercer
