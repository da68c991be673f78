#include "machines/svm/polish.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <utility>

#include "base/at.hpp"
#include "linalg/cholesky.hpp"
#include "simd/loops.hpp"

namespace mercer::detail {

namespace {

// Beyond these the tolerance of the solver is the end: the time would show.
constexpr Index kMostPoints = 1024;
constexpr std::size_t kMostFree = 200;
constexpr double kMostWork = 1e7;  // multiplications
constexpr int kMostChanges = 100;  // of F by what joins it
// Of the largest H_ii: where points repeat each other, d is not unique, and this chooses a short one.
constexpr double kRidge = 1e-13;
// Of the largest |b|: so near a bound it is at it.
constexpr double kSettled = 1e-12;
// A gradient of less than this share of the numbers it is made of is rounding.
constexpr double kRounding = 32 * std::numeric_limits<double>::epsilon();

class Polish {
 public:
  Polish(const DualProblem& problem, const Rows& rows, int threads, Vector& b, Vector& f)
      : p_(problem), rows_(rows), threads_(threads), b_(b), f_(f), g_(b.size()), diagonal_(rows.diagonal()) {
    for (const double k : diagonal_) largest_k_ = std::max(largest_k_, k);
  }

  void run() {
    for (int change = 0; change < kMostChanges; ++change) {
      gradient();
      if (!choose() || !descend()) break;
    }
    settle();
  }

 private:
  void gradient() {
    double sum = 0, largest = 0;
    for (std::size_t v = 0; v < b_.size(); ++v) {
      g_[v] = f_[at(p_.point[v])] + p_.linear[v];
      sum += std::abs(b_[v]);
      largest = std::max(largest, std::abs(p_.linear[v]));
    }
    small_ = kRounding * (sum * largest_k_ + largest);
  }

  // F: variables between their bounds, and of each group the two that violate the conditions most. False at the
  // optimum.
  bool choose() {
    free_.clear();
    std::array<Index, 2> grow{-1, -1}, shrink{-1, -1};
    for (Index v = 0; v < p_.size(); ++v) {
      const bool up = b_[at(v)]<p_.upper[at(v)], down = b_[at(v)]> p_.lower[at(v)];
      const std::size_t g = group_of(v);
      if (up && (grow[g] < 0 || g_[at(v)] < g_[at(grow[g])])) grow[g] = v;
      if (down && (shrink[g] < 0 || g_[at(v)] > g_[at(shrink[g])])) shrink[g] = v;
      if (up && down) free_.push_back(v);
    }
    bool optimal = true;
    for (const std::size_t g : {0u, 1u}) {
      const bool violated =
          p_.group.empty()
              ? (grow[g] >= 0 && g_[at(grow[g])] < -small_) || (shrink[g] >= 0 && g_[at(shrink[g])] > small_)
              : grow[g] >= 0 && shrink[g] >= 0 && g_[at(shrink[g])] - g_[at(grow[g])] > small_;
      if (!violated) continue;
      optimal = false;
      free_.push_back(grow[g] >= 0 ? grow[g] : shrink[g]);
      free_.push_back(shrink[g] >= 0 ? shrink[g] : grow[g]);
    }
    std::sort(free_.begin(), free_.end());
    free_.erase(std::unique(free_.begin(), free_.end()), free_.end());
    return !optimal && free_.size() <= kMostFree;
  }

  // To the optimum over F. False when nothing has moved, or when there has been enough work.
  bool descend() {
    const auto count = static_cast<Index>(free_.size());
    constexpr Index kPadding = 48;
    const Index stride = (count + kPadding - 1) / kPadding * kPadding;
    std::vector<Index> points;
    points.reserve(free_.size());
    for (const Index v : free_) points.push_back(p_.point[at(v)]);
    tile_.resize(at(count * stride));
    rows_.tile(points, tile_.data(), stride, threads_);
    stride_ = stride;
    Vector before;
    before.reserve(free_.size());
    slope_.clear();
    slope_.reserve(free_.size());
    active_.clear();
    active_.reserve(free_.size());
    for (Index k = 0; k < count; ++k) {
      before.push_back(b_[at(free_[at(k)])]);
      slope_.push_back(g_[at(free_[at(k)])]);
      active_.push_back(k);
    }
    work_ += static_cast<double>(count * rows_.size());
    refined_ = false;
    while (work_ < kMostWork && step()) {
    }
    std::vector<Index> moved;
    Vector change;
    moved.reserve(free_.size());
    change.reserve(free_.size());
    for (std::size_t k = 0; k < free_.size(); ++k) {
      if (b_[at(free_[k])] == before[k]) continue;
      moved.push_back(points[k]);
      change.push_back(b_[at(free_[k])] - before[k]);
    }
    rows_.add_exact(moved, change, f_, threads_);
    return !moved.empty() && work_ < kMostWork;
  }

  // What rounding keeps from a bound would count as free, and say where the bias is.
  void settle() {
    double largest = 0;
    for (const double b : b_) largest = std::max(largest, std::abs(b));
    std::vector<Index> moved;
    Vector change;
    for (std::size_t v = 0; v < b_.size(); ++v) {
      const double down = b_[v] - p_.lower[v], up = p_.upper[v] - b_[v], small = kSettled * largest;
      if (down == 0 || up == 0 || std::min(down, up) > small) continue;
      moved.push_back(p_.point[v]);
      change.push_back(down < up ? -down : up);
      b_[v] = down < up ? p_.lower[v] : p_.upper[v];
    }
    rows_.add_exact(moved, change, f_, threads_);
  }

