#include "machines/svm/dual.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <numeric>

#include "base/aligned.hpp"
#include "base/at.hpp"
#include "base/parallel.hpp"
#include "machines/svm/tile_solver.hpp"
#include "machines/svm/working_set.hpp"
#include "mercer/error.hpp"

namespace mercer::detail {

namespace {

constexpr Index kTilePadding = 48;
constexpr Index kSmallestSet = 1024, kLargestSet = 8192, kLargestExactSet = 2048;
// How many variables are expected to move in the first round.
constexpr double kFirstMoves = 256;
// Single precision rows are trusted down to this share of the tolerance; then f is looked at in double precision.
constexpr double kSafety = 0.9;
// So many looks in a row without halving the gap, and rows are computed in double precision from there on.
constexpr Index kPatience = 3;
// So many rounds without progress call for a look in double precision.
constexpr Index kIdleRounds = 8;
// A tile is solved to this share of the gap before it.
constexpr double kLocalShare = 0.1;

class Decomposition {
 public:
  Decomposition(const DualProblem& problem, const Rows& rows, const DualOptions& options, const Execution& how)
      : p_(problem),
        rows_(rows),
        options_(options),
        monitor_(how.monitor),
        threads_(thread_count(how.threads)),
        b_(problem.start),
        f_(at(rows.size())),
        exact_b_(problem.known_b.empty() ? Vector(b_.size()) : problem.known_b),
        exact_f_(problem.known_b.empty() ? Vector(f_.size()) : problem.known_f),
        g_(at(problem.size())),
        diagonal_(rows.diagonal()) {}

  DualSolution run() {
    refresh();
    double last_exact_gap = std::numeric_limits<double>::infinity();
    bool certified = true;  // f_ is exact
    Index poor = 0;         // exact looks in a row that found hardly any progress
    for (;;) {
      measure();
      if (certified) {
        if (out_.gap <= options_.tolerance) return finish(true, "gap below tolerance");
        poor = out_.gap > 0.5 * last_exact_gap ? poor + 1 : 0;
        last_exact_gap = out_.gap;
        if (poor >= kPatience && exact_) return finish(false, "no further progress in double precision");
        if (poor >= kPatience) {
          exact_ = true;
          poor = 0;
        }
        certified = false;
      } else if (out_.gap <= kSafety * options_.tolerance || stalled()) {
        refresh();
        certified = true;
        continue;
      }
      if (may_go_on()) round();
      if (!stopped_.empty()) {
        if (stopped_ != "interrupted") refresh();
        measure();
        return finish(out_.gap <= options_.tolerance, stopped_);
      }
    }
  }

 private:
  // The gradient and the gap, from f_.
  void measure() {
    for (std::size_t v = 0; v < g_.size(); ++v) g_[v] = f_[at(p_.point[v])] + p_.linear[v];
    out_.gap = view_.gap(p_, b_, g_);
    first_gap_ = std::max(first_gap_, out_.gap);
  }

  // f = K b in double precision: what has changed since the last time is added to what was found then.
  void refresh() {
    std::vector<double> by_point(f_.size());
    for (std::size_t v = 0; v < b_.size(); ++v) by_point[at(p_.point[v])] += b_[v] - exact_b_[v];
    std::vector<Index> which;
    Vector weights;
    for (std::size_t i = 0; i < by_point.size(); ++i) {
      if (by_point[i] == 0) continue;
      which.push_back(static_cast<Index>(i));
      weights.push_back(by_point[i]);
    }
    rows_.add_exact(which, weights, exact_f_, threads_);
    exact_b_ = b_;
    f_ = exact_f_;
  }

  // Whether many rounds have lowered neither the gap nor the objective: what is left is rounding.
  bool stalled() {
    const double now = objective();
    if (out_.gap < 0.9 * lowest_gap_ || now < lowest_objective_ - 1e-9 * std::abs(lowest_objective_)) {
      lowest_gap_ = std::min(lowest_gap_, out_.gap);
      lowest_objective_ = now;
      idle_rounds_ = 0;
      return false;
    }
    return ++idle_rounds_ % kIdleRounds == 0;
  }

  // Whether neither limit nor monitor ends it; else stopped_ says why.
  bool may_go_on() {
    if (out_.steps >= most_steps_) stopped_ = "iteration limit";
    if (seconds() > options_.max_seconds) stopped_ = "time limit";
    if (objective() < options_.objective_floor) stopped_ = "objective without bound";
    try {
      const double range = std::log(std::max(first_gap_ / options_.tolerance, 1.0));
      const double left = std::log(std::max(out_.gap / options_.tolerance, 1.0));
      monitor_.report({"solve", range > 0 ? std::clamp(1 - left / range, 0.0, 1.0) : 1.0});
    } catch (const Error& error) {
      if (error.kind() != ErrorKind::cancelled) throw;
      stopped_ = "interrupted";
    }
    return stopped_.empty();
  }

  void round() {
    ++out_.rounds;
    if (exact_) {
      round_in<double>();
    } else {
      round_in<float>();
    }
  }

