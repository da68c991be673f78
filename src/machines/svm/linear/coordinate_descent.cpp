#include "machines/svm/linear/coordinate_descent.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <numeric>

#include "base/at.hpp"
#include "base/random.hpp"
#include "machines/svm/linear/primal_newton.hpp"
#include "mercer/error.hpp"

namespace mercer::detail {

namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
// Passes that have not got there, beside one for each column: about what the steps of Newton's method take.
constexpr Index kPatience = 20;
// What is left of the variables is brought to this share of the worst violation among all before all are looked at.
constexpr double kShare = 0.1;
// Rows are asked for so many steps before they are wanted, variables twice as many.
constexpr std::size_t kAhead = 4;

class Descent {
 public:
  Descent(const FeatureMatrix& x, const LinearProblem& problem, const LinearOptions& options, const Monitor& monitor)
      : x_(x), p_(problem), options_(options), monitor_(monitor), random_(options.seed) {
    out_.b.assign(at(x.points()), 0.0);
    out_.w.assign(at(x.columns()), 0.0);
    double largest = 0;
    for (const Index i : p_.order) {
      const double lower = p_.lower[at(i)], upper = p_.upper[at(i)], ridge = p_.ridge[at(i)], y = p_.y[at(i)];
      if (!(lower < upper)) continue;
      const double curvature = x.square(i) + p_.bias_scale * p_.bias_scale + ridge;
      variables_.push_back({i, 0, y, lower, upper, ridge, std::max(curvature, std::numeric_limits<double>::min())});
      largest = std::max(largest, std::abs(y));
      points_.push_back(i);
    }
    all_.resize(variables_.size());
    std::iota(all_.begin(), all_.end(), 0);
    enough_ = options.tolerance * largest;
  }

  LinearSolution run() {
    std::vector<std::int32_t> active = all_;
    double last = kInfinity;  // the worst violation of the pass before
    out_.stopped = "iteration limit";
    while (out_.passes < options_.max_passes) {
      if (!told()) {
        out_.stopped = "interrupted";
        break;
      }
      const bool whole = active.size() == all_.size();
      const double worst = pass(active, last);
      ++out_.passes;
      first_ = std::max(first_, worst);
      now_ = worst;
      if (whole) aim_ = std::max(enough_, kShare * worst);
      if (worst > aim_) {
        last = worst;
        if (out_.passes == kPatience + x_.columns() && jump()) {
          active = all_;
          last = kInfinity;
        }
        continue;
      }
      if (whole && worst <= enough_ && violation() <= enough_) {
        out_.converged = true;
        out_.stopped = "optimal to the tolerance";
        break;
      }
      active = all_;
      last = kInfinity;
    }
    finish();
    return std::move(out_);
  }

 private:
  // All that a step asks of a variable, in one line of the cache.
  struct alignas(64) Variable {
    Index point;
    double b, y, lower, upper, ridge, curvature;
  };

  // w.x + d b - y
  double gradient(const Variable& v) const {
    return x_.dot(v.point, out_.w.data()) + p_.bias_scale * weight_of_bias_ + v.ridge * v.b - v.y;
  }

  // How much the slope at b invites to leave it (above 0), or by how much it holds it there (below 0).
  double pull(const Variable& v, double g) const {
    const double up = g + p_.epsilon, down = g - p_.epsilon;  // slopes to either side of 0
    if (v.b == 0) return std::max(v.upper > 0 ? -up : -kInfinity, v.lower < 0 ? down : -kInfinity);
    const double slope = v.b > 0 ? up : down;
    if (v.b >= v.upper) return slope;
    if (v.b <= v.lower) return -slope;
    return std::abs(slope);
  }

