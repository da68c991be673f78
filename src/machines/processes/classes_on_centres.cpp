#include "machines/processes/classes_on_centres.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/at.hpp"
#include "linalg/cholesky.hpp"
#include "linalg/lapack.hpp"
#include "mercer/gram.hpp"
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

ClassesOnCentres::ClassesOnCentres(Observations data, Points x, Index centres, std::uint64_t seed, Execution how)
    : ClassEvidenceAt(factored_softmax_system(std::move(data), how.threads)),
      x_(std::move(x)),
      count_(centres),
      seed_(seed),
      how_(std::move(how)) {}

void ClassesOnCentres::draw(const Kernel& k, double signal) {
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
  centres_ = x_.select(which);
  const Vector size = diagonal(k, *centres_);
  for (const double d : size) jitter_ += kJitter * d / static_cast<double>(size.size());
}

double ClassesOnCentres::operator()(const std::optional<Kernel>& kernel, double signal, Vector* gradient) {
  const Kernel& k = *kernel;
  if (!centres_) draw(k, signal);
  lower_ = gram(k, *centres_, how_);
  for (Index i = 0; i < lower_.rows(); ++i) lower_(i, i) += jitter_;
  if (linalg::cholesky(lower_, how_.monitor) != 0) return -std::numeric_limits<double>::infinity();
  factor_ = cross(k, x_, *centres_, how_);
  linalg::solve_lower_rows(lower_, factor_, how_.monitor);
  const double root = std::sqrt(signal);
  for (Index i = 0; i < factor_.rows() * factor_.cols(); ++i) factor_.data()[i] *= root;
  const double value = evidence_at(factor_, how_.monitor);
  if (gradient == nullptr || !std::isfinite(value)) return value;
  *gradient = slopes(k, signal, laplace_gradient(*system_, factor_, mode_, how_.monitor));
  return value;
}

// With S = d log q / d (F F') and B = K(X, Z) K(Z, Z)^-1, d log q = signal (2 <S B, dK(X, Z)> - <B'S B, dK(Z, Z)>).
Vector ClassesOnCentres::slopes(const Kernel& k, double signal, MatrixView by_F) const {
  const Index n = factor_.rows(), m = factor_.cols();
  Matrix inverse = lower_;
  linalg::invert_lower(inverse, how_.monitor);
  for (Index i = 0; i < m; ++i) std::fill(inverse.row(i) + i + 1, inverse.row(i) + m, 0.0);
  Matrix by_cross = Matrix::uninitialized(n, m), middle = Matrix::uninitialized(m, m), side = middle,
         by_centres = middle;
  linalg::multiply(2 * std::sqrt(signal), by_F, inverse, 0, by_cross, how_.monitor);
  linalg::multiply_left_transposed(1, factor_, by_F, 0, middle, how_.monitor);
  linalg::multiply(1, middle, inverse, 0, side, how_.monitor);
  linalg::multiply_left_transposed(-1, inverse, side, 0, by_centres, how_.monitor);
  Vector out = mercer::gradient(k, x_, *centres_, by_cross, how_);
  const Vector more = mercer::gradient(k, *centres_, by_centres, how_);
  for (std::size_t p = 0; p < out.size(); ++p) out[p] += more[p];
  double by_signal = 0;
  for (Index i = 0; i < m; ++i) by_signal += middle(i, i);
  out.push_back(by_signal / signal);
  return out;
}

}  // namespace mercer::detail