  // One step in the variables of active_; false when they are optimal.
  bool step() {
    const Vector d = direction();
    if (d.empty()) return false;
    double length = 1;
    for (std::size_t a = 0; a < d.size(); ++a) length = std::min(length, room(active_[a], d[a]) / std::abs(d[a]));
    std::vector<Index> left;
    left.reserve(d.size());
    for (std::size_t a = 0; a < d.size(); ++a) {
      const Index k = active_[a];
      const auto v = at(free_[at(k)]);
      const bool blocked = length < 1 && room(k, d[a]) <= length * std::abs(d[a]);
      if (blocked) {
        b_[v] = d[a] > 0 ? p_.upper[v] : p_.lower[v];
      } else {
        b_[v] = std::clamp(b_[v] + length * d[a], p_.lower[v], p_.upper[v]);
        left.push_back(k);
      }
    }
    if (length > 0) {
      for (std::size_t a = 0; a < d.size(); ++a) {
        simd::add_scaled(length * d[a], tile_.data() + active_[a] * stride_, slope_.size(), slope_.data());
      }
    }
    const bool whole = left.size() == active_.size();
    active_ = std::move(left);
    return !whole || !std::exchange(refined_, true);  // a second whole step takes back what ridge and rounding did
  }

  double room(Index k, double d) const {
    const auto v = at(free_[at(k)]);
    return d > 0 ? p_.upper[v] - b_[v] : d < 0 ? b_[v] - p_.lower[v] : std::numeric_limits<double>::infinity();
  }

  // d of each active variable; empty where there is nothing to gain. Each group is written relative to its first
  // variable, whose d is minus the sum of the others'.
  Vector direction() {
    std::array<Index, 2> first{-1, -1};
    std::vector<std::size_t> moving;  // positions in active_
    moving.reserve(active_.size());
    for (std::size_t a = 0; a < active_.size(); ++a) {
      Index& reference = first[group_of(free_[at(active_[a])])];
      if (!p_.group.empty() && reference < 0) {
        reference = static_cast<Index>(a);
      } else {
        moving.push_back(a);
      }
    }
    const auto m = static_cast<Index>(moving.size());
    if (m == 0) return {};
    work_ += static_cast<double>(m * m) * (static_cast<double>(m) / 3 + 2);
    const auto reference_of = [&](std::size_t a) {
      return p_.group.empty() ? -1 : first[group_of(free_[at(active_[a])])];
    };
    const auto K = [&](std::size_t a, std::size_t c) { return tile_[at(active_[a] * stride_ + active_[c])]; };
    Matrix H = Matrix::uninitialized(m, m), d = Matrix::uninitialized(m, 1);
    double largest = 0, steepest = 0;
    for (Index i = 0; i < m; ++i) {
      const std::size_t a = moving[at(i)];
      const Index ra = reference_of(a);
      d(i, 0) = (ra < 0 ? 0 : slope_[at(active_[at(ra)])]) - slope_[at(active_[a])];
      steepest = std::max(steepest, std::abs(d(i, 0)));
      for (Index j = 0; j <= i; ++j) {
        const std::size_t c = moving[at(j)];
        const Index rc = reference_of(c);
        double h = K(a, c);
        if (ra >= 0) h += K(at(ra), at(rc)) - K(at(ra), c) - K(a, at(rc));
        H(i, j) = h;
      }
      largest = std::max(largest, H(i, i));
    }
    if (steepest <= small_ / 4 || !(largest > 0)) return {};
    for (Index i = 0; i < m; ++i) H(i, i) += kRidge * largest;
    if (linalg::cholesky(H) != 0) return {};
    linalg::cholesky_solve(H, d);
    Vector out(active_.size());
    for (Index i = 0; i < m; ++i) {
      const std::size_t a = moving[at(i)];
      if (!std::isfinite(d(i, 0))) return {};
      out[a] = d(i, 0);
      if (const Index r = reference_of(a); r >= 0) out[at(r)] -= d(i, 0);
    }
    return out;
  }

  std::size_t group_of(Index v) const { return p_.group.empty() ? 0 : p_.group[at(v)]; }

  const DualProblem& p_;
  const Rows& rows_;
  const int threads_;
  Vector &b_, &f_;
  Vector g_;
  const Vector diagonal_;
  double largest_k_ = 0;
  double small_ = 0;           // a difference of gradients that is rounding
  std::vector<Index> free_;    // F
  std::vector<Index> active_;  // positions in F of what has not met a bound
  Vector slope_;               // the gradient at F
  Vector tile_;                // K_FF
  Index stride_ = 0;
  bool refined_ = false;
  double work_ = 0;
};

}  // namespace

void polish(const DualProblem& problem, const Rows& rows, int threads, Vector& b, Vector& f) {
  if (rows.size() <= kMostPoints) Polish(problem, rows, threads, b, f).run();
}

}  // namespace mercer::detail
