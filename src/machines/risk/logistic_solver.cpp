#include "machines/risk/logistic_solver.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <optional>

#include "base/at.hpp"
#include "base/dot.hpp"
#include "base/fail.hpp"
#include "linalg/cholesky.hpp"
#include "linalg/conjugate_gradient.hpp"
#include "linalg/lapack.hpp"
#include "machines/risk/softmax_system.hpp"

namespace mercer::detail {

namespace {

// Steps of conjugate gradients: before factors of each class are made (again); where there is no room for that; after
// they have been made.
constexpr int kLeastPatience = 60, kMost = 500, kRefinements = 8;

// What could be gained, as a share of the objective, and is no matter of rounding.
constexpr double kRounded = 1e-6;

// A point (f, b), a direction there, or a residual: coefficients and bias of each output.
struct Pair {
  Matrix alpha;
  Vector bias;

  Pair(Matrix alpha_, Vector bias_) : alpha(std::move(alpha_)), bias(std::move(bias_)) {}
  Pair(Index n, Index outputs) : alpha(n, outputs), bias(at(outputs)) {}
  void add(double factor, const Pair& other) {
    for (Index i = 0; i < alpha.rows() * alpha.cols(); ++i) alpha.data()[i] += factor * other.alpha.data()[i];
    for (std::size_t c = 0; c < bias.size(); ++c) bias[c] += factor * other.bias[c];
  }
};

// A pair as one vector: alpha by rows, then the biases.
Vector flat(const Pair& pair) {
  Vector out(pair.alpha.data(), pair.alpha.data() + pair.alpha.rows() * pair.alpha.cols());
  out.insert(out.end(), pair.bias.begin(), pair.bias.end());
  return out;
}
MatrixView alpha_in(VectorView flat, Index outputs) {
  return {flat.data(), static_cast<Index>(flat.size()) / outputs - 1, outputs};
}
// The numbers of one column.
VectorView numbers(MatrixView column) { return {column.data(), at(column.rows())}; }
VectorView bias_in(VectorView flat, Index outputs) { return flat.last(at(outputs)); }
Pair pair_of(VectorView flat, Index outputs) {
  const VectorView bias = bias_in(flat, outputs);
  return {Matrix(alpha_in(flat, outputs)), Vector(bias.begin(), bias.end())};
}

Vector column_sums(const Matrix& a) {
  Vector sums(at(a.cols()));
  for (Index i = 0; i < a.rows(); ++i) {
    for (Index j = 0; j < a.cols(); ++j) sums[at(j)] += a(i, j);
  }
  return sums;
}

Matrix plus_rows(Matrix a, const Vector& row) {
  for (Index i = 0; i < a.rows(); ++i) {
    for (Index j = 0; j < a.cols(); ++j) a(i, j) += row[at(j)];
  }
  return a;
}

// A system that can be solved near that of a Newton step,
//     lambda da + W (K da + db) = r.alpha,  1'W (K da + db) = r.bias:
// with the one curvature that all outputs share in place of W, or with a W itself, of this step or an earlier one.
class NearSystem {
 public:
  NearSystem(const Gram& K, double lambda, bool bias, const SoftmaxLoss::Curvature& W, bool exact,
             const Monitor& monitor)
      : lambda_(lambda), bias_(bias) {
    if (exact) {
      exact_.emplace(K.dense(), lambda, W, monitor);
    } else {
      shared_.emplace(K, lambda, W.mean(), monitor);
    }
    sound_ = (exact ? exact_->sound() : shared_->sound()) && (!bias || settle_biases(W));
  }

  bool sound() const { return sound_; }

  // The second equation less the first, summed, is lambda 1'da = 1'r.alpha - r.bias.
  Pair solve(const Pair& r) const {
    Pair z(r.alpha, Vector(r.bias.size()));
    if (exact_) {
      exact_->solve(z.alpha);
    } else {
      shared_->solve(z.alpha);
    }
    if (!bias_) return z;
    const Index outputs = z.alpha.cols();
    const Vector before = column_sums(r.alpha), after = column_sums(z.alpha);
    for (std::size_t c = 0; c < z.bias.size(); ++c) z.bias[c] = lambda_ * after[c] - before[c] + r.bias[c];
    if (shared_) {  // each output by itself
      for (double& b : z.bias) b /= schur_(0, 0);
      for (Index i = 0; i < z.alpha.rows(); ++i) {
        for (Index c = 0; c < outputs; ++c) z.alpha(i, c) -= by_bias_(i, 0) * z.bias[at(c)];
      }
      return z;
    }
    linalg::cholesky_solve(schur_, MatrixRef(z.bias.data(), outputs, 1));
    for (Index i = 0; i < z.alpha.rows(); ++i) {
      for (Index b = 0; b < outputs; ++b) {
        const double* taken = by_bias_.row(i) + b * outputs;
        for (Index c = 0; c < outputs; ++c) z.alpha(i, c) -= z.bias[at(b)] * taken[c];
      }
    }
    return z;
  }

