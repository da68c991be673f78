#include "mercer/gram.hpp"

#include "base/fail.hpp"

namespace mercer {

void GramSource::cross(const Points&, MatrixView, MatrixRef) const {
  fail(ErrorKind::usage,
       "cross: this Gram was given as numbers, so its values at new inputs are not known; "
       "give them as rows, or build it from a kernel");
}

Vector Gram::diagonal() const {
  Vector out(static_cast<std::size_t>(size()));
  source_->diagonal(out);
  return out;
}

void Gram::rows(std::span<const Index> which, MatrixRef out) const {
  for (const Index i : which) {
    if (i < 0 || i >= size()) fail(ErrorKind::shape, "rows: there is no row {} among {}", i, size());
  }
  if (out.rows() != static_cast<Index>(which.size()) || out.cols() != size()) {
    fail(ErrorKind::shape, "rows: a {} x {} matrix is needed, {} x {} was given", which.size(), size(), out.rows(),
         out.cols());
  }
  source_->rows(which, out);
}

Matrix Gram::rows(std::span<const Index> which) const {
  Matrix out = Matrix::uninitialized(static_cast<Index>(which.size()), size());
  rows(which, out.ref());
  return out;
}

Matrix Gram::multiply(MatrixView v) const {
  if (v.rows() != size()) fail(ErrorKind::shape, "multiply: K has {} rows, v has {}", size(), v.rows());
  Matrix out(size(), v.cols());
  source_->multiply(v, out);
  return out;
}

Vector Gram::multiply(VectorView v) const {
  const Matrix out = multiply(MatrixView(v.data(), static_cast<Index>(v.size()), 1));
  return Vector(out.data(), out.data() + out.rows());
}

Matrix Gram::cross(const Points& x, MatrixView v) const {
  if (v.rows() != size()) fail(ErrorKind::shape, "cross: K has {} columns, v has {} rows", size(), v.rows());
  Matrix out(x.size(), v.cols());
  source_->cross(x, v, out);
  return out;
}

}  // namespace mercer
