#include "machines/svm/dual.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <string_view>
#include <type_traits>
#include <utility>

#include "base/aligned.hpp"
#include "base/at.hpp"
#include "base/fail.hpp"
#include "base/parallel.hpp"
#include "base/stages.hpp"
#include "base/stopwatch.hpp"
#include "machines/svm/certificate.hpp"
#include "machines/svm/interior_point.hpp"
#include "machines/svm/loop_state.hpp"
#include "machines/svm/polish.hpp"
#include "machines/svm/record.hpp"
#include "machines/svm/room.hpp"
#include "machines/svm/tile_solver.hpp"
#include "machines/svm/working_set.hpp"
#include "mercer/error.hpp"

namespace mercer::detail {

namespace {

constexpr Index kSmallestSet = 1024;
// How many variables are expected to move in the first round.
constexpr double kFirstMoves = 256;
// Single precision rows are trusted down to this share of the tolerance; then f is looked at in double precision.
constexpr double kSafety = 0.9;
// So many looks in a row without halving the gap, and rows are computed in double precision from there on.
constexpr Index kPatience = 3;
// So many rounds without progress call for a look in double precision.
constexpr Index kIdleRounds = 8;
// A gap of less than this share of the gradients means nothing in single precision.
constexpr double kFloatRounding = 1e-6;
constexpr double kLargestInSinglePrecision = 1e36;
constexpr Index kMostStepsInTile = 200'000;
// A tile is solved to this share of the gap before it.
constexpr double kLocalShare = 0.1;

// Where it finds room, an interior-point method takes over when steps have cost as much as all of it would: it factors
// n x n matrices some 30 times, and a step costs n. So a fit takes twice the time of the better method at most; beyond
// 4,000 points the method does not wait as long as it takes itself, since steps that many have rarely ended.
constexpr Index kLeastSteps = 10'000, kMostSteps = 8'000'000;
constexpr double kStepsForEntry = 0.5;  // of K
// What follows it is rounding, and given so many times as many steps.
constexpr Index kAfterwards = 4;

constexpr std::string_view kInterrupted = "interrupted";
// f of fewer points is computed in double precision everywhere: where a fit goes on to the optimum, it is asked for.
constexpr Index kFewest = 1025;

// The gradient g and b, of each variable, and the diagonal of K, of each point.
struct Place {
  const Vector &b, &g, &diagonal;
};

// The problem in these variables alone, the others held where they are; its matrix is yet to come.
template <class T>
TileProblem<T> without_matrix(const DualProblem& p, const std::vector<Index>& set, const Place& place) {
  TileProblem<T> local;
  for (Vector* v : {&local.b, &local.lower, &local.upper}) v->resize(set.size());
  for (std::vector<T>* v : {&local.g, &local.diagonal}) v->resize(set.size());
  for (std::size_t k = 0; k < set.size(); ++k) {
    const auto v = at(set[k]);
    local.g[k] = static_cast<T>(place.g[v]);
    local.diagonal[k] = static_cast<T>(place.diagonal[at(p.point[v])]);
    local.b[k] = place.b[v];
    local.lower[k] = p.lower[v];
    local.upper[k] = p.upper[v];
  }
  if (!p.group.empty()) {
    const auto split = std::find_if(set.begin(), set.end(), [&](Index v) { return p.group[at(v)] == 1; });
    if (split != set.begin()) local.group_ends.push_back(split - set.begin());
    if (split != set.end()) local.group_ends.push_back(static_cast<Index>(set.size()));
  }
  return local;
}

class Decomposition {
 public:
  Decomposition(const DualProblem& problem, const Rows& rows, const DualOptions& options, const Execution& how)
      : p_(problem),
        rows_(rows),
        options_(options),
        monitor_(how.monitor),
        threads_(thread_count(how.threads)),
        g_(at(problem.size())),
        diagonal_(rows.diagonal()),
        certifier_(problem, rows, options, threads_, loop_, vectors_) {
    const bool known = !problem.known_b.empty();
    vectors_ = {.b = problem.start,
                .f = Vector(at(rows.size())),
                .exact_b = known ? problem.known_b : Vector(at(problem.size())),
                .exact_f = known ? problem.known_f : Vector(at(rows.size())),
                .moved_before = std::vector<char>(at(problem.size()))};
    loop_.always_exact = rows.cheap_in_double();
    loop_.closely = options.f_where_it_decides && rows.size() >= kFewest && rows.knows_error();
    vectors_.error.resize(loop_.closely ? at(rows.size()) : 0);
    loop_.may_go_inside = may_go_inside(rows.size(), rows.store().memory());
    loop_.largest_set = largest_set_for(rows.store().memory());
    loop_.set_size = set_size_for(kFirstMoves);
    // The last resort against problems that would never end.
    loop_.most_steps = options.max_steps > 0 ? options.max_steps : std::max<Index>(50'000'000, 500 * problem.size());
  }

