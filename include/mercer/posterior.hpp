// mercer/posterior.hpp: what a Bayesian machine knows of f beside its mean, which is the model's Expansion.
//
//     Model m = GaussianProcess{}.fit(lazy(k, x), y);
//     Matrix mean = m.scores(test);
//     Matrix variance = m.variances(test);                    // of f
//     double noise = m.posterior().noise[0];                  // of an observation of f, beside that
#pragma once

#include <memory>
#include <optional>

#include "mercer/evaluate.hpp"
#include "mercer/likelihood.hpp"

namespace mercer {

namespace detail {
struct Factors;
}

// The mean function of a Gaussian process: basis functions h(x) with coefficients of their own.
enum class Trend { none, constant, linear };  // h(x) = nothing; 1; (1, x)

// A value; copies share what is computed from it once, when first asked for.
struct Posterior {
  enum class Kind {
    // cov(f(x), f(x')) = signal (k(x, x') - (S k_x)' A^-1 (S k_x') + r_x' (H' A^-1 H)^-1 r_x'), with A = S K S + N on
    // the
    // centres, k_x the k(x_i, x), H the trend at the centres and r_x = h(x) - H' A^-1 k_x. Several outputs share A.
    process,
    // The same for the coupled outputs of softmax: from the probabilities of the classes at the mode of f.
    softmax,
    // f(x) = sum_i alpha_i k(x_i, x) + b with (alpha, b) normal: cov(f(x), f(x')) = (k_x, 1)' covariance (k_x', 1)
    weights,
    // What m centres Z know of f (inducing points): cov(f(x), f(x')) = signal (k(x, x') - phi_x'phi_x' + psi_x'(F
    // F')^-1
    // psi_x') with phi_x = L^-1 k_x, K(Z, Z) + N = L L', psi_x = (phi_x, h(x)) and F, `covariance`, lower triangular.
    reduced,
    // The same as of a process, but given the `neighbours` centres that are nearest to x alone: the mean too, which is
    // h(x)'b + k_x' A^-1 targets on these centres. H' A^-1 H is that of all centres, in `covariance`.
    nearest,
    // What m centres know of the coupled outputs of softmax: `reduced` for the C - 1 contrasts of the classes, F of (C
    // -
    // 1) m rows, contrast by contrast; what all classes have in common is as it was before the data.
    reduced_softmax,
  };

  Kind kind = Kind::process;
  Vector scale = {};          // process: S, one number per centre; empty: all 1
  Vector shift = {};          // process, reduced, reduced_softmax: N, likewise
  Trend trend = Trend::none;  // process: H; reduced: h
  Vector signal = {};         // one per output, but of weights
  Matrix probabilities = {};  // softmax: centres x classes
  // reduced, reduced_softmax: F; nearest: H' A^-1 H; weights: one block for each output, one below the other: of the
  // alpha of all centres and, last, of b
  Matrix covariance = {};
  Matrix targets = {};   // nearest: centres x outputs, less the mean function
  Index neighbours = 0;  // nearest: of a new point
  Vector noise = {};     // the variance of an observation about f, one per output; of classifiers 0
  Likelihood likelihood = Likelihood::none;
  std::shared_ptr<detail::Factors> factors = {};  // computed when first asked for, or left by the fit
};

std::string_view name_of(Trend trend);
std::string_view name_of(Posterior::Kind kind);

}  // namespace mercer
