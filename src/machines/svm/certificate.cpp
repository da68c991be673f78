#include "machines/svm/certificate.hpp"

#include <algorithm>
#include <array>
#include <limits>
#include <numeric>
#include <span>
#include <utility>

#include "base/at.hpp"
#include "base/stages.hpp"
#include "base/stopwatch.hpp"

namespace mercer::detail {

namespace {

// Rows in double precision after which the monitor is looked at, and by which they are timed.
constexpr std::size_t kRowsBetweenLooks = 2048, kRowsToTime = 64, kNumbersToTime = 16384;
// When the time is over, the gap is stated as the most that it can be where that is no more than this times the least.
constexpr double kNearEnough = 1.1;
constexpr double kInfinity = std::numeric_limits<double>::infinity();

// Where f is needed in double precision, and between what the gap lies as long as it is not.
struct Deciding {
  std::vector<Index> where;
  double least_gap = -kInfinity, most_gap = -kInfinity;
  bool says_enough() const { return most_gap <= kNearEnough * least_gap; }
};

Deciding deciding(const DualProblem& p, const LoopVectors& vectors, const Moves& moves) {
  Deciding out;
  std::vector<char> decides(vectors.f.size());
  for (const Index i : moves.points) decides[at(i)] = 1;
  // The ends of the gap, at least and at most.
  struct Ends {
    double least = -kInfinity, most = -kInfinity;
  };
  std::array<Ends, 2> up, low;
  const bool paired = !p.group.empty();
  const auto each = [&](auto see) {
    for (std::size_t v = 0; v < vectors.b.size(); ++v) {
      const std::size_t i = at(p.point[v]), g = paired ? p.group[v] : 0;
      const double slope = vectors.f[i] + p.linear[v];
      if (vectors.b[v] < p.upper[v]) see(i, -slope, up[g], low[g].most);
      if (vectors.b[v] > p.lower[v]) see(i, slope, low[g], up[g].most);
    }
  };
  each([&](std::size_t i, double value, Ends& end, double) {
    end = {std::max(end.least, value - vectors.error[i]), std::max(end.most, value + vectors.error[i])};
  });
  for (const std::size_t g : {0u, 1u}) {
    const double gap = paired ? up[g].least + low[g].least : std::max(up[g].least, low[g].least);
    out.least_gap = std::max(out.least_gap, gap);
    out.most_gap = std::max(out.most_gap, paired ? up[g].most + low[g].most : std::max(up[g].most, low[g].most));
  }
  // An end itself, or what violates the conditions and has a loss.
  each([&](std::size_t i, double value, const Ends& end, double other) {
    const double most = value + vectors.error[i];
    if (!(most < end.least) || !(most + (paired ? other : 0) < 0)) decides[i] = 1;
  });
  for (std::size_t i = 0; i < decides.size(); ++i) {
    if (decides[i]) out.where.push_back(static_cast<Index>(i));
  }
  return out;
}

}  // namespace

bool Certifier::look(When when, const std::function<bool()>& told) {
  if (loop_.always_exact && loop_.begun) return true;
  loop_.begun = true;
  const WholeStage stage("certificate");
  const Moves moved = moved_since(vectors_.exact_b);
  Vector fresh = vectors_.exact_f, error = vectors_.error;
  const Stopwatch watch;
  for (std::size_t k = 0; k < moved.points.size(); k += kRowsBetweenLooks) {
    // What Ctrl-C raises may end it even here.
    if (k > 0 && !told() && when == When::within_limits) return false;
    add_some(moved, k, std::min(kRowsBetweenLooks, moved.points.size() - k), fresh, error);
  }
  if (moved.points.size() >= kRowsToTime) {
    seconds_of_row_ = watch.seconds() / static_cast<double>(moved.points.size());
  }
  vectors_.exact_f = std::move(fresh);
  vectors_.error = std::move(error);
  vectors_.exact_b = vectors_.b;
  vectors_.f = vectors_.exact_f;
  if (loop_.closely) f_where_it_decides(when);
  return true;
}

// The rows of some of these points, as far as f is known.
void Certifier::add_some(const Moves& moved, std::size_t first, std::size_t count, Vector& f, Vector& error) const {
  const auto some = std::span(moved.points).subspan(first, count);
  const auto by = VectorView(moved.change).subspan(first, count);
  if (loop_.closely) {
    rows_.add_closely(some, by, f, error, threads_);
  } else {
    rows_.add_exact(some, by, f, threads_);
  }
}

// K b is the sum of the rows of these points with these weights, but for what `known` has of it.
Moves Certifier::moved_since(const Vector& known) const {
  Vector change(vectors_.f.size());
  for (std::size_t v = 0; v < vectors_.b.size(); ++v) {
    change[at(p_.point[v])] += vectors_.b[v] - (known.empty() ? 0 : known[v]);
  }
  Moves out;
  out.reserve(change.size());
  for (std::size_t i = 0; i < change.size(); ++i) {
    if (change[i] == 0) continue;
    out.points.push_back(static_cast<Index>(i));
    out.change.push_back(change[i]);
  }
  return out;
}

// f in double precision at what has an alpha, and where it says what the gap or the loss is, given how far it may be
// off. Not before the end: while the gap is above the tolerance whatever the error, it goes on.
void Certifier::f_where_it_decides(When when) {
  const Moves moves = moved_since({});
  if (moves.points.empty()) return;
  const Deciding decides = deciding(p_, vectors_, moves);
  const bool ends = when == When::at_the_end || when == When::time_is_over;
  if (!ends && decides.least_gap > options_.tolerance) return;
  if (when == When::time_is_over && decides.says_enough()) {
    gap_at_most_ = decides.most_gap;
    return;
  }
  const Vector exact = rows_.exact_at(decides.where, moves.points, moves.change, threads_);
  for (std::size_t k = 0; k < exact.size(); ++k) vectors_.f[at(decides.where[k])] = exact[k];
}

double Certifier::seconds(double to_come) {
  const Moves moved = moved_since(vectors_.exact_b);
  if (seconds_of_row_ == 0 && moved.points.size() >= kRowsToTime) {
    Vector nowhere(vectors_.f.size()), error(vectors_.error.size());
    const Stopwatch watch;
    add_some(moved, 0, kRowsToTime, nowhere, error);
    seconds_of_row_ = watch.seconds() / static_cast<double>(kRowsToTime);
  }
  const double rows = seconds_of_row_ * (static_cast<double>(moved.points.size()) + to_come);
  return rows + (loop_.closely ? seconds_where_it_decides(to_come) : 0);
}

// Of f_where_it_decides, when so many more points have an alpha: at these, and where there is a loss.
double Certifier::seconds_where_it_decides(double more) {
  const Moves moves = moved_since({});
  if (seconds_of_number_ == 0 && moves.points.size() >= kRowsToTime) {
    std::vector<Index> where(std::min(vectors_.f.size(), kNumbersToTime));
    std::iota(where.begin(), where.end(), Index{0});
    const Stopwatch watch;
    rows_.exact_at(where, std::span(moves.points).first(kRowsToTime), VectorView(moves.change).first(kRowsToTime),
                   threads_);
    seconds_of_number_ = watch.seconds() / static_cast<double>(where.size() * kRowsToTime);
  }
  const Deciding decides = deciding(p_, vectors_, moves);
  if (decides.says_enough()) return 0;
  const double where = static_cast<double>(decides.where.size()) + more;
  return seconds_of_number_ * where * (static_cast<double>(moves.points.size()) + more);
}

}  // namespace mercer::detail