  ~Decomposition() { rows_.store().tile_rooms().give_back(std::move(tile_)); }
  Decomposition(const Decomposition&) = delete;
  Decomposition& operator=(const Decomposition&) = delete;

  DualSolution run() {
    begin();
    while (stopped_.empty()) {
      top_ = loop_;
      if (options_.record != nullptr && options_.record->is_due()) options_.record->keep(numbers_of(top_, vectors_));
      if (loop_.whole) {
        if (!refresh(When::within_limits)) break;
        loop_.certified = true;
        loop_.whole = false;
      }
      measure();
      if (loop_.certified) {
        if (out_.gap <= options_.tolerance) {
          polish(p_, rows_, threads_, vectors_.b, vectors_.f);
          measure();
          return finish(true, "optimal to the tolerance");
        }
        loop_.poor_looks = out_.gap > 0.5 * loop_.last_exact_gap ? loop_.poor_looks + 1 : 0;
        loop_.last_exact_gap = out_.gap;
        if (loop_.poor_looks >= kPatience && !loop_.exact) use_double_precision();
      } else if (out_.gap <= kSafety * options_.tolerance || stalled()) {
        loop_.certified = refresh(When::within_limits);
        continue;
      }
      const bool stuck = loop_.exact && loop_.poor_looks >= kPatience;
      if (stuck || crawling()) {
        if (!loop_.certified) {
          loop_.certified = refresh(When::within_limits);
          continue;
        }
        if (go_inside()) continue;
        if (stuck) return finish(false, no_progress());
      }
      const double before = watch_.seconds();
      reserve_ = seconds_to_end();
      if (!may_go_on()) break;
      round();
      loop_.certified = false;
      round_seconds_ = watch_.seconds() - before;
    }
    // Who is asked to stop at once does not wait for a look in double precision. What follows the end of the time was
    // reckoned with.
    const bool interrupted = stopped_ == kInterrupted;
    if (!interrupted || loop_.whole) {
      refresh(stopped_ == options_.over ? When::time_is_over : When::at_the_end);
      loop_.certified = true;
    }
    measure();
    out_.gap = std::max(out_.gap, certifier_.gap_at_most());
    return finish(!interrupted && out_.gap <= options_.tolerance, stopped_);
  }

 private:
  // At the start of the problem, or where another process was in it.
  void begin() {
    if (options_.record != nullptr && !options_.record->loop().empty()) {
      const bool always_exact = loop_.always_exact;
      read_loop(options_.record->loop(), loop_, vectors_);
      if (always_exact != loop_.always_exact) {
        fail(ErrorKind::usage,
             "the work that was interrupted computed rows of K in another way, as memory was free; begin anew, or "
             "`memory` says how much there is");
      }
      view_.set_last(loop_.last_set);
      return;
    }
    // No entry of K is larger than its diagonal is somewhere.
    for (const double own : diagonal_) {
      if (own > kLargestInSinglePrecision) use_double_precision();
    }
    refresh(When::to_go_on);
  }

  // The gradient and the gap, from f.
  void measure() {
    for (std::size_t v = 0; v < g_.size(); ++v) g_[v] = vectors_.f[at(p_.point[v])] + p_.linear[v];
    out_.gap = view_.gap(p_, vectors_.b, g_);
    loop_.first_gap = std::max(loop_.first_gap, out_.gap);
  }

  using When = Certifier::When;

