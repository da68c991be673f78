// Newton's method in the features of centres:
//     minimise_{w, b}  sum_i v_i loss_i(f(x_i)) + lambda/2 |w|^2,       f = Phi w + b,  Phi = k(X, Z) L^-T
// Phi is nowhere: u = L^-T w takes m^2 flops, and f is k(X, Z) u. With n points, m centres and c outputs a product with
// the Hessian, Phi'W Phi v + lambda v, is one pass over k(X, Z), 4 n m c flops, where the Hessian itself would be n m^2
// for every step. Its systems are solved by conjugate gradients, preconditioned output by output by a sketch of
// W^1/2 Phi of 2 m rows: n m flops to add up, 13/3 m^3 to whiten, multiply and factor. It is made anew only when steps
// have become dearer than that. Of several classes w adds to 0 over these, and what preconditions keeps it so: in the
// direction of all outputs together there is no curvature but lambda.
#include "machines/risk/logistic_on_centres.hpp"

#include <algorithm>
#include <cmath>
#include <memory>
#include <numeric>

#include "base/at.hpp"
#include "base/dot.hpp"
#include "base/fail.hpp"
#include "base/parallel.hpp"
#include "centres/held_pass.hpp"
#include "centres/sketch.hpp"
#include "linalg/cholesky.hpp"
#include "linalg/conjugate_gradient.hpp"
#include "linalg/lapack.hpp"
#include "model/needs.hpp"
#include "model/training.hpp"

namespace mercer::detail {

namespace {

// Steps of conjugate gradients that a good preconditioner takes, about, and that any may take.
constexpr int kUsual = 10, kMost = 500;
// A value of a kernel in flops that take as long. Nothing here is decided by a clock.
constexpr double kPairCost = 60;

// Whether k(X, Z) is kept: where half of the memory is left for all that cannot be done without.
bool keeps(const Extent& extent) {
  const auto n = static_cast<double>(extent.points), m = static_cast<double>(extent.centres);
  return sizeof(double) * n * m <= extent.room() / 2;
}

void add(double factor, const Matrix& b, Matrix& a) {
  for (Index i = 0; i < a.rows() * a.cols(); ++i) a.data()[i] += factor * b.data()[i];
}

// What the features and the constant 1 of all points, [Phi 1], do to matrices: with a bias w has a row more than there
// are centres.
class Features {
 public:
  Features(const Centres& centres, const centres::HeldPass& pass, bool bias)
      : centres_(centres), pass_(pass), bias_(bias) {}

  Index points() const { return pass_.rows(); }
  Index count() const { return centres_.size() + (bias_ ? 1 : 0); }

  Matrix values(MatrixView w, const Execution& how) const {
    Matrix f = pass_.values(unwhitened(w), how);
    if (bias_) add_row(w.row(centres_.size()), f);
    return f;
  }

  Matrix back(const Matrix& g, const Execution& how) const { return whitened(pass_.back(g, how)); }

  // [Phi 1]'W [Phi 1] v
  Matrix times(const SoftmaxLoss::Curvature& W, MatrixView v, const Execution& how) const {
    centres::Between between = W.between();
    if (bias_) between.plus = v.block({centres_.size(), centres_.size() + 1}, {0, v.cols()});
    return whitened(pass_.through(unwhitened(v), between, how));
  }

  // The Cholesky factor of [Phi 1]'W [Phi 1] + lambda (I 0) for weights W of one output, by a sketch.
  Matrix near(VectorView W, double lambda, const Execution& how) const {
    const Index m = centres_.size();
    centres::Sketch sketched = centres::sketch_of(pass_, W, how);
    Matrix& S = sketched.numbers();
    linalg::solve_lower_rows(centres_.root(), S, how.monitor);
    Matrix all(count(), count());
    linalg::symmetric_left_product(S, 0, all.ref().block({0, m}, {0, m}), how.monitor);
    if (bias_) {
      const Vector& ones = sketched.ones();
      linalg::multiply(1, MatrixView(ones.data(), 1, S.rows()), S, 0, all.ref().block({m, m + 1}, {0, m}));
      all(m, m) = dot(ones.data(), ones.data(), S.rows());
    }
    // A bias that no point curves, and a lambda that is rounding beside the rest, are given something.
    double trace = 0;
    for (Index i = 0; i < count(); ++i) trace += all(i, i);
    const double least = 1e-14 * trace + std::numeric_limits<double>::min();
    for (double more = least;; more *= 100) {
      Matrix factor = all;
      for (Index i = 0; i < count(); ++i) factor(i, i) += i < m ? std::max(lambda, more) : more;
      if (linalg::cholesky(factor, how.monitor) == 0) return factor;
      if (!(more <= trace))
        fail(ErrorKind::numeric, "logistic: the features of the centres overflow; scale the kernel");
    }
  }