 private:
  // What each bias takes from alpha, (lambda I + W K)^-1 W 1, and the system that is left for the biases.
  bool settle_biases(const SoftmaxLoss::Curvature& W) {
    const auto n = static_cast<Index>(W.mean().size());
    if (shared_) {
      by_bias_ = Matrix(MatrixView(W.mean().data(), n, 1));
      shared_->solve(by_bias_);
      schur_ = Matrix(1, 1);
      schur_(0, 0) = lambda_ * column_sums(by_bias_)[0];
      return schur_(0, 0) > 0;
    }
    const Index outputs = W.diagonal().cols();
    by_bias_ = Matrix(n, outputs * outputs);
    for (Index b = 0; b < outputs; ++b) {
      Matrix of_one(n, outputs);
      for (Index i = 0; i < n; ++i) of_one(i, b) = 1;
      W.apply(of_one);
      for (Index i = 0; i < n; ++i) std::copy_n(of_one.row(i), outputs, by_bias_.row(i) + b * outputs);
    }
    exact_->solve(by_bias_);
    const Vector sums = column_sums(by_bias_);
    schur_ = Matrix(outputs, outputs);
    double trace = 0;
    for (Index b = 0; b < outputs; ++b) {
      for (Index c = 0; c < outputs; ++c) schur_(c, b) = lambda_ * sums[at(b * outputs + c)];
      trace += schur_(b, b);
    }
    // All biases may move together without effect: any multiple of 1 1' settles it.
    for (Index i = 0; i < outputs * outputs; ++i) schur_.data()[i] += trace / static_cast<double>(outputs);
    return linalg::cholesky(schur_) == 0;
  }

  double lambda_;
  bool bias_;
  std::optional<NewtonSystem> shared_;
  std::optional<SoftmaxSystem> exact_;
  Matrix by_bias_;  // a column, or for each bias one per output
  Matrix schur_;    // a number, or a factor
  bool sound_ = false;
};

class Solver {
 public:
  Solver(const KernelLogistic& config, const Gram& K, const SoftmaxLoss& loss, double room, const Monitor& monitor)
      : config_(config),
        K_(K),
        loss_(loss),
        affordable_(!K.dense().empty() && SoftmaxSystem::bytes(K.size(), loss.outputs()) <= room),
        monitor_(monitor),
        at_(K.size(), loss.outputs()),
        f_(K.size(), loss.outputs()) {}

  LogisticSolution solve(Report& report) {
    try {
      for (const double lambda : path()) descend(lambda, report);
    } catch (const Error& error) {
      if (error.kind() != ErrorKind::cancelled) throw;
      report.converged = false;
      report.stopped = "interrupted";
    }
    report.add("objective", objective(config_.lambda, f_, own_product()));
    report.add("gradient", gradient(config_.lambda, loss_.descent(f_)));
    if (f_.cols() > 1) {
      report.add("conjugate_gradient_steps", static_cast<double>(inner_steps_));
      report.add("direct_steps", static_cast<double>(direct_steps_));
    }
    return {at_.alpha, at_.bias};
  }

 private:
  // Where lambda is tiny beside the curvature at f = 0, I + W^1/2 K W^1/2 / lambda loses its 1 to rounding; near the
  // solution W is as small as lambda is, and it does not.
  std::vector<double> path() const {
    double curvature = 0;
    const Vector diagonal = K_.diagonal();
    for (std::size_t i = 0; i < diagonal.size(); ++i) curvature += loss_.weights()[i] * diagonal[i] / 4;
    std::vector<double> lambdas;
    for (double lambda = curvature * 1e-8; lambda > config_.lambda; lambda /= 30) lambdas.push_back(lambda);
    lambdas.push_back(config_.lambda);
    return lambdas;
  }

  double own_product() const {  // alpha' K alpha
    double sum = 0;
    for (Index i = 0; i < f_.rows(); ++i) {
      for (Index c = 0; c < f_.cols(); ++c) sum += at_.alpha(i, c) * (f_(i, c) - at_.bias[at(c)]);
    }
    return sum;
  }

  double objective(double lambda, const Matrix& f, double product) const {
    return loss_.value(f) + lambda / 2 * product;
  }

