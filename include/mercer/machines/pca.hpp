// mercer/machines/pca.hpp: kernel principal component analysis.
//
//     Model m = KernelPca{.components = 10}.fit(lazy(k, x));
//     Matrix y = m.predict_targets(test);               // coordinates along the 10 directions
//     Vector e = reconstruction_errors(m, test);        // what they leave out: large for what is unlike x
//     Matrix z = pre_images(m, y);                      // inputs that have these coordinates, or nearly
#pragma once

#include <cstdint>

#include "mercer/machines.hpp"

namespace mercer {

// The directions in feature space along which the points differ most:
//     max_v  sum_i w_i <phi(x_i) - mean, v>^2,  |v| = 1,  v orthogonal to those before,    mean = sum_i w_i phi(x_i) /
//     sum w
// Each is v = sum_i a_i phi(x_i), and its coordinate y(x) = <phi(x) - mean, v> is an output of f. Where K is that of a
// kernel, a last output is |phi(x) - mean|^2, so that what is left out is known too. The coordinate of largest size
// among the training points is positive (the first of equals). Schoelkopf, Smola & Mueller, Neural Computation 10
// (1998).
//
// Cost: few components of many points by products with K, of blocks of 8 vectors or more; typically ten products,
// n^2/2 values of the kernel each, and no n x n numbers in memory beyond 2 GB. All eigenvalues of K for up to 400
// points and where many are wanted: 9 n^3 flops, 4 n^2 doubles. Centring costs no copy of K.
//
// Report: total_variance = sum_i w_i |phi(x_i) - mean|^2 / sum w; explained_share; the table `components` of each
// one's eigenvalue, its variance (eigenvalue / sum w) and share of the total. By products also
// residual, the largest |A v - lambda v| / lambda_1 of the centred K, and iterations, the number of products.
// More components than there are directions are refused, and the number of these is said.
struct KernelPca {
  enum class Solver { automatic, dense, krylov };

  double components = 2;  // so many; below 1: as few as explain this share of the variance; inf: all
  bool at_most = false;   // where there are not so many: all there are, instead of an error
  Solver solver = Solver::automatic;
  double tolerance = 1e-9;  // of krylov: the residual
  std::uint64_t seed = 1;   // of krylov: where it begins, which shows in the last digits only

  Model fit(const Training& training) const;
  Model fit(const Gram& K) const;
};

// |phi(x) - mean|^2 less its part along the components, >= 0: the squared distance of each point from what the
// components can say. Of a pca with a kernel; UsageError for others.
Vector reconstruction_errors(const Model& pca, const Points& x, const Execution& how = {});

// UsageError or DomainError unless the model is a pca with a kernel on real vectors, whose inputs can be found again.
void require_pre_images(const Model& pca);
bool has_fixed_point(const Model& pca);  // of pre_images: its kernel is rbf, or a multiple of it

// Inputs z whose phi(z) is nearest to mean + sum_j y_j v_j, one for each row of coordinates, in the units of the
// inputs. For rbf (and multiples of it) on real vectors, by the fixed point
//     z = sum_i c_i k(x_i, z) x_i / sum_i c_i k(x_i, z),    c_i the coefficient of phi(x_i),
// from the training point whose coordinates are nearest (Mika et al., NIPS 11, 1999). Where the sum below is not
// positive, z is on no slope and stays where it is. One product with K(z, X) a step, 100 steps at most.
Matrix pre_images(const Model& pca, MatrixView coordinates, const Execution& how = {});

// The same for any kernel on real vectors, learnt: a ridge regression from the coordinates of the training points to
// the points, with the kernel k between coordinates. predict_targets(rows(coordinates)) of it are the inputs. Bakir,
// Weston & Schoelkopf, NIPS 16 (2004).
Model learn_pre_images(const Model& pca, const Kernel& k, double ridge = 1, const Execution& how = {});

}  // namespace mercer
