// The Laplace approximation of a Gaussian process seen through a likelihood: p(f | y) is replaced by the normal
// distribution at its mode with the curvature found there.
//
//     psi(f) = log p(y | f) - 1/2 f' K^-1 f      maximal at f = K alpha, alpha = d log p(y | f) / d f
//     log q(y) = psi(f) - 1/2 log |I + K W|      W = -d^2 log p(y | f) / d f^2
// and, with M = (W^-1 + K)^-1, s = -1/2 d log |I + K W| / d f and u = (I + W K)^-1 s,
//     d log q(y) / d K = 1/2 sum_c (alpha_c alpha_c' + u_c alpha_c' + alpha_c u_c' - M_cc)
// where u says how the mode moves with K (Rasmussen & Williams 2006, algorithms 3.1, 3.3 and 5.1, for all parameters
// of K together, and for softmax too). c counts the outputs: one, or one per class for softmax.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "mercer/monitor.hpp"
#include "mercer/posterior.hpp"

namespace mercer::detail {

struct Observations {
  Likelihood likelihood;
  Index outputs;
  Vector y;               // what the likelihood takes
  Vector weights;         // above 0; each multiplies the log p of its point
  Index newton = 100;     // factors that Newton's method may make on its way to the mode
  double enough = 1e-18;  // of what a step promises, relative to 1 + |psi|: the factor at hand is that of the mode

  Index size() const { return static_cast<Index>(y.size()); }
  Observations select(std::span<const Index> which) const;
};
// Of classes, all of the same weight: their numbers, or +-1 of two.
Observations observed(Likelihood likelihood, Index classes, std::span<const Index> of);

// log p(y | f), its derivatives, and the matrices built from W at one f.
class LaplaceSystem {
 public:
  LaplaceSystem(Observations data, int threads) : data_(std::move(data)), threads_(threads) {}
  virtual ~LaplaceSystem() = default;
  const Observations& data() const { return data_; }

  virtual double log_likelihood(const Matrix& f) const = 0;
  virtual Matrix slope(const Matrix& f) const = 0;  // d log p / d f
  // The curvature at f: W of one output, or the probabilities of the classes, from which W follows.
  virtual Matrix curvature(const Matrix& f) const = 0;
  virtual Matrix curve(const Matrix& curvature, const Matrix& v) const = 0;  // W v

  // What stands for K below: K itself, or F with K = F F'.
  virtual bool by_factor() const { return false; }
  virtual Matrix product(MatrixView K, const Matrix& v) const;  // K v

  // Whether apply() still has what the last factor() made, and then the K it was made of.
  virtual const Matrix* factored() const { return nullptr; }
  // Everything below is at the f and K of the last factor(), which is false where K is too large for floating point.
  virtual bool factor(MatrixView K, const Matrix& f, const Monitor& monitor) = 0;
  virtual double log_determinant() const = 0;       // of I + K W
  virtual Matrix apply(const Matrix& v) const = 0;  // M v
  virtual Matrix pull(const Monitor& monitor) = 0;  // s; to be asked for once
  // The lower triangle of sum_c M_cc, or sum_c M_cc F; after pull(), the last.
  virtual MatrixRef block_sum(const Monitor& monitor) = 0;

 protected:
  Observations data_;
  int threads_;
};

std::unique_ptr<LaplaceSystem> single_system(Observations data, int threads = 0);   // n^2 doubles beside K
std::unique_ptr<LaplaceSystem> softmax_system(Observations data, int threads = 0);  // (C + 3) n^2 doubles beside K
std::unique_ptr<LaplaceSystem> laplace_system(Observations data, int threads = 0);  // by the likelihood

struct Mode {
  Matrix alpha = {};       // points x outputs; on the way in, where to begin; empty: f = 0
  Matrix f = {};           // on the way in, where alpha was the mode for the K of the last call: K alpha; else empty
  Index steps = 0;         // of Newton's method, over all calls
  bool converged = false;  // of the last call
};

// log q(y) at K, -inf where the factors do not exist in floating point; `mode` becomes the mode. Steps of Newton's
// method, halved where they overshoot. A factor() serves several steps, each combined with those before it; one or two
// are made, the last one at the mode.
// Where the system still has that of the last call, it tells how the mode moves with K, and serves the first steps.
// When the monitor cancels, `mode` is as far as it has got. `near` may have factored something like K at this mode, of
// the same points, and then serves as the last call would.
double laplace_evidence(LaplaceSystem& system, MatrixView K, Mode& mode, const Monitor& monitor,
                        const LaplaceSystem* near = nullptr);
// The lower triangle of d log q / d K, or its product with F, after laplace_evidence() at the same K. It lives in the
// system.
MatrixRef laplace_gradient(LaplaceSystem& system, MatrixView K, const Mode& mode, const Monitor& monitor);

}  // namespace mercer::detail
