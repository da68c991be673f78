// mercer/machines/gp.hpp: Gaussian process regression.
//
//     Model m = GaussianProcess{}.fit(lazy(parse("rbf(ell=[auto])"), x), y);     // hyper-parameters learnt
//     Matrix mean = m.scores(test), variance = m.variances(test);
//     Matrix paths = sample_posterior(m, test, {.draws = 100});
//     for (const Component& c : components(m, test)) ...                         // of k = k1 + k2 + ...
#pragma once

#include "mercer/machines.hpp"
#include "mercer/prior.hpp"

namespace mercer {

// y_i = h(x_i)'b + f(x_i) + e_i,   f ~ GP(0, signal k),   e_i ~ N(0, noise / w_i)
//
// Mean, variance and evidence are exact. Parameters of the kernel that are not fixed, the noise and the signal are
// learnt by maximising the log marginal likelihood (or the leave-one-out log density) and the priors, by L-BFGS on
// their logarithms from several starts, which are tried on some of the points first. b has no prior and is at its
// best value given the rest; the variance accounts for what is not known of it. Several targets share kernel and
// relative noise, and each has a signal variance of its own.
//
// With `nearest`, sums over neighbours stand for the evidence, means and variances: the report says how far twice as
// many would move them, and where that is more than 0.01 a point, evidence and model take more than learning did.
//
// One evaluation costs n^3 flops and n^2 doubles for the value and all derivatives together; a fit ends with n^3/3.
// With `learn_on`, all but the end is about so many of the points.
//
// With `inducing`, m of the points stand for all: K is replaced by Q = K(X, Z) K(Z, Z)^-1 K(Z, X), and what is
// maximised is a bound below the evidence, log N(y | H b, s Q + noise) - tr s (K - Q) / (2 noise) (Titsias 2009), or
// with `fitc` the evidence of s (Q + diag(K - Q)) + noise. Z is drawn by what it leaves of K (RPCholesky), and again
// for what was learnt. 5 n m^2 flops an evaluation, and memory of a few m^2 beside the points.
//
// Report: log_marginal_likelihood, with inducing points the bound below it and log_marginal_likelihood_at_most, one
// above it; inducing, how many there are, and trace_left_out, the share of tr K that they lack;
// leave_one_out_log_density where asked for, signal, noise, condition, jitter where K + noise was not positive definite
// in floating point, why learning ended, which parameters are at a bound.
struct GaussianProcess {
  enum class Objective { lml, loo, none };  // none: nothing is learnt
  // All exact. iterative: step by step, from products with K, in memory that grows as n: means are exact to 1e-6 of the
  // targets, and the evidence is an interval. For more points than all pairs find room for; one noise for all of them.
  // state_space: on one column of numbers, for kernels that have one, by a Kalman filter from each point to
  // the next, O(n) for everything; of on("t", k) * on("series", equal()) along each series, on all cores. automatic
  // takes it where it is less work than dense.
  enum class Solver { automatic, dense, state_space, iterative };

  Learnable noise = {};   // variance of e; to begin with a tenth of that of y
  Learnable signal = {};  // none: 1 where the kernel has a free scale of its own and there is one target, else learnt,
                          // in closed form where the noise is learnt too and neither has a bound or a prior
  Trend mean = Trend::constant;
  Objective objective = Objective::lml;
  Solver solver = Solver::automatic;
  std::map<std::string, Prior> priors = {};  // by the path of a kernel's parameter ("rbf.ell" for all its columns, or
                                             // "rbf.ell[2]"), "noise" or "signal"
  Vector point_noise = {};  // variances known beforehand, added to the noise of each point; empty: none
  // 0: exact. K: each point given the K nearest of those before it in a random order, for the evidence, and new points
  // given 2K (Vecchia's approximation); n K^3/3 flops and n K numbers. K >= n - 1 is exact.
  Index nearest = 0;
  bool loo = false;    // also report the leave-one-out log density: another 2/3 n^3
  Index inducing = 0;  // points that stand for all; 0: all points
  bool fitc = false;   // with these
  Index learn_on = 0;  // points that are learnt from, where there are more; 0: all
  Index starts = 8;    // where learning begins: at the values given, and at random ones around them
  Index screen = 400;  // points on which starts are compared when there are more
  Index max_iterations = 200;
  double max_seconds = 0;   // 0: no limit
  double tolerance = 1e-7;  // stop when the objective gains less than this a point; beyond `screen`, 100 times this
  std::uint64_t seed = 1;

  static GaussianProcess from(const Settings& settings);  // the options as texts; throws UsageError
  Model fit(const Training& training) const;
  Model fit(const Gram& K, VectorView y) const;
};

// The log marginal likelihood of y under f ~ GP(0, k), noise added to the diagonal, and its derivatives.
struct Evidence {
  double value = 0;
  Vector by_kernel = {};  // d value / d parameter, in the order of k.params(), fixed ones included
  double by_noise = 0;
  double by_signal = 0;
};
Evidence log_marginal_likelihood(const Kernel& k, const Points& x, VectorView y, double noise, bool gradient = true,
                                 const Execution& how = {});
// The same with everything a fit takes part in: mean, weights, known noise; summed over the targets. The noise and the
// signal are those that gp has a value for, the kernel is training.K's.
Evidence log_marginal_likelihood(const GaussianProcess& gp, const Training& training, bool gradient = true);

// Whether free parameters can multiply the whole kernel by any number, as the 2 of 2*rbf(): no signal is learnt then.
bool has_free_scale(const Kernel& k);

// log p(y_i | all others): mean and variance of each prediction, and the sum of the log densities over points and
// targets. The others are those at other inputs: points that are equal are left out together. The hyper-parameters are
// those of the model; the trend is fitted again.
struct LeaveOneOut {
  Matrix mean, variance;  // of observations: one row per point, one column per target
  double log_density = 0;
};
LeaveOneOut leave_one_out(const Model& gp, const Matrix& y, const Execution& how = {});

// The model given more observations, hyper-parameters as they are: O(n^2 m) for m new points.
Model condition(const Model& gp, const Points& x, const Matrix& y, const Execution& how = {});

// For k = k1 + k2 + ...: what each term contributes to f.
struct Component {
  std::optional<Kernel> kernel;  // none: the mean function
  Matrix mean, variance;         // one row per point, one column per target
};
std::vector<Component> components(const Model& gp, const Points& x, const Execution& how = {});

// Draws of f: one row per point, one column per draw. Exact: from the joint covariance, n*^3/3 and n^2 n* for the
// posterior. Pathwise: a draw of the prior at the training points and x together, moved by the data (Matheron's rule);
// the same distribution. Where a covariance is singular in floating point, the least power of ten that helps is added
// to its diagonal: from 1e-14 of the mean variance on, to at most 1e-6 of that of the prior.
struct Sampling {
  Index draws = 1;
  std::uint64_t seed = 1;
  bool pathwise = false;
  bool with_noise = false;  // of observations instead of f
  Index output = 0;
};
Matrix sample_prior(const Kernel& k, const Points& x, const Sampling& how, const Execution& run = {});
Matrix sample_posterior(const Model& gp, const Points& x, const Sampling& how, const Execution& run = {});

// d mean / d x and d variance / d x of one output: one row per point, one column per input.
struct PosteriorSlope {
  Matrix mean, variance;
};
PosteriorSlope posterior_slope(const Model& gp, const Points& x, Index output = 0, const Execution& how = {});

}  // namespace mercer
