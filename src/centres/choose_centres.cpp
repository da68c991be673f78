// Which points stand for all.
#include <algorithm>
#include <array>
#include <limits>
#include <numeric>
#include <optional>
#include <span>

#include "base/at.hpp"
#include "base/drawn.hpp"
#include "base/fail.hpp"
#include "base/parallel.hpp"
#include "centres/growing.hpp"
#include "centres/pass.hpp"
#include "distributed/ranks.hpp"
#include "mercer/gram.hpp"
#include "mercer/statistics/representatives.hpp"
#include "points/distinct.hpp"
#include "points/join.hpp"
#include "points/packed_rows.hpp"
#include "points/streamed.hpp"
#include "solve/partial_cholesky.hpp"

namespace mercer {

namespace {

constexpr std::array<std::string_view, 4> kNames = {"rpcholesky", "uniform", "kmeans++", "thinning"};

// Points looked at for each centre, at least so many, and numbers of the factor that rpcholesky makes at most.
constexpr Index kForEach = 5, kLeast = 10000;
constexpr double kMostNumbers = 4e8;
// Thinning takes the square of those looked at.
constexpr Index kMostThinned = 20000;

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

// These rows, which increase, in memory; where several processes read them, each its part.
Points rows_of(const Points& x, std::span<const Index> which) {
  const auto ranks = static_cast<Index>(distributed::ranks()), count = static_cast<Index>(which.size());
  if (!is_streamed(x) || ranks == 1) return in_memory(x.select(which));
  std::optional<Points> out;
  distributed::each(
      "sample", ranks,
      [&](Index r) {
        const auto begin = at(count * r / ranks), end = at(count * (r + 1) / ranks);
        return packed_rows(in_memory(x.select(which.subspan(begin, end - begin))));
      },
      [&](const std::string& bytes) {
        const Points some = unpacked_rows(bytes, head_of(x));
        out = out ? join(*out, some) : some;
      });
  return std::move(*out);
}

// The share of the trace that the features of some points lack.
double share_left_out(const Centres& centres, const Points& x, const Execution& how) {
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
    fail(ErrorKind::usage, "`centres_by`: centres are chosen by {}, not by '{}'", fmt::join(kNames, ", "), name);
  }
  return static_cast<CentresBy>(found - kNames.begin());
}

Index most_looked_at(Index count) {
  const auto fits = static_cast<Index>(kMostNumbers / static_cast<double>(std::max<Index>(1, count)));
  return std::max({kLeast, count, std::min(kForEach * count, fits)});
}

namespace centres {

// A uniform sample of the points, those that are different of it, and what was drawn from them so far.
class Growing::Chooser {
 public:
  Chooser(const Kernel& k, const Points& x, const CentreWishes& most, const Execution& how)
      : most_(most),
        how_(how),
        points_(x.size()),
        kernel_(k.resolve(x)),
        sample_(sample_of(x, most)),
        seen_(distinct(sample_)) {
    if (most.by == CentresBy::rpcholesky) {
      factor_.emplace(solve::Equations{.K = lazy(kernel_, seen_)}, std::min(most.count, seen_.size()), most.seed);
    }
  }

  Centres of(Index count) {
    std::vector<Index> which = chosen(std::min(count, seen_.size()));
    Centres out(kernel_, seen_.select(which), how_);
    Centres::Choice choice{.wishes = most_, .looked_at = sample_.size(), .points = points_};
    choice.wishes.count = count;
    choice.trace_left_out = factor_ ? factor_->rest() / std::max(factor_->trace(), std::numeric_limits<double>::min())
                                    : share_left_out(out, seen_.slice({0, std::min(seen_.size(), kLeast)}), how_);
    return out.chosen_as(choice);
  }

 private:
  static Points sample_of(const Points& x, const CentreWishes& wishes) {
    Index most = most_looked_at(wishes.count);
    if (wishes.by == CentresBy::thinning) most = std::max(wishes.count, std::min(most, kMostThinned));
    if (x.size() <= most) return in_memory(x);
    Random random(wishes.seed);
    return rows_of(x, drawn(x.size(), most, random));
  }

  std::vector<Index> chosen(Index count) {
    Random random(most_.seed);
    switch (most_.by) {
      case CentresBy::rpcholesky: factor_->grow(count, how_); return factor_->pivots();
      case CentresBy::uniform: return drawn(seen_.size(), count, random);
      case CentresBy::kmeanspp: return by_distance(lazy(kernel_, seen_), count, random, how_);
      case CentresBy::thinning: return Thinning{.count = count, .seed = most_.seed}.choose(lazy(kernel_, seen_), how_);
    }
    return {};
  }

  CentreWishes most_;
  Execution how_;
  Index points_;
  Kernel kernel_;
  Points sample_, seen_;
  std::optional<solve::PartialCholesky> factor_;
};

void require_count(Index count, Index points) {
  if (count < 1) fail(ErrorKind::usage, "`centres`: at least one is needed, not {}", count);
  if (count > points) fail(ErrorKind::usage, "`centres`: {} of {} points; choose at most all", count, points);
}

double bytes_of_choosing(Index count, Index looked_at) {
  constexpr Index kStrips = 2 * kTall;
  return sizeof(double) * static_cast<double>(count) * static_cast<double>(looked_at + count + kStrips);
}

Growing::Growing(const Kernel& k, const Points& x, const CentreWishes& most, const Execution& how) {
  require_count(most.count, x.size());
  const Threads limit(how.threads);
  chooser_ = std::make_unique<Chooser>(k, x, most, how);
}

Growing::~Growing() = default;

Centres Growing::of(Index count) { return chooser_->of(count); }

}  // namespace centres

Centres choose_centres(const Kernel& k, const Points& x, const CentreWishes& wishes, const Execution& how) {
  const Threads limit(how.threads);
  return centres::Growing(k, x, wishes, how).of(wishes.count);
}

}  // namespace mercer