  // The larger of the two conditions of optimality, over their weights; g = -loss'(f).
  double gradient(double lambda, const Matrix& g) const {
    double largest = 0;
    for (Index i = 0; i < g.rows() * g.cols(); ++i) {
      largest = std::max(largest, std::abs(lambda * at_.alpha.data()[i] - g.data()[i]));
    }
    const Vector& w = loss_.weights();
    largest /= *std::max_element(w.begin(), w.end());
    if (!config_.bias) return largest;
    for (const double sum : column_sums(g)) {
      largest = std::max(largest, std::abs(sum) / std::accumulate(w.begin(), w.end(), 0.0));
    }
    return largest;
  }

  // At most so much, apart from the bias: |gradient|^2 / (2 lambda) in the space of f.
  double to_gain(double lambda) const {
    Matrix r = loss_.descent(f_);
    for (Index i = 0; i < r.rows() * r.cols(); ++i) r.data()[i] -= lambda * at_.alpha.data()[i];
    return dot(r, times(K_, r)) / (2 * lambda);
  }

  void descend(double lambda, Report& report) {
    // On the way to the last lambda a rough answer is as good a start.
    const double tolerance = lambda == config_.lambda ? config_.tolerance : std::max(config_.tolerance, 1e-3);
    double first = 0;
    for (;; ++report.iterations) {
      const Matrix g = loss_.descent(f_);
      const double now = gradient(lambda, g);
      report.converged = now <= tolerance;
      report.stopped = report.converged ? "gradient below tolerance" : "iteration limit";
      if (report.converged || report.iterations == config_.max_iterations) return;
      first = std::max(first, now);
      fraction_ = std::clamp(std::log(first / now) / std::log(first / tolerance), 0.0, 1.0);
      monitor_.report({"logistic", fraction_});
      const Advance made = advance(lambda, g, newton_step(lambda, g, now));
      if (made == Advance::step) continue;
      // Of few features and a tiny lambda, alpha may be so large that rounding is all there is.
      const bool rounded = made == Advance::nothing_to_gain;
      report.converged = rounded && to_gain(lambda) <= kRounded * std::abs(objective(lambda, f_, own_product()));
      report.stopped = report.converged ? "nothing to gain beyond rounding"
                       : rounded        ? "rounding hides what could be gained; raise lambda"
                                        : "no step lowers the objective";
      return;
    }
  }

  // A factor for each class costs as much as some n/4 steps of conjugate gradients.
  int patience() const {
    return affordable_ ? std::clamp(static_cast<int>(K_.size() / 4), kLeastPatience, kMost) : kMost;
  }

  NearSystem near(double lambda, const SoftmaxLoss::Curvature& W, bool exact) const {
    // Within a factorisation only the wish to stop is of interest.
    const Monitor listen([&](const Progress&) {
      monitor_.report({"logistic", fraction_});
      return true;
    });
    NearSystem system(K_, lambda, config_.bias, W, exact, listen);
    if (!system.sound()) {
      fail(ErrorKind::numeric, "logistic: lambda = {} is too small beside this kernel matrix; raise it",
           config_.lambda);
    }
    return system;
  }

  Pair newton_step(double lambda, const Matrix& g, double now) {
    Pair r(g, config_.bias ? column_sums(g) : Vector(at(f_.cols())));
    for (Index i = 0; i < g.rows() * g.cols(); ++i) r.alpha.data()[i] -= lambda * at_.alpha.data()[i];
    const SoftmaxLoss::Curvature W = loss_.curvature(f_);
    if (f_.cols() == 1) return near(lambda, W, false).solve(r);
    // Far from the solution a rough step does; near it, one that grows more exact converges faster than linearly.
    const double enough = std::min(0.01, now);
    if (!exact_) {
      const auto [step, reached] = conjugate_gradients(lambda, W, near(lambda, W, false), r, enough, patience());
      if (reached || !affordable_) return step;
    } else if (lambda == exact_lambda_) {  // what was exact at an earlier step is near this one
      const auto [step, reached] = conjugate_gradients(lambda, W, *exact_, r, enough, kLeastPatience);
      if (reached) return step;
    }
    exact_.emplace(near(lambda, W, true));
    exact_lambda_ = lambda;
    ++direct_steps_;
    return conjugate_gradients(lambda, W, *exact_, r, enough, kRefinements).first;
  }

  // H v: the left side of the system of a step, with K v at hand.
  Pair times_hessian(double lambda, const SoftmaxLoss::Curvature& W, const Pair& v, const Matrix& K_v) const {
    Pair out(plus_rows(K_v, v.bias), Vector(v.bias.size()));
    W.apply(out.alpha);
    if (config_.bias) out.bias = column_sums(out.alpha);
    for (Index i = 0; i < K_v.rows() * K_v.cols(); ++i) out.alpha.data()[i] += lambda * v.alpha.data()[i];
    return out;
  }

