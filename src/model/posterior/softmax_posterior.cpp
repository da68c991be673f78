#include "model/posterior/softmax_posterior.hpp"

#include <algorithm>
#include <cmath>

#include "base/at.hpp"
#include "base/dot.hpp"
#include "base/fail.hpp"
#include "linalg/cholesky.hpp"
#include "linalg/lapack.hpp"
#include "model/posterior/kinds.hpp"
#include "model/posterior/softmax_factors.hpp"

namespace mercer::detail {

namespace {

// Test points whose k(x, X) is held at once, for each class.
constexpr Index kBlock = 256;

// By the factors of the model: in Factors::others the inverse of each class, then the coupling, then the roots.
class Latent {
 public:
  Latent(const Model::Parts& parts, const Execution& how) : parts_(parts), kept_(&factors_of(parts, how).others) {}

  Index classes() const { return parts_.posterior->probabilities.cols(); }
  double signal() const { return parts_.posterior->signal.front(); }
  const Kernel& kernel() const { return *parts_.f.parts().kernel; }

  // Of the points whose k(x, X) are the rows of k: rows E_c k_x, and in `coupled` L^-1 E_c k_x with L L' = sum_c E_c.
  void explain(Index c, const Matrix& k, Matrix& own, Matrix& coupled) const {
    const Matrix& inverse = (*kept_)[at(c)];
    const Matrix& coupling = (*kept_)[at(classes())];
    const Matrix& root = kept_->back();
    own = k;
    coupled = Matrix::uninitialized(k.rows(), k.cols());
    for (Index i = 0; i < own.rows(); ++i) {
      for (Index j = 0; j < own.cols(); ++j) own(i, j) *= root(j, c);
    }
    linalg::multiply(1, own, inverse, 0, coupled);
    for (Index i = 0; i < own.rows(); ++i) {
      for (Index j = 0; j < own.cols(); ++j) own(i, j) = coupled(i, j) *= root(j, c);
    }
    linalg::solve_lower_rows(coupling, coupled);
  }

 private:
  const Model::Parts& parts_;
  const std::vector<Matrix>* kept_;
};

}  // namespace

void make_softmax_factors(const Model::Parts& parts, const Execution& how, Factors& to) {
  const Posterior& p = *parts.posterior;
  const Expansion::Parts& f = parts.f.parts();
  Matrix root = p.probabilities;
  for (Index i = 0; i < root.rows(); ++i) {
    const double scale = p.scale.empty() ? 1 : p.scale[at(i)];
    for (Index c = 0; c < root.cols(); ++c) root(i, c) = scale * std::sqrt(root(i, c));
  }
  const Matrix K = gram(*f.kernel, *f.centres, how);
  SoftmaxFactors factors;
  to.jitter = 0;
  while (!factors.make(K, root, how.threads, how.monitor, to.jitter)) {
    to.jitter = to.jitter == 0 ? kLeastJitter : 10 * to.jitter;
    if (to.jitter > kMostJitter) fail_indefinite(parts);
  }
  to.others = std::move(factors.inverse);
  to.others.push_back(std::move(factors.coupling));
  to.others.push_back(std::move(factors.root));
}

Matrix softmax_class_covariances(const Model::Parts& parts, const Points& x, const Execution& how) {
  const Latent latent(parts, how);
  const Index classes = latent.classes();
  Matrix out = Matrix::uninitialized(x.size(), classes * classes), own;
  std::vector<Matrix> coupled(at(classes));
  for (Index first = 0; first < x.size(); first += kBlock) {
    const Points some = x.slice({first, std::min(x.size(), first + kBlock)});
    const Vector prior = diagonal(latent.kernel(), some);
    const Matrix k = cross(latent.kernel(), some, *parts.f.parts().centres, how);
    for (Index c = 0; c < classes; ++c) {
      latent.explain(c, k, own, coupled[at(c)]);
      for (Index i = 0; i < some.size(); ++i) {
        double* const row = out.row(first + i);
        for (Index d = 0; d <= c; ++d) {
          row[c * classes + d] = row[d * classes + c] =
              latent.signal() * dot(coupled[at(c)].row(i), coupled[at(d)].row(i), k.cols());
        }
        // What rounding makes negative is nothing.
        row[c * classes + c] += latent.signal() * std::max(0.0, prior[at(i)] - dot(k.row(i), own.row(i), k.cols()));
      }
    }
    how.monitor.report({"variances", static_cast<double>(first + some.size()) / static_cast<double>(x.size())});
  }
  return out;
}

Matrix softmax_covariance(const Model::Parts& parts, const Points& x, Index output, const Execution& how) {
  const Latent latent(parts, how);
  const Matrix k = cross(latent.kernel(), x, *parts.f.parts().centres, how);
  Matrix out = gram(latent.kernel(), x, how), own, coupled;
  latent.explain(output, k, own, coupled);
  linalg::multiply_transposed(-1, k, own, 1, out);
  linalg::multiply_transposed(1, coupled, coupled, 1, out);
  finish_covariance(latent.signal(), out);
  return out;
}

namespace {

std::string_view softmax_fault(const Posterior& p, const Expansion& f) {
  if (const std::string_view fault = signal_fault(p, f); !fault.empty()) return fault;
  if (p.probabilities.rows() != f.size() || p.probabilities.cols() != f.outputs()) return "its probabilities";
  for (Index i = 0; i < f.size() * f.outputs(); ++i) {
    if (!(p.probabilities.data()[i] >= 0 && p.probabilities.data()[i] <= 1)) return "its probabilities";
  }
  return p.likelihood.coupled() ? "" : "the link of two classes";
}

}  // namespace

const PosteriorRow kSoftmaxPosterior = {
    .name = "softmax",
    .fault = softmax_fault,
    .make_factors = make_softmax_factors,
    .variances = class_variances,
    .covariance = softmax_covariance,
    .class_covariances = softmax_class_covariances,
};

}  // namespace mercer::detail
