// Relevance vectors of a classifier. At the mode of the weights the likelihood is replaced by a normal one of the same
// slope and curvature (Laplace), for which SparseBayes takes some steps; then the mode is found again.
#include <algorithm>
#include <cmath>
#include <limits>

#include "base/at.hpp"
#include "linalg/cholesky.hpp"
#include "linalg/lapack.hpp"
#include "machines/rvm_solver.hpp"
#include "machines/sparse_bayes.hpp"
#include "mercer/error.hpp"

namespace mercer::detail {

namespace {

constexpr int kMostNewtonSteps = 100;
constexpr int kPatience = 100;           // approximations that bring no more evidence
constexpr double kModeTolerance = 1e-9;  // of the gain a Newton step promises, beside the objective

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
        state_(basis),
        f_(at(basis.points())) {}

  RvmSolution solve() {
    RvmSolution out;
    (void)approximate();
    keep(out);
    try {
      climb(out);
    } catch (const Error& error) {
      if (error.kind() != ErrorKind::cancelled) throw;
      out.stopped = "interrupted";
    }
    return out;
  }

 private:
  void climb(RvmSolution& out) {
    double first_gain = 0;
    int idle = 0;
    for (;;) {
      const Index size = state_.size(), most = std::clamp<Index>(size, 5, 50);
      // As many refreshes, against rounding errors, as cost no more than the next approximation, n^2 m.
      const Index between = 1 + size * size / static_cast<Index>(f_.size());
      Index taken = 0;
      for (; taken < most; ++taken) {
        if (taken > 0 && taken % between == 0 && !state_.refresh(1)) break;
        const auto step = state_.best(limits_.tolerance);
        if (!step || out.iterations == limits_.max_iterations) break;
        state_.take(*step);
        ++out.iterations;
        first_gain = std::max(first_gain, step->gain);
        fraction_ = std::clamp(std::log(first_gain / step->gain) / std::log(first_gain * 1e11), 0.0, 1.0);
        monitor_.report({"rvc", fraction_});
      }
      if (taken == 0) {
        out.converged = out.iterations < limits_.max_iterations || !state_.best(limits_.tolerance);
        out.stopped = out.converged ? "changes of log alpha below tolerance" : "iteration limit";
        return;
      }
      if (!find_mode() || !approximate()) {
        out.stopped = "columns no longer independent in floating point";
        return;
      }
      const double before = highest_;
      keep(out);
      // Steps climb the evidence of an approximation that moves with them; they may go round in circles.
      idle = highest_ > before + limits_.tolerance ? 0 : idle + 1;
      if (idle == kPatience) {
        out.stopped = "log evidence no longer grows";
        return;
      }
    }
  }

  void keep(RvmSolution& out) {
    out.columns = state_.active();
    out.mean = state_.mean();
    out.alpha = state_.alpha();
    out.covariance = state_.covariance();
    out.log_evidence = log_evidence();
    highest_ = std::max(highest_, out.log_evidence);
    out.course.push_back({static_cast<double>(out.iterations), out.log_evidence, static_cast<double>(state_.size())});
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
    for (std::size_t m = 0; m < w.size(); ++m) sum += state_.alpha()[m] * w[m] * w[m] / 2;
    return sum + negative_log_likelihood(f);
  }

  // Newton's method from the weights of the last approximation, halving steps that do not lower the objective.
  bool find_mode() {
    Vector w = state_.mean();
    Vector f = values(w);
    // The approximation may be far off where it was extrapolated: begin no worse than at 0.
    if (objective(f, w) > objective(Vector(f.size()), Vector(w.size()))) {
      w.assign(w.size(), 0);
      f.assign(f.size(), 0);
    }
    for (int k = 0; k < kMostNewtonSteps; ++k) {
      monitor_.report({"rvc", fraction_});
      double promised = 0;
      const auto step = newton_step(f, w, promised);
      if (!step) return false;
      const double now = objective(f, w);
      if (promised <= kModeTolerance * kModeTolerance * (1 + now)) break;
      double length = 1;
      Vector next(w.size());
      for (;; length /= 2) {
        for (std::size_t m = 0; m < w.size(); ++m) next[m] = w[m] + length * (*step)[m];
        f = values(next);
        if (objective(f, next) <= now || length < 1e-10) break;
      }
      w = next;
    }
    f_ = f;
    return true;
  }

  std::optional<Vector> newton_step(const Vector& f, const Vector& w, double& promised) const {
    const Index m = state_.size(), n = static_cast<Index>(f.size());
    Matrix rows = Matrix::uninitialized(m, n), g(m, m);
    Matrix descent(m, 1);
    for (Index k = 0; k < m; ++k) {
      descent(k, 0) = -state_.alpha()[at(k)] * w[at(k)];
      for (Index i = 0; i < n; ++i) {
        const double p = probability(f[at(i)]), phi = state_.values(k)[at(i)];
        rows(k, i) = std::sqrt(weights_[at(i)] * p * (1 - p)) * phi;
        descent(k, 0) += weights_[at(i)] * ((positive_[at(i)] ? 1 : 0) - p) * phi;
      }
    }
    if (m > 0) few_rows(m, [&] { linalg::symmetric_product(rows, g); });
    const auto factor = scaled_factor(g, state_.alpha());
    if (!factor) return std::nullopt;
    Matrix solved(m, 1);
    for (Index k = 0; k < m; ++k) solved(k, 0) = descent(k, 0) / std::sqrt(state_.alpha()[at(k)]);
    few_rows(m, [&] { linalg::cholesky_solve(*factor, solved); });
    Vector step(at(m));
    promised = 0;
    for (Index k = 0; k < m; ++k) {
      step[at(k)] = solved(k, 0) / std::sqrt(state_.alpha()[at(k)]);
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
    return state_.pose(std::move(curvature), weighted_z, 1);
  }

  double log_evidence() const {
    return -negative_log_likelihood(f_) - (state_.penalty() + state_.log_determinant()) / 2;
  }

  const std::vector<bool>& positive_;
  const Vector& weights_;
  RvmLimits limits_;
  const Monitor& monitor_;
  SparseBayes state_;
  Vector f_;                                                   // at the mode
  double fraction_ = 0;                                        // of the way, as told to the monitor
  double highest_ = -std::numeric_limits<double>::infinity();  // evidence so far
};

}  // namespace

RvmSolution solve_rvc(const RvmBasis& basis, const std::vector<bool>& positive, const Vector& weights,
                      const RvmLimits& limits, const Monitor& monitor) {
  return Classification(basis, positive, weights, limits, monitor).solve();
}

}  // namespace mercer::detail
