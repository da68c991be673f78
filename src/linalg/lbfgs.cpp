#include "linalg/lbfgs.hpp"

#include <algorithm>
#include <cmath>
#include <deque>
#include <limits>

#include "base/at.hpp"

namespace mercer::linalg {

namespace {

constexpr std::size_t kMemory = 20;  // pairs of steps remembered
constexpr int kMostTrials = 20;      // points along a direction
constexpr double kRounding = 1e-10;  // a decrease of this part of 1 + |value| may be rounding

class Search {
 public:
  Search(const Objective& f, Vector start, VectorView lower, VectorView upper, const Descent& how)
      : f_(f),
        lower_(lower),
        upper_(upper),
        how_(how),
        x_(std::move(start)),
        g_(x_.size()),
        held_(x_.size()),
        pairs_(how.known.begin(), how.known.end()) {
    project(x_);
  }

  Minimum run() {
    if (how_.gradient.empty()) {
      value_ = evaluate(x_, g_);
    } else {
      value_ = how_.value;
      g_ = how_.gradient;
    }
    if (!std::isfinite(value_)) return end(false, "the objective cannot be computed at the start");
    int flat = 0;
    while (true) {
      hold();
      if (steepest() == 0) return end(true, "the gradient is zero");
      if (iterations_ == how_.max_iterations) return end(false, "iteration limit");
      const double before = value_, last = promised_;
      const Vector d = direction();
      promised_ = -dot(g_, d) / 2;
      // A promise is believed when the one before was not too modest: a model of twice the curvature gains 1.5 times
      // it.
      const bool first = iterations_ == 0 && how_.known_well;
      const bool believed = how_.promises && (first || gained_ <= 1.5 * last) && promised_ > 0;
      if (believed && promised_ <= how_.tolerance) return end(true, "the objective no longer changes");
      if (!advance(d)) {
        // Far from rounding, memory that misleads is worth forgetting once.
        const bool little = 2 * promised_ <= rounding();
        if (!little && !pairs_.empty()) {
          pairs_.clear();
          promised_ = 0;
          continue;
        }
        // One value all along, from the whole step to a millionth of it: the slope is made of rounding errors.
        const bool nothing = little || level_;
        return end(nothing, nothing ? "nothing to gain beyond rounding" : "no lower value along the gradient");
      }
      ++iterations_;
      gained_ = before - value_;
      flat = gained_ <= how_.tolerance ? flat + 1 : 0;
      if (flat == 2 || by_slope_ == 2) return end(true, "the objective no longer changes");
      if (how_.proceed && !how_.proceed(iterations_, value_)) return end(false, "stopped");
    }
  }

 private:
  double evaluate(const Vector& x, Vector& g) {
    ++evaluations_;
    return f_(x, g);
  }
  void project(Vector& x) const {
    for (std::size_t i = 0; i < x.size(); ++i) x[i] = std::clamp(x[i], lower_[i], upper_[i]);
  }
  // A coordinate at a bound that the gradient pushes against does not move.
  void hold() {
    for (std::size_t i = 0; i < x_.size(); ++i) {
      held_[i] = (x_[i] <= lower_[i] && g_[i] > 0) || (x_[i] >= upper_[i] && g_[i] < 0);
    }
  }
  double dot(const Vector& a, const Vector& b) const {
    double sum = 0;
    for (std::size_t i = 0; i < a.size(); ++i) sum += held_[i] ? 0 : a[i] * b[i];
    return sum;
  }
  double steepest() const {
    double most = 0;
    for (std::size_t i = 0; i < g_.size(); ++i) most = std::max(most, held_[i] ? 0 : std::abs(g_[i]));
    return most;
  }

  // The two-loop recursion on the free coordinates.
  Vector direction() const {
    Vector d(g_.size());
    for (std::size_t i = 0; i < d.size(); ++i) d[i] = held_[i] ? 0 : -g_[i];
    Vector a(pairs_.size());
    double scale = 0;
    for (std::size_t p = pairs_.size(); p-- > 0;) {
      const double sy = dot(pairs_[p].step, pairs_[p].change);
      if (!(sy > 0)) continue;
      if (scale == 0) scale = sy / dot(pairs_[p].change, pairs_[p].change);
      a[p] = dot(pairs_[p].step, d) / sy;
      add(d, -a[p], pairs_[p].change);
    }
    // Without memory, a step of half a unit in the steepest coordinate.
    for (double& v : d) v *= scale > 0 ? scale : std::min(1.0, 0.5 / steepest());
    for (std::size_t p = 0; p < pairs_.size(); ++p) {
      const double sy = dot(pairs_[p].step, pairs_[p].change);
      if (sy > 0) add(d, a[p] - dot(pairs_[p].change, d) / sy, pairs_[p].step);
    }
    double longest = 0;
    for (const double v : d) longest = std::max(longest, std::abs(v));
    if (longest > how_.longest_step) {
      for (double& v : d) v *= how_.longest_step / longest;
    }
    return d;
  }
  void add(Vector& d, double factor, const Vector& v) const {
    for (std::size_t i = 0; i < d.size(); ++i) d[i] += held_[i] ? 0 : factor * v[i];
  }

