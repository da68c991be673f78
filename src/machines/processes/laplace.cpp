#include "machines/processes/laplace.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/at.hpp"
#include "base/dot.hpp"
#include "linalg/cholesky.hpp"
#include "linalg/lapack.hpp"
#include "machines/risk/newton.hpp"

namespace mercer::detail {

namespace {

// A step with an old factor must promise so many times less than all before it; after so many in a row that do not, a
// new factor is made.
constexpr double kGain = 2;
constexpr int kMostIdle = 2;
// Of earlier steps, those that the next is combined with.
constexpr std::size_t kTogether = 4;
// Added to the squared sines between them: they may tell the same.
constexpr double kApart = 1e-10;
// Steps that cost little are taken up to this part of what is enough: log |I + K W| is as exact as f is, not as its
// square.
constexpr double kNothing = 1e-3;
// One that promises less than this cannot be judged by psi, which is rounded; Newton's method is at its end there.
constexpr double kNear = 1e-10;

Matrix minus(Matrix a, const Matrix& b) {
  for (Index i = 0; i < a.rows() * a.cols(); ++i) a.data()[i] -= b.data()[i];
  return a;
}

void add(Matrix& a, double factor, const Matrix& b) {
  for (Index i = 0; i < a.rows() * a.cols(); ++i) a.data()[i] += factor * b.data()[i];
}

double psi(const LaplaceSystem& system, const Matrix& alpha, const Matrix& f) {
  return system.log_likelihood(f) - 0.5 * dot(alpha, f);
}

// The best of the start given, of where that has moved, and of f = 0.
double begin(const LaplaceSystem& system, const LaplaceSystem& before, MatrixView K, Mode& mode) {
  Matrix alpha(K.rows(), system.data().outputs), f = alpha;
  double best = system.log_likelihood(f);
  const auto consider = [&](const Matrix& a) {
    Matrix there = system.product(K, a);
    const double value = psi(system, a, there);
    if (value > best) {
      best = value;
      alpha = a;
      f = there;
    }
    return there;
  };
  if (mode.alpha.rows() == K.rows() && mode.alpha.cols() == alpha.cols()) {
    const Matrix given = mode.alpha, now = consider(given);
    // d alpha = -M dK alpha
    if (before.factored() != nullptr && mode.converged && mode.f.rows() == K.rows()) {
      consider(minus(given, before.apply(minus(now, mode.f))));
    }
  }
  mode.alpha = std::move(alpha);
  mode.f = std::move(f);
  return best;
}

// A step of Newton's method, or of something like it.
struct Move {
  Matrix alpha, f;  // f = K alpha
};

// Moves with a factor that is not that of K and f undo each other's work. The best combination of one with the last
// few, by the curvature at f, which is K + K W K for alpha: conjugate gradients, and the factor preconditions them.
class Together {
 public:
  Move best(const LaplaceSystem& system, const Matrix& f, const Matrix& rest, Move next) {
    if (last_.empty()) return next;
    const Matrix curvature = system.curvature(f);
    std::vector<const Move*> all = {&next};
    for (const Move& one : last_) all.push_back(&one);
    const auto count = static_cast<Index>(all.size());
    Matrix gram(count, count), share(count, 1);
    for (Index a = 0; a < count; ++a) {
      Matrix bent = system.curve(curvature, all[at(a)]->f);
      add(bent, 1, all[at(a)]->alpha);
      for (Index b = 0; b < count; ++b) gram(b, a) = dot(bent, all[at(b)]->f);
      share(a, 0) = dot(rest, all[at(a)]->f);
    }
    Vector size(at(count));
    for (Index a = 0; a < count; ++a) size[at(a)] = std::sqrt(gram(a, a));
    for (Index a = 0; a < count; ++a) {
      for (Index b = 0; b < count; ++b) gram(a, b) /= size[at(a)] * size[at(b)];
      gram(a, a) += kApart;
      share(a, 0) /= size[at(a)];
    }
    if (linalg::cholesky(gram) != 0) return next;
    linalg::cholesky_solve(gram, share);
    Move out{Matrix(f.rows(), f.cols()), Matrix(f.rows(), f.cols())};
    for (Index a = 0; a < count; ++a) {
      add(out.alpha, share(a, 0) / size[at(a)], all[at(a)]->alpha);
      add(out.f, share(a, 0) / size[at(a)], all[at(a)]->f);
    }
    return dot(rest, out.f) > 0 ? out : next;  // or the numbers were too large, or too small
  }
  void remember(Move move) {
    if (last_.size() == kTogether) last_.erase(last_.begin());
    last_.push_back(std::move(move));
  }

