#include "machines/sparse_bayes/rvm_solver.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <numeric>

#include "base/at.hpp"
#include "machines/sparse_bayes/sparse_growth.hpp"
#include "mercer/error.hpp"

namespace mercer::detail {

namespace {

// The noise as a part of the variance of y: to begin with, and at least. It is learnt after this many additions, when
// the model has had a chance to explain what is not noise, or when nothing more is to be gained.
constexpr double kStartNoise = 0.01, kLeastNoise = 1e-8;
constexpr Index kAdditionsBeforeNoise = 20;

class Regression {
 public:
  Regression(const RvmBasis& basis, const Vector& y, const Vector& weights, const Learnable& noise,
             const RvmLimits& limits, const Monitor& monitor)
      : weights_(weights),
        noise_(noise),
        limits_(limits),
        monitor_(monitor),
        growth_(limits, "rvm"),
        state_(basis),
        sound_(basis) {
    total_ = std::accumulate(weights.begin(), weights.end(), 0.0);
    double mean = 0;
    for (std::size_t i = 0; i < y.size(); ++i) mean += weights[i] * y[i] / total_;
    if (basis.columns() == basis.points()) mean = 0;  // no bias
    for (std::size_t i = 0; i < y.size(); ++i) spread_ += weights[i] * (y[i] - mean) * (y[i] - mean) / total_;
    weighted_y_.resize(y.size());
    for (std::size_t i = 0; i < y.size(); ++i) weighted_y_[i] = weights[i] * y[i];
  }

  RvmSolution solve() {
    RvmSolution out;
    (void)state_.pose(weights_, weighted_y_, 1 / noise_.value.value_or(between_bounds(kStartNoise * spread_)));
    sound_ = state_;
    reached_ = state_.log_evidence();
    record(out);
    try {
      climb(out);
    } catch (const Error& error) {
      if (error.kind() != ErrorKind::cancelled) throw;
      out.stopped = "interrupted";
    }
    if (!state_.look() || !(state_.log_evidence() > reached_)) state_ = sound_;
    record(out);
    const WeightPosterior& weights = state_.weights();
    out.columns = state_.active();
    out.mean = weights.mean;
    out.alpha = weights.alpha;
    out.covariance = weights.covariance;
    out.noise = 1 / weights.precision;
    out.noise_at_least = !noise_.fixed && out.noise <= 1.001 * between_bounds(0);
    out.log_evidence = state_.log_evidence();
    return out;
  }

 private:
  void climb(RvmSolution& out) {
    double when_unbarred = -std::numeric_limits<double>::infinity();
    bool learning = false, one_by_one = false;
    for (;;) {
      const std::vector<Index> added = growth_.grow(state_, one_by_one, out);
      if (!out.stopped.empty()) return;
      if (added.empty() && (learning || noise_.fixed)) {
        if (out.barred == 0 || reached_ <= when_unbarred + limits_.tolerance) {
          out.converged = true;
          out.stopped = "no function gains more than the tolerance";
          return;
        }
        when_unbarred = reached_;  // what was barred then need not be now
        out.barred = 0;
        sound_.unbar();
        state_ = sound_;
        continue;
      }
      learning = !noise_.fixed && (learning || added.empty() || out.iterations >= kAdditionsBeforeNoise);
      const std::optional<SparseBayes::Bounds> noise = {{between_bounds(0), noise_.upper}};
      const bool sound = state_.settle(learning ? noise : std::nullopt, monitor_, growth_.progress());
      if (!added.empty() && !(sound && state_.log_evidence() > reached_ + limits_.tolerance / 10)) {
        // Rounding errors hide what they would gain: one of them alone, and if need be none.
        if (added.size() == 1) {
          sound_.bar(added[0]);
          ++out.barred;
        }
        state_ = sound_;
        one_by_one = added.size() > 1;
        continue;
      }
      one_by_one = false;
      sound_ = state_;
      reached_ = state_.log_evidence();
      record(out);
    }
  }

  double between_bounds(double noise) const {
    return std::clamp(std::max(noise, kLeastNoise * spread_), noise_.lower, noise_.upper);
  }

  void record(RvmSolution& out) const {
    const Vector row = {static_cast<double>(out.iterations), state_.log_evidence(), static_cast<double>(state_.size()),
                        1 / state_.weights().precision};
    if (out.course.empty() || out.course.back() != row) out.course.push_back(row);
  }

  const Vector& weights_;
  Vector weighted_y_;
  const Learnable& noise_;
  RvmLimits limits_;
  const Monitor& monitor_;
  SparseGrowth growth_;
  SparseBayes state_;
  SparseBayes sound_;                                          // as it last settled
  double reached_ = -std::numeric_limits<double>::infinity();  // its evidence
  double total_ = 0, spread_ = 0;
};

}  // namespace

RvmSolution solve_rvm(const RvmBasis& basis, const Vector& y, const Vector& weights, const Learnable& noise,
                      const RvmLimits& limits, const Monitor& monitor) {
  return Regression(basis, y, weights, noise, limits, monitor).solve();
}

}  // namespace mercer::detail
