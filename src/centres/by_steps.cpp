// Restricted least squares by conjugate gradients.
#include <algorithm>
#include <cmath>

#include "base/at.hpp"
#include "centres/effective_dimension.hpp"
#include "centres/held_pass.hpp"
#include "centres/restricted.hpp"
#include "centres/sketch.hpp"
#include "linalg/cholesky.hpp"
#include "linalg/column_products.hpp"
#include "linalg/lapack.hpp"
#include "solve/iterate.hpp"

namespace mercer::centres {

namespace {

// The Cholesky factor of (S Phi)'V(S Phi) + ridge I; none where there is none, for overflow or for a ridge that is
// rounding beside the rest.
std::optional<Matrix> factor_of_sketch(const LeastSquares& problem, double ridge, const Execution& how) {
  const Index m = problem.centres.size();
  Sketch sketched = sketch_of(HeldPass(problem.pass, false, how), problem.weights, how);
  Matrix& sketch = sketched.numbers();
  linalg::solve_lower_rows(problem.centres.root(), sketch, how.monitor);
  Matrix out(m, m);
  linalg::symmetric_left_product(sketch, 0, out, how.monitor);
  for (Index i = 0; i < m; ++i) out(i, i) += ridge;
  if (linalg::cholesky(out, how.monitor) != 0) return std::nullopt;
  return out;
}

class System {
 public:
  System(const LeastSquares& problem, double ridge, const Execution& how)
      : problem_(problem), ridge_(ridge), how_(how), factor_(factor_of_sketch(problem, ridge, how)) {}

  // Phi'V y
  Matrix right_side() const {
    Matrix weighted(problem_.y);
    for (Index i = 0; i < weighted.rows(); ++i) {
      for (Index t = 0; t < weighted.cols(); ++t) weighted(i, t) *= problem_.weight(i);
    }
    const Matrix nothing(problem_.centres.size(), problem_.y.cols());
    Matrix out = problem_.pass.back(nothing, {.instead = weighted}, how_);
    linalg::solve_lower(problem_.centres.root(), out);
    return out;
  }

  // (Phi'V Phi + ridge I) v
  Matrix times(MatrixView v, const Execution& how) const {
    Matrix u(v);
    linalg::solve_lower_transposed(problem_.centres.root(), u);
    const VectorView weights = problem_.weights;
    Matrix out = problem_.pass.back(u, {.times = {weights.data(), static_cast<Index>(weights.size()), 1}}, how);
    linalg::solve_lower(problem_.centres.root(), out);
    for (Index i = 0; i < out.rows(); ++i) {
      for (Index t = 0; t < out.cols(); ++t) out(i, t) += ridge_ * v(i, t);
    }
    return out;
  }

  linalg::LinearSystem linear(const Monitor& monitor) const {
    return {.apply =
                [this, how = with(monitor)](MatrixView v, MatrixView, MatrixRef out) {
                  const Matrix product = times(v, how);
                  for (Index i = 0; i < v.rows(); ++i) std::copy_n(product.row(i), v.cols(), out.row(i));
                },
            .precondition =
                [this](MatrixRef v) {
                  if (factor_) linalg::cholesky_solve(*factor_, v);
                }};
  }

  // What preconditions is used up by it.
  std::optional<double> freedom() && {
    if (!factor_) return std::nullopt;
    return dimension_from(*factor_, ridge_);
  }

  Matrix residual(const Matrix& b, const Matrix& w, const Monitor& monitor) const {
    Matrix r = times(w, with(monitor));
    for (Index i = 0; i < r.rows(); ++i) {
      for (Index t = 0; t < r.cols(); ++t) r(i, t) = b(i, t) - r(i, t);
    }
    return r;
  }

 private:
  Execution with(const Monitor& monitor) const {
    Execution out = how_;
    out.monitor = monitor;
    return out;
  }

  const LeastSquares& problem_;
  double ridge_;
  const Execution& how_;
  std::optional<Matrix> factor_;
};

}  // namespace

BySteps by_steps(const LeastSquares& problem, double ridge, double tolerance, int most_steps, const Execution& how,
                 const std::shared_ptr<Checkpoints>& checkpoints) {
  System system(problem, ridge, how);
  const Matrix b = system.right_side();
  solve::Iterated found =
      solve::iterate(b, {.system = [&](const Monitor& monitor) { return system.linear(monitor); },
                         .residual = [&](const Matrix& w, const Monitor& m) { return system.residual(b, w, m); },
                         .tolerance = tolerance,
                         .most_steps = most_steps,
                         .monitor = how.monitor,
                         .checkpoints = checkpoints});
  for (Index t = 0; t < b.cols(); ++t) {
    if (found.norm[at(t)] == 0) continue;
    // |e|^2 in the norm of the system is r'A^-1 r, and A is not below the ridge.
    const double energy = linalg::column_product(found.x, b, t) - linalg::column_product(found.x, found.r, t);
    double& error = found.accuracy.energy_error;
    if (energy > 0) error = std::max(error, std::sqrt(linalg::column_square(found.r, t) / ridge / energy));
  }
  return {std::move(found.x), found.accuracy, std::move(system).freedom()};
}

}  // namespace mercer::centres
