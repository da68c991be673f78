#include "testing/compare.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <utility>

#include "base/at.hpp"
#include "points/rep.hpp"

namespace mercer::testing {

double largest(MatrixView m) {
  double out = 0;
  for (Index i = 0; i < m.rows(); ++i) {
    for (Index j = 0; j < m.cols(); ++j) out = std::max(out, std::abs(m(i, j)));
  }
  return out;
}

double difference(MatrixView a, MatrixView b) {
  if (a.rows() != b.rows() || a.cols() != b.cols()) return std::numeric_limits<double>::quiet_NaN();
  double out = 0;
  for (Index i = 0; i < a.rows(); ++i) {
    for (Index j = 0; j < a.cols(); ++j) {
      const double d = std::abs(a(i, j) - b(i, j));
      if (std::isnan(d)) return d;
      out = std::max(out, d);
    }
  }
  return out;
}

bool is_finite(MatrixView m) {
  for (Index i = 0; i < m.rows(); ++i) {
    if (!std::all_of(m.row(i), m.row(i) + m.cols(), [](double v) { return std::isfinite(v); })) return false;
  }
  return true;
}

Matrix random_matrix(Index rows, Index cols, Random& random) {
  Matrix out = Matrix::uninitialized(rows, cols);
  for (Index i = 0; i < rows * cols; ++i) out.data()[i] = random.normal();
  return out;
}

std::vector<Index> numbers_up_to(Index n) {
  std::vector<Index> out(at(n));
  std::iota(out.begin(), out.end(), Index{0});
  return out;
}

void shuffle(std::vector<Index>& order, Random& random) {
  for (std::size_t i = order.size(); i > 1; --i)
    std::swap(order[i - 1], order[at(random.below(static_cast<Index>(i)))]);
}

Points as_sparse(const Points& x) {
  const DenseRows rows = dense_rows(x);
  SparseMatrix out;
  out.rows = rows.values.rows();
  out.cols = rows.values.cols();
  for (Index i = 0; i < out.rows; ++i) {
    for (Index k = 0; k < out.cols; ++k) {
      if (rows.values(i, k) == 0) continue;
      out.columns.push_back(static_cast<std::int32_t>(k));
      out.values.push_back(rows.values(i, k));
    }
    out.offsets.push_back(static_cast<Index>(out.columns.size()));
  }
  return named_like(mercer::rows(std::move(out)), x);
}

}  // namespace mercer::testing
