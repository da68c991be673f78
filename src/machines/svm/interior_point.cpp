#include "machines/svm/interior_point.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "base/at.hpp"
#include "linalg/cholesky.hpp"
#include "linalg/lapack.hpp"
#include "machines/svm/start.hpp"

namespace mercer::detail {

namespace {

constexpr Index kMostIterations = 100;
// So many iterations in a row without a smaller gap or mu are rounding.
constexpr Index kPatience = 15;
// How much of the way to the boundary a step may go.
constexpr double kShort = 0.995;
// A group whose sum leaves less than this share of its box has no inside.
constexpr double kNoInside = 1e-9;
// Of the largest K_ii, added to the diagonal until there is a factor. One refinement takes back what it did.
constexpr double kRidge = 1e-15;

class Method {
 public:
  Method(const DualProblem& problem, const Rows& rows, int threads, const Vector& b, const Vector& f)
      : p_(problem), rounded_(problem), begin_(b) {
    choose_live();
    gather(rows, threads, f);
  }

  InteriorPoint run(double tolerance, const std::function<bool()>& keep_going) {
    InteriorPoint best{begin_, std::numeric_limits<double>::infinity(), 0};
    Index idle = 0;
    double least = std::numeric_limits<double>::infinity();
    while (!live_.empty() && best.iterations < kMostIterations && idle < kPatience) {
      gradient();
      const auto [b, gap] = at_the_bounds(tolerance);
      const double now = mu();
      idle = gap < 0.9 * best.gap || now < 0.9 * least ? 0 : idle + 1;
      least = std::min(least, now);
      if (gap < best.gap) {
        best.b = b;
        best.gap = gap;
      }
      if (best.gap <= tolerance || !keep_going() || !factor()) break;
      advance();
      ++best.iterations;
    }
    return best;
  }

 private:
  std::size_t group_of(Index v) const { return p_.group.empty() ? 0 : p_.group[at(v)]; }

  // The variables that can move: not those of a box without width, nor of a group whose sum says where each of them is.
  void choose_live() {
    std::array<double, 2> low{}, width{};
    for (Index v = 0; v < p_.size(); ++v) {
      const std::size_t g = group_of(v);
      low[g] += begin_[at(v)] - p_.lower[at(v)];
      width[g] += p_.upper[at(v)] - p_.lower[at(v)];
      sums_[g] += begin_[at(v)];
    }
    for (const std::size_t g : {0u, 1u}) inside_[g] = p_.group.empty() ? 0.5 : width[g] > 0 ? low[g] / width[g] : 0;
    for (Index v = 0; v < p_.size(); ++v) {
      const double share = inside_[group_of(v)];
      if (p_.upper[at(v)] > p_.lower[at(v)] && share > kNoInside && share < 1 - kNoInside) live_.push_back(v);
    }
  }

  // K of the live points, the gradient at the beginning, and a point inside with the same sums.
  void gather(const Rows& rows, int threads, const Vector& f) {
    std::vector<Index> position(at(rows.size()), -1), points;
    for (const Index v : live_) {
      Index& here = position[at(p_.point[at(v)])];
      if (here < 0) {
        here = static_cast<Index>(points.size());
        points.push_back(p_.point[at(v)]);
      }
      point_.push_back(here);
    }
    const auto n = static_cast<Index>(points.size());
    twin_.assign(live_.size(), -1);
    std::vector<Index> first(points.size(), -1);
    for (std::size_t a = 0; a < live_.size(); ++a) {
      Index& other = first[at(point_[a])];
      if (other >= 0) {
        twin_[a] = other;
        twin_[at(other)] = static_cast<Index>(a);
      }
      other = static_cast<Index>(a);
    }
    constexpr Index kPadding = 48;
    const Index stride = (n + kPadding - 1) / kPadding * kPadding;
    Vector tile(at(n * stride));
    if (n > 0) rows.tile(points, tile.data(), stride, threads);
    K_ = Matrix::uninitialized(n, n);
    for (Index i = 0; i < n; ++i) std::copy_n(tile.data() + i * stride, n, K_.row(i));
    if (!p_.group.empty()) centre();
    for (Index i = 0; i < n; ++i) largest_ = std::max(largest_, K_(i, i));
    M_ = Matrix::uninitialized(n, n);
    for (const Index v : live_) {
      const double width = p_.upper[at(v)] - p_.lower[at(v)], share = inside_[group_of(v)];
      x_.push_back(share * width);
      t_.push_back((1 - share) * width);
      g0_.push_back(f[at(p_.point[at(v)])] + p_.linear[at(v)]);
    }
    gradient();
    double steepest = 0;
    for (const double g : g_) steepest = std::max(steepest, std::abs(g));
    z_.assign(live_.size(), std::max(steepest, std::numeric_limits<double>::min()));
    w_ = z_;
  }

