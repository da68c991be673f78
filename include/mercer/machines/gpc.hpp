// mercer/machines/gpc.hpp: Gaussian process classification by the Laplace approximation.
//
//     Model m = GaussianProcessClassifier{}.fit(lazy(parse("rbf(ell=auto)"), x), labels);   // hyper-parameters learnt
//     Matrix p = m.probabilities(test);                       // averaged over what f may be
//     Matrix mean = m.scores(test), variance = m.variances(test);                           // of f itself
#pragma once

#include "mercer/machines.hpp"
#include "mercer/prior.hpp"

namespace mercer {

// p(class of x_i) given by f(x_i),   f ~ GP(0, signal k),   the log p of point i multiplied by w_i
//
//     logistic   two classes      p(classes[1]) = 1 / (1 + exp(-f))
//     probit     two classes      p(classes[1]) = Phi(f)
//     softmax    C classes        p(c) = exp(f_c) / sum_d exp(f_d), each f_c a process of its own with the same k
//
// What is known of f after seeing the classes is approximated by a normal distribution at its mode. The mode is found
// by Newton's method, the log evidence and its derivatives are exact for that approximation, the moving of the mode
// included. Parameters of the kernel that are not fixed and the signal are learnt by maximising the log evidence and
// the priors, as in GaussianProcess.
//
// Probabilities are averages over f at the point: in closed form for probit, to 1e-12 for logistic, and for softmax
// at 4093 fixed points of a lattice, to about 1e-4 for few classes, at worst some 5e-3 for many at large variances; the
// class predicted is the one of the largest.
//
// An evaluation costs n^3/3 flops for each of the some four factors that Newton's method makes, 2/3 n^3 for all
// derivatives together, and 2 n^2 doubles. Softmax: (C + 1/3) n^3 for each factor, (2 C + 1) n^3 for the derivatives,
// (C + 4) n^2 doubles; of more points than `screen` all but the last few evaluations are on a fifth of them as centres.
//
// With `inducing`, m of the points stand for all: K is replaced by Q = K(X, Z) K(Z, Z)^-1 K(Z, X), and of the log
// evidence of that half of signal sum_i (k(x_i, x_i) - Q_ii) tr W_i is taken away, W being the curvature at the mode:
// the bound of Titsias (2009) for the normal likelihood that Laplace puts in the place of this one. Z is drawn by what
// it leaves of K (RPCholesky), and again for what was learnt. Some 10 n m^2 flops an evaluation, of softmax 2.5 C^2 n
// m^2 + 2 (C m)^3, and 3 n m doubles.
//
// Report: log_evidence, signal, newton_steps, why learning ended, which parameters are at a bound; with inducing points
// inducing, how many there are, and trace_left_out, the share of tr K that they lack.
struct GaussianProcessClassifier {
  Likelihood link = Likelihood::none;  // none: logistic for two classes, softmax for more
  bool learn = true;                   // false: hyper-parameters as they are
  Learnable signal = {};  // none: 1 where the kernel has a free scale of its own, or nothing is learnt; else learnt
  std::map<std::string, Prior> priors = {};  // by the path of a kernel's parameter ("rbf.ell"), or "signal"
  Index starts = 8;                          // where learning begins: at the values given, and at random ones around
  Index screen = 400;                        // points on which starts are compared when there are more
  Index max_iterations = 200;
  double max_seconds = 0;   // 0: no limit
  double tolerance = 1e-7;  // stop when the objective gains less than this a point; beyond `screen`, 100 times this
  std::uint64_t seed = 1;
  Index inducing = 0;  // points that stand for all; 0: all points
  Index newton = 100;  // factors that Newton's method may make on its way to the mode of f

  Model fit(const Training& training) const;
  Model fit(const Gram& K, const Labels& labels) const { return fit({.K = K, .labels = labels}); }
};

// The log evidence of the classes under f ~ GP(0, k), by the Laplace approximation, and its derivatives.
struct ClassEvidence {
  double value = 0;
  Vector by_kernel = {};  // d value / d parameter, in the order of k.params(), fixed ones included
};
ClassEvidence log_evidence(const Kernel& k, const Points& x, const Labels& labels, Likelihood link = Likelihood::none,
                           bool gradient = true, const Execution& how = {});

}  // namespace mercer
