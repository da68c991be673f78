#include "model/posterior/weights_posterior.hpp"

#include <algorithm>
#include <numeric>

#include "base/dot.hpp"
#include "base/fail.hpp"
#include "linalg/lapack.hpp"
#include "model/posterior/kinds.hpp"

namespace mercer::detail {

namespace {

constexpr Index kPoints = 1024;  // taken at a time, so that k(x, centres) needs little memory

// k(x, x_i) of each centre, and 1 for the bias.
Matrix basis_at(const Model::Parts& parts, const Points& x, const Execution& how) {
  const Expansion::Parts& f = parts.f.parts();
  if (!f.kernel) {
    fail(ErrorKind::usage,
         "variance: this model was fitted to a given matrix and has no kernel to compute k(x, .) with");
  }
  Matrix out(x.size(), parts.f.size() + 1, 1.0);
  if (parts.f.size() > 0) {
    cross(*f.kernel, x, *f.centres, out.ref().block({0, x.size()}, {0, parts.f.size()}), how);
  }
  return out;
}

}  // namespace

MatrixView weights_block(const Model::Parts& parts, Index output) {
  const Index size = parts.f.size() + 1;
  const Matrix& all = parts.posterior->covariance;
  if (all.cols() != size || all.rows() != size * parts.f.outputs()) {
    fail(ErrorKind::shape, "posterior: the covariance of {} weights and {} outputs is {} x {}, not {} x {}", size,
         parts.f.outputs(), size * parts.f.outputs(), size, all.rows(), all.cols());
  }
  return all.view().block({output * size, (output + 1) * size}, {0, size});
}

Matrix weights_variances(const Model::Parts& parts, const Points& x, const Execution& how) {
  Matrix out(x.size(), parts.f.outputs());
  std::vector<Index> which;
  for (Index first = 0; first < x.size(); first += kPoints) {
    which.resize(static_cast<std::size_t>(std::min(kPoints, x.size() - first)));
    std::iota(which.begin(), which.end(), first);
    const Matrix k = basis_at(parts, x.select(which), how);
    Matrix times_block = Matrix::uninitialized(k.rows(), k.cols());
    for (Index o = 0; o < out.cols(); ++o) {
      linalg::multiply(1, k, weights_block(parts, o), 0, times_block);
      for (Index i = 0; i < k.rows(); ++i) {
        const double sum = dot(k.row(i), times_block.row(i), k.cols());
        out(first + i, o) = std::max(0.0, sum);
      }
    }
    how.monitor.report({"variance", static_cast<double>(first + k.rows()) / static_cast<double>(x.size())});
  }
  return out;
}

Matrix weights_covariance(const Model::Parts& parts, const Points& x, Index output, const Execution& how) {
  const Matrix k = basis_at(parts, x, how);
  Matrix times_block = Matrix::uninitialized(k.rows(), k.cols()), out = Matrix::uninitialized(k.rows(), k.rows());
  linalg::multiply(1, k, weights_block(parts, output), 0, times_block);
  linalg::multiply_transposed(1, times_block, k, 0, out);
  for (Index i = 0; i < out.rows(); ++i) {
    for (Index j = 0; j < i; ++j) out(i, j) = out(j, i);
  }
  return out;
}

namespace {

std::string_view weights_fault(const Posterior& p, const Expansion& f) {
  if (p.covariance.rows() != f.outputs() * (f.size() + 1) || p.covariance.cols() != f.size() + 1) {
    return "the rows of its covariance";
  }
  return p.likelihood == Likelihood::none ? "" : "a link";
}

}  // namespace

const PosteriorRow kWeightsPosterior = {
    .name = "weights",
    .fault = weights_fault,
    .variances = weights_variances,
    .covariance = weights_covariance,
};

}  // namespace mercer::detail
