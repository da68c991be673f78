// How the evidence of a Gaussian process is computed, and what predicts in the end: from all of K, or from something
// that stands for it. Learning (learn.hpp) and the machine (regression/) know no more of it than this.
#pragma once

#include "mercer/machines/gp.hpp"
#include "solve/system.hpp"

namespace mercer::detail {

// What is modelled: y = H b + f + e with cov(f) = s K and var(e_i) = s noise shape_i + known_i.
struct ProcessData {
  Gram K;                        // where the matrix comes from when there is no kernel to learn
  std::optional<Points> x = {};  // there when K has a kernel
  Matrix y = {};                 // points x targets
  Matrix H = {};                 // points x functions of the trend
  Vector shape = {};             // 1 / weight
  Vector known = {};             // empty: none

  ProcessData select(std::span<const Index> which) const;
};

class Approach {
 public:
  // Everything relative to the signal variance: A = K + noise diag(shape) + diag(known) / s.
  // Without a signal, that of each target is the one that maximises the objective; `known` must then be empty.
  struct At {
    std::optional<Kernel> kernel;  // none: the matrix of data.K
    double noise;
    std::optional<double> signal;
  };
  struct Value {
    double objective;       // -inf where it cannot be computed, as when A is not positive definite in floating point
    Vector signal;          // of each target
    Vector by_kernel = {};  // d objective / d value of each parameter of the kernel
    double by_noise = 0, by_signal = 0;
  };
  // What predictions need, at one place.
  struct Solution {
    std::optional<Points> centres = {};  // of f; none: the points of the data
    Matrix alpha = {};                   // centres x targets: f = h(x)'b + sum_i alpha_i k(z_i, x)
    Matrix b = {};                       // functions x targets
    Vector signal = {};
    solve::Interval log_likelihood = {};
    // Its kind and what that has of its own. The mean function, signal and noise are the machine's to add; there is
    // none where K is a matrix of numbers.
    std::optional<Posterior> posterior = {};
    std::vector<Report::Figure> figures = {};  // for the report: how exact this is
    std::vector<std::string> notes = {};

    // As if the targets had been so many times as large.
    void multiply_targets(double unit, Index points);
  };

  virtual ~Approach() = default;
  virtual Value evaluate(const At& at, bool gradient) = 0;
  virtual Solution solve(const At& at) = 0;
  // What is known of it from the last evaluate(), at the same place, without further work.
  virtual Solution solution_so_far(const At& at) const = 0;
};

// What is added to the diagonal of K.
Vector shift_at(const ProcessData& data, const Approach::At& at);

// The functions of H are not independent on these points.
[[noreturn]] void fail_inseparable_trend();

// Which exact one: of so many points, of a kernel with so many states along a line (0: none).
Method method_of(const GaussianProcess& config, Index n, Index states);
Method method_for(const GaussianProcess& config, const ProcessData& data);

// The one that the options ask for. `data` outlives it.
std::unique_ptr<Approach> approach_for(const GaussianProcess& config, const ProcessData& data, const Execution& how);

}  // namespace mercer::detail
