#include "machines/svm/tile_solver.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <type_traits>

#include "base/at.hpp"
#include "simd/float_rows.hpp"
#include "simd/loops.hpp"
#include "simd/smo.hpp"

namespace mercer::detail {

namespace {

constexpr Index kAskEvery = 4096;
// Curvatures below this share of the largest K_ii are rounding.
constexpr double kLeastCurvature = 1e-12;
// How often it is looked which variables are held at a bound, in the time of a step for each; from which share of them
// on it is worth to go on without them; what it costs to pick a number of K for the others, in numbers stepped over;
// and the share of the gap that the others are brought to.
constexpr Index kLooks = 8;
constexpr double kLeastHeld = 0.3, kPickingCosts = 0.25, kShareOfGap = 0.02;

template <class T>
class Smo {
 public:
  explicit Smo(TileProblem<T>& problem)
      : p_(problem), least_(least_curvature(problem)), up_(p_.b.size()), low_(p_.b.size()) {
    for (Index k = 0; k < p_.size(); ++k) bound(k);
    Index begin = 0;
    for (const Index end : p_.group_ends) {
      groups_.push_back({{begin, end}, {}});
      begin = end;
    }
    for (Group& group : groups_) scan(group, 0, nullptr, nullptr);
    if (groups_.empty()) single_ = step_single(0, nullptr);
  }

  double gap() const {
    if (groups_.empty()) return static_cast<double>(single_.violation);
    double worst = 0;
    for (const Group& group : groups_)
      worst = std::max(worst, static_cast<double>(group.extremes.up + group.extremes.low));
    return worst;
  }

  // One step; false when it cannot move.
  bool step() { return groups_.empty() ? move_single() : move_pair(); }

  // What a step could still move: all but variables at a bound where the gradient holds them.
  std::vector<Index> movable() const {
    std::vector<Index> out;
    const auto see = [&](Range range, T up, T low) {
      for (Index k = range.begin; k < range.end; ++k) {
        if (up_[at(k)] - p_.g[at(k)] > -low || low_[at(k)] + p_.g[at(k)] > -up) out.push_back(k);
      }
    };
    if (groups_.empty()) see({0, p_.size()}, 0, 0);
    for (const Group& group : groups_) see(group.range, group.extremes.up, group.extremes.low);
    return out;
  }

 private:
  struct Group {
    Range range;
    simd::Extremes<T> extremes;
  };
  static constexpr T kNever = -std::numeric_limits<T>::infinity();

  static T least_curvature(const TileProblem<T>& problem) {
    T largest = 0;
    for (const T k : problem.diagonal) largest = std::max(largest, k);
    return std::max(static_cast<T>(kLeastCurvature) * largest, std::numeric_limits<T>::min());
  }
  const T* row(Index i) const { return p_.K + i * p_.stride; }
  void bound(Index k) {
    up_[at(k)] = p_.b[at(k)] < p_.upper[at(k)] ? T{0} : kNever;
    low_[at(k)] = p_.b[at(k)] > p_.lower[at(k)] ? T{0} : kNever;
  }
  void scan(Group& group, T t, const T* ri, const T* rj) {
    const auto begin = group.range.begin;
    group.extremes =
        simd::step_pair<T>(t, t == 0 ? nullptr : ri + begin, t == 0 ? nullptr : rj + begin, up_.data() + begin,
                           low_.data() + begin, at(group.range.size()), p_.g.data() + begin);
    group.extremes.grow += at(begin);
  }
  simd::Single<T> step_single(T t, const T* ri) {
    return simd::step_single<T>(t, least_, ri, p_.diagonal.data(), up_.data(), low_.data(), p_.b.size(), p_.g.data());
  }

  // b_i grows by t and b_j shrinks by t: i may grow and has the steepest descent, j gains most with it.
  bool move_pair() {
    const Group* best = nullptr;
    for (const Group& group : groups_) {
      if (best == nullptr || group.extremes.up + group.extremes.low > best->extremes.up + best->extremes.low) {
        best = &group;
      }
    }
    const auto i = static_cast<Index>(best->extremes.grow);
    const Index begin = best->range.begin;
    const Index j =
        begin + static_cast<Index>(simd::partner<T>(best->extremes.up, p_.diagonal[at(i)], least_, row(i) + begin,
                                                    p_.diagonal.data() + begin, low_.data() + begin,
                                                    p_.g.data() + begin, at(best->range.size())));
    const double slope = static_cast<double>(p_.g[at(j)]) - static_cast<double>(p_.g[at(i)]);
    if (!(slope > 0) || low_[at(j)] != 0) return false;
    const double curvature = static_cast<double>(p_.diagonal[at(i)]) + static_cast<double>(p_.diagonal[at(j)]) -
                             2 * static_cast<double>(row(i)[j]);
    const double room_i = p_.upper[at(i)] - p_.b[at(i)], room_j = p_.b[at(j)] - p_.lower[at(j)];
    const double t = std::min({slope / std::max(curvature, static_cast<double>(least_)), room_i, room_j});
    if (!(t > 0)) return false;  // also where single precision has overflowed
    const double before_i = p_.b[at(i)], before_j = p_.b[at(j)];
    p_.b[at(i)] = t == room_i ? p_.upper[at(i)] : before_i + t;
    p_.b[at(j)] = t == room_j ? p_.lower[at(j)] : before_j - t;
    if (p_.b[at(i)] == before_i && p_.b[at(j)] == before_j) return false;
    bound(i);
    bound(j);
    for (Group& group : groups_) scan(group, static_cast<T>(t), row(i), row(j));
    return true;
  }