  // One step for each active variable; those that are held at a bound leave. Returns the worst violation met.
  double pass(std::vector<std::int32_t>& active, double last) {
    for (std::size_t k = active.size(); k > 1; --k) {
      const auto drawn = static_cast<std::size_t>(random_.uniform() * static_cast<double>(k));
      std::swap(active[k - 1], active[std::min(drawn, k - 1)]);
    }
    double worst = 0;
    std::size_t kept = 0;
    for (std::size_t k = 0; k < active.size(); ++k) {
      if (k + 2 * kAhead < active.size()) __builtin_prefetch(&variables_[at(active[k + 2 * kAhead])]);
      if (k + kAhead < active.size()) x_.fetch(variables_[at(active[k + kAhead])].point);
      const std::int32_t i = active[k];
      Variable& v = variables_[at(i)];
      const double g = gradient(v), off = pull(v, g);
      if (off < -last) continue;
      active[kept++] = i;
      if (!(off > 0)) continue;
      worst = std::max(worst, off);
      step(v, g);
    }
    active.resize(kept);
    return worst;
  }

  void step(Variable& v, double g) {
    const double b = v.b, h = v.curvature;
    const double up = g + p_.epsilon, down = g - p_.epsilon;
    double to = up < h * b ? b - up / h : down > h * b ? b - down / h : 0;
    to = std::clamp(to, v.lower, v.upper);
    const double change = to - b;
    if (change == 0 || !std::isfinite(change)) return;
    v.b = to;
    x_.add(v.point, change, out_.w.data());
    weight_of_bias_ += p_.bias_scale * change;
  }

  // To where Newton's method goes in the primal, if it can be taken and is better than here.
  bool jump() {
    if (!has_primal_newton(x_, p_, points_)) return false;
    Vector weights = out_.w;
    weights.push_back(weight_of_bias_);
    try {
      weights = primal_newton(x_, p_, points_, std::move(weights), monitor_);
    } catch (const Error& error) {
      if (error.kind() != ErrorKind::cancelled) throw;
      return false;  // the next pass hears it too
    }
    const std::vector<Variable> before = variables_;
    const Vector w_before = out_.w;
    const double bias_before = weight_of_bias_, off_before = violation();
    std::fill(out_.w.begin(), out_.w.end(), 0.0);
    weight_of_bias_ = 0;
    for (Variable& v : variables_) {
      v.b = dual_at(p_, v.point, x_.dot(v.point, weights.data()) + p_.bias_scale * weights.back());
      if (v.b == 0) continue;
      x_.add(v.point, v.b, out_.w.data());
      weight_of_bias_ += p_.bias_scale * v.b;
    }
    if (violation() < off_before) return true;
    variables_ = before;
    out_.w = w_before;
    weight_of_bias_ = bias_before;
    return false;
  }

  double violation() const {
    double worst = 0;
    for (const Variable& v : variables_) worst = std::max(worst, pull(v, gradient(v)));
    return worst;
  }

  bool told() {
    try {
      const double range = std::log(first_ / enough_);
      const double done = out_.passes > 0 && range > 0 ? std::log(first_ / std::max(now_, enough_)) / range : 0;
      monitor_.report({"solve", std::clamp(done, 0.0, 1.0)});
    } catch (const Error& error) {
      if (error.kind() != ErrorKind::cancelled) throw;
      return false;
    }
    return true;
  }

  void finish() {
    out_.gap = violation();
    out_.bias = p_.bias_scale * weight_of_bias_;
    out_.size = std::inner_product(out_.w.begin(), out_.w.end(), out_.w.begin(), weight_of_bias_ * weight_of_bias_);
    out_.dual = -out_.size / 2;
    for (const Variable& v : variables_) {
      out_.b[at(v.point)] = v.b;
      out_.dual += v.y * v.b - p_.epsilon * std::abs(v.b) - v.ridge * v.b * v.b / 2;
    }
  }

  const FeatureMatrix& x_;
  const LinearProblem& p_;
  const LinearOptions& options_;
  const Monitor& monitor_;
  Random random_;
  std::vector<Variable> variables_;  // of points that take part and may move
  std::vector<Index> points_;        // theirs
  std::vector<std::int32_t> all_;    // 0, 1, ... of them
  double weight_of_bias_ = 0;
  // Violations: of all in the end, of those left now; the largest of a pass, that of the last.
  double enough_ = 0, aim_ = 0, first_ = 0, now_ = 0;
  LinearSolution out_;
};

}  // namespace

LinearSolution coordinate_descent(const FeatureMatrix& x, const LinearProblem& problem, const LinearOptions& options,
                                  const Monitor& monitor) {
  return Descent(x, problem, options, monitor).run();
}

}  // namespace mercer::detail
