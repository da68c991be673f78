#include "machines/rvm_solver.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <numeric>

#include "base/at.hpp"
#include "machines/sparse_bayes.hpp"
#include "mercer/error.hpp"

namespace mercer::detail {

namespace {

// The noise as a part of the variance of y: to begin with, and at least. It is learnt after this many steps, when the
// model has had a chance to explain what is not noise.
constexpr double kStartNoise = 0.01, kLeastNoise = 1e-8;
constexpr Index kStepsBeforeNoise = 20;
constexpr double kRounding = 1e-10;  // of an evidence, relatively
constexpr double kFurthest = 64;     // times the last steps

// Between two refreshes, which cost about as much as this many steps.
Index steps_at_once(Index size) { return std::clamp<Index>(size, 5, 100); }

class Regression {
 public:
  Regression(const RvmBasis& basis, const Vector& y, const Vector& weights, const Learnable& noise,
             const RvmLimits& limits, const Monitor& monitor)
      : y_(y), weights_(weights), noise_(noise), limits_(limits), monitor_(monitor), state_(basis), sound_(basis) {
    total_ = std::accumulate(weights.begin(), weights.end(), 0.0);
    double mean = 0;
    for (std::size_t i = 0; i < y.size(); ++i) mean += weights[i] * y[i] / total_;
    if (basis.columns() == basis.points()) mean = 0;  // no bias
    for (std::size_t i = 0; i < y.size(); ++i) spread_ += weights[i] * (y[i] - mean) * (y[i] - mean) / total_;
  }

  RvmSolution solve() {
    RvmSolution out;
    Vector weighted(y_.size());
    for (std::size_t i = 0; i < y_.size(); ++i) weighted[i] = weights_[i] * y_[i];
    (void)state_.pose(weights_, weighted, 1 / noise_.value.value_or(between_bounds(kStartNoise * spread_)));
    try {
      climb(out);
    } catch (const Error& error) {
      if (error.kind() != ErrorKind::cancelled) throw;
      out.stopped = "interrupted";
    }
    if (!state_.refresh(state_.precision()) || fell()) state_ = sound_;
    record(out);
    out.columns = state_.active();
    out.mean = state_.mean();
    out.alpha = state_.alpha();
    out.covariance = state_.covariance();
    out.noise = 1 / state_.precision();
    out.noise_at_least = !noise_.fixed && out.noise <= 1.001 * between_bounds(0);
    out.log_evidence = evidence();
    return out;
  }

 private:
  void climb(RvmSolution& out) {
    double first_gain = 0, when_unbarred = -std::numeric_limits<double>::infinity();
    sound_ = state_;
    reached_ = evidence();
    Index at_once = 5;
    for (;;) {
      bool settled = false;
      double promised = 0;
      Index last = -1;  // the column of the last step
      for (Index k = std::min(at_once, steps_at_once(state_.size())); k > 0; --k) {
        const auto step = state_.best(limits_.tolerance);
        settled = !step;
        if (settled) break;
        if (out.iterations == limits_.max_iterations) {
          out.stopped = "iteration limit";
          return;
        }
        state_.take(*step);
        last = step->column;
        promised += step->gain;
        ++out.iterations;
        first_gain = std::max(first_gain, step->gain);
        monitor_.report({"rvm", std::clamp(std::log(first_gain / step->gain) / std::log(first_gain * 1e11), 0.0, 1.0)});
      }
      // Steps keep their promise, or statistics are lost in rounding errors: then fewer at once. They only climb; a
      // step from fresh statistics that does not is one not to be taken.
      const bool sound = state_.look(state_.precision(), state_.alpha());
      if (last >= 0 && (!sound || fell())) {
        if (at_once == 1) sound_.bar(last);
        out.barred += at_once == 1 ? 1 : 0;
        state_ = sound_;
        at_once = 1;
        continue;
      }
      const double off = std::abs(evidence() - reached_ - promised);
      at_once = off > 0.05 * promised + rounding() ? std::max<Index>(1, at_once / 2) : 2 * at_once;
      at_once = std::min(at_once, steps_at_once(state_.size()));
      if (!settled) extrapolate();
      const bool learning = !noise_.fixed && (settled || out.iterations >= kStepsBeforeNoise);
      const bool quiet = !learning || !learn_noise();
      (void)state_.refresh(state_.precision(), settled || at_once < steps_at_once(state_.size()));
      sound_ = state_;
      reached_ = evidence();
      record(out);
      if (settled && quiet && !state_.best(limits_.tolerance)) {
        if (out.barred > 0 && reached_ > when_unbarred + limits_.tolerance) {  // what was barred then need not be now
          when_unbarred = reached_;
          out.barred = 0;
          state_.unbar();
          sound_ = state_;
          continue;
        }
        out.converged = true;
        out.stopped = "changes of log alpha below tolerance";
        return;
      }
    }
  }

