// Variances from a Posterior of kind `reduced_softmax`: what few inducing points know of the latent functions of all
// classes, which are coupled. With phi = L^-1 k(Z, x), Q the contrasts of C classes and S_jk = (e_j x phi)'(F F')^-1
// (e_k x phi), all for k without the signal,
//     cov(f_c(x), f_d(x)) = signal ((Q S Q')_cd + phi'phi / C + [c = d] (k(x, x) - phi'phi))
// where phi'phi / C is what all classes have in common, of which data say nothing.
#include <algorithm>

#include "base/at.hpp"
#include "base/dot.hpp"
#include "linalg/cholesky.hpp"
#include "linalg/lapack.hpp"
#include "model/posterior/kinds.hpp"
#include "model/posterior/softmax_factors.hpp"

namespace mercer::detail {

namespace {

// Test points whose k(x, Z) is held at once, for each class.
constexpr Index kBlock = 256;

// In Factors::others, L of K(Z, Z) + N = L L', and F^-1.
void make_reduced_softmax_factors(const Model::Parts& parts, const Execution& how, Factors& to) {
  kReducedPosterior.make_factors(parts, how, to);
  Matrix inverse = parts.posterior->covariance;
  linalg::invert_lower(inverse, how.monitor);
  to.others.push_back(std::move(inverse));
}

// Of some points: phi, and of each contrast j the rows of F^-1 (e_j x phi) that are not 0, those from j m on.
struct ByContrasts {
  Matrix phi;
  std::vector<Matrix> contrasts = {};
};

ByContrasts by_contrasts(const Model::Parts& parts, const Points& x, const Execution& how) {
  const Factors& factors = factors_of(parts, how);
  const Expansion::Parts& f = parts.f.parts();
  ByContrasts out{.phi = cross(*f.kernel, x, *f.centres, how)};
  linalg::solve_lower_rows(factors.others.front(), out.phi);
  const Matrix& inverse = factors.others.back();
  const Index m = out.phi.cols(), all = inverse.rows();
  for (Index first = 0; first < all; first += m) {
    Matrix& one = out.contrasts.emplace_back(Matrix::uninitialized(x.size(), all - first));
    linalg::multiply_transposed(1, out.phi, inverse.view().block({first, all}, {first, first + m}), 0, one);
  }
  return out;
}

Matrix reduced_class_covariances(const Model::Parts& parts, const Points& x, const Execution& how) {
  const Index classes = parts.f.outputs(), contrasts = classes - 1;
  const double signal = parts.posterior->signal.front();
  const Matrix Q = class_contrasts(classes);
  Matrix out = Matrix::uninitialized(x.size(), classes * classes), S(contrasts, contrasts);
  for (Index first = 0; first < x.size(); first += kBlock) {
    const Points some = x.slice({first, std::min(x.size(), first + kBlock)});
    const Vector prior = diagonal(*parts.f.parts().kernel, some);
    const ByContrasts known = by_contrasts(parts, some, how);
    const Index m = known.phi.cols();
    for (Index i = 0; i < some.size(); ++i) {
      for (Index k = 0; k < contrasts; ++k) {
        const Matrix& later = known.contrasts[at(k)];
        for (Index j = 0; j <= k; ++j) {
          S(j, k) = S(k, j) = dot(known.contrasts[at(j)].row(i) + (k - j) * m, later.row(i), later.cols());
        }
      }
      const double seen = dot(known.phi.row(i), known.phi.row(i), m);
      // What rounding makes negative is nothing.
      const double unseen = std::max(0.0, prior[at(i)] - seen);
      double* const row = out.row(first + i);
      for (Index c = 0; c < classes; ++c) {
        for (Index d = 0; d <= c; ++d) {
          double sum = seen / static_cast<double>(classes) + (c == d ? unseen : 0);
          for (Index j = 0; j < contrasts; ++j) {
            for (Index k = 0; k < contrasts; ++k) sum += Q(c, j) * S(j, k) * Q(d, k);
          }
          row[c * classes + d] = row[d * classes + c] = signal * sum;
        }
      }
    }
    how.monitor.report({"variances", static_cast<double>(first + some.size()) / static_cast<double>(x.size())});
  }
  return out;
}

Matrix reduced_softmax_covariance(const Model::Parts& parts, const Points& x, Index output, const Execution& how) {
  const Index classes = parts.f.outputs();
  const Matrix Q = class_contrasts(classes);
  const ByContrasts known = by_contrasts(parts, x, how);
  const Index m = known.phi.cols(), all = (classes - 1) * m;
  Matrix out = gram(*parts.f.parts().kernel, x, how), own(x.size(), all);
  for (Index j = 0; j < classes - 1; ++j) {
    const Matrix& one = known.contrasts[at(j)];
    for (Index i = 0; i < x.size(); ++i) {
      for (Index a = 0; a < one.cols(); ++a) own(i, j * m + a) += Q(output, j) * one(i, a);
    }
  }
  linalg::multiply_transposed(1 / static_cast<double>(classes) - 1, known.phi, known.phi, 1, out);
  linalg::multiply_transposed(1, own, own, 1, out);
  finish_covariance(parts.posterior->signal.front(), out);
  return out;
}

std::string_view reduced_softmax_fault(const Posterior& p, const Expansion& f) {
  if (!p.likelihood.coupled() || f.outputs() < 2) return "the link of two classes";
  return reduced_parts_fault(p, f, (f.outputs() - 1) * f.size());
}

}  // namespace

const PosteriorRow kReducedSoftmaxPosterior = {
    .name = "reduced_softmax",
    .fault = reduced_softmax_fault,
    .make_factors = make_reduced_softmax_factors,
    .variances = class_variances,
    .covariance = reduced_softmax_covariance,
    .class_covariances = reduced_class_covariances,
};

}  // namespace mercer::detail
