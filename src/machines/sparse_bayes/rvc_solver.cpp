// Relevance vectors of a classifier. At the mode of the weights the likelihood is replaced by a normal one of the same
// slope and curvature (Laplace), whose evidence SparseBayes climbs; then the mode is found again, until both agree.
// That is not quite where Laplace's evidence is highest, because its curvature moves with the alphas too. At the end
// the slope that this adds is held fixed while the alphas settle, and found again, until nothing moves: the end is
// where slopes vanish, to many digits, and not where the evidence, which is flat there, seems to grow no more.
#include <algorithm>
#include <cmath>
#include <limits>

#include "base/at.hpp"
#include "linalg/cholesky.hpp"
#include "linalg/lapack.hpp"
#include "machines/sparse_bayes/rvm_solver.hpp"
#include "machines/sparse_bayes/sparse_growth.hpp"
#include "mercer/error.hpp"

namespace mercer::detail {

namespace {

constexpr int kMostNewtonSteps = 100;
constexpr Index kSideBySide = 4;          // columns
constexpr double kModeTolerance = 1e-10;  // of the gain a Newton step promises, beside the objective: it is the last
// Alphas and curvature follow each other until no f(x_i) moves by more than this: roughly on the way, sharply at the
// end.
constexpr double kRough = 1e-3, kSharp = 1e-10;
constexpr int kMostTurns = 500;
constexpr int kIdleTurns = 50;  // in which f never moved less than before: it goes round in rounding
constexpr int kMostEnds = 20;   // times that columns come in after the end

double probability(double f) { return f >= 0 ? 1 / (1 + std::exp(-f)) : std::exp(f) / (1 + std::exp(f)); }
double log_one_plus_exp(double f) { return f > 0 ? f + std::log1p(std::exp(-f)) : std::log1p(std::exp(f)); }

class Classification {
 public:
  Classification(const RvmBasis& basis, const std::vector<bool>& positive, const Vector& weights,
                 const RvmLimits& limits, const Monitor& monitor)
      : positive_(positive),
        weights_(weights),
        limits_(limits),
        monitor_(monitor),
        growth_(limits, "rvc"),
        state_(basis),
        f_(at(basis.points())),
        at_zero_(negative_log_likelihood(f_)),
        sound_{state_, f_, 0} {}

  RvmSolution solve() {
    RvmSolution out;
    (void)approximate();
    sound_ = {state_, f_, log_evidence()};
    record(out);
    try {
      climb(out);
    } catch (const Error& error) {
      if (error.kind() != ErrorKind::cancelled) throw;
      out.stopped = "interrupted";
    }
    out.columns = sound_.state.active();
    out.mean = sound_.state.weights().mean;
    out.alpha = sound_.state.weights().alpha;
    out.covariance = sound_.state.weights().covariance;
    out.log_evidence = sound_.log_evidence;
    return out;
  }

 private:
  void climb(RvmSolution& out) {
    double when_unbarred = -std::numeric_limits<double>::infinity();
    bool one_by_one = false, barred = false, at_end = false;
    int ends = 0;
    for (;;) {
      const std::vector<Index> added = growth_.grow(state_, one_by_one, out);
      if (!out.stopped.empty()) return;
      if (added.empty() && barred && sound_.log_evidence > when_unbarred + limits_.tolerance) {
        when_unbarred = sound_.log_evidence;  // what was barred then need not be now
        barred = false;
        sound_.state.unbar();
        state_ = sound_.state;
        continue;
      }
      if (added.empty() && (at_end || ends == kMostEnds)) {
        if (at_end) follow_curvature(out);
        out.converged = at_end;
        out.stopped = at_end ? "no function gains more than the tolerance" : "log evidence no longer grows";
        return;
      }
      at_end = added.empty();
      ends += at_end ? 1 : 0;
      const bool balanced = balance(at_end ? kSharp : kRough);
      // Steps climb the evidence of an approximation that moves with them. Those that end lower are not taken.
      if (!added.empty() && !(balanced && log_evidence() > sound_.log_evidence + limits_.tolerance / 10)) {
        if (added.size() == 1) {
          sound_.state.bar(added[0]);
          barred = true;
        }
        state_ = sound_.state;
        f_ = sound_.f;
        one_by_one = added.size() > 1;
        continue;
      }
      if (!balanced) {
        out.stopped = "columns no longer independent in floating point";
        return;
      }
      one_by_one = false;
      sound_ = {state_, f_, log_evidence()};
      record(out);
    }
  }

