// mercer/machines/kcca.hpp: canonical correlation in feature space.
//
// Two views of the same points, x with a kernel k and y with a kernel l. The first pair of functions f of x and g of y
// is the most correlated one, and each further pair is the most correlated of those that are uncorrelated with all
// before:
//
//     maximise  cov(f(x), g(y))   subject to  var f(x) + kappa |f|^2 = 1  and  var g(y) + lambda |g|^2 = 1
//
// (Bach & Jordan 2002; Hardoon, Szedmak & Shawe-Taylor 2004). Both are centred. kappa is `ridge` times the variance of
// the view, tr(C) = mean of k(x,x) after centring, and lambda likewise. Without a ridge there is nothing to find: where
// K has full rank, some f takes any values at the points, and every correlation is 1. So a ridge of 0 is refused. With
// `linear()` and a tiny ridge it is the CCA of textbooks.
//
// Model: f of x, one output each component, without the mean. fit_both also returns g of y as a second model. The
// report has a table `components`: the correlation rho that was maximised (ridge included), that of f(x) and g(y) over
// the points, and, with `permutations`, the share of random pairings of x and y, this one counted with them, whose
// largest rho is at least as large (so that it is a valid p-value for every component, and a cautious one after the
// first). Weights are multiplicities; a permutation test wants them equal.
// The sign of f is such that its largest value at the points, in absolute value, is positive.
//
// Cost: eigenvectors of both matrices, some 20 n^3 flops and 6 n^2 numbers; a permutation is 2 n^3 and less. Where both
// views have few features, or training.centres stand for x, it is done in these: 3 n m^2 flops and 3 n m numbers for m
// of them. Centres of y, where its kernel has no few features, are as many and chosen in the same way.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "mercer/machines.hpp"

namespace mercer {

struct KernelCca {
  std::optional<Index> components = std::nullopt;  // none: two, or one where there is no second
  double ridge = 0.1;                              // > 0, in units of the variance of each view
  std::string target_kernel = "linear()";          // of the second view, where that is the targets
  Index permutations = 0;                          // 0: no p-values
  std::uint64_t seed = 1;                          // of the permutations

  struct Views {
    Model x, y;
  };
  // The views are training.K and the targets, with target_kernel.
  Model fit(const Training& training) const;
  // Both Grams are of the same points in the same order. Weights, threads and memory are those of the training; its
  // targets are not looked at.
  Views fit_both(const Training& training, const Gram& y) const;
  Views fit_both(const Gram& x, const Gram& y) const { return fit_both(Training{.K = x}, y); }
};

}  // namespace mercer