  void centre() {
    const Index n = K_.rows();
    Vector mean(at(n));
    double all = 0;
    for (Index i = 0; i < n; ++i) {
      for (Index j = 0; j < n; ++j) mean[at(i)] += K_(i, j);
      mean[at(i)] /= static_cast<double>(n);
      all += mean[at(i)] / static_cast<double>(n);
    }
    for (Index i = 0; i < n; ++i) {
      for (Index j = 0; j < n; ++j) K_(i, j) -= mean[at(i)] + mean[at(j)] - all;
    }
  }

  double value(std::size_t a) const {  // b, from the nearer end of its box
    const auto v = at(live_[a]);
    return x_[a] < t_[a] ? p_.lower[v] + x_[a] : p_.upper[v] - t_[a];
  }

  Vector by_point(const Vector& of_variables) const {
    Vector out(at(K_.rows()));
    for (std::size_t a = 0; a < live_.size(); ++a) out[at(point_[a])] += of_variables[a];
    return out;
  }

  Vector times_K(const Vector& v) const {
    Vector out(v.size());
    const Index n = K_.rows();
    if (n > 0) linalg::multiply(1, K_, MatrixView(v.data(), n, 1), 0, MatrixRef(out.data(), n, 1));
    return out;
  }

  // Up to a constant in each group, which the levels take up.
  Vector gradient_of(const Vector& change) const {
    const Vector f = times_K(by_point(change));
    Vector g = g0_;
    for (std::size_t a = 0; a < g.size(); ++a) g[a] += f[at(point_[a])];
    return g;
  }

  void gradient() {
    Vector change(live_.size());
    for (std::size_t a = 0; a < change.size(); ++a) change[a] = value(a) - begin_[at(live_[a])];
    g_ = gradient_of(change);
  }

  // The point with those variables at their bounds that belong there, and its gap.
  std::pair<Vector, double> at_the_bounds(double tolerance) {
    Vector wish = begin_;
    for (std::size_t a = 0; a < live_.size(); ++a) {
      const auto v = at(live_[a]);
      const bool low = x_[a] < t_[a];
      const bool bound = (low ? z_[a] : w_[a]) > tolerance / 4;
      wish[v] = !bound ? value(a) : low ? p_.lower[v] : p_.upper[v];
    }
    begin_near(rounded_, wish, sums_);
    const Vector& b = rounded_.start;
    Vector change(live_.size());
    for (std::size_t a = 0; a < change.size(); ++a) change[a] = b[at(live_[a])] - begin_[at(live_[a])];
    const Vector g = gradient_of(change);
    constexpr double kNone = -std::numeric_limits<double>::infinity();
    std::array<double, 2> up{kNone, kNone}, low{kNone, kNone};
    for (std::size_t a = 0; a < live_.size(); ++a) {
      const auto v = at(live_[a]);
      const std::size_t k = group_of(live_[a]);
      if (b[v] < p_.upper[v]) up[k] = std::max(up[k], -g[a]);
      if (b[v] > p_.lower[v]) low[k] = std::max(low[k], g[a]);
    }
    double gap = 0;
    for (const std::size_t k : {0u, 1u}) {
      gap = std::max(gap, p_.group.empty() ? std::max(up[k], low[k]) : up[k] + low[k]);
    }
    return {b, gap};
  }

