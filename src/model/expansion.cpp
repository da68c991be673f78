#include "mercer/expansion.hpp"

#include <algorithm>
#include <cmath>

#include "base/at.hpp"
#include "base/fail.hpp"
#include "base/once.hpp"
#include "base/parallel.hpp"
#include "linalg/lapack.hpp"
#include "model/feature_weights.hpp"
#include "model/packed_products.hpp"
#include "points/rep.hpp"

namespace mercer {

namespace {

// a_j' b_j of each pair of columns.
Vector column_products(MatrixView a, MatrixView b) {
  Vector out(at(a.cols()));
  for (Index i = 0; i < a.rows(); ++i) {
    for (Index j = 0; j < a.cols(); ++j) out[at(j)] += a(i, j) * b(i, j);
  }
  return out;
}

Matrix constant_rows(Index rows, const Vector& row) {
  Matrix out = Matrix::uninitialized(rows, static_cast<Index>(row.size()));
  for (Index i = 0; i < rows; ++i) std::copy(row.begin(), row.end(), out.row(i));
  return out;
}

// out += k(x, x) s'
void add_self(const Vector& s, const Vector& diagonal, Matrix& out) {
  for (Index i = 0; i < out.rows(); ++i) {
    for (Index j = 0; j < out.cols(); ++j) out(i, j) += s[at(j)] * diagonal[at(i)];
  }
}

}  // namespace

struct Expansion::Weights {
  Once once;
  std::unique_ptr<const detail::FeatureWeights> values;
};

const detail::FeatureWeights* Expansion::feature_weights() const {
  weights_->once([&] { weights_->values = detail::feature_weights(*parts_.kernel, *parts_.centres, parts_.alpha); });
  return weights_->values.get();
}

Expansion::Expansion(Parts parts) : parts_(std::move(parts)), weights_(std::make_shared<Weights>()) {
  Parts& p = parts_;
  if (p.bias.empty()) p.bias.assign(at(p.alpha.cols()), 0.0);
  const auto require = [](bool fits, const char* what, auto given, auto needed) {
    if (!fits) fail(ErrorKind::shape, "expansion: {}: {} where {} are needed", what, given, needed);
  };
  const auto outputs = at(p.alpha.cols()), centres = at(p.alpha.rows());
  require(p.slope.rows() == 0 || at(p.slope.cols()) == outputs, "columns of the slope", p.slope.cols(), outputs);
  require(p.bias.size() == outputs, "numbers in the bias", p.bias.size(), outputs);
  require(p.self.empty() || p.self.size() == outputs, "multiples of k(x, x)", p.self.size(), outputs);
  require(p.kernel.has_value() == p.centres.has_value(), "a kernel and its centres come together", 1, 2);
  if (p.centres) require(at(p.centres->size()) == centres, "centres", p.centres->size(), centres);
  require(p.support.empty() || p.support.size() == centres, "numbers in the support", p.support.size(), centres);
  require(p.squared_norms.empty() || p.squared_norms.size() == outputs, "norms", p.squared_norms.size(), outputs);
  Index previous = -1;
  for (const Index i : p.support) {
    if (i <= previous || i >= p.training_size) {
      fail(ErrorKind::shape, "expansion: the support must increase and stay below {}; {} follows {}", p.training_size,
           i, previous);
    }
    previous = i;
  }
}

Matrix Expansion::operator()(const Points& x, const Execution& how) const {
  const Threads threads(how.threads);
  if (!parts_.kernel) {
    fail(ErrorKind::usage,
         "predict: the model was fitted to a matrix of numbers and knows no kernel; give it rows of k(x, X) instead");
  }
  Matrix out = constant_rows(x.size(), parts_.bias);
  if (out.rows() == 0 || outputs() == 0) return out;
  if (parts_.slope.rows() > 0) linalg::multiply(1, dense_rows(x).values, parts_.slope, 1, out);
  if (takes_self()) add_self(parts_.self, diagonal(*parts_.kernel, x), out);
  if (size() == 0) return out;
  const auto products = [&] {
    if (const detail::FeatureWeights* w = feature_weights()) return w->times(x);
    std::optional<Matrix> exact = detail::multiply_whole_numbers(*parts_.kernel, x, *parts_.centres, parts_.alpha, how);
    return exact ? std::move(*exact) : multiply(*parts_.kernel, x, *parts_.centres, parts_.alpha, how);
  };
  const Matrix f = products();
  for (Index i = 0; i < out.rows(); ++i) {
    for (Index j = 0; j < out.cols(); ++j) {
      out(i, j) += f(i, j);
      if (!std::isfinite(out(i, j))) {
        fail(ErrorKind::numeric,
             "predict: f is {} at row {}, beyond double precision; is it far from the training data?", out(i, j),
             i + 1);
      }
    }
  }
  return out;
}

Expansion::KernelValues Expansion::values_in(MatrixView k) const {
  for (Index i = 0; i < k.rows(); ++i) {
    for (Index j = 0; j < k.cols(); ++j) {
      if (std::isfinite(k(i, j))) continue;
      fail(ErrorKind::data, "predict: kernel value {} of row {} is {}; finite numbers are needed", j + 1, i + 1,
           k(i, j));
    }
  }
  const bool known = size() == 0 || !parts_.support.empty();  // which training points the centres are
  const auto fits = [&](Index columns) { return columns == size() || (columns == parts_.training_size && known); };
  const bool with_self = !fits(k.cols()) && fits(k.cols() - 1);
  const Index columns = k.cols() - (with_self ? 1 : 0);
  if (!fits(columns)) {
    fail(ErrorKind::shape, "predict: rows of {} kernel values; give one per training point ({}) or per centre ({}){}",
         k.cols(), parts_.training_size, size(), takes_self() ? ", and k(x, x) behind them" : "");
  }
  KernelValues out{Matrix::uninitialized(k.rows(), size()), {}};
  for (Index i = 0; i < k.rows(); ++i) {
    for (Index c = 0; c < size(); ++c) out.centres(i, c) = k(i, columns == size() ? c : parts_.support[at(c)]);
    if (with_self) out.self.push_back(k(i, columns));
  }
  return out;
}

Matrix Expansion::from_rows(MatrixView k) const {
  const KernelValues values = values_in(k);
  if (parts_.slope.rows() > 0) {
    fail(ErrorKind::usage,
         "predict: f has a linear trend in x, which rows of kernel values do not hold; give the inputs");
  }
  if (takes_self() && values.self.empty() && k.rows() > 0) {
    fail(ErrorKind::shape, "predict: distances need k(x, x) too: give it behind the {} kernel values of each row",
         k.cols());
  }
  if (!takes_self() && !values.self.empty()) {
    fail(ErrorKind::shape, "predict: rows of {} kernel values; give one per training point ({}) or per centre ({})",
         k.cols(), parts_.training_size, size());
  }
  Matrix out = constant_rows(k.rows(), parts_.bias);
  if (takes_self()) add_self(parts_.self, values.self, out);
  linalg::multiply(1, values.centres, parts_.alpha, 1, out);
  return out;
}

Vector Expansion::norms(const Execution& how) const {
  const Threads threads(how.threads);
  Vector squared = parts_.squared_norms;
  if (squared.empty()) {
    squared.assign(at(outputs()), 0.0);
    if (size() > 0) {
      if (!parts_.kernel) fail(ErrorKind::usage, "norm: neither the kernel nor alpha' K alpha is known of this model");
      const Matrix f = multiply(*parts_.kernel, *parts_.centres, *parts_.centres, parts_.alpha, how);
      squared = column_products(parts_.alpha, f);
    }
  }
  // Rounding can make the norm of a nearly zero f negative.
  for (double& value : squared) value = std::sqrt(std::max(0.0, value));
  return squared;
}

}  // namespace mercer
