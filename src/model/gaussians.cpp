#include "model/gaussians.hpp"

#include <algorithm>
#include <cmath>

#include "base/at.hpp"
#include "base/dot.hpp"
#include "linalg/lapack.hpp"

namespace mercer::detail {

Matrix log_joint(MatrixView mixture, MatrixView z) {
  const Index n = z.rows(), D = z.cols();
  Matrix out = Matrix::uninitialized(n, mixture.rows());
  Matrix x = Matrix::uninitialized(n, D), y = Matrix::uninitialized(n, D);
  for (Index c = 0; c < mixture.rows(); ++c) {
    const VectorView mean = mean_in(mixture, c, D);
    for (Index i = 0; i < n; ++i) {
      std::transform(z.row(i), z.row(i) + D, mean.begin(), x.row(i), std::minus<>());
    }
    linalg::multiply_transposed(1, x, whitening_in(mixture, c, D), 0, y);
    const double constant = std::log(mixture(c, 0)) + mixture(c, 1);
    for (Index i = 0; i < n; ++i) {
      out(i, c) = constant - 0.5 * dot(y.row(i), y.row(i), D);
    }
  }
  return out;
}

Vector log_sums(MatrixView logs) {
  Vector out(at(logs.rows()));
  for (Index i = 0; i < logs.rows(); ++i) {
    const double* const row = logs.row(i);
    const double top = *std::max_element(row, row + logs.cols());
    double sum = 0;
    for (Index c = 0; c < logs.cols(); ++c) sum += std::exp(row[c] - top);
    out[at(i)] = top + std::log(sum);
  }
  return out;
}

}  // namespace mercer::detail