  template <class T>
  void round_in() {
    const std::vector<Index> set = view_.choose(p_, b_, g_, exact_ ? std::min(set_size_, kLargestExactSet) : set_size_);
    const auto q = static_cast<Index>(set.size());
    const Index stride = (q + kTilePadding - 1) / kTilePadding * kTilePadding;
    if (tile_.data() == nullptr) tile_ = AlignedArray(room_for_tiles());
    auto* tile = reinterpret_cast<T*>(tile_.data());
    TileProblem<T> local{
        .K = tile, .stride = stride, .g = {}, .diagonal = {}, .b = {}, .lower = {}, .upper = {}, .group_ends = {}};
    std::vector<Index> points;
    for (const Index v : set) {
      points.push_back(p_.point[at(v)]);
      local.g.push_back(static_cast<T>(g_[at(v)]));
      local.diagonal.push_back(static_cast<T>(diagonal_[at(p_.point[at(v)])]));
      local.b.push_back(b_[at(v)]);
      local.lower.push_back(p_.lower[at(v)]);
      local.upper.push_back(p_.upper[at(v)]);
    }
    if (!p_.group.empty()) {
      const auto split = std::find_if(set.begin(), set.end(), [&](Index v) { return p_.group[at(v)] == 1; });
      if (split != set.begin()) local.group_ends.push_back(split - set.begin());
      if (split != set.end()) local.group_ends.push_back(q);
    }
    rows_.tile(points, tile, stride, threads_);
    const double target =
        q == p_.size() ? 0.5 * options_.tolerance : std::max(0.5 * options_.tolerance, kLocalShare * out_.gap);
    out_.steps += solve_tile<T>(local, target, most_steps_ - out_.steps, [&] { return may_go_on(); });

    // Rows of variables that went from one bound to another will hardly be wanted again.
    Moves coming_back, passing;
    for (Index k = 0; k < q; ++k) {
      const auto v = at(set[at(k)]);
      const double delta = local.b[at(k)] - b_[v];
      if (delta == 0) continue;
      b_[v] = local.b[at(k)];
      const bool free = b_[v] > p_.lower[v] && b_[v] < p_.upper[v];
      Moves& moves = exact_ || free || moved_before_[v] != 0 ? coming_back : passing;
      moved_before_[v] = 1;
      moves.points.push_back(points[at(k)]);
      moves.change.push_back(delta);
    }
    if (exact_) {
      rows_.add_exact(coming_back.points, coming_back.change, f_, threads_);
    } else {
      rows_.add(coming_back.points, coming_back.change, f_, threads_, true);
      rows_.add(passing.points, passing.change, f_, threads_, false);
    }
    const std::size_t moved = coming_back.points.size() + passing.points.size();
    if (moved == 0 && exact_) stopped_ = "no further progress in double precision";
    if (moved == 0) exact_ = true;
    set_size_ = std::max(set_size_, set_size_for(static_cast<double>(moved)));
  }

  // Asked for once, and for the largest: the system gives pages only where they are used.
  std::size_t room_for_tiles() const {
    const auto room = [&](Index largest, std::size_t number) {
      const Index q = std::min(p_.size(), largest);
      return at(q * (q + kTilePadding)) * number / sizeof(double) + 1;
    };
    return std::max(room(kLargestSet, sizeof(float)), room(kLargestExactSet, sizeof(double)));
  }

  // The matrix of a set costs its square, the rows of what moves the number of all points each: the two are kept equal.
  Index set_size_for(double moved) const {
    const auto equal = static_cast<Index>(std::sqrt(moved * static_cast<double>(rows_.size())));
    return std::min(p_.size(), std::clamp(equal, kSmallestSet, kLargestSet));
  }

  double objective() const {
    double total = 0;
    for (std::size_t v = 0; v < b_.size(); ++v) total += b_[v] * (0.5 * f_[at(p_.point[v])] + p_.linear[v]);
    return total;
  }

  double seconds() const { return std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count(); }

  DualSolution finish(bool converged, std::string stopped) {
    out_.objective = objective();
    out_.level = view_.levels(p_, b_, g_);
    out_.b = std::move(b_);
    out_.f = std::move(f_);
    out_.converged = converged;
    out_.stopped = std::move(stopped);
    return std::move(out_);
  }

  struct Moves {
    std::vector<Index> points;
    Vector change;
  };

  const DualProblem& p_;
  const Rows& rows_;
  const DualOptions& options_;
  const Monitor& monitor_;
  const int threads_;
  Vector b_, f_, exact_b_, exact_f_, g_;
  const Vector diagonal_;
  WorkingSet view_;
  AlignedArray tile_;
  double first_gap_ = 0;
  double lowest_gap_ = std::numeric_limits<double>::infinity(), lowest_objective_ = 0;
  Index idle_rounds_ = 0;
  // The last resort against problems that would never end.
  const Index most_steps_ = options_.max_steps > 0 ? options_.max_steps : std::max<Index>(50'000'000, 500 * p_.size());
  Index set_size_ = set_size_for(kFirstMoves);
  std::vector<char> moved_before_ = std::vector<char>(b_.size());
  bool exact_ = false;
  std::string stopped_;
  DualSolution out_;
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

}  // namespace

DualSolution solve(const DualProblem& problem, const Rows& rows, const DualOptions& options, const Execution& how) {
  return Decomposition(problem, rows, options, how).run();
}

}  // namespace mercer::detail