  double rounding() const { return kRounding * (1 + std::abs(reached_)); }
  bool fell() const { return !(evidence() > reached_ - rounding()); }

  double squared_error() const {
    const Vector f = state_.fitted();
    double sum = 0;
    for (std::size_t i = 0; i < y_.size(); ++i) sum += weights_[i] * (y_[i] - f[i]) * (y_[i] - f[i]);
    return sum;
  }

  double evidence() const {
    const double b = state_.precision();
    return -(total_ * std::log(2 * std::numbers::pi / b) + state_.log_determinant() + b * squared_error() +
             state_.penalty()) /
           2;
  }

  double between_bounds(double noise) const {
    return std::clamp(std::max(noise, kLeastNoise * spread_), noise_.lower, noise_.upper);
  }

  // Where columns are nearly parallel, as those of neighbours are, one takes over the variance of the other in many
  // small steps, and the evidence grows along a straight line. So on in the direction of the last steps, at best to
  // where a variance is 0 and its column goes.
  void extrapolate() {
    const double before = evidence();
    const Vector alpha = state_.alpha();
    Vector slope(alpha.size());  // of the variances
    double furthest = kFurthest;
    for (std::size_t m = 0; m < alpha.size(); ++m) {
      const double earlier = sound_.variance(state_.active()[m]);
      slope[m] = earlier > 0 ? 1 / alpha[m] - earlier : 0;
      if (slope[m] < 0) furthest = std::min(furthest, 1 / alpha[m] / -slope[m]);
    }
    for (double length = furthest; length > 0.5; length /= 4) {
      Vector next = alpha;
      for (std::size_t m = 0; m < alpha.size(); ++m) {
        const double variance = 1 / alpha[m] + length * slope[m];
        next[m] = variance > 1e-9 / alpha[m] ? 1 / variance : std::numeric_limits<double>::infinity();
      }
      if (state_.look(state_.precision(), std::move(next)) && evidence() > before) return;
    }
    (void)state_.look(state_.precision(), alpha);
  }

  // Whether the noise moved. The fixed point of MacKay is quick but may overshoot; that of expectation maximisation,
  // whose fixed points are the same, never lowers the evidence.
  bool learn_noise() {
    const double now = state_.precision(), before = evidence(), error = squared_error();
    const double decided = state_.well_determined(), free = std::max(total_ - decided, 1e-3 * total_);
    const double quick = between_bounds(error / free), sure = between_bounds((error + decided / now) / total_);
    for (const double noise : {quick, sure}) {
      if (std::abs(std::log(noise * now)) <= limits_.tolerance / 10) break;
      if (state_.look(1 / noise, state_.alpha()) && evidence() >= before) return true;
    }
    (void)state_.look(now, state_.alpha());
    return false;
  }

  void record(RvmSolution& out) const {
    const Vector row = {static_cast<double>(out.iterations), evidence(), static_cast<double>(state_.size()),
                        1 / state_.precision()};
    if (out.course.empty() || out.course.back() != row) out.course.push_back(row);
  }

  const Vector& y_;
  const Vector& weights_;
  const Learnable& noise_;
  RvmLimits limits_;
  const Monitor& monitor_;
  SparseBayes state_;
  SparseBayes sound_;                                          // as of the last refresh
  double reached_ = -std::numeric_limits<double>::infinity();  // its evidence
  double total_ = 0, spread_ = 0;
};

}  // namespace

RvmSolution solve_rvm(const RvmBasis& basis, const Vector& y, const Vector& weights, const Learnable& noise,
                      const RvmLimits& limits, const Monitor& monitor) {
  return Regression(basis, y, weights, noise, limits, monitor).solve();
}

}  // namespace mercer::detail
