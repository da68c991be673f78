#include "machines/risk/newton.hpp"

#include <algorithm>
#include <cmath>

#include "base/at.hpp"
#include "linalg/lapack.hpp"
#include "model/needs.hpp"
#include "model/training.hpp"

namespace mercer::detail {

std::optional<Needs> in_few_features(const Extent& extent, double steps) {
  if (extent.in_memory) return std::nullopt;
  std::optional<Needs> out = by_features(extent, extent.points, extent.points / 4, "Newton's method with Woodbury");
  if (!out) return out;
  out->beside.front().bytes *= 1.5;  // as they come, weighted, and in the eigenvectors of a step
  out->flops *= steps;
  out->least_bytes = out->beside.front().bytes;  // of which pairs need more
  return out;
}

Gram held(std::string_view machine, const Training& training, int others) {
  const Gram& K = training.K;
  const bool in_memory = !K.dense().empty();
  if (!in_memory && in_few_features(extent_of(training), 1)) {
    double trace = 0;
    for (const double square : K.diagonal()) trace += square;
    if (std::isfinite(trace)) return K;  // else features are of no use, and pairs may be
  }
  require_matrices(machine, training, K.size(), others + (in_memory ? 0 : 1));
  if (in_memory) return K;
  Matrix all = Matrix::uninitialized(K.size(), K.size());
  K.fill(all, training.how);
  return precomputed(std::move(all));
}

NewtonSystem::NewtonSystem(const Gram& K, double lambda, VectorView w, const Monitor& monitor)
    : K_(K), lambda_(lambda) {
  for (Index i = 0; i < K.size(); ++i) {
    if (!(w[at(i)] > 0)) continue;
    active_.push_back(i);
    root_.push_back(std::sqrt(w[at(i)]));
  }
  if (active_.empty()) return;
  Execution how;
  how.monitor = monitor;
  B_ = solve::system_for({.K = K, .points = active_, .scale = root_, .shift = {1.0}, .unit = lambda},
                         {.method = K.dense().empty() ? Method::factored : Method::dense}, how)
           .system;
  sound_ = B_ != nullptr;
}

void NewtonSystem::solve(MatrixRef c) const {
  const auto m = static_cast<Index>(active_.size());
  const Matrix all = times(K_, c);
  Matrix t = Matrix::uninitialized(m, c.cols());
  for (Index i = 0; i < m; ++i) {
    for (Index j = 0; j < c.cols(); ++j) t(i, j) = root_[at(i)] * all(active_[at(i)], j) / lambda_;
  }
  if (B_) B_->solve(t);
  for (Index i = 0; i < m; ++i) {
    for (Index j = 0; j < c.cols(); ++j) c(active_[at(i)], j) -= root_[at(i)] * t(i, j);
  }
  for (Index i = 0; i < c.rows(); ++i) {
    for (Index j = 0; j < c.cols(); ++j) c(i, j) /= lambda_;
  }
}

Matrix times(MatrixView K, MatrixView v) {
  Matrix out = Matrix::uninitialized(K.rows(), v.cols());
  linalg::multiply(1, K, v, 0, out);
  return out;
}

Matrix times(const Gram& K, MatrixView v) { return K.dense().empty() ? K.multiply(v) : times(K.dense(), v); }

Vector times(const Gram& K, const Vector& v) {
  const Matrix out = times(K, MatrixView(v.data(), K.size(), 1));
  return Vector(out.data(), out.data() + out.rows());
}

}  // namespace mercer::detail
