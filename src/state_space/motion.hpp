// How the state of a process moves from one time to the next.
//
// k(t, s) = h Phi(|t - s|) P h' with h = (1, 0, ...): the state at a later time is Phi times the one before and fresh
// noise of covariance Q = P - Phi P Phi', P the stationary covariance. Time is counted in units of the process, so that
// P does not depend on its parameters: the state of matern is (f, f'/rate, f''/rate^2, ...).
#pragma once

#include <vector>

#include "mercer/matrix.hpp"

namespace mercer::state_space {

// A parameter of the kernel that a number is a function of.
struct Dependence {
  Index parameter = -1;  // none
  double slope = 0;      // d number / d parameter
};

// One of the processes whose product a motion is.
struct Process {
  enum class Kind { matern, oscillator, white };  // white: what is left of it at another time is nothing
  Kind kind = Kind::matern;
  int order = 0;    // matern: nu = order + 1/2
  double rate = 1;  // a time dt is rate dt in its own units
  Dependence rate_by = {};
  double damping = 0;  // oscillator: 1 / (2 quality); 1 is critical
  Dependence damping_by = {};

  Index size() const { return kind == Kind::oscillator ? 2 : order + 1; }
};
constexpr int kMostOrder = 4;  // of matern: nu = 9/2

// Their product: states are those of the first times those of the second, and so on. None: the state 1, which stays.
class Motion {
 public:
  explicit Motion(std::vector<Process> processes);

  const std::vector<Process>& processes() const { return processes_; }
  bool moves() const { return !processes_.empty(); }
  Index size() const { return size_; }
  const Matrix& stationary() const { return stationary_; }

  // Phi and Q for a step dt >= 0, size x size by rows. Q of a small step is no difference: it has all its digits.
  void transition(double dt, double* phi, double* q) const;
  // The same of many steps: those of each begin `stride` numbers behind those of the one before, Q behind Phi.
  void transitions(VectorView dt, Index stride, double* to) const;
  // Their derivatives in the damping of a process.
  void by_damping(double dt, std::size_t process, double* dphi, double* dq) const;
  // d Phi / d (rate dt) = F Phi, and d Q / d (rate dt) = F Q + Q F' + W.
  const Matrix& generator(std::size_t process) const { return generators_[process]; }
  const Matrix& diffusion(std::size_t process) const { return diffusions_[process]; }

 private:
  std::vector<Process> processes_;
  Index size_ = 1;
  Matrix stationary_;
  std::vector<Matrix> generators_, diffusions_;
};

}  // namespace mercer::state_space