  // f in double precision. False when the monitor ended it first.
  bool refresh(When when) {
    if (certifier_.look(when, [&] { return told(); })) return true;
    stopped_ = kInterrupted;
    return false;
  }

  // What the rest of a turn and the look in double precision behind it will take, where the time is limited.
  double seconds_to_end() {
    if (!std::isfinite(options_.max_seconds)) return 0;
    if (loop_.always_exact || loop_.exact) return round_seconds_;
    return round_seconds_ + certifier_.seconds(static_cast<double>(loop_.set_size));
  }

  void use_double_precision() {
    if (std::exchange(loop_.closely, false)) {  // what is known of f is not
      vectors_.exact_b.assign(vectors_.b.size(), 0.0);
      vectors_.exact_f.assign(vectors_.f.size(), 0.0);
      loop_.begun = false;
    }
    loop_.exact = true;
    loop_.poor_looks = 0;
    loop_.last_exact_gap = std::numeric_limits<double>::infinity();
  }

  // Whether many rounds have lowered neither the gap nor the objective: what is left is rounding.
  bool stalled() {
    const double now = objective();
    if (!std::isfinite(out_.gap + now)) {  // beyond single precision
      use_double_precision();
      return true;
    }
    if (out_.gap < 0.9 * loop_.lowest_gap || now < loop_.lowest_objective - 1e-9 * std::abs(loop_.lowest_objective)) {
      loop_.lowest_gap = std::min(loop_.lowest_gap, out_.gap);
      loop_.lowest_objective = now;
      loop_.idle_rounds = 0;
      return false;
    }
    return ++loop_.idle_rounds % kIdleRounds == 0;
  }

  bool crawling() const { return loop_.may_go_inside && loop_.steps >= steps_before_inside_; }

  // The interior-point method, once, from a certified point to another; false where it was tried or is too large.
  bool go_inside() {
    if (!std::exchange(loop_.may_go_inside, false)) return false;
    if (loop_.closely) {  // all of f is needed
      use_double_precision();
      refresh(When::to_go_on);
    }
    const WholeStage stage("interior point");
    const InteriorPoint found = interior_point(p_, rows_, threads_, vectors_.b, vectors_.f,
                                               kSafety * options_.tolerance, [&] { return may_go_on(); });
    loop_.steps += found.iterations;
    if (options_.max_steps == 0)
      loop_.most_steps = std::min(loop_.most_steps, loop_.steps + kAfterwards * steps_before_inside_);
    use_double_precision();
    if (!(found.gap < out_.gap)) return true;
    std::vector<Index> all(vectors_.b.size());
    std::iota(all.begin(), all.end(), Index{0});
    take_over(all, found.b);
    return true;
  }

  // The least that rounding does to f.
  double rounding() const {
    double sum = 0, largest = 0;
    for (const double b : vectors_.b) sum += std::abs(b);
    for (const double k : diagonal_) largest = std::max(largest, k);
    return std::numeric_limits<double>::epsilon() * sum * largest;
  }

  std::string no_progress() const {
    const double lost = rounding();
    if (lost < 0.1 * options_.tolerance) return "no further progress in double precision";
    return fmt::format("no further progress: with alphas as large as these, rounding alone moves f by {:.1g}", lost);
  }

  // Whether neither limit nor monitor ends it; else stopped_ says why.
  bool may_go_on() {
    if (loop_.steps >= loop_.most_steps) stopped_ = options_.max_steps > 0 ? "iteration limit" : "progress is too slow";
    if (objective() < options_.objective_floor) stopped_ = "objective without bound";
    if (stopped_.empty() && watch_.seconds() + reserve_ > options_.max_seconds) {
      stopped_ = options_.over;
      leave();
    }
    if (!told()) stopped_ = kInterrupted;
    return stopped_.empty();
  }

  // Told to stop before the end. Nobody is asked between a change of the vectors and the top of the next turn, so that
  // they are as they were at the top of this one.
  void leave() {
    if (options_.record == nullptr || std::exchange(left_, true)) return;
    options_.record->keep(numbers_of(top_, vectors_));
  }