  // To the maximum of Laplace's evidence itself over the alphas of the columns in the model, where that is higher and
  // is found to all digits; else all stays as it is.
  void follow_curvature(RvmSolution& out) {
    follows_ = true;
    if (!balance(kSharp) || !agreed_ || !(log_evidence() > sound_.log_evidence)) return;
    sound_ = {state_, f_, log_evidence()};
    record(out);
  }

  // The mode moves with log alpha_m by -covariance_m alpha_m mean_m, and with it the curvature c_i of f_i by
  // c_i (1 - 2 p_i), which counts by the variance of f_i: what the slope of the evidence by log alpha_m has beside that
  // of the approximation.
  Vector slope_of_curvature() const {
    const WeightPosterior& w = state_.weights();
    const Index m = state_.size();
    Vector variance(f_.size());
    for (Index a = 0; a < m; ++a) {
      Vector row(f_.size());  // of covariance Phi
      for (Index b = 0; b < m; ++b) {
        for (std::size_t i = 0; i < row.size(); ++i) row[i] += w.covariance(a, b) * state_.values(b)[i];
      }
      for (std::size_t i = 0; i < row.size(); ++i) variance[i] += row[i] * state_.values(a)[i];
    }
    Matrix by_mode(m, 1), moved(m, 1);
    for (std::size_t i = 0; i < f_.size(); ++i) {
      const double p = probability(f_[i]), bend = weights_[i] * p * (1 - p) * (1 - 2 * p) * variance[i];
      for (Index a = 0; a < m; ++a) by_mode(a, 0) += bend * state_.values(a)[i];
    }
    linalg::multiply(1, w.covariance, by_mode, 0, moved);
    Vector out;
    for (Index a = 0; a < m; ++a) out.push_back(w.alpha[at(a)] * w.mean[at(a)] * moved(a, 0) / 2);
    return out;
  }

  // By the mean of the last slope and this one: by turns they may be too large and too small.
  void push() {
    Vector now = slope_of_curvature();
    for (std::size_t m = 0; pushed_.size() == now.size() && m < now.size(); ++m) now[m] = (now[m] + pushed_[m]) / 2;
    pushed_ = now;
    state_.push(std::move(now));
  }

  // The alphas at the maximum of the approximation's evidence, the approximation at the mode for these alphas.
  bool balance(double tolerance) {
    double least = std::numeric_limits<double>::infinity();
    int idle = 0;
    for (int turn = 0; turn < kMostTurns && idle < kIdleTurns; ++turn) {
      const Vector before = f_;
      if (follows_) push();
      if (!state_.settle({}, monitor_, growth_.progress()) || !find_mode() || !approximate()) return false;
      double moved = 0;
      for (std::size_t i = 0; i < f_.size(); ++i) {
        moved = std::max(moved, std::abs(f_[i] - before[i]) / (1 + std::abs(f_[i])));
      }
      agreed_ = moved <= tolerance;
      if (agreed_) return true;
      idle = moved < least ? 0 : idle + 1;
      least = std::min(least, moved);
    }
    return true;
  }

  void record(RvmSolution& out) const {
    out.course.push_back(
        {static_cast<double>(out.iterations), sound_.log_evidence, static_cast<double>(sound_.state.size())});
  }

  // f = Phi weights
  Vector values(const Vector& w) const {
    Vector f(f_.size());
    for (Index m = 0; m < state_.size(); ++m) {
      for (std::size_t i = 0; i < f.size(); ++i) f[i] += w[at(m)] * state_.values(m)[i];
    }
    return f;
  }

  double negative_log_likelihood(const Vector& f) const {
    double sum = 0;
    for (std::size_t i = 0; i < f.size(); ++i)
      sum += weights_[i] * (log_one_plus_exp(f[i]) - (positive_[i] ? f[i] : 0));
    return sum;
  }

  double objective(const Vector& f, const Vector& w) const {
    double sum = 0;
    for (std::size_t m = 0; m < w.size(); ++m) sum += state_.weights().alpha[m] * w[m] * w[m] / 2;
    return sum + negative_log_likelihood(f);
  }