 private:
  Matrix unwhitened(MatrixView w) const {
    Matrix u(w.block({0, centres_.size()}, {0, w.cols()}));
    linalg::solve_lower_transposed(centres_.root(), u);
    return u;
  }

  // L^-1 of sums over points, and what is that of the constant.
  Matrix whitened(centres::HeldPass::Sums sums) const {
    Matrix& sum = sums.of_centres;
    linalg::solve_lower(centres_.root(), sum);
    if (!bias_) return std::move(sum);
    Matrix out(count(), sum.cols());
    std::copy_n(sum.data(), sum.rows() * sum.cols(), out.data());
    std::copy_n(sums.of_one.data(), sum.cols(), out.row(sum.rows()));
    return out;
  }

  static void add_row(const double* row, MatrixRef f) {
    for (Index i = 0; i < f.rows(); ++i) {
      for (Index c = 0; c < f.cols(); ++c) f(i, c) += row[c];
    }
  }

  const Centres& centres_;
  const centres::HeldPass& pass_;
  bool bias_;
};

class Newton {
 public:
  // `checkpoints`: what is kept of it, and gone on from; null: nothing.
  Newton(const KernelLogistic& config, const Centres& centres, const Features& features, const SoftmaxLoss& loss,
         bool kept, double trace, const Execution& how, std::shared_ptr<Checkpoints> checkpoints)
      : config_(config),
        centres_(centres),
        features_(features),
        loss_(loss),
        how_(how),
        checkpoints_(std::move(checkpoints)),
        weight_(std::accumulate(loss.weights().begin(), loss.weights().end(), 0.0)),
        trace_(trace),
        w_(features.count(), loss.outputs()),
        f_(features.points(), loss.outputs()) {
    const auto n = static_cast<double>(features.points()), m = static_cast<double>(centres.size());
    const double step = n * m * (4 + (kept ? 0 : kPairCost / static_cast<double>(loss.outputs())));
    patience_ = static_cast<int>(std::min<double>(kMost, kUsual + (4 * n * m + 13.0 / 3 * m * m * m) / step));
  }

  void solve(Report& report) {
    try {
      go_on(report);
      const std::vector<double> lambdas = path();
      for (const auto all = static_cast<Index>(lambdas.size()); behind_ < all; ++behind_) {
        descend(lambdas[at(behind_)], report);
      }
    } catch (const Error& error) {
      if (error.kind() != ErrorKind::cancelled) throw;
      if (!begun_.empty()) checkpoints_->keep(begun_);
      report.converged = false;
      report.stopped = "interrupted";
      how_.monitor = {};  // what there is must be measured once
    }
    report.add("objective", objective(config_.lambda, w_, f_));
    report.add("gradient", size_of(gradient(config_.lambda)));
    report.add("conjugate_gradient_steps", static_cast<double>(inner_steps_));
  }

  const Matrix& w() const { return w_; }

 private:
  // All that a step begins with. What preconditions it is as large as the centres' pairs, and is made again from the
  // curvature that it was made for.
  Vector numbers(const Report& report) const {
    Vector out = {static_cast<double>(behind_),
                  static_cast<double>(report.iterations),
                  static_cast<double>(inner_steps_),
                  static_cast<double>(patience_),
                  dear_ ? 1.0 : 0.0,
                  near_lambda_,
                  static_cast<double>(near_for_.size())};
    for (const Vector& W : near_for_) out.insert(out.end(), W.begin(), W.end());
    for (const Matrix* const m : {&w_, &f_}) out.insert(out.end(), m->data(), m->data() + m->rows() * m->cols());
    return out;
  }

  void go_on(Report& report) {
    const Vector last = checkpoints_ ? checkpoints_->last() : Vector();
    if (last.empty()) return;
    auto next = last.begin();
    behind_ = static_cast<Index>(*next++);
    report.iterations = static_cast<int>(*next++);
    inner_steps_ = static_cast<Index>(*next++);
    patience_ = static_cast<int>(*next++);
    dear_ = *next++ != 0;
    near_lambda_ = *next++;
    near_for_.resize(static_cast<std::size_t>(*next++));
    const auto take = [&](double* to, Index count) {
      std::copy_n(next, count, to);
      next += count;
    };
    for (Vector& W : near_for_) {
      W.resize(at(features_.points()));
      take(W.data(), features_.points());
    }
    for (Matrix* const m : {&w_, &f_}) take(m->data(), m->rows() * m->cols());
    make_near(quietly());
  }

  Index penalised() const { return centres_.size() * w_.cols(); }  // numbers of w before the biases

  // Far steps from 0 are of no use where lambda is tiny; its solution is near that of a somewhat larger one.
  std::vector<double> path() const {
    std::vector<double> lambdas;
    for (double lambda = trace_ / 4 * 1e-8; lambda > config_.lambda; lambda /= 30) lambdas.push_back(lambda);
    lambdas.push_back(config_.lambda);
    return lambdas;
  }

