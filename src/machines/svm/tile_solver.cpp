#include "machines/svm/tile_solver.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/at.hpp"
#include "simd/smo.hpp"

namespace mercer::detail {

namespace {

constexpr Index kAskEvery = 4096;
// Curvatures below this share of the largest K_ii are rounding.
constexpr double kLeastCurvature = 1e-12;

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

}  // namespace

template <class T>
Index solve_tile(TileProblem<T>& problem, double tolerance, Index max_steps, const std::function<bool()>& keep_going) {
  Smo<T> smo(problem);
  Index steps = 0;
  while (steps < max_steps && smo.gap() > tolerance && smo.step()) {
    if (++steps % kAskEvery == 0 && !keep_going()) break;
  }
  return steps;
}

template Index solve_tile(TileProblem<float>&, double, Index, const std::function<bool()>&);
template Index solve_tile(TileProblem<double>&, double, Index, const std::function<bool()>&);

}  // namespace mercer::detail
