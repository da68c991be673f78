#include "machines/processes/classes_on_centres.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/at.hpp"
#include "base/dot.hpp"
#include "linalg/cholesky.hpp"
#include "linalg/lapack.hpp"
#include "mercer/gram.hpp"
#include "model/posterior/posterior.hpp"
#include "solve/partial_cholesky.hpp"

namespace mercer::detail {

namespace {

// Of the mean of the diagonal of K(Z, Z): the centres stay while the kernel moves, and may come to tell the same.
constexpr double kJitter = 1e-9;

// Of the points: an evaluation then takes a tenth of what all of K takes.
constexpr double kShare = 0.2;
// Centres to begin with, and the trace of what they leave, weights and signal included, at which there are enough: a
// bound of the nats that it could change, up to a factor of 1/4 in log |I + K W|.
constexpr Index kFirst = 64;
constexpr double kRest = 0.01;

}  // namespace

// Fewer of many classes: (C m)^3 is then about half of C n^3.
Index centres_for(Index n, Index classes) {
  const auto c = static_cast<double>(classes);
  return static_cast<Index>(std::min(kShare, std::cbrt(c / 2) / (c - 1)) * static_cast<double>(n));
}

ClassesOnCentres::ClassesOnCentres(std::unique_ptr<FactoredSystem> system, Points x, Execution how)
    : ClassEvidenceAt(std::move(system)),
      factored_(static_cast<FactoredSystem&>(*system_)),
      x_(std::move(x)),
      how_(std::move(how)),
      pieces_(centres::pieces_of(x_)) {}

ClassesOnCentres::ClassesOnCentres(Observations data, Points x, Index centres, std::uint64_t seed, const Execution& how)
    : ClassesOnCentres(std::make_unique<FactoredSystem>(std::move(data), how.threads), std::move(x), how) {
  count_ = centres;
  seed_ = seed;
}

ClassesOnCentres::ClassesOnCentres(Observations data, Points x, const InducingPoints& inducing, const Execution& how)
    : ClassesOnCentres(std::make_unique<FactoredSystem>(std::move(data), how.threads), std::move(x), how) {
  inducing_ = &inducing;
}

Points ClassesOnCentres::drawn_for(const Kernel& k, double signal) const {
  if (inducing_ != nullptr) return inducing_->drawn_for(k, how_);
  Vector root = system_->data().weights;
  for (double& w : root) w = std::sqrt(w);
  solve::PartialCholesky chosen({.K = lazy(k, x_), .scale = std::move(root)}, count_, seed_);
  for (Index m = std::min(kFirst, count_); chosen.rank() < count_; m = std::min(2 * m, count_)) {
    const Index before = chosen.rank();
    chosen.grow(m, how_);
    if (chosen.rank() < m || chosen.rank() == before || signal * chosen.rest() <= kRest) break;
  }
  std::vector<Index> which = chosen.pivots();
  std::sort(which.begin(), which.end());
  return x_.select(which);
}

double ClassesOnCentres::operator()(const std::optional<Kernel>& kernel, double signal, Vector* gradient) {
  const Kernel& k = *kernel;
  if (!centres_) {
    centres_ = drawn_for(k, signal);
    const Vector size = diagonal(k, *centres_);
    for (const double d : size) jitter_ += kJitter * d / static_cast<double>(size.size());
  }
  signal_ = signal;
  lower_ = gram(k, *centres_, how_);
  for (Index i = 0; i < lower_.rows(); ++i) lower_(i, i) += jitter_;
  if (linalg::cholesky(lower_, how_.monitor) != 0) return -std::numeric_limits<double>::infinity();
  const Index n = x_.size(), m = lower_.rows();
  if (factor_.rows() == 0) factor_ = Matrix::uninitialized(n, m);
  cross(k, x_, *centres_, factor_, how_);
  linalg::solve_lower_rows(lower_, factor_, how_.monitor);
  const double root = std::sqrt(signal);
  for (Index i = 0; i < n * m; ++i) factor_.data()[i] *= root;
  if (inducing_ != nullptr) measure(k);
  const double value = evidence_at(factor_, how_.monitor);
  if (gradient == nullptr || !std::isfinite(value)) return value;
  *gradient = slopes(k, laplace_gradient(*system_, factor_, mode_, how_.monitor));
  return value;
}

// What the centres lack of signal k(x, x).
void ClassesOnCentres::measure(const Kernel& k) {
  variance_ = diagonal(k, x_);
  Vector lacking;
  trace_ = left_out_ = 0;
  for (Index i = 0; i < factor_.rows(); ++i) {
    const double* const row = factor_.row(i);
    const double all = signal_ * variance_[at(i)];
    lacking.push_back(std::max(0.0, all - dot(row, row, factor_.cols())));  // but for rounding
    trace_ += all;
    left_out_ += lacking.back();
  }
  factored_.lacks(std::move(lacking));
}

// With S = d log q / d (F F') and B = K(X, Z) K(Z, Z)^-1, d log q = signal (2 <S B, dK(X, Z)> - <B'S B, dK(Z, Z)>), and
// with what is lacking - signal/2 tr W_i dk(x_i, x_i).
Vector ClassesOnCentres::slopes(const Kernel& k, MatrixView by_F) const {
  const Index m = factor_.cols();
  Matrix inverse = lower_;
  linalg::invert_lower(inverse, how_.monitor);
  for (Index i = 0; i < m; ++i) std::fill(inverse.row(i) + i + 1, inverse.row(i) + m, 0.0);
  Matrix middle = Matrix::uninitialized(m, m), side = middle, by_centres = middle;
  linalg::multiply_left_transposed(1, factor_, by_F, 0, middle, how_.monitor);
  linalg::multiply(1, middle, inverse, 0, side, how_.monitor);
  linalg::multiply_left_transposed(-1, inverse, side, 0, by_centres, how_.monitor);
  const centres::Pass pass(k, *centres_, pieces_);
  Vector out = pass.gradient(
      [&](Index, Range rows, MatrixRef, MatrixRef W) {
        linalg::multiply(2 * std::sqrt(signal_), by_F.block(rows, {0, m}), inverse, 0, W);
      },
      [](Index) {}, how_);
  const auto add = [&](const Vector& more) {
    for (std::size_t p = 0; p < out.size(); ++p) out[p] += more[p];
  };
  add(mercer::gradient(k, *centres_, by_centres, how_));
  double by_signal = 0;
  for (Index i = 0; i < m; ++i) by_signal += middle(i, i) / signal_;
  if (inducing_ != nullptr) {
    Vector by_variance = factored_.total();
    for (std::size_t i = 0; i < by_variance.size(); ++i) {
      by_signal -= 0.5 * by_variance[i] * variance_[i];
      by_variance[i] *= -0.5 * signal_;
    }
    add(pass.diagonal_gradient(by_variance, how_));
  }
  out.push_back(by_signal);
  return out;
}

// f = F F'alpha of the mode, and phi(x) = L^-1 k(Z, x) without the signal.
ClassesOnCentres::Solution ClassesOnCentres::solution() const {
  const Index m = factor_.cols(), outputs = mode_.alpha.cols();
  const Likelihood likelihood = system_->data().likelihood;
  Solution out{.centres = *centres_, .alpha = Matrix(m, outputs)};
  linalg::multiply_left_transposed(std::sqrt(signal_), factor_, mode_.alpha, 0, out.alpha);
  linalg::solve_lower_transposed(lower_, out.alpha);
  Matrix root = factored_.root();
  for (Index i = 0; i < root.rows(); ++i) std::fill(root.row(i) + i + 1, root.row(i) + root.cols(), 0.0);
  out.posterior = {.kind = likelihood.coupled() ? Posterior::Kind::reduced_softmax : Posterior::Kind::reduced,
                   .shift = Vector(at(m), jitter_),
                   .signal = Vector(at(outputs), signal_),
                   .covariance = std::move(root),
                   .noise = Vector(at(outputs), 0.0),
                   .likelihood = likelihood,
                   .factors = std::make_shared<Factors>()};
  out.trace_left_out = trace_ > 0 ? left_out_ / trace_ : 0;
  out.lost = factored_.lost() / 2;
  return out;
}

}  // namespace mercer::detail