  double objective(double lambda, const Matrix& w, const Matrix& f) const {
    return loss_.value(f) + lambda / 2 * dot(w.data(), w.data(), penalised());
  }

  // The way down, -d objective / d(w, b).
  Matrix gradient(double lambda) const {
    Matrix out = features_.back(loss_.descent(f_), how_);
    for (Index i = 0; i < penalised(); ++i) out.data()[i] -= lambda * w_.data()[i];
    return out;
  }

  // For each unit of weight, and of the size of a feature vector.
  double size_of(const Matrix& g) const {
    const double w = dot(g.data(), g.data(), penalised());
    double b = 0;
    for (Index i = penalised(); i < g.rows() * g.cols(); ++i) b = std::max(b, std::abs(g.data()[i]));
    return std::max(std::sqrt(trace_ > 0 ? w / (trace_ * weight_) : w), b / weight_);
  }

  void descend(double lambda, Report& report) {
    const double tolerance = lambda == config_.lambda ? config_.tolerance : std::max(config_.tolerance, 1e-3);
    double first = 0;
    for (;; ++report.iterations) {
      const Matrix g = gradient(lambda);
      const double now = size_of(g);
      report.converged = now <= tolerance;
      report.stopped = report.converged ? "gradient below tolerance" : "iteration limit";
      if (report.converged || report.iterations == config_.max_iterations) return;
      first = std::max(first, now);
      fraction_ = std::clamp(std::log(first / now) / std::log(first / tolerance), 0.0, 1.0);
      tell();
      if (checkpoints_) {
        begun_ = numbers(report);
        if (checkpoints_->due()) checkpoints_->keep(begun_);
      }
      if (!advance(lambda, g, step(lambda, g, now), report)) return;
    }
  }

  void tell() const { how_.monitor.report({"logistic", fraction_}); }

  // Within a pass only the wish to stop is of interest.
  Execution quietly() const {
    Execution how = how_;
    how.monitor = Monitor([this](const Progress&) {
      tell();
      return true;
    });
    return how;
  }

  Matrix step(double lambda, const Matrix& g, double now) {
    const SoftmaxLoss::Curvature W = loss_.curvature(f_);
    const Execution how = quietly();
    const bool fresh = near_.empty() || dear_;
    if (fresh) precondition(lambda, W, how);
    // Far from the solution a rough step does; near it, one that grows more exact converges faster than linearly.
    const double enough = std::min(0.1, 3 * std::sqrt(now));
    const Index rows = w_.rows(), outputs = w_.cols();
    const auto unrolled = [&](auto view) { return decltype(view)(view.data(), rows, outputs); };
    const linalg::LinearSystem system{
        .apply =
            [&](MatrixView v, MatrixView, MatrixRef out) {
              Matrix H_v = features_.times(W, unrolled(v), how);
              for (Index i = 0; i < penalised(); ++i) H_v.data()[i] += lambda * v.data()[i];
              std::copy_n(H_v.data(), rows * outputs, out.data());
            },
        .precondition = [&](MatrixRef v) { apply_near(unrolled(v)); },
    };
    const linalg::ConjugateGradients found =
        linalg::conjugate_gradients(system, Matrix(MatrixView(g.data(), rows * outputs, 1)),
                                    {.enough = enough * enough, .most = fresh ? kMost : patience_},
                                    {.before = [&](double, const auto&) { tell(); }});
    inner_steps_ += found.most_steps();
    // What is far from this Hessian is further from the next.
    const int steps = found.most_steps();
    dear_ = !found.all_reached() || (steps > kUsual && (!fresh || 2 * steps > patience_));
    return Matrix(unrolled(found.x.view()));
  }

  // At first all outputs have the same curvature.
  void precondition(double lambda, const SoftmaxLoss::Curvature& W, const Execution& how) {
    const bool alike = near_.empty() || w_.cols() == 1;
    near_lambda_ = lambda;
    near_for_.clear();
    if (alike) {
      near_for_.push_back(W.mean());
    } else {
      for (Index c = 0; c < w_.cols(); ++c) near_for_.push_back(W.own(c));
    }
    make_near(how);
  }

  void make_near(const Execution& how) {
    near_.clear();
    for (const Vector& W : near_for_) near_.push_back(features_.near(W, near_lambda_, how));
  }

