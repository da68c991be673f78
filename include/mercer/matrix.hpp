// mercer/matrix.hpp: dense row-major numbers, owned (`Matrix`) or borrowed (`MatrixView`, `MatrixRef`).
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <type_traits>
#include <vector>

namespace mercer {

using Index = std::ptrdiff_t;
using Vector = std::vector<double>;
using VectorView = std::span<const double>;
using VectorRef = std::span<double>;

// The half-open interval [begin, end).
struct Range {
  Index begin = 0;
  Index end = 0;
  Index size() const { return end - begin; }
  friend bool operator==(const Range&, const Range&) = default;
};

// A borrowed block of numbers: entry (i, j) is data[i * stride + j]. The owner must outlive it.
template <class T>
class BasicMatrixView {
 public:
  BasicMatrixView() = default;
  BasicMatrixView(T* data, Index rows, Index cols, Index stride)
      : data_(data), rows_(rows), cols_(cols), stride_(stride) {}
  BasicMatrixView(T* data, Index rows, Index cols) : BasicMatrixView(data, rows, cols, cols) {}
  // A mutable view is also a read-only one.
  template <class U>
  requires std::is_same_v<const U, T> BasicMatrixView(const BasicMatrixView<U>& other)
      : BasicMatrixView(other.data(), other.rows(), other.cols(), other.stride()) {}

  T* data() const { return data_; }
  Index rows() const { return rows_; }
  Index cols() const { return cols_; }
  Index stride() const { return stride_; }
  bool empty() const { return rows_ == 0 || cols_ == 0; }
  T* row(Index i) const { return data_ + i * stride_; }
  T& operator()(Index i, Index j) const { return data_[i * stride_ + j]; }
  BasicMatrixView block(Range i, Range j) const {
    return {data_ + i.begin * stride_ + j.begin, i.size(), j.size(), stride_};
  }

 private:
  T* data_ = nullptr;
  Index rows_ = 0, cols_ = 0, stride_ = 0;
};

using MatrixView = BasicMatrixView<const double>;
using MatrixRef = BasicMatrixView<double>;
using FloatMatrixView = BasicMatrixView<const float>;

// An owned block of numbers, contiguous by rows. Copies deeply, moves cheaply.
class Matrix {
 public:
  Matrix() = default;
  Matrix(Index rows, Index cols, double value = 0.0);
  Matrix(std::initializer_list<std::initializer_list<double>> rows);
  explicit Matrix(MatrixView other);
  Matrix(const Matrix& other) : Matrix(other.view()) {}
  Matrix(Matrix&&) noexcept = default;
  Matrix& operator=(const Matrix& other) { return *this = Matrix(other); }
  Matrix& operator=(Matrix&&) noexcept = default;
  // Leaves the entries unset: for outputs that are written whole.
  static Matrix uninitialized(Index rows, Index cols);

  double* data() { return data_.get(); }
  const double* data() const { return data_.get(); }
  Index rows() const { return rows_; }
  Index cols() const { return cols_; }
  double* row(Index i) { return data_.get() + i * cols_; }
  const double* row(Index i) const { return data_.get() + i * cols_; }
  double& operator()(Index i, Index j) { return data_[i * cols_ + j]; }
  double operator()(Index i, Index j) const { return data_[i * cols_ + j]; }
  MatrixView view() const { return {data_.get(), rows_, cols_}; }
  MatrixRef ref() { return {data_.get(), rows_, cols_}; }
  operator MatrixView() const { return view(); }
  operator MatrixRef() { return ref(); }
  friend bool operator==(const Matrix& a, const Matrix& b);

 private:
  struct Release {
    void operator()(double* data) const;
  };
  std::unique_ptr<double[], Release> data_;
  Index rows_ = 0, cols_ = 0;
};

}  // namespace mercer
