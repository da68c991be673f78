#include "machines/risk/rrm_solver.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/at.hpp"
#include "base/dot.hpp"
#include "base/fail.hpp"
#include "machines/risk/newton.hpp"

namespace mercer::detail {

namespace {

constexpr int kMostRounds = 200;

class Solver {
 public:
  Solver(const RegularisedRisk& config, const Gram& K, VectorView y, VectorView weights, const Monitor& monitor,
         double from, double to)
      : loss_(config),
        ridge_(config.ridge),
        tolerance_(config.tolerance),
        most_steps_(config.max_iterations),
        K_(K),
        y_(y),
        w_(weights),
        monitor_(monitor),
        from_(from),
        to_(to),
        alpha_(y.size()),
        f_(y.size()),
        multiplier_(y.size()),
        slope_(y.size()),
        curvature_(y.size()) {
    best_.primal = std::numeric_limits<double>::infinity();
    best_.dual = -best_.primal;
  }

  RiskSolution solve() {
    try {
      keep(Vector(y_.size()));  // f = 0 is feasible for every loss
      if (loss_.smooth()) {
        descend(0);
      } else {
        double mu = first_mu();
        for (int round = 0; round < kMostRounds && !done() && best_.iterations < most_steps_; ++round) {
          descend(mu);
          multiplier_ = multipliers();
          alpha_ = alpha_of(multiplier_);
          f_ = times(K_, alpha_);
          mu = std::max(mu / 4, least_mu());
        }
      }
      best_.converged = done();
      best_.stopped = done()                            ? "optimal to the tolerance"
                      : best_.iterations >= most_steps_ ? "iteration limit"
                                                        : "no step lowers the objective beyond rounding";
    } catch (const Error& error) {
      if (error.kind() != ErrorKind::cancelled) throw;
      best_.converged = false;
      best_.stopped = "interrupted";
    }
    return std::move(best_);
  }

 private:
  // Values of f that are near each other as the loss sees it: the smoothing starts there.
  double first_mu() const {
    double scale = 0, total = 0;
    for (std::size_t i = 0; i < y_.size(); ++i) {
      scale += w_[i] * std::abs(y_[i]);
      total += w_[i];
    }
    scale = scale > 0 ? scale / total : 1;
    return std::max(0.1 * scale, least_mu());
  }
  // Below it rounding in I + W^1/2 K W^1/2 / (2 ridge), with W up to w / mu, would swamp the I.
  double least_mu() const {
    double trace = 0;
    const Vector diagonal = K_.diagonal();
    for (std::size_t i = 0; i < diagonal.size(); ++i) trace += w_[i] * diagonal[i];
    return std::max(1e-13 * trace / (2 * ridge_), 1e-300);
  }

  Vector alpha_of(const Vector& multipliers) const {
    Vector alpha(multipliers.size());
    for (std::size_t i = 0; i < alpha.size(); ++i)
      alpha[i] = (multipliers[i] == 0 ? 0 : -w_[i]) * multipliers[i] / (2 * ridge_);
    return alpha;
  }

  // -2 ridge alpha / w, made such that the dual accepts it. At the solution that is the slope of the loss; where the
  // loss is curved, alpha knows it better than a slope computed from f, whose rounding the division by the ridge
  // magnifies.
  Vector multipliers() const {
    Vector s(slope_);
    for (std::size_t i = 0; i < s.size(); ++i) {
      if (curvature_[i] > 0) s[i] = loss_.admissible(y_[i], -2 * ridge_ * alpha_[i] / w_[i]);
    }
    return s;
  }

  double gap() const { return best_.primal - best_.dual; }
  bool done() const { return gap() <= tolerance_ * std::abs(best_.primal); }

  // Primal and dual values at the alpha of these multipliers; the best of each is a bound.
  void keep(const Vector& multipliers) {
    Vector alpha = alpha_of(multipliers);
    const Vector f = times(K_, alpha);
    const double norm = ridge_ * dot(alpha, f);
    double risk = 0, conjugate = 0;
    for (std::size_t i = 0; i < y_.size(); ++i) {
      if (w_[i] == 0) continue;
      risk += w_[i] * loss_.value(y_[i], f[i]);
      conjugate += w_[i] * loss_.conjugate(y_[i], multipliers[i]);
    }
    if (best_.alpha.empty() && !std::isfinite(risk)) {
      fail(ErrorKind::numeric,
           "rrm: the loss of f = 0 is {}, beyond double precision; scale the targets or the weights", risk);
    }
    best_.dual = std::max(best_.dual, -conjugate - norm);
    if (risk + norm < best_.primal) {
      best_.primal = risk + norm;
      best_.alpha = std::move(alpha);
    }
  }