  // K + diag: for two variables of one point, with curvatures d and e of their barriers, diag is 1 / (1/d + 1/e).
  bool factor() {
    const Index n = K_.rows();
    softness_.assign(at(n), 0.0);
    scale_.resize(at(n));
    curvature_.resize(live_.size());
    for (std::size_t a = 0; a < live_.size(); ++a) {
      curvature_[a] = z_[a] / x_[a] + w_[a] / t_[a];
      softness_[at(point_[a])] += 1 / curvature_[a];
    }
    for (double ridge = kRidge * largest_; std::isfinite(ridge); ridge = std::max(10 * ridge, kRidge)) {
      for (Index i = 0; i < n; ++i) {
        scale_[at(i)] = 1 / std::sqrt(K_(i, i) + 1 / softness_[at(i)] + ridge);
        if (!std::isfinite(scale_[at(i)])) return false;
      }
      for (Index i = 0; i < n; ++i) {
        for (Index j = 0; j < i; ++j) M_(i, j) = scale_[at(i)] * K_(i, j) * scale_[at(j)];
        M_(i, i) = 1;
      }
      if (linalg::cholesky(M_) == 0) break;
    }
    if (p_.group.empty()) return true;
    for (const std::size_t k : {0u, 1u}) {
      Vector ones(live_.size());
      for (std::size_t a = 0; a < live_.size(); ++a) ones[a] = group_of(live_[a]) == k ? 1.0 : 0.0;
      by_level_[k] = solve(ones);
    }
    for (const std::size_t k : {0u, 1u}) schur_[k] = group_sums(by_level_[k]);
    return true;
  }

  std::array<double, 2> group_sums(const Vector& of) const {
    std::array<double, 2> out{};
    for (std::size_t a = 0; a < live_.size(); ++a) out[group_of(live_[a])] += of[a];
    return out;
  }

  // d with  (K d by point) + curvature d = r.
  Vector solve(const Vector& r) const {
    Vector q(at(K_.rows()));
    for (std::size_t a = 0; a < r.size(); ++a) q[at(point_[a])] += r[a] / curvature_[a];
    for (std::size_t i = 0; i < q.size(); ++i) q[i] /= softness_[i];
    Vector whole = solve_points(q);
    Vector left = times_K(whole);
    for (std::size_t i = 0; i < q.size(); ++i) left[i] = q[i] - left[i] - whole[i] / softness_[i];
    const Vector more = solve_points(left);
    for (std::size_t i = 0; i < q.size(); ++i) whole[i] += more[i];
    Vector d(r.size());
    for (std::size_t a = 0; a < r.size(); ++a) {
      const std::size_t i = at(point_[a]);
      if (twin_[a] < 0) {
        d[a] = whole[i];
        continue;
      }
      const auto other = at(twin_[a]);  // what the two do against each other costs K nothing
      d[a] = ((r[a] - r[other]) / curvature_[other] + whole[i]) / (curvature_[a] * softness_[i]);
    }
    return d;
  }

  Vector solve_points(Vector v) const {
    for (std::size_t i = 0; i < v.size(); ++i) v[i] *= scale_[i];
    linalg::cholesky_solve(M_, MatrixRef(v.data(), K_.rows(), 1));
    for (std::size_t i = 0; i < v.size(); ++i) v[i] *= scale_[i];
    return v;
  }

  struct Direction {
    Vector b, z, w;
    std::array<double, 2> level{};
  };

  // Where x z and t w change by the given amounts, to first order, and the conditions on the gradient come to hold.
  Direction direction(const Vector& xz, const Vector& tw) const {
    Vector r(live_.size());
    for (std::size_t a = 0; a < r.size(); ++a) {
      r[a] = level_[group_of(live_[a])] - g_[a] + z_[a] - w_[a] + xz[a] / x_[a] - tw[a] / t_[a];
    }
    Direction d{.b = solve(r), .z = Vector(r.size()), .w = Vector(r.size())};
    if (!p_.group.empty()) {
      d.level = levels(group_sums(d.b));
      for (std::size_t a = 0; a < r.size(); ++a) {
        d.b[a] += d.level[0] * by_level_[0][a] + d.level[1] * by_level_[1][a];
      }
    }
    for (std::size_t a = 0; a < r.size(); ++a) {
      d.z[a] = (xz[a] - z_[a] * d.b[a]) / x_[a];
      d.w[a] = (tw[a] + w_[a] * d.b[a]) / t_[a];
    }
    return d;
  }

