// The principal axes of points in the feature space of a kernel: what pca and mds have in common.
#pragma once

#include <cmath>
#include <cstdint>
#include <string_view>

#include "mercer/machines.hpp"

namespace mercer::detail {

enum class AxesSolver { automatic, dense, krylov };

struct AxesWanted {
  std::string_view machine;  // in whose name something is refused
  double components = 2;     // so many; below 1: as few as explain this share of the inertia; inf: all there are
  bool at_most = false;      // where there are not so many: all there are
  AxesSolver solver = AxesSolver::automatic;
  double tolerance = 1e-9;
  std::uint64_t seed = 1;
  bool smallest = false;  // the smallest eigenvalue too: K may be that of no kernel

  bool by_number() const { return components >= 1 && std::isfinite(components); }
};

// With p_i = w_i / sum w, mean = sum_i p_i phi(x_i), and A(i, j) = (w_i w_j)^1/2 <phi(x_i) - mean, phi(x_j) - mean>:
// the eigenvectors u of A give the axes sum_i w_i^1/2 u_i (phi(x_i) - mean) / lambda^1/2. They are of length 1, and
//     y(x) = <phi(x) - mean, axis> = sum_i alpha_i k(x_i, x) + bias
// is the coordinate of x along one. sum_i alpha_i = 0, so that k may be off by f(x) + f(y) with any f: minus half the
// squared distance does as well as the inner product (Torgerson, Psychometrika 17, 1952; Gower, Biometrika 55, 1968).
struct Axes {
  Vector values;           // lambda = sum_i w_i y(x_i)^2, decreasing
  Matrix alpha;            // one row per point, one column per axis
  Vector bias;             // one per axis
  Matrix coordinates;      // y at each point
  double total = 0;        // the sum of all eigenvalues: sum_i w_i |phi(x_i) - mean|^2
  double inertia = 0;      // what shares are of: the sum of |lambda|, for a kernel the total; 0: not known
  Vector weights;          // p
  double mean_square = 0;  // |mean|^2 = p'K p
  Vector all;              // all eigenvalues, decreasing, where they were computed
  double smallest = 0;     // of them, where it was computed
  double residual = 0;     // of the eigenvectors: linalg/largest_eigen.hpp
  Index products = 0;
  bool converged = true;
};

// By all eigenvalues of a matrix of the points of weight > 0, 9 n^3 flops and 4 n^2 doubles, or by products with K: see
// linalg/largest_eigen.hpp. `automatic` takes the first for up to 400 points, and where many axes are wanted; in the
// second way K is in memory if it was given so, or costs more to compute than to fetch and fits. A share of what may be
// negative takes the first. UsageError for more axes than there are (says how many there are); DataError where the
// points do not differ.
Axes principal_axes(const AxesWanted& wanted, const Training& training);
// What that takes.
Needs needs_of(const AxesWanted& wanted, const Extent& extent);

}  // namespace mercer::detail
