// A = S K S + N for a kernel with a state space at times in order, S and N diagonal: solved by a Kalman filter, in J^2
// to J^3 flops a point for J states and J numbers kept of each.
//
// The state before point i has, given the points before it, the mean m and the covariance P; with h what the point sees
// of it, v = P h, D = h'v + N_i and the gain g = v / D,
//     P after it = P - D g g',     z = b_i - h'm,     m after it = m + g z:
// A = L diag(D) L' and z = L^-1 b. P itself is carried, with Q as motions give it, and not its difference to the
// stationary covariance: where the noise is small that would cancel.
#pragma once

#include <memory>
#include <span>

#include "mercer/monitor.hpp"
#include "state_space/state_space.hpp"

namespace mercer::state_space {

// Points in order of time.
struct Series {
  Vector times = {};
  Vector factors = {};  // S; empty: 1
  Vector shift = {};    // N; a single number stands for all

  Index size() const { return static_cast<Index>(times.size()); }
  double shift_of(Index i) const { return shift[shift.size() == 1 ? 0 : at(i)]; }
};

class Passes;

// Does not change once made; threads may share it.
class Filter {
 public:
  // Reports "solve" to the monitor.
  Filter(StateSpace model, Series series, const Monitor& monitor);
  // Finds in the same pass what these columns need, keeps a few numbers of each point instead of J, and answers
  // nothing but what is asked of sides.
  Filter(StateSpace model, Series series, Matrix sides, const Monitor& monitor);
  ~Filter();
  Filter(const Filter&) = delete;
  Filter& operator=(const Filter&) = delete;

  // 0, or which point (from 1) it was at which A was seen not to be positive definite: nothing else may then be asked.
  Index failed_at() const { return failed_at_; }
  double log_determinant() const { return log_determinant_; }
  double least_shift() const;
  const StateSpace& model() const { return model_; }
  const Series& series() const { return series_; }
  double bytes() const;

  void forward(MatrixRef b) const;  // b = diag(D)^-1/2 L^-1 b: C b with C'C = A^-1
  void solve(MatrixRef b) const;    // b = A^-1 b
  Vector inverse_diagonal() const;
  // Blocks of A^-1 of points in a row; runs are in order and have no point in common.
  std::vector<Matrix> inverse_blocks(std::span<const Range> runs) const;
  // k(t, t) - (S k_t)' A^-1 (S k_t) at times in order.
  Vector variances(VectorView times) const;

  Matrix products() const;                                   // sides' A^-1 sides
  Vector quadratics(const Matrix& mix) const;                // b_c'A^-1 b_c, b = sides mix: as sums of squares
  void solve_sides(const Matrix& mix, MatrixRef out) const;  // A^-1 sides mix

  // d / d of sum_c -1/2 b_c' A^-1 b_c - columns/2 log |A|, b = sides mix.
  struct Slopes {
    Vector by_parameter;  // of the kernel
    Vector by_shift;      // of each point
  };
  Slopes gradient(const Matrix& mix) const;

 private:
  StateSpace model_;
  Series series_;
  std::unique_ptr<const Passes> passes_;
  Index failed_at_ = 0;
  double log_determinant_ = 0;
  // What is kept of the first pass.
  Matrix gains_;  // points x states; none with sides
  Vector D_;
  Matrix checkpoints_;  // P before the first step of each piece
  Matrix innovations_;  // L^-1 sides
  Matrix first_means_;  // of each side, as P
  friend class Passes;
  template <class States>
  friend class PassesOf;
};

double trace(const StateSpace& model, const Series& series);  // of S K S
Vector priors(const StateSpace& model, VectorView times);     // k(t, t)

// -1/2 log |A| - 1/2 b'A^-1 b of one column, with nothing kept: for who needs the number alone. -infinity where A is
// not positive definite.
double log_density(const StateSpace& model, const Series& series, VectorView b);

}  // namespace mercer::state_space