  // Until the error, in the norm of the preconditioned residual, has fallen by sqrt(enough). The Hessian and what
  // preconditions it are symmetric in <u, v> = sum u.alpha (K v.alpha) + u.bias v.bias.
  std::pair<Pair, bool> conjugate_gradients(double lambda, const SoftmaxLoss::Curvature& W, const NearSystem& near,
                                            const Pair& r, double enough, int most) {
    const Index outputs = f_.cols();
    const linalg::LinearSystem system{
        .apply =
            [&](MatrixView v, MatrixView G_v, MatrixRef out) {
              const Pair p = pair_of(numbers(v), outputs);
              const Vector H_v = flat(times_hessian(lambda, W, p, Matrix(alpha_in(numbers(G_v), outputs))));
              std::copy(H_v.begin(), H_v.end(), out.data());
            },
        .precondition =
            [&](MatrixRef v) {
              const Vector solved = flat(near.solve(pair_of(numbers(v), outputs)));
              std::copy(solved.begin(), solved.end(), v.data());
            },
        .metric =
            [&](MatrixView v, MatrixRef out) {
              std::copy_n(v.data(), v.rows(), out.data());
              const Matrix product = times(K_, alpha_in(numbers(v), outputs));
              std::copy_n(product.data(), product.rows() * outputs, out.data());
            },
    };
    const Vector side = flat(r);
    const linalg::ConjugateGradients found =
        linalg::conjugate_gradients(system, Matrix(MatrixView(side.data(), static_cast<Index>(side.size()), 1)),
                                    {.enough = enough, .most = most}, {.before = [&](double, const auto&) {
                                      monitor_.report({"logistic", fraction_});
                                    }});
    inner_steps_ += found.most_steps();
    return {pair_of(numbers(found.x), outputs), found.all_reached()};
  }

  enum class Advance { step, nothing_to_gain, stuck };

  // Takes the longest of the steps 1, 1/2, 1/4 ... that lowers the objective as it should. A slope that is nothing
  // beside the objective is a certificate: half of it is what Newton's method expects to gain.
  Advance advance(double lambda, const Matrix& g, const Pair& step) {
    const Matrix K_step = times(K_, step.alpha), along = plus_rows(K_step, step.bias);
    // d objective / d length at 0: alpha falls along K (lambda alpha - g), b along -1'g.
    double slope = -dot(g, along);
    slope += lambda * dot(at_.alpha, K_step);
    const double product = own_product(), start = objective(lambda, f_, product);
    const double mixed = dot(at_.alpha, K_step), square = dot(step.alpha, K_step);
    if (!(slope < -1e-15 * std::abs(start))) {
      last_step(lambda, g, step);
      return Advance::nothing_to_gain;
    }
    for (double length = 1; length > 1e-10; length /= 2) {
      Matrix f = f_;
      for (Index i = 0; i < f.rows() * f.cols(); ++i) f.data()[i] += length * along.data()[i];
      const double value = objective(lambda, f, product + 2 * length * mixed + length * length * square);
      if (!(value <= start + 1e-4 * length * slope + 1e-14 * std::abs(start))) continue;
      at_.add(length, step);
      f_ = plus_rows(times(K_, at_.alpha), at_.bias);
      return Advance::step;
    }
    return Advance::stuck;
  }

  // Where the objective cannot tell points apart any more the gradient still can, by half of all digits.
  void last_step(double lambda, const Matrix& g, const Pair& step) {
    const double now = gradient(lambda, g);
    const Pair before = at_;
    Matrix f = f_;
    at_.add(1, step);
    f_ = plus_rows(times(K_, at_.alpha), at_.bias);
    if (gradient(lambda, loss_.descent(f_)) < now) return;
    at_ = before;
    f_ = std::move(f);
  }

  const KernelLogistic& config_;
  Gram K_;
  const SoftmaxLoss& loss_;
  const bool affordable_;  // the direct solver
  const Monitor& monitor_;
  Pair at_;
  Matrix f_;  // K alpha + b
  double fraction_ = 0;
  std::optional<NearSystem> exact_;  // from the step on that shared curvature was of no use
  double exact_lambda_ = 0;
  Index inner_steps_ = 0, direct_steps_ = 0;
};

}  // namespace

LogisticSolution solve_logistic(const KernelLogistic& config, const Gram& K, const SoftmaxLoss& loss, double room,
                                const Monitor& monitor, Report& report) {
  return Solver(config, K, loss, room, monitor).solve(report);
}

}  // namespace mercer::detail