  bool move_single() {
    const auto i = static_cast<Index>(single_.index);
    const double before = p_.b[at(i)];
    const double free =
        before - static_cast<double>(p_.g[at(i)]) / static_cast<double>(std::max(least_, p_.diagonal[at(i)]));
    if (std::isnan(free)) return false;
    p_.b[at(i)] = std::clamp(free, p_.lower[at(i)], p_.upper[at(i)]);
    if (p_.b[at(i)] == before) return false;
    bound(i);
    single_ = step_single(static_cast<T>(p_.b[at(i)] - before), row(i));
    return true;
  }

  TileProblem<T>& p_;
  const T least_;
  std::vector<T> up_, low_;
  std::vector<Group> groups_;
  simd::Single<T> single_;
};

// The problem in some of the variables, the others held where they are. Its matrix and what is left are in the room.
template <class T>
TileProblem<T> part_of(const TileProblem<T>& all, const std::vector<Index>& which) {
  TileProblem<T> out;
  const std::size_t count = which.size();
  out.stride = static_cast<Index>(count);
  T* const K = all.room.data();
  for (std::size_t a = 0; a < count; ++a) {
    const T* const row = all.K + which[a] * all.stride;
    for (std::size_t b = 0; b < count; ++b) K[a * count + b] = row[which[b]];
  }
  out.K = K;
  out.room = all.room.subspan(count * count);
  for (const Index k : which) {
    out.g.push_back(all.g[at(k)]);
    out.diagonal.push_back(all.diagonal[at(k)]);
    out.b.push_back(all.b[at(k)]);
    out.lower.push_back(all.lower[at(k)]);
    out.upper.push_back(all.upper[at(k)]);
  }
  for (const Index end : all.group_ends) {
    out.group_ends.push_back(std::lower_bound(which.begin(), which.end(), end) - which.begin());
  }
  return out;
}

// Takes b of some over, and what it does to the gradient of all.
template <class T>
void take_over(TileProblem<T>& all, const std::vector<Index>& which, const Vector& b) {
  Vector change(all.b.size());
  std::vector<const T*> rows;
  Vector by;
  for (std::size_t a = 0; a < which.size(); ++a) {
    const Index k = which[a];
    if (b[a] == all.b[at(k)]) continue;
    rows.push_back(all.K + k * all.stride);
    by.push_back(b[a] - all.b[at(k)]);
    all.b[at(k)] = b[a];
  }
  if constexpr (std::is_same_v<T, float>) {
    simd::add_float_rows(rows.data(), by.data(), rows.size(), change.size(), change.data());
  } else {
    for (std::size_t r = 0; r < rows.size(); ++r) simd::add_scaled(by[r], rows[r], change.size(), change.data());
  }
  for (std::size_t k = 0; k < change.size(); ++k) all.g[k] = static_cast<T>(all.g[k] + change[k]);
}

struct Budget {
  Index most;
  const std::function<bool()>& keep_going;
  Index steps = 0;
  bool stopped = false;
};

// Once steps over variables that are held have cost as much as that, what is left is solved by itself, to so much of
// the gap; then all are looked at again.
template <class T>
void solve(TileProblem<T>& problem, double tolerance, Budget& budget) {
  std::optional<Smo<T>> smo(problem);
  const Index look_every = std::max<Index>(1, problem.size() / kLooks);
  double passed_over = 0;
  Index own_steps = 0;
  while (!budget.stopped && budget.steps < budget.most && smo->gap() > tolerance && smo->step()) {
    if (++budget.steps % kAskEvery == 0 && !budget.keep_going()) budget.stopped = true;
    if (++own_steps % look_every != 0 || problem.room.empty()) continue;
    const std::vector<Index> left = smo->movable();
    const auto held = static_cast<double>(problem.size() - static_cast<Index>(left.size()));
    if (held < kLeastHeld * static_cast<double>(problem.size())) continue;
    if (left.size() * left.size() > problem.room.size()) continue;
    passed_over += held * static_cast<double>(look_every);
    if (passed_over < kPickingCosts * static_cast<double>(left.size()) * static_cast<double>(problem.size())) continue;
    passed_over = 0;
    TileProblem<T> part = part_of(problem, left);
    solve(part, std::max(tolerance, kShareOfGap * smo->gap()), budget);
    take_over(problem, left, part.b);
    smo.emplace(problem);
  }
}

}  // namespace

template <class T>
Index solve_tile(TileProblem<T>& problem, double tolerance, Index max_steps, const std::function<bool()>& keep_going) {
  Budget budget{max_steps, keep_going};
  solve(problem, tolerance, budget);
  return budget.steps;
}

template Index solve_tile(TileProblem<float>&, double, Index, const std::function<bool()>&);
template Index solve_tile(TileProblem<double>&, double, Index, const std::function<bool()>&);

}  // namespace mercer::detail
