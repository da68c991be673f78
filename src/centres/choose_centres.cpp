// Which points stand for all.
#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>

#include "base/at.hpp"
#include "base/fail.hpp"
#include "base/parallel.hpp"
#include "base/random.hpp"
#include "centres/rep.hpp"
#include "mercer/gram.hpp"
#include "mercer/statistics/representatives.hpp"
#include "points/distinct.hpp"
#include "solve/partial_cholesky.hpp"

namespace mercer {

namespace {

constexpr std::array<std::string_view, 4> kNames = {"rpcholesky", "uniform", "kmeans++", "thinning"};

// Points looked at for each centre, at least so many, and numbers of the factor that rpcholesky makes at most.
constexpr Index kForEach = 10, kLeast = 10000;
constexpr double kMostNumbers = 4e8;
// Thinning takes the square of those looked at.
constexpr Index kMostThinned = 20000;

// `count` of 0 ... n - 1, increasing, every choice equally likely.
std::vector<Index> drawn(Index n, Index count, Random& random) {
  std::vector<Index> out(at(n));
  std::iota(out.begin(), out.end(), Index{0});
  for (Index i = 0; i < count; ++i) std::swap(out[at(i)], out[at(i + random.below(n - i))]);
  out.resize(at(count));
  std::sort(out.begin(), out.end());
  return out;
}

// By the squared distance from the nearest centre so far (Arthur & Vassilvitskii, SODA 2007), the first one uniformly.
std::vector<Index> by_distance(const Gram& K, Index count, Random& random, const Execution& how) {
  const Index n = K.size();
  const Vector diagonal = K.diagonal();
  Vector left(at(n), std::numeric_limits<double>::infinity()), sums(at(n));
  std::vector<Index> out = {random.below(n)};
  while (true) {
    const Index last = out.back();
    const Matrix row = K.rows(std::span(&last, 1), {.tile = how.tile, .threads = how.threads});
    for (Index i = 0; i < n; ++i) {
      const double squared = diagonal[at(i)] + diagonal[at(last)] - 2 * row(0, i);
      left[at(i)] = std::min(left[at(i)], std::max(0.0, squared));
    }
    left[at(last)] = 0;
    std::partial_sum(left.begin(), left.end(), sums.begin());
    if (static_cast<Index>(out.size()) == count || !(sums.back() > 0)) return out;
    how.monitor.report({"centres", static_cast<double>(out.size()) / static_cast<double>(count)});
    const auto found = std::upper_bound(sums.begin(), sums.end(), random.uniform() * sums.back()) - sums.begin();
    out.push_back(std::min<Index>(found, n - 1));
  }
}

struct Found {
  std::vector<Index> which;
  double trace_left_out = 0;
};

Found choose(const Gram& K, const CentreWishes& wishes, const Execution& how) {
  const Index count = std::min(wishes.count, K.size());
  Random random(wishes.seed);
  switch (wishes.by) {
    case CentresBy::rpcholesky: {
      solve::PartialCholesky factor({.K = K}, count, wishes.seed);
      factor.grow(count, how);
      return {factor.pivots(), factor.trace() > 0 ? factor.rest() / factor.trace() : 0};
    }
    case CentresBy::uniform: return {drawn(K.size(), count, random)};
    case CentresBy::kmeanspp: return {by_distance(K, count, random, how)};
    case CentresBy::thinning: return {Thinning{.count = count, .seed = wishes.seed}.choose(K, how)};
  }
  return {};
}

// The share of the trace that the features of some points lack.
double left_out(const Centres& centres, const Points& x, const Execution& how) {
  const Matrix F = centres.features(x, how);
  const Vector all = diagonal(centres.kernel(), x);
  double kept = 0;
  for (Index i = 0; i < F.rows() * F.cols(); ++i) kept += F.data()[i] * F.data()[i];
  const double trace = std::accumulate(all.begin(), all.end(), 0.0);
  return trace > 0 ? std::max(0.0, 1 - kept / trace) : 0;
}

}  // namespace

std::string_view name_of(CentresBy by) { return kNames.at(static_cast<std::size_t>(by)); }

CentresBy centres_by(std::string_view name) {
  const auto found = std::find(kNames.begin(), kNames.end(), name);
  if (found == kNames.end()) {
    fail(ErrorKind::usage, "centres: they are chosen by {}, not by '{}'", fmt::join(kNames, ", "), name);
  }
  return static_cast<CentresBy>(found - kNames.begin());
}

Index most_looked_at(Index count) {
  const auto fits = static_cast<Index>(kMostNumbers / static_cast<double>(std::max<Index>(1, count)));
  return std::max({kLeast, count, std::min(kForEach * count, fits)});
}

Centres choose_centres(const Kernel& k, const Points& x, const CentreWishes& wishes, const Execution& how) {
  if (wishes.count < 1) fail(ErrorKind::usage, "centres: at least one is needed, not {}", wishes.count);
  if (wishes.count > x.size()) {
    fail(ErrorKind::usage, "centres: {} of {} points; choose at most all", wishes.count, x.size());
  }
  const Threads limit(how.threads);
  const Kernel resolved = k.resolve(x);
  Index most = most_looked_at(wishes.count);
  if (wishes.by == CentresBy::thinning) most = std::max(wishes.count, std::min(most, kMostThinned));
  Random random(wishes.seed);
  const Points sample = x.size() > most ? x.select(drawn(x.size(), most, random)) : x;
  const Points seen = distinct(sample);
  const Found found = choose(lazy(resolved, seen), wishes, how);
  Centres out(resolved, seen.select(found.which), how);
  Centres::Rep rep = *out.rep_;
  rep.choice = {
      .wishes = wishes, .looked_at = sample.size(), .points = x.size(), .trace_left_out = found.trace_left_out};
  if (wishes.by != CentresBy::rpcholesky) {
    const Index some = std::min(seen.size(), kLeast);
    rep.choice.trace_left_out = left_out(out, seen.slice({0, some}), how);
  }
  out.rep_ = std::make_shared<const Centres::Rep>(std::move(rep));
  return out;
}

}  // namespace mercer
