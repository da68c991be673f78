#include "machines/risk/softmax.hpp"

#include <algorithm>
#include <cmath>

#include "base/at.hpp"

namespace mercer::detail {

namespace {

// log(1 + exp(u))
double softplus(double u) { return std::max(u, 0.0) + std::log1p(std::exp(-std::abs(u))); }

// 1 / (1 + exp(-u))
double logistic(double u) {
  const double e = std::exp(-std::abs(u));
  return u >= 0 ? 1 / (1 + e) : e / (1 + e);
}

double log_sum_exp(const double* f, Index count) {
  const double top = *std::max_element(f, f + count);
  double sum = 0;
  for (Index c = 0; c < count; ++c) sum += std::exp(f[c] - top);
  return top + std::log(sum);
}

}  // namespace

SoftmaxLoss::SoftmaxLoss(Index classes, std::vector<Index> class_of, Vector weights)
    : outputs_(classes == 2 ? 1 : classes), class_of_(std::move(class_of)), weights_(std::move(weights)) {}

double SoftmaxLoss::value(MatrixView f) const {
  double sum = 0;
  for (Index i = 0; i < f.rows(); ++i) {
    const Index own = class_of_[at(i)];
    const double loss =
        outputs_ == 1 ? softplus(own == 1 ? -f(i, 0) : f(i, 0)) : log_sum_exp(f.row(i), outputs_) - f(i, own);
    sum += weights_[at(i)] * loss;
  }
  return sum;
}

Matrix SoftmaxLoss::probabilities(MatrixView f) const {
  Matrix p = Matrix::uninitialized(f.rows(), outputs_);
  for (Index i = 0; i < f.rows(); ++i) {
    if (outputs_ == 1) {
      p(i, 0) = logistic(f(i, 0));
      continue;
    }
    const double log_sum = log_sum_exp(f.row(i), outputs_);
    for (Index c = 0; c < outputs_; ++c) p(i, c) = std::exp(f(i, c) - log_sum);
  }
  return p;
}

Matrix SoftmaxLoss::descent(MatrixView f) const {
  Matrix g = probabilities(f);
  for (Index i = 0; i < g.rows(); ++i) {
    const Index own = class_of_[at(i)];
    if (outputs_ == 1) {
      // 1 - p of a point far on its side would be all rounding.
      g(i, 0) = own == 1 ? weights_[at(i)] * logistic(-f(i, 0)) : -weights_[at(i)] * g(i, 0);
      continue;
    }
    double others = 0;
    for (Index c = 0; c < outputs_; ++c) others += c == own ? 0 : g(i, c);
    for (Index c = 0; c < outputs_; ++c) g(i, c) = weights_[at(i)] * (c == own ? others : -g(i, c));
  }
  return g;
}

SoftmaxLoss::Curvature::Curvature(Matrix p, const Vector& weights)
    : p_(std::move(p)), weights_(weights), mean_(at(p_.rows())) {
  for (Index i = 0; i < p_.rows(); ++i) {
    const double* row = p_.row(i);
    double trace = 0;
    for (Index c = 0; c < p_.cols(); ++c) trace += row[c] * (1 - row[c]);
    mean_[at(i)] = weights_[at(i)] * trace / static_cast<double>(std::max<Index>(1, p_.cols() - 1));
  }
}

Matrix SoftmaxLoss::Curvature::diagonal() const {
  Matrix out = p_;
  for (Index i = 0; i < out.rows(); ++i) {
    for (Index c = 0; c < out.cols(); ++c) out(i, c) *= weights_[at(i)];
  }
  return out;
}

Vector SoftmaxLoss::Curvature::own(Index c) const {
  Vector out(at(p_.rows()));
  for (Index i = 0; i < p_.rows(); ++i) out[at(i)] = weights_[at(i)] * p_(i, c) * (1 - p_(i, c));
  return out;
}

centres::Between SoftmaxLoss::Curvature::between() const {
  const auto column = [&](const Vector& one) { return MatrixView(one.data(), p_.rows(), 1); };
  if (p_.cols() == 1) return {.times = column(mean_)};
  return {.times = column(weights_), .chances = p_};
}

}  // namespace mercer::detail