  // The changes of the levels that bring the sums of a direction to 0.
  std::array<double, 2> levels(const std::array<double, 2>& sums) const {
    const auto& [first, second] = schur_;
    if (first[0] == 0 || second[1] == 0) {  // one group
      return {first[0] == 0 ? 0 : -sums[0] / first[0], second[1] == 0 ? 0 : -sums[1] / second[1]};
    }
    const double determinant = first[0] * second[1] - first[1] * second[0];
    return {(-sums[0] * second[1] + sums[1] * second[0]) / determinant,
            (-sums[1] * first[0] + sums[0] * first[1]) / determinant};
  }

  // How far along a direction everything stays positive, at most 1.
  double length(const Direction& d) const {
    double out = 1;
    const auto keep = [&out](double now, double change) {
      if (change < 0) out = std::min(out, -now / change);
    };
    for (std::size_t a = 0; a < live_.size(); ++a) {
      keep(x_[a], d.b[a]);
      keep(t_[a], -d.b[a]);
      keep(z_[a], d.z[a]);
      keep(w_[a], d.w[a]);
    }
    return out;
  }

  double mu_after(double step, const Direction& d) const {
    double sum = 0;
    for (std::size_t a = 0; a < live_.size(); ++a) {
      sum += (x_[a] + step * d.b[a]) * (z_[a] + step * d.z[a]) + (t_[a] - step * d.b[a]) * (w_[a] + step * d.w[a]);
    }
    return sum / (2 * static_cast<double>(live_.size()));
  }

  double mu() const {
    double sum = 0;
    for (std::size_t a = 0; a < live_.size(); ++a) sum += x_[a] * z_[a] + t_[a] * w_[a];
    return sum / (2 * static_cast<double>(live_.size()));
  }

  // Straight at mu = 0 first, only to see how far that goes; then the step that aims at the mu this allows.
  void advance() {
    Vector xz(live_.size()), tw(live_.size());
    for (std::size_t a = 0; a < live_.size(); ++a) {
      xz[a] = -x_[a] * z_[a];
      tw[a] = -t_[a] * w_[a];
    }
    const Direction straight = direction(xz, tw);
    const double now = mu(), reached = mu_after(length(straight), straight);
    const double aim = now * std::pow(std::clamp(reached / now, 0.0, 1.0), 3);
    for (std::size_t a = 0; a < live_.size(); ++a) {
      xz[a] += aim - straight.b[a] * straight.z[a];
      tw[a] += aim + straight.b[a] * straight.w[a];
    }
    const Direction d = direction(xz, tw);
    const double far = length(d), step = far < 1 ? kShort * far : 1;
    for (std::size_t a = 0; a < live_.size(); ++a) {
      x_[a] += step * d.b[a];
      t_[a] -= step * d.b[a];
      z_[a] += step * d.z[a];
      w_[a] += step * d.w[a];
    }
    for (const std::size_t k : {0u, 1u}) level_[k] += step * d.level[k];
  }

  const DualProblem& p_;
  DualProblem rounded_;  // the problem again, with the point of at_the_bounds() for a start
  const Vector& begin_;
  std::array<double, 2> sums_{}, inside_{};
  std::vector<Index> live_, point_, twin_;  // variables; where in K_; the other variable of the same point, or -1
  Matrix K_, M_;                            // M_: the factor of scale (K + diag) scale
  double largest_ = 0;
  Vector g0_, g_, x_, t_, z_, w_;  // of each live variable
  std::array<double, 2> level_{};
  Vector curvature_, softness_, scale_;
  std::array<Vector, 2> by_level_;
  std::array<std::array<double, 2>, 2> schur_{};
};

}  // namespace

InteriorPoint interior_point(const DualProblem& problem, const Rows& rows, int threads, const Vector& b,
                             const Vector& f, double tolerance, const std::function<bool()>& keep_going) {
  return Method(problem, rows, threads, b, f).run(tolerance, keep_going);
}

}  // namespace mercer::detail