 private:
  std::vector<Move> last_;
};

// Moves the mode by as much of the step as raises psi; false when none does.
bool advance(const LaplaceSystem& system, Mode& mode, double& value, const Move& step, bool near) {
  double length = 1;
  for (int halvings = 0; halvings < 40; ++halvings, length /= 2) {
    Matrix alpha = mode.alpha, f = mode.f;
    add(alpha, length, step.alpha);
    add(f, length, step.f);
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

Observations observed(Likelihood likelihood, Index classes, std::span<const Index> of) {
  Observations out{likelihood, likelihood.coupled() ? classes : 1, {}, Vector(of.size(), 1.0)};
  for (const Index c : of) out.y.push_back(likelihood.coupled() ? static_cast<double>(c) : c == 1 ? 1 : -1);
  return out;
}

Observations Observations::select(std::span<const Index> which) const {
  Observations out{likelihood, outputs, {}, {}, newton, enough};
  for (const Index i : which) {
    out.y.push_back(y[at(i)]);
    out.weights.push_back(weights[at(i)]);
  }
  return out;
}

Matrix LaplaceSystem::product(MatrixView K, const Matrix& v) const { return times(K, v); }

std::unique_ptr<LaplaceSystem> laplace_system(Observations data, int threads) {
  return data.likelihood.coupled() ? softmax_system(std::move(data), threads) : single_system(std::move(data), threads);
}

double laplace_evidence(LaplaceSystem& system, MatrixView K, Mode& mode, const Monitor& monitor,
                        const LaplaceSystem* near) {
  constexpr double impossible = -std::numeric_limits<double>::infinity();
  const LaplaceSystem& before = near != nullptr ? *near : system;
  const double enough = system.data().enough;
  double value = begin(system, before, K, mode), first = std::numeric_limits<double>::infinity();
  mode.converged = false;
  if (!std::isfinite(value)) return impossible;
  // What was factored for the last K, beside that K, is close to what is needed now.
  bool ended = false, own = before.factored() == nullptr;
  for (Index factors = 0; !ended; own = true) {
    if (own && !system.factor(K, mode.f, monitor)) return impossible;
    Together together;
    int idle = 0;
    double least = std::numeric_limits<double>::infinity();
    // Further steps with the same factor cost n^2, and are taken for as long as they help.
    for (Index step = own ? 0 : 1; !ended; ++step) {
      monitor.report({"mode", 0});
      // (I + W K) by_alpha = slope - alpha
      const Matrix rest = minus(system.slope(mode.f), mode.alpha);
      Move by{minus(rest, own ? system.apply(system.product(K, rest))
                              : before.apply(before.product(before.factored()->view(), rest))),
              {}};
      by.f = system.product(K, by.alpha);
      by = together.best(system, mode.f, rest, std::move(by));
      const double promise = dot(rest, by.f), scale = 1 + std::abs(value);
      const bool near = promise <= kNear * scale;
      idle = promise <= least / kGain ? 0 : idle + 1;
      least = std::min(least, promise);
      if (step > 0 && !(promise > kNothing * enough * scale && idle < kMostIdle)) break;
      if (step == 0) {
        mode.converged = promise <= enough * scale || (near && promise > first / 2);
        ended = mode.converged || factors++ == system.data().newton;
        if (ended) break;
        first = promise;
      }
      if (!advance(system, mode, value, by, near)) {
        if (step > 0) break;
        mode.converged = promise <= 1e-6 * scale;
        ended = true;
        break;
      }
      together.remember(std::move(by));
      ++mode.steps;
    }
  }
  // What alpha has that F does not see is of no account to the mode, where steps that tell nearly the same are
  // combined, and is to what begins there, and to slopes.
  if (system.by_factor() && mode.converged) mode.alpha = system.slope(mode.f);
  const double evidence = value - 0.5 * system.log_determinant();
  return std::isfinite(evidence) ? evidence : impossible;
}

MatrixRef laplace_gradient(LaplaceSystem& system, MatrixView K, const Mode& mode, const Monitor& monitor) {
  const Matrix s = system.pull(monitor);
  const Matrix u = minus(s, system.apply(system.product(K, s)));
  const MatrixRef out = system.block_sum(monitor);
  const Index outputs = u.cols();
  if (system.by_factor()) {
    Matrix by_alpha(K.cols(), outputs), by_u = by_alpha;
    linalg::multiply_left_transposed(1, K, mode.alpha, 0, by_alpha);
    linalg::multiply_left_transposed(1, K, u, 0, by_u);
    for (Index i = 0; i < out.rows(); ++i) {
      for (Index j = 0; j < out.cols(); ++j) {
        double both = 0;
        for (Index c = 0; c < outputs; ++c) {
          both += (mode.alpha(i, c) + u(i, c)) * by_alpha(j, c) + mode.alpha(i, c) * by_u(j, c);
        }
        out(i, j) = 0.5 * (both - out(i, j));
      }
    }
    return out;
  }
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