  // Tells the monitor how far it is; whether that has never cancelled.
  bool told() {
    if (cancelled_) return false;
    try {
      const double range = std::log(std::max(loop_.first_gap / options_.tolerance, 1.0));
      const double left = std::log(std::max(out_.gap / options_.tolerance, 1.0));
      const double otherwise = loop_.first_gap > 0 ? 1.0 : 0.0;
      monitor_.report({"solve", range > 0 ? std::clamp(1 - left / range, 0.0, 1.0) : otherwise});
    } catch (const Error& error) {
      if (error.kind() != ErrorKind::cancelled) throw;
      cancelled_ = true;
      leave();
    }
    return !cancelled_;
  }

  void round() {
    ++loop_.rounds;
    if (loop_.exact) {
      round_in<double>();
    } else {
      round_in<float>();
    }
  }

  template <class T>
  void round_in() {
    direct_ = loop_.rounds == 1 && !loop_.exact && rows_can_be_used_as_they_are();
    loop_.whole = direct_ || (p_.size() <= std::min(kSmallestSet, loop_.largest_set) && !loop_.exact);
    const Index most = loop_.exact ? std::min(loop_.set_size, kLargestExactSet) : loop_.set_size;
    const std::vector<Index> set = loop_.whole ? everything() : view_.choose(p_, vectors_.b, g_, most);
    loop_.last_set = view_.last();
    const auto q = static_cast<Index>(set.size());
    TileProblem<T> local = restricted_to<T>(set);
    double target =
        q == p_.size() ? 0.5 * options_.tolerance : std::max(0.5 * options_.tolerance, kLocalShare * out_.gap);
    if constexpr (std::is_same_v<T, float>) {
      // Below this, steps follow rounding. When no variable moves any more, double precision takes over.
      for (const float g : local.g) target = std::max(target, kFloatRounding * std::abs(static_cast<double>(g)));
    }
    Index most_here = std::min(kMostStepsInTile + 100 * q, loop_.most_steps - loop_.steps);
    if (loop_.may_go_inside) most_here = std::min(most_here, std::max<Index>(1, steps_before_inside_ - loop_.steps));
    const Index steps = solve_tile<T>(local, target, most_here, [&] { return may_go_on(); });
    loop_.steps += steps;
    const std::size_t moved = take_over(set, local.b);
    if (moved == 0 && loop_.exact) {
      loop_.poor_looks = kPatience;
    } else if (moved == 0) {
      use_double_precision();
    }
    loop_.set_size = std::max(loop_.set_size, set_size_for(static_cast<double>(moved)));
  }

  // The problem in these variables alone, the others held where they are.
  template <class T>
  TileProblem<T> restricted_to(const std::vector<Index>& set) {
    const auto q = static_cast<Index>(set.size());
    TileProblem<T> local = without_matrix<T>(p_, set, {vectors_.b, g_, diagonal_});
    local.stride = (q + kTilePadding - 1) / kTilePadding * kTilePadding;
    // Asked for once, and for the largest: the system gives pages only where they are used.
    if (tile_.doubles == 0) tile_ = rows_.store().tile_rooms().take(room_for_tiles(p_.size(), loop_.largest_set));
    auto* tile = reinterpret_cast<T*>(tile_.memory.data());
    local.room = {tile, tile_.doubles * sizeof(double) / sizeof(T)};
    if constexpr (std::is_same_v<T, float>) {
      if (direct_) {
        const Rows::Whole whole = rows_.whole();
        local.K = whole.K;
        local.stride = whole.stride;
        return local;
      }
    }
    std::vector<Index> points(set.size());
    for (std::size_t k = 0; k < set.size(); ++k) points[k] = p_.point[at(set[k])];
    rows_.tile(points, tile, local.stride, threads_);
    local.K = tile;
    local.room = local.room.subspan(at(q * local.stride));
    return local;
  }