  void apply_near(MatrixRef v) const {
    if (near_.size() == 1) return linalg::cholesky_solve(near_.front(), v);
    parallel_for(v.cols(), thread_count(how_.threads), {}, "solve", [&](Index c, int) {
      Matrix one = Matrix::uninitialized(v.rows(), 1);
      for (Index i = 0; i < v.rows(); ++i) one(i, 0) = v(i, c);
      linalg::cholesky_solve(near_[at(c)], one);
      for (Index i = 0; i < v.rows(); ++i) v(i, c) = one(i, 0);
    });
    for (Index i = 0; i < v.rows(); ++i) {
      double mean = 0;
      for (Index c = 0; c < v.cols(); ++c) mean += v(i, c) / static_cast<double>(v.cols());
      for (Index c = 0; c < v.cols(); ++c) v(i, c) -= mean;
    }
  }

  // Takes the longest of the steps 1, 1/2, 1/4 ... that lowers the objective as it should; false where there is none,
  // or nothing to gain.
  bool advance(double lambda, const Matrix& g, const Matrix& step, Report& report) {
    const Matrix along = features_.values(step, quietly());
    const double slope = -dot(g, step), start = objective(lambda, w_, f_);
    const auto at_length = [&](double length) {
      Matrix w = w_, f = f_;
      add(length, step, w);
      add(length, along, f);
      return std::pair{std::move(w), std::move(f)};
    };
    if (!(slope < -1e-15 * std::abs(start))) {
      report.converged = true;
      report.stopped = "nothing to gain beyond rounding";
      std::tie(w_, f_) = at_length(1);
      return false;
    }
    for (double length = 1; length > 1e-10; length /= 2) {
      auto [w, f] = at_length(length);
      if (!(objective(lambda, w, f) <= start + 1e-4 * length * slope + 1e-14 * std::abs(start))) continue;
      w_ = std::move(w);
      f_ = std::move(f);
      return true;
    }
    report.converged = false;
    report.stopped = "no step lowers the objective";
    return false;
  }

  const KernelLogistic& config_;
  const Centres& centres_;
  const Features& features_;
  const SoftmaxLoss& loss_;
  Execution how_;
  std::shared_ptr<Checkpoints> checkpoints_;
  Vector begun_;           // the numbers of the step that is at work
  double weight_, trace_;  // sum of the weights, and of weight times k(x, x)
  int patience_ = 0;       // steps of conjugate gradients that take as long as preconditioning anew
  Matrix w_;               // with a row of biases, if any
  Matrix f_;               // its values at the points
  double fraction_ = 0;
  Index behind_ = 0;              // of the path
  std::vector<Matrix> near_;      // factors of all outputs, or of each
  std::vector<Vector> near_for_;  // the weights that they were made for,
  double near_lambda_ = 0;        // and the penalty
  bool dear_ = false;             // the last step took more than they are worth
  Index inner_steps_ = 0;
};

}  // namespace

Expansion logistic_on_centres(const KernelLogistic& config, const Training& training, const SoftmaxLoss& loss,
                              Report& report) {
  const Centres& z = *training.centres;
  const centres::Pass pass(z.kernel(), z.points(), centres::pieces_of(*training.K.points()));
  const bool kept = keeps(extent_of(training));
  const centres::HeldPass held(pass, kept, training.how);
  const Features features(z, held, config.bias);
  double trace = 0;
  const Vector diagonal = training.K.diagonal();
  for (std::size_t i = 0; i < diagonal.size(); ++i) trace += loss.weights()[i] * diagonal[i];
  Newton newton(config, z, features, loss, kept, trace, training.how, training.checkpoints);
  newton.solve(report);
  const MatrixView found = newton.w();
  Vector bias(at(found.cols()));
  if (config.bias) std::copy_n(found.row(z.size()), found.cols(), bias.begin());
  return z.expansion(Matrix(found.block({0, z.size()}, {0, found.cols()})), std::move(bias), training.K.size());
}

Needs logistic_needs_on_centres(const Extent& extent) {
  const auto n = static_cast<double>(extent.points), m = static_cast<double>(extent.centres);
  const double outputs = extent.outputs == 2 ? 1 : static_cast<double>(extent.outputs);
  constexpr double kSteps = 80, kFactors = 4;  // as a rule
  constexpr double kValues = 6;                // of each point and output
  constexpr double kReading = 30;              // to fetch a number of k(X, Z), in flops that take as long
  const bool kept = keeps(extent);
  Needs out{
      .form = Form::centres,
      .solver = "Newton's method with conjugate gradients in the centres' features",
      .size = extent.centres,
      .beside = {{"sketch and preconditioners", sizeof(double) * m * m * (outputs + 4)},
                 {"values of f, and what a step begins with", sizeof(double) * n * outputs * kValues}},
      .pairs = n * m * (kept ? 1 : kSteps + outputs * kFactors),
      .flops = kSteps * n * m * (kReading + 4 * outputs) + kFactors * outputs * (4 * n * m + 13.0 / 3 * m * m * m),
      .by_steps = true};
  if (kept) out.beside.push_back({"values of the kernel at the centres", sizeof(double) * n * m});
  return out;
}

}  // namespace mercer::detail
