#include "machines/processes/class_evaluation.hpp"

#include <cmath>

#include "base/fail.hpp"

namespace mercer::detail {

Likelihood likelihood_for(Likelihood asked, Index classes) {
  if (asked == Likelihood::none) return classes == 2 ? Likelihood::logistic : Likelihood::softmax;
  if (!asked.of_classes()) {
    fail(ErrorKind::usage, "gpc: link={} is for numbers, not for classes; use link=auto", asked->name);
  }
  if (asked->of == Likelihood::Of::two_classes && classes != 2) {
    fail(ErrorKind::usage, "gpc: link={} is for two classes, and there are {}; use link=softmax", asked->name, classes);
  }
  return asked;
}

ClassEvaluation::ClassEvaluation(Observations data, Gram K, std::optional<Points> x, Execution how)
    : ClassEvidenceAt(laplace_system(std::move(data), how.threads)),
      K_(std::move(K)),
      x_(std::move(x)),
      how_(std::move(how)),
      matrix_(Matrix::uninitialized(K_.size(), K_.size())) {}

double ClassEvaluation::operator()(const std::optional<Kernel>& k, double signal, Vector* gradient) {
  fill(k, signal);
  const double value = evidence_at(matrix_, how_.monitor);
  if (gradient == nullptr || !std::isfinite(value)) return value;
  const MatrixRef by_K = laplace_gradient(*system_, matrix_, mode_, how_.monitor);
  double by_signal = 0;
  for (Index i = 0; i < by_K.rows(); ++i) {
    for (Index j = 0; j < i; ++j) by_signal += 2 * by_K(i, j) * matrix_(i, j);
    by_signal += by_K(i, i) * matrix_(i, i);
  }
  *gradient = k && x_ ? by_kernel(by_K, signal) : Vector();
  gradient->push_back(by_signal / signal);
  return value;
}

void ClassEvaluation::fill(const std::optional<Kernel>& k, double signal) {
  if (k && x_) {
    pairs_.emplace(*k, *x_);
    pairs_->gram(matrix_, how_);
  } else {
    K_.fill(matrix_, how_);
  }
  if (signal == 1) return;
  for (Index i = 0; i < matrix_.rows() * matrix_.cols(); ++i) matrix_.data()[i] *= signal;
}

Vector ClassEvaluation::by_kernel(MatrixView by_K, double signal) const {
  return pairs_->gradient(
      [&](Range i, Range j, double* w) {
        for (Index a = i.begin; a < i.end; ++a, w += j.size()) {
          for (Index b = j.begin; b < j.end; ++b) {
            w[b - j.begin] = b > a ? 0 : signal * (b < a ? 2 : 1) * by_K(a, b);
          }
        }
      },
      how_);
}

}  // namespace mercer::detail
