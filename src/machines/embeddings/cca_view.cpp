#include "machines/embeddings/cca_view.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "base/at.hpp"
#include "base/fail.hpp"
#include "linalg/lapack.hpp"

namespace mercer::detail {

namespace {

// Eigenvalues below this share of the largest are rounding.
constexpr double kRounding = 1e-12;

// A becomes W^1/2 H A H' W^1/2.
void centre_and_weigh(Matrix& a, VectorView weights) {
  const Index n = a.rows();
  const double total = std::accumulate(weights.begin(), weights.end(), 0.0);
  Vector means(at(n));
  for (Index i = 0; i < n; ++i) {
    for (Index j = 0; j < n; ++j) means[at(i)] += a(i, j) * (weights[at(j)] / total);
  }
  double mean = 0;
  for (Index i = 0; i < n; ++i) mean += means[at(i)] * (weights[at(i)] / total);
  for (Index i = 0; i < n; ++i) {
    for (Index j = 0; j <= i; ++j) {
      const double centred = a(i, j) - means[at(i)] - means[at(j)] + mean;
      a(i, j) = a(j, i) = centred * std::sqrt(weights[at(i)] * weights[at(j)]);
    }
  }
}

// Eigenvalues and eigenvectors, and what a view has of them; those that are rounding are left out.
struct Spectrum {
  linalg::Eigen eigen;
  CcaView view;  // without vectors
};

// Of a centred and weighted matrix; `before`: its largest diagonal entry, not centred.
Spectrum spectrum_of(const char* which, Matrix& a, double before, double ridge, const Execution& how) {
  double trace = 0;
  for (Index i = 0; i < a.rows(); ++i) trace += a(i, i);
  if (!(trace > kRounding * before)) {
    fail(ErrorKind::data, "kcca: all points have the same feature vector in the view of {}; nothing varies there",
         which);
  }
  how.monitor.report({"kcca", 0});
  Spectrum out{linalg::eigen(a, how.monitor), {}};
  const Vector& values = out.eigen.values;
  const double largest = values.back();
  if (values.front() < -1e-8 * largest) {
    fail(ErrorKind::numeric,
         "kcca: the matrix of {} has the eigenvalue {:.3g} beside {:.3g}, so it is the matrix of no kernel; check the "
         "numbers it was given as",
         which, values.front(), largest);
  }
  out.view.penalty = ridge * trace;
  for (auto value = values.rbegin(); value != values.rend() && *value > kRounding * largest; ++value) {
    out.view.values.push_back(*value);
    out.view.shrink.push_back(std::sqrt(*value / (*value + out.view.penalty)));
  }
  return out;
}

}  // namespace

CcaView view_of(const char* which, const Gram& K, VectorView weights, double ridge, const Execution& how) {
  const Index n = K.size();
  Matrix a = Matrix::uninitialized(n, n);
  K.fill(a, how);
  double before = 0;
  for (Index i = 0; i < n; ++i) before = std::max(before, weights[at(i)] * std::abs(a(i, i)));
  centre_and_weigh(a, weights);
  const Spectrum found = spectrum_of(which, a, before, ridge, how);
  CcaView out = found.view;
  out.vectors = Matrix::uninitialized(out.rank(), n);
  for (Index r = 0; r < out.rank(); ++r) std::copy_n(found.eigen.vectors.row(n - 1 - r), n, out.vectors.row(r));
  return out;
}

CcaView view_in_features(const char* which, Matrix F, std::optional<Centres> centres, VectorView weights, double ridge,
                         const Execution& how) {
  const Index n = F.rows(), m = F.cols();
  const double total = std::accumulate(weights.begin(), weights.end(), 0.0);
  double before = 0;
  Vector mean(at(m));
  for (Index i = 0; i < n; ++i) {
    double square = 0;
    for (Index j = 0; j < m; ++j) {
      mean[at(j)] += weights[at(i)] / total * F(i, j);
      square += F(i, j) * F(i, j);
    }
    before = std::max(before, weights[at(i)] * square);
  }
  for (Index i = 0; i < n; ++i) {
    const double root = std::sqrt(weights[at(i)]);
    for (Index j = 0; j < m; ++j) F(i, j) = root * (F(i, j) - mean[at(j)]);
  }
  Matrix a = Matrix::uninitialized(m, m);
  linalg::multiply_left_transposed(1, F, F, 0, a, how.monitor);
  const Spectrum found = spectrum_of(which, a, before, ridge, how);
  CcaView out = found.view;
  CcaView::InFeatures in{Matrix(m, out.rank()), std::move(mean), std::move(centres)};
  Matrix whitening = Matrix::uninitialized(out.rank(), m);
  for (Index r = 0; r < out.rank(); ++r) {
    const double* const axis = found.eigen.vectors.row(m - 1 - r);
    for (Index j = 0; j < m; ++j) {
      in.axes(j, r) = axis[j];
      whitening(r, j) = axis[j] / std::sqrt(out.values[at(r)]);
    }
  }
  out.vectors = Matrix::uninitialized(out.rank(), n);
  linalg::multiply_transposed(1, whitening, F, 0, out.vectors, how.monitor);
  out.features = std::move(in);
  return out;
}

namespace {

// f = w'phi(x) + b in the features of centres.
Expansion expansion_in(const CcaView::InFeatures& features, const Matrix& directions, Index training_size) {
  Matrix w(features.axes.rows(), directions.cols());
  linalg::multiply(1, features.axes, directions, 0, w);
  Vector bias(at(w.cols()));
  for (Index j = 0; j < w.rows(); ++j) {
    for (Index c = 0; c < w.cols(); ++c) bias[at(c)] -= features.mean[at(j)] * w(j, c);
  }
  return features.centres->expansion(w, std::move(bias), training_size);
}

}  // namespace

Expansion expansion_of(const CcaView& view, const Gram& K, VectorView weights, const Matrix& directions,
                       const Execution& how) {
  if (view.features && view.features->centres) return expansion_in(*view.features, directions, K.size());
  const Index n = K.size(), outputs = directions.cols();
  Matrix scaled(directions);
  for (Index r = 0; r < view.rank(); ++r) {
    for (Index c = 0; c < outputs; ++c) scaled(r, c) /= std::sqrt(view.values[at(r)]);
  }
  Matrix alpha(n, outputs);
  linalg::multiply_left_transposed(1, view.vectors, scaled, 0, alpha);
  const double total = std::accumulate(weights.begin(), weights.end(), 0.0);
  Vector sums(at(outputs));
  for (Index i = 0; i < n; ++i) {
    for (Index c = 0; c < outputs; ++c) sums[at(c)] += alpha(i, c) *= std::sqrt(weights[at(i)]);
  }
  for (Index i = 0; i < n; ++i) {
    for (Index c = 0; c < outputs; ++c) alpha(i, c) -= weights[at(i)] / total * sums[at(c)];
  }
  const Matrix f = K.multiply(alpha.view(), how);
  Vector bias(at(outputs));
  for (Index i = 0; i < n; ++i) {
    for (Index c = 0; c < outputs; ++c) bias[at(c)] -= weights[at(i)] / total * f(i, c);
  }
  return K.expansion(alpha, std::move(bias), how);
}

}  // namespace mercer::detail
