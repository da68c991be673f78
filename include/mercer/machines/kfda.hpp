// mercer/machines/kfda.hpp: Fisher's discriminant in feature space, for several classes.
//
//     Model m = KernelFda{.ridge = 1e-2}.fit(lazy(k, x), Labels::from(names));
//     m.predict_labels(test);             // the class whose mean is nearest
//     m.expansion()(test);                // the points in the discriminant space
#pragma once

#include "mercer/machines.hpp"

namespace mercer {

// max over v_1, v_2, ...  tr (V' (S_W + ridge I) V)^-1 V' S_B V,    with V' (S_W + ridge I) V = I
//
//     S_B = sum_c p_c (mu_c - mu)(mu_c - mu)',   S_W = sum_i w_i (phi(x_i) - mu_c(i))(phi(x_i) - mu_c(i))' / sum_i w_i
//
// where p_c is the share of class c in the weights, mu_c its mean and mu the mean of all (Mika et al. 1999; Baudat &
// Anouar 2000). At most one direction less than there are classes separates anything; each is an expansion, and f(x)
// is x in these coordinates, around the mean of all points. There the classes have about unit spread, so that the
// nearest mean m_c is the likeliest class; scores are the logarithms of the probabilities, which are the softmax
// of z.m_c - |m_c|^2/2 + log of the prior: with linear() those of linear discriminant analysis with shrinkage.
//
// Two classes: the direction is that of kernel ridge regression on centred features and targets 1/p_1 and -1/p_2, with
// the ridge times sum_i w_i.
//
// The within-class Gram matrix G, whose rows and columns have the means of their class taken out, turns the problem
// into one solve with G + ridge I for each direction: n^3/3 flops and n^2 doubles.
//
// Report: ridge; table directions: ratio, the eigenvalue (S_B over S_W + ridge), and its share of the sum.
struct KernelFda {
  enum class Priors { equal, shares };

  double ridge = 1e-3;
  Priors priors = Priors::equal;  // of the classes: all the same, or their shares of the weights

  Model fit(const Training& training) const;
  Model fit(const Gram& K, const Labels& labels) const { return fit({.K = K, .labels = labels}); }
};

}  // namespace mercer