  // Newton's method from the weights of the last approximation, halving steps that do not lower the objective.
  bool find_mode() {
    Vector w = state_.weights().mean;
    Vector f = values(w);
    double now = objective(f, w);
    // The approximation may be far off where it was extrapolated: begin no worse than at 0.
    if (now > at_zero_) {
      w.assign(w.size(), 0);
      f.assign(f.size(), 0);
      now = at_zero_;
    }
    for (int k = 0; k < kMostNewtonSteps; ++k) {
      monitor_.report(growth_.progress());
      double promised = 0;
      const auto step = mode_step(f, w, promised);
      if (!step) return false;
      const bool last = promised <= kModeTolerance * (1 + now);  // all rounding error from there on
      Vector next(w.size());
      for (double length = 1;; length /= 2) {
        for (std::size_t m = 0; m < w.size(); ++m) next[m] = w[m] + length * (*step)[m];
        f = values(next);
        if (last) break;
        const double then = objective(f, next);
        if (!(then <= now) && length >= 1e-10) continue;
        now = then;
        break;
      }
      w = next;
      if (last) break;
    }
    f_ = f;
    return true;
  }

  // Sums of some columns at once, each in the order of the points: one alone waits for every addition.
  void add_pull(Index first, const Vector& w, const Vector& pull, Matrix& descent) const {
    const double* phi[kSideBySide];
    double sum[kSideBySide];
    for (Index k = 0; k < kSideBySide; ++k) {
      const Index column = std::min(first + k, state_.size() - 1);  // the last one several times
      phi[k] = state_.values(column).data();
      sum[k] = -state_.weights().alpha[at(column)] * w[at(column)];
    }
    for (std::size_t i = 0; i < pull.size(); ++i) {
      for (Index k = 0; k < kSideBySide; ++k) sum[k] += pull[i] * phi[k][i];
    }
    for (Index k = 0; k < kSideBySide && first + k < state_.size(); ++k) descent(first + k, 0) = sum[k];
  }

  std::optional<Vector> mode_step(const Vector& f, const Vector& w, double& promised) const {
    const Index m = state_.size(), n = static_cast<Index>(f.size());
    Matrix rows = Matrix::uninitialized(m, n), g(m, m);
    Matrix descent(m, 1);
    Vector root(f.size()), pull(f.size());
    for (std::size_t i = 0; i < f.size(); ++i) {
      const double p = probability(f[i]);
      root[i] = std::sqrt(weights_[i] * p * (1 - p));
      pull[i] = weights_[i] * ((positive_[i] ? 1 : 0) - p);
    }
    for (Index k = 0; k < m; ++k) {
      const Vector& phi = state_.values(k);
      for (Index i = 0; i < n; ++i) rows(k, i) = root[at(i)] * phi[at(i)];
    }
    for (Index first = 0; first < m; first += kSideBySide) add_pull(first, w, pull, descent);
    if (m > 0) linalg::symmetric_product(rows, g);
    const auto factor = scaled_factor(g, state_.weights().alpha);
    if (!factor) return std::nullopt;
    Matrix solved(m, 1);
    for (Index k = 0; k < m; ++k) solved(k, 0) = descent(k, 0) / std::sqrt(state_.weights().alpha[at(k)]);
    linalg::cholesky_solve(*factor, solved);
    Vector step(at(m));
    promised = 0;
    for (Index k = 0; k < m; ++k) {
      step[at(k)] = solved(k, 0) / std::sqrt(state_.weights().alpha[at(k)]);
      promised += step[at(k)] * descent(k, 0) / 2;
    }
    return step;
  }

  // Curvature B = w p (1 - p) and z with B z = B f + w (t - p), at f_.
  bool approximate() {
    Vector curvature(f_.size()), weighted_z(f_.size());
    for (std::size_t i = 0; i < f_.size(); ++i) {
      const double p = probability(f_[i]);
      curvature[i] = weights_[i] * p * (1 - p);
      weighted_z[i] = curvature[i] * f_[i] + weights_[i] * ((positive_[i] ? 1 : 0) - p);
    }
    return state_.pose(std::move(curvature), std::move(weighted_z), 1);
  }

  double log_evidence() const {
    return -negative_log_likelihood(f_) - (state_.weights().penalty() + state_.weights().log_determinant) / 2;
  }

  const std::vector<bool>& positive_;
  const Vector& weights_;
  RvmLimits limits_;
  const Monitor& monitor_;
  SparseGrowth growth_;
  SparseBayes state_;
  Vector f_;              // at the mode
  double at_zero_;        // the objective there
  bool follows_ = false;  // the slope of the curvature is pushed, too
  Vector pushed_;         // last
  bool agreed_ = false;   // the last balance
  struct Sound {
    SparseBayes state;
    Vector f;
    double log_evidence;
  } sound_;  // as last balanced
};

}  // namespace

RvmSolution solve_rvc(const RvmBasis& basis, const std::vector<bool>& positive, const Vector& weights,
                      const RvmLimits& limits, const Monitor& monitor) {
  return Classification(basis, positive, weights, limits, monitor).solve();
}

}  // namespace mercer::detail
