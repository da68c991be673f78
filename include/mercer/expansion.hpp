// mercer/expansion.hpp: what every kernel machine finds, by the representer theorem:
//
//     f(x) = sum_i alpha_i k(x_i, x) + b (+ c'x, where a machine has a linear trend; + s k(x, x) of distances)
//
// with one column of alpha and one b for each output. The x_i are called centres; they are training points (or
// chosen ones), and those with alpha_i = 0 are left out. Immutable and thread-safe.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "mercer/evaluate.hpp"

namespace mercer {

namespace detail {
class FeatureWeights;
}

// Machines get theirs from the Gram they solved with: K.expansion(alpha, b).
class Expansion {
 public:
  // What it is made of. Without a kernel (a precomputed Gram), f is evaluated from rows of k(x, X) given by the caller.
  struct Parts {
    std::optional<Kernel> kernel = {};   // resolved
    std::optional<Points> centres = {};  // one per row of alpha; there when kernel is
    Matrix alpha;                        // centres x outputs
    Vector bias = {};                    // one per output; empty: all 0
    Matrix slope = {};                   // c: columns of x x outputs; empty: no linear trend
    Vector self = {};                    // s: one per output; empty: all 0. |phi(x) - m|^2 has 1
    std::vector<Index> support = {};     // which training points the centres are, increasing; empty for chosen centres
    Index training_size = 0;             // how many training points there were
    Vector squared_norms = {};  // alpha' K alpha of each output; empty: computed from the centres when asked for
  };
  explicit Expansion(Parts parts);  // throws ShapeError when the sizes do not fit

  Index size() const { return parts_.alpha.rows(); }
  Index outputs() const { return parts_.alpha.cols(); }
  bool takes_self() const { return !parts_.self.empty(); }
  const Parts& parts() const { return parts_; }

  // f at each point, one column per output: a fused product that never holds K(x, centres). Where the kernel is an
  // inner product of explicit features (spectrum, wl, ...), w.phi(x): at the cost of the features of x alone.
  Matrix operator()(const Points& x, const Execution& how = {}) const;
  // The same from given numbers k(x, x_i): one column per training point, or one per centre; and one more, k(x, x),
  // where takes_self().
  Matrix from_rows(MatrixView k) const;
  // Such numbers taken apart: the columns of the centres, and k(x, x), empty where it was not given. Throws ShapeError
  // where there are too few or too many, DataError where one is not finite.
  struct KernelValues {
    Matrix centres;
    Vector self;
  };
  KernelValues values_in(MatrixView k) const;
  // |f - b|_H of each output: sqrt(alpha' K alpha).
  Vector norms(const Execution& how = {}) const;

 private:
  struct Weights;  // of explicit features, made when first asked for
  const detail::FeatureWeights* feature_weights() const;

  Parts parts_;
  std::shared_ptr<Weights> weights_;
};

}  // namespace mercer