  // sum_i w_i envelope(f_i + mu multiplier_i) + ridge alpha' K alpha, but for a constant.
  double objective(const Vector& f, double mu, double norm) const {
    double sum = ridge_ * norm;
    for (std::size_t i = 0; i < f.size(); ++i)
      sum += w_[i] * loss_.envelope(y_[i], f[i] + mu * multiplier_[i], mu).value;
    return sum;
  }

  // Newton's method on that objective, until its gradient is small, the gap is closed or no step helps.
  void descend(double mu) {
    for (; best_.iterations < most_steps_; ++best_.iterations) {
      Matrix step(K_.size(), 1);
      double residual = 0, largest = 0;
      for (std::size_t i = 0; i < f_.size(); ++i) {
        const LossFunction::Bend bend = loss_.envelope(y_[i], f_[i] + mu * multiplier_[i], mu);
        slope_[i] = bend.slope;
        curvature_[i] = w_[i] * bend.curvature;
        step(static_cast<Index>(i), 0) = -(2 * ridge_ * alpha_[i] + w_[i] * bend.slope);
        residual = std::max(residual, std::abs(step(static_cast<Index>(i), 0)));
        largest = std::max(largest, std::abs(w_[i] * bend.slope));
      }
      keep(multipliers());
      report();
      if (done() || residual <= 1e-12 * largest) return;
      const Monitor listen([&](const Progress&) {
        report();
        return true;
      });
      const NewtonSystem system(K_, 2 * ridge_, curvature_, listen);
      if (!system.sound()) {
        fail(ErrorKind::numeric, "rrm: ridge = {} is too small beside this kernel matrix; raise it", ridge_);
      }
      system.solve(step);
      const bool stepped = advance(mu, Vector(step.data(), step.data() + step.rows()));
      // A smoothed problem need not be solved beyond what the gap can show.
      if (!stepped || (mu > 0 && expected_ < 1e-3 * tolerance_ * std::abs(best_.primal))) return;
    }
  }

  // The longest of the steps 1, 1/2, 1/4 ... that lowers the objective as it should; false if none does.
  bool advance(double mu, const Vector& step) {
    const Vector along = times(K_, step);
    const double norm = dot(alpha_, f_), mixed = dot(alpha_, along), square = dot(step, along);
    double slope = 2 * ridge_ * mixed;
    for (std::size_t i = 0; i < step.size(); ++i) slope += w_[i] * slope_[i] * along[i];
    expected_ = -slope;
    const double start = objective(f_, mu, norm);
    if (!(slope < -1e-16 * std::abs(start))) return false;
    for (double length = 1; length > 1e-8; length /= 2) {
      Vector f = f_;
      for (std::size_t i = 0; i < f.size(); ++i) f[i] += length * along[i];
      const double value = objective(f, mu, norm + 2 * length * mixed + length * length * square);
      if (!(value <= start + 1e-4 * length * slope + 1e-14 * std::abs(start))) continue;
      for (std::size_t i = 0; i < step.size(); ++i) alpha_[i] += length * step[i];
      f_ = times(K_, alpha_);
      return true;
    }
    return false;
  }

  void report() const {
    const double left = gap() / std::max(std::abs(best_.primal), 1e-300);
    const double fraction = std::isfinite(left) && left > 0 ? std::log(std::min(left, 1.0)) / std::log(tolerance_) : 0;
    monitor_.report({"rrm", from_ + (to_ - from_) * std::clamp(fraction, 0.0, 1.0)});
  }

  const LossFunction loss_;
  const double ridge_, tolerance_;
  const Index most_steps_;
  const Gram K_;
  const VectorView y_, w_;
  const Monitor& monitor_;
  const double from_, to_;
  Vector alpha_, f_;          // where it is; f = K alpha
  double expected_ = 0;       // what the last step promised
  Vector multiplier_;         // of the augmented Lagrangian
  Vector slope_, curvature_;  // of the envelopes at f; curvature times weight
  RiskSolution best_;
};

}  // namespace

RiskSolution minimise_risk(const RegularisedRisk& config, const Gram& K, VectorView y, VectorView weights,
                           const Monitor& monitor, double from, double to) {
  return Solver(config, K, y, weights, monitor, from, to).solve();
}

}  // namespace mercer::detail
