#include "machines/gp/laplace.hpp"

#include <cmath>
#include <limits>
#include <numeric>

#include "base/at.hpp"
#include "linalg/lapack.hpp"
#include "machines/newton.hpp"

namespace mercer::detail {

namespace {

constexpr Index kMostSteps = 200;
// A step that promises less than this, relative to 1 + |psi|, is not taken: the factor at hand is that of the mode.
constexpr double kEnough = 1e-18;
// One that promises less than this cannot be judged by psi, which is rounded; Newton's method is at its end there.
constexpr double kNear = 1e-10;

double inner(const Matrix& a, const Matrix& b) {
  return std::inner_product(a.data(), a.data() + a.rows() * a.cols(), b.data(), 0.0);
}

Matrix minus(Matrix a, const Matrix& b) {
  for (Index i = 0; i < a.rows() * a.cols(); ++i) a.data()[i] -= b.data()[i];
  return a;
}

void add(Matrix& a, double factor, const Matrix& b) {
  for (Index i = 0; i < a.rows() * a.cols(); ++i) a.data()[i] += factor * b.data()[i];
}

double psi(const LaplaceSystem& system, const Matrix& alpha, const Matrix& f) {
  return system.log_likelihood(f) - 0.5 * inner(alpha, f);
}

// The given start where it is better than f = 0.
double begin(const LaplaceSystem& system, MatrixView K, Mode& mode) {
  const Matrix zero(K.rows(), system.data().outputs());
  const double at_zero = system.log_likelihood(zero);
  if (mode.alpha.rows() == K.rows() && mode.alpha.cols() == zero.cols()) {
    mode.f = times(K, mode.alpha);
    const double given = psi(system, mode.alpha, mode.f);
    if (given > at_zero) return given;
  }
  mode.alpha = mode.f = zero;
  return at_zero;
}

// Moves the mode by as much of the step as raises psi; false when none does.
bool advance(const LaplaceSystem& system, Mode& mode, double& value, const Matrix& by_alpha, const Matrix& by_f,
             bool near) {
  double length = 1;
  for (int halvings = 0; halvings < 40; ++halvings, length /= 2) {
    Matrix alpha = mode.alpha, f = mode.f;
    add(alpha, length, by_alpha);
    add(f, length, by_f);
    const double next = psi(system, alpha, f);
    if (!(next > value || (near && std::isfinite(next)))) continue;
    mode.alpha = std::move(alpha);
    mode.f = std::move(f);
    value = next;
    return true;
  }
  return false;
}

}  // namespace

ClassData ClassData::select(std::span<const Index> which) const {
  ClassData out{link, classes, {}, {}};
  for (const Index i : which) {
    out.of.push_back(of[at(i)]);
    out.weights.push_back(weights[at(i)]);
  }
  return out;
}

std::unique_ptr<LaplaceSystem> laplace_system(ClassData data) {
  return data.link == Link::softmax ? softmax_system(std::move(data)) : binary_system(std::move(data));
}

double laplace_evidence(LaplaceSystem& system, MatrixView K, Mode& mode, const Monitor& monitor) {
  constexpr double impossible = -std::numeric_limits<double>::infinity();
  double value = begin(system, K, mode), previous = std::numeric_limits<double>::infinity();
  mode.converged = false;
  if (!std::isfinite(value)) return impossible;
  for (Index step = 0;; ++step) {
    if (!system.factor(K, mode.f, monitor)) return impossible;
    // (I + W K) by_alpha = slope - alpha
    const Matrix rest = minus(system.slope(mode.f), mode.alpha);
    const Matrix by_alpha = minus(rest, system.apply(times(K, rest)));
    const Matrix by_f = times(K, by_alpha);
    const double promise = inner(rest, by_f), scale = 1 + std::abs(value);
    const bool near = promise <= kNear * scale;
    mode.converged = promise <= kEnough * scale || (near && promise > previous / 2);
    if (mode.converged || step == kMostSteps) break;
    if (!advance(system, mode, value, by_alpha, by_f, near)) {
      mode.converged = promise <= 1e-6 * scale;
      break;
    }
    previous = promise;
    ++mode.steps;
  }
  const double evidence = value - 0.5 * system.log_determinant();
  return std::isfinite(evidence) ? evidence : impossible;
}

MatrixRef laplace_gradient(LaplaceSystem& system, MatrixView K, const Mode& mode, const Monitor& monitor) {
  const Matrix s = system.pull(monitor);
  const Matrix u = minus(s, system.apply(times(K, s)));
  const MatrixRef out = system.block_sum(monitor);
  const Index outputs = u.cols();
  for (Index i = 0; i < out.rows(); ++i) {
    const double *a = mode.alpha.row(i), *v = u.row(i);
    for (Index j = 0; j <= i; ++j) {
      double both = 0;
      for (Index c = 0; c < outputs; ++c) {
        both += (a[c] + v[c]) * mode.alpha(j, c) + a[c] * u(j, c);
      }
      out(i, j) = 0.5 * (both - out(i, j));
    }
  }
  return out;
}

}  // namespace mercer::detail
