#include "machines/svm/linear/coordinate_descent.hpp"

#include <algorithm>
#include <cmath>
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

class Descent {
 public:
  Descent(const FeatureMatrix& x, const LinearProblem& problem, const LinearOptions& options, const Monitor& monitor)
      : x_(x), p_(problem), options_(options), monitor_(monitor), random_(options.seed) {
    out_.b.assign(at(x.points()), 0.0);
    out_.w.assign(at(x.columns()), 0.0);
    double largest = 0;
    curvature_.resize(at(x.points()));
    for (const Index i : p_.order) {
      if (!(p_.lower[at(i)] < p_.upper[at(i)])) continue;
      curvature_[at(i)] = x.square(i) + p_.bias_scale * p_.bias_scale + p_.ridge[at(i)];
      largest = std::max(largest, std::abs(p_.y[at(i)]));
      all_.push_back(i);
    }
    enough_ = options.tolerance * largest;
  }

  LinearSolution run() {
    std::vector<Index> active = all_;
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
  // w.x + d b - y
  double gradient(Index i) const {
    return x_.dot(i, out_.w.data()) + p_.bias_scale * weight_of_bias_ + p_.ridge[at(i)] * out_.b[at(i)] - p_.y[at(i)];
  }

  // How much the slope at b invites to leave it (above 0), or by how much it holds it there (below 0).
  double pull(Index i, double g) const {
    const double b = out_.b[at(i)], up = g + p_.epsilon, down = g - p_.epsilon;  // slopes to either side of 0
    if (b == 0) return std::max(p_.upper[at(i)] > 0 ? -up : -kInfinity, p_.lower[at(i)] < 0 ? down : -kInfinity);
    const double slope = b > 0 ? up : down;
    if (b >= p_.upper[at(i)]) return slope;
    if (b <= p_.lower[at(i)]) return -slope;
    return std::abs(slope);
  }

  // One step for each active variable; those that are held at a bound leave. Returns the worst violation met.
  double pass(std::vector<Index>& active, double last) {
    for (std::size_t k = active.size(); k > 1; --k)
      std::swap(active[k - 1], active[at(random_.below(static_cast<Index>(k)))]);
    double worst = 0;
    std::size_t kept = 0;
    for (const Index i : active) {
      const double g = gradient(i), off = pull(i, g);
      if (off < -last) continue;
      active[kept++] = i;
      if (!(off > 0)) continue;
      worst = std::max(worst, off);
      step(i, g);
    }
    active.resize(kept);
    return worst;
  }

  void step(Index i, double g) {
    const double b = out_.b[at(i)], h = std::max(curvature_[at(i)], std::numeric_limits<double>::min());
    const double up = g + p_.epsilon, down = g - p_.epsilon;
    double to = up < h * b ? b - up / h : down > h * b ? b - down / h : 0;
    to = std::clamp(to, p_.lower[at(i)], p_.upper[at(i)]);
    const double change = to - b;
    if (change == 0 || !std::isfinite(change)) return;
    out_.b[at(i)] = to;
    x_.add(i, change, out_.w.data());
    weight_of_bias_ += p_.bias_scale * change;
  }

  // To where Newton's method goes in the primal, if it can be taken and is better than here.
  bool jump() {
    if (!has_primal_newton(x_, p_, all_)) return false;
    Vector weights = out_.w;
    weights.push_back(weight_of_bias_);
    try {
      weights = primal_newton(x_, p_, all_, std::move(weights), monitor_);
    } catch (const Error& error) {
      if (error.kind() != ErrorKind::cancelled) throw;
      return false;  // the next pass hears it too
    }
    const LinearSolution before = out_;
    const double bias_before = weight_of_bias_, off_before = violation();
    std::fill(out_.w.begin(), out_.w.end(), 0.0);
    weight_of_bias_ = 0;
    for (const Index i : all_) {
      const double b = dual_at(p_, i, x_.dot(i, weights.data()) + p_.bias_scale * weights.back());
      out_.b[at(i)] = b;
      if (b == 0) continue;
      x_.add(i, b, out_.w.data());
      weight_of_bias_ += p_.bias_scale * b;
    }
    if (violation() < off_before) return true;
    out_ = before;
    weight_of_bias_ = bias_before;
    return false;
  }

  double violation() const {
    double worst = 0;
    for (const Index i : all_) worst = std::max(worst, pull(i, gradient(i)));
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
    for (const Index i : all_) {
      const double b = out_.b[at(i)];
      out_.dual += p_.y[at(i)] * b - p_.epsilon * std::abs(b) - p_.ridge[at(i)] * b * b / 2;
    }
  }

  const FeatureMatrix& x_;
  const LinearProblem& p_;
  const LinearOptions& options_;
  const Monitor& monitor_;
  Random random_;
  std::vector<Index> all_;
  Vector curvature_;
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