  struct Trial {
    Vector x, g;
    double value;
  };
  Trial at_length(const Vector& d, double length) {
    Trial t{x_, Vector(x_.size()), 0};
    for (std::size_t i = 0; i < t.x.size(); ++i) t.x[i] += length * d[i];
    project(t.x);
    t.value = evaluate(t.x, t.g);
    return t;
  }

  // A difference that may be rounding.
  double rounding() const { return kRounding * (1 + std::abs(value_)); }

  // Where so little is to be gained that values cannot be told apart, slopes still can (Hager and Zhang, 2005, section
  // 2: the approximate Wolfe conditions): a smaller one at the end of the step means that it went down.
  bool went_down(const Trial& t, double moved, double slope, const Vector& d) const {
    return -moved <= rounding() && t.value <= value_ + rounding() && std::abs(dot(t.g, d)) <= 0.9 * -slope;
  }

  // A point along the direction that is lower by a part of what the slope promises. A slope that has hardly eased asks
  // for a longer step, a few times.
  bool advance(const Vector& d) {
    const double slope = dot(g_, d);
    level_ = slope < 0;
    if (!level_) return false;
    double length = 1;
    Trial best;
    bool found = false;
    for (int trial = 0; trial < kMostTrials; ++trial) {
      Trial t = at_length(d, length);
      level_ = level_ && std::abs(t.value - value_) <= rounding();
      double moved = 0;  // what the slope promises for the step that the bounds let it take
      for (std::size_t i = 0; i < d.size(); ++i) moved += held_[i] ? 0 : g_[i] * (t.x[i] - x_[i]);
      const bool clearly = t.value <= value_ + 1e-4 * moved;
      const bool enough = clearly || went_down(t, moved, slope, d);
      const bool lower = std::isfinite(t.value) && enough && (!found || t.value < best.value);
      if (!lower) {
        if (found) break;
        length *= std::isfinite(t.value) ? shorter(slope * length, t.value) : 0.25;
        continue;
      }
      best = std::move(t);
      found = true;
      by_slope_ += !clearly;
      const double eased = dot(best.g, d);
      if (eased >= 0.9 * slope || length >= 8) break;
      length *= 2.5;
    }
    if (!found) return false;
    remember(best);
    x_ = std::move(best.x);
    g_ = std::move(best.g);
    value_ = best.value;
    return true;
  }

  // The minimum of the parabola through the value, the slope and the value that was too high.
  double shorter(double slope, double high) const {
    const double curved = high - value_ - slope;
    return curved > 0 ? std::clamp(-slope / (2 * curved), 0.1, 0.5) : 0.5;
  }

  void remember(const Trial& t) {
    Secant p{Vector(x_.size()), Vector(x_.size())};
    double sy = 0, yy = 0;
    for (std::size_t i = 0; i < x_.size(); ++i) {
      p.step[i] = t.x[i] - x_[i];
      p.change[i] = t.g[i] - g_[i];
      sy += p.step[i] * p.change[i];
      yy += p.change[i] * p.change[i];
    }
    if (!(sy > 1e-12 * yy)) return;
    pairs_.push_back(std::move(p));
    if (pairs_.size() > kMemory) pairs_.pop_front();
  }

  Minimum end(bool converged, std::string why) {
    return {std::move(x_), value_,    std::move(g_),  iterations_,
            evaluations_,  converged, std::move(why), {pairs_.begin(), pairs_.end()}};
  }

  const Objective& f_;
  VectorView lower_, upper_;
  const Descent& how_;
  Vector x_, g_;
  std::vector<bool> held_;
  double value_ = 0;
  double promised_ = 0,
         gained_ = std::numeric_limits<double>::infinity();  // what the next step promises; the last gained
  bool level_ = false;                                       // the last direction: one value all along it
  int by_slope_ = 0;                                         // steps of which only the slope says that they went down
  std::deque<Secant> pairs_;
  Index iterations_ = 0, evaluations_ = 0;
};

}  // namespace

Minimum minimise(const Objective& f, Vector start, VectorView lower, VectorView upper, const Descent& how) {
  return Search(f, std::move(start), lower, upper, how).run();
}

}  // namespace mercer::linalg
