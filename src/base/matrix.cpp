#include "mercer/matrix.hpp"

#include <algorithm>
#include <cstdlib>

#include "base/aligned.hpp"
#include "base/fail.hpp"

namespace mercer {

void Matrix::Release::operator()(double* data) const { std::free(data); }

Matrix Matrix::uninitialized(Index rows, Index cols) {
  Matrix m;
  m.data_.reset(allocate_doubles(static_cast<std::size_t>(rows * cols)));
  m.rows_ = rows;
  m.cols_ = cols;
  return m;
}

Matrix::Matrix(Index rows, Index cols, double value) : Matrix(uninitialized(rows, cols)) {
  std::fill_n(data_.get(), rows * cols, value);
}

Matrix::Matrix(std::initializer_list<std::initializer_list<double>> rows)
    : Matrix(uninitialized(static_cast<Index>(rows.size()),
                           rows.size() == 0 ? 0 : static_cast<Index>(rows.begin()->size()))) {
  double* out = data_.get();
  for (const auto& row : rows) {
    if (static_cast<Index>(row.size()) != cols_) {
      fail(ErrorKind::shape, "matrix: rows of {} and {} numbers; give every row the same length", cols_, row.size());
    }
    out = std::copy(row.begin(), row.end(), out);
  }
}

Matrix::Matrix(MatrixView other) : Matrix(uninitialized(other.rows(), other.cols())) {
  for (Index i = 0; i < rows_; ++i) std::copy_n(other.row(i), cols_, row(i));
}

bool operator==(const Matrix& a, const Matrix& b) {
  return a.rows_ == b.rows_ && a.cols_ == b.cols_ &&
         std::equal(a.data_.get(), a.data_.get() + a.rows_ * a.cols_, b.data_.get());
}

}  // namespace mercer