  // b of the set, and what it does to f. Returns how many variables have moved.
  std::size_t take_over(const std::vector<Index>& set, const Vector& b) {
    // Rows of variables that go from one bound to another will hardly be wanted again.
    Moves coming_back, passing;
    coming_back.reserve(set.size());
    passing.reserve(set.size());
    for (std::size_t k = 0; k < set.size(); ++k) {
      const auto v = at(set[k]);
      const double delta = b[k] - vectors_.b[v];
      if (delta == 0) continue;
      vectors_.b[v] = b[k];
      const bool free = vectors_.b[v] > p_.lower[v] && vectors_.b[v] < p_.upper[v];
      Moves& moves = loop_.exact || loop_.always_exact || free || vectors_.moved_before[v] != 0 ? coming_back : passing;
      vectors_.moved_before[v] = 1;
      moves.points.push_back(p_.point[v]);
      moves.change.push_back(delta);
    }
    if (loop_.exact || loop_.always_exact) {
      rows_.add_exact(coming_back.points, coming_back.change, vectors_.f, threads_);
    } else if (!loop_.whole) {  // else f comes in double precision at once
      rows_.add(coming_back.points, coming_back.change, vectors_.f, threads_, true);
      rows_.add(passing.points, passing.change, vectors_.f, threads_, false);
    }
    return coming_back.points.size() + passing.points.size();
  }

  // Where all of K is at hand, a tile of everything is there already. Steps then pass over all points instead of a
  // chosen few: good for the first steps, which settle most variables, and not for the many that may follow.
  bool rows_can_be_used_as_they_are() const {
    if (rows_.whole().K == nullptr || p_.size() != rows_.size()) return false;
    for (std::size_t v = 0; v < p_.point.size(); ++v) {
      if (at(p_.point[v]) != v || (!p_.group.empty() && p_.group[v] != 0)) return false;
    }
    return true;
  }

  // The matrix of a set costs its square, the rows of what moves the number of all points each: the two are kept equal.
  Index set_size_for(double moved) const {
    const auto equal = static_cast<Index>(std::sqrt(moved * static_cast<double>(rows_.size())));
    return std::min(p_.size(), std::clamp(equal, std::min(kSmallestSet, loop_.largest_set), loop_.largest_set));
  }

  // All variables, by group.
  std::vector<Index> everything() const {
    std::vector<Index> all(at(p_.size()));
    std::iota(all.begin(), all.end(), Index{0});
    if (!p_.group.empty()) std::stable_partition(all.begin(), all.end(), [&](Index v) { return p_.group[at(v)] == 0; });
    return all;
  }

  double objective() const {
    double total = 0;
    for (std::size_t v = 0; v < vectors_.b.size(); ++v)
      total += vectors_.b[v] * (0.5 * vectors_.f[at(p_.point[v])] + p_.linear[v]);
    return total;
  }

  DualSolution finish(bool converged, std::string stopped) {
    out_.objective = objective();
    out_.level = view_.levels(p_, vectors_.b, g_);
    out_.b = std::move(vectors_.b);
    out_.f = std::move(vectors_.f);
    out_.steps = loop_.steps;
    out_.rounds = loop_.rounds;
    out_.certified = loop_.certified;
    out_.converged = converged;
    out_.stopped = std::move(stopped);
    if (options_.record != nullptr && !left_) options_.record->add(out_);
    return std::move(out_);
  }

  const DualProblem& p_;
  const Rows& rows_;
  const DualOptions& options_;
  const Monitor& monitor_;
  bool cancelled_ = false, left_ = false;
  const int threads_;
  Vector g_;
  const Vector diagonal_;
  LoopMarks loop_, top_;  // as they are, and as they were at the top of the turn
  LoopVectors vectors_;
  Certifier certifier_;
  WorkingSet view_;
  TileRooms::Room tile_;
  const Index steps_before_inside_ =
      kLeastSteps +
      std::min(kMostSteps, static_cast<Index>(kStepsForEntry* static_cast<double>(rows_.size() * rows_.size())));
  bool direct_ = false;                     // the last round was on K itself
  double round_seconds_ = 0, reserve_ = 0;  // of the last round, and what is kept back for the end of the time
  std::string stopped_;
  DualSolution out_;
  Stopwatch watch_;
};

}  // namespace

DualSolution solve(const DualProblem& problem, const Rows& rows, const DualOptions& options, const Execution& how) {
  if (options.record != nullptr) {
    if (auto known = options.record->next()) return std::move(*known);
  }
  return Decomposition(problem, rows, options, how).run();
}

}  // namespace mercer::detail
