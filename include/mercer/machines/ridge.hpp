// mercer/machines/ridge.hpp: kernel ridge regression.
//
//     Model m = KernelRidge{.ridge = 1e-2}.fit(lazy(k, x), y);
//     Model best = KernelRidge{.ridge = std::nullopt}.fit(lazy(k, x), y);    // chosen by leave-one-out
#pragma once

#include "mercer/machines.hpp"

namespace mercer {

// f = argmin  sum_i w_i (y_i - f(x_i))^2 + ridge |f|^2,    alpha = (K + ridge W^-1)^-1 y
//
// Where K has few features and K + ridge W^-1 a condition above 1e8, alpha is the part of that which K sees: of the
// same f the shortest coefficients, which keep its digits.
//
// Every target is fitted by itself, all from one factorisation: n^3/3 flops, and n^2 doubles when K is lazy; 2 n r^2
// flops and n r doubles, also for a path, where K offers a factor of r columns, r <= n/4 (linear() on r columns).
// Points of weight 0 take no part. Nothing is added to the diagonal but the ridge: when that does not make K positive
// definite in floating point, the fit is a NumericError that says which ridge would.
//
// Without a ridge, it is chosen from a path by the exact leave-one-out error, or by generalised cross-validation,
//     GCV = n |z|^2 / (tr B^-1)^2,  B = K + ridge I,  z = B^-1 y,
// from one reduction of K to a band: 8/3 n^3 flops, and 72 n^2 for each ridge. With weights
// B = W^1/2 K W^1/2 + ridge I, and z = B^-1 W^1/2 y. Of several targets the errors are added.
//
// Equal points are one point with their weight together and the mean of their targets, which is the same problem: n
// counts different points, and to leave one out is to leave out all that are equal to it. (Their twin in the fit would
// tell what is asked for.) Their coefficients are shares of one, by weight. GCV is that of the means; both errors are
// those of all points. The report says so.
//
// Report: condition_bound = (tr K + ridge) / ridge, which the condition number of the system cannot exceed, and where
// that is above 1e12 an estimate of the condition itself; leave_one_out_rmse where asked for; the table `path`; where
// points have weights or equals the table `residuals`, for mercer/intervals.hpp.
//
// The solver pcg never has K in memory: preconditioned conjugate gradients on products with it, n^2/2 values of the
// kernel a step, to a relative residual that is measured from K itself before success is claimed. The preconditioner is
// a randomly pivoted partial Cholesky factor, n rank doubles. With `loo`, beyond 4,000
// points, it estimates the leave-one-out error by 64 of them, drawn by the size of z, for which A^-1 e_i is solved side
// by side, some times the cost of the fit: the report has leave_one_out_standard_error beside the figure, and says that
// it is an estimate. A ridge that is chosen takes all pairs whatever the solver. Report: residual,
// energy_error_bound (of |f - f*| in the norm sqrt(|f|^2 ridge + sum_i w_i f(x_i)^2) of what is found, relative to it),
// preconditioner_rank, trace_left_out (what the factor leaves of tr K). `automatic` takes it beyond 20,000 points where
// a ridge is given. Told to stop, it returns what it has, marked as not converged.
//
// With centres (Training::centres, m of them) f is made of these alone, f = w'phi with phi their features:
//     min_w  sum_i w_i (y_i - w'phi(x_i))^2 + ridge |w|^2
// `normal` solves for all ridges at once from the eigenvectors of Phi'W Phi, with the exact leave-one-out error of that
// problem: 2 n m^2 flops for each of two passes over the data, m^2 numbers. GCV needs the first pass alone; beside it
// leave-one-out is for the asking (`loo`). `falkon` takes conjugate gradients, n m
// values of the kernel a step, preconditioned by a sketch of Phi: 5 m^3 flops before the first step, 4 m^2 numbers; it
// needs a ridge that is given. `automatic` takes whichever counts fewer operations. Neither holds n m numbers.
struct KernelRidge {
  enum class Criterion { loo, gcv };
  enum class Solver { automatic, cholesky, pcg, normal, falkon };

  std::optional<double> ridge = 1e-3;  // > 0; none: chosen from the path
  Criterion criterion = Criterion::loo;
  bool loo = false;         // also report the leave-one-out error of a given ridge: another n^3/3
  Index path_size = 50;     // ridges tried, evenly spread in their logarithms
  double path_from = 1e-8;  // the smallest, as a multiple of the mean of K's diagonal
  double path_to = 1e2;     // the largest
  Vector path = {};         // the ridges themselves, instead of the three above
  Solver solver = Solver::automatic;
  // |b - A z| / |b| of every target, for A z = b that is solved step by step; none: 1e-6 for pcg, 1e-4 for falkon,
  // which solves a problem that is an approximation.
  std::optional<double> tolerance = {};
  Index rank = 0;               // pcg: of the preconditioner; 0: as many as save time
  Index max_iterations = 1000;  // pcg, falkon

  Model fit(const Training& training) const;
  Model fit(const Gram& K, VectorView y) const;
};

// y_i - f_i(x_i), where f_i is fitted without point i and those equal to it: one row per point, one column per target.
// In closed form, alpha_i / ((K + ridge W^-1)^-1)_ii of the mean of equal points, so the cost is that of one fit and an
// inverse. Points of weight 0 take part in no fit; where no equal one does, their residual is that of the fit.
Matrix leave_one_out(const KernelRidge& config, const Training& training);

}  // namespace mercer
