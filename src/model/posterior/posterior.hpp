// Variances and covariances from a Posterior.
#pragma once

#include <mutex>

#include "mercer/model.hpp"
#include "solve/regression.hpp"

namespace mercer::detail {

class NeighbourSearch;

// What is computed from a Posterior once. Thread-safe by its mutex; never changed after it is made.
struct Factors {
  std::mutex mutex;
  bool made = false;
  std::shared_ptr<const solve::System> A;          // process
  solve::TrendPart trend;                          // process: of H in A; nearest: its factor
  std::shared_ptr<const NeighbourSearch> nearest;  // nearest: who is near a new point
  std::vector<Matrix> others;  // softmax: factors of each class, then of what couples them; reduced: L
  double jitter = 0;           // added to the diagonal where rounding left it not positive definite
};

// Of the mean of a diagonal: the least that is added to one that is not positive definite, and what is too much.
constexpr double kLeastJitter = 1e-15, kMostJitter = 1e-5;
[[noreturn]] void fail_indefinite(const Model::Parts& parts);

// Throws ShapeError when its parts do not fit the expansion, or hold what they cannot.
void require_fits(const Posterior& posterior, const Expansion& f);

// A Posterior of kind process whose system is solved already.
Posterior process_with(Posterior posterior, std::shared_ptr<const solve::System> A, solve::TrendPart trend);

// The same of kind reduced, with L of its K(Z, Z) + N.
Posterior reduced_with(Posterior posterior, Matrix root);

// Of a model with a kernel and a posterior (UsageError otherwise); x are scaled and checked by the caller.
// Made when first asked for; NumericError when they do not exist in floating point.
const Factors& factors_of(const Model::Parts& parts, const Execution& how);
Matrix variances(const Model::Parts& parts, const Points& x, const Execution& how);
Matrix covariance(const Model::Parts& parts, const Points& x, Index output, const Execution& how);
// The mean of f: the expansion, or what a posterior that knows better says.
Matrix means(const Model::Parts& parts, const Points& x, const Execution& how);
// scores() and variances() of a model at points as they come, the former to rounding: k(x, centres) is computed once.
struct Moments {
  Matrix scores, variances;
};
Moments moments(const Model& model, const Points& x, const Execution& how);
// h(x) of each point: 1 and, of a linear trend, x less `centre`. Around the middle of the centres of f the parts of h
// can be told apart; around 0, far from them, they could not.
Vector trend_centre(Trend trend, const Points& centres);
Matrix trend_basis(Trend trend, const Points& x, const Vector& centre);
// The coefficients of 1 for x itself, from those of h: one row per basis function.
Vector trend_bias(const Matrix& b, const Vector& centre);

// Averages of p(y | f) over f ~ N(mean, variance): one column per class.
Matrix averaged_probabilities(const Model::Parts& parts, const Points& x, const Execution& how);

}  // namespace mercer::detail
