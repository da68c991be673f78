// Rows of numbers, dense or sparse, as they are multiplied by weights of the columns.
#pragma once

#include <memory>

#include "mercer/matrix.hpp"
#include "mercer/points.hpp"

namespace mercer::detail {

class FeatureMatrix {
 public:
  FeatureMatrix() = default;
  // Of points that are rows of numbers, without a copy where they are stored so.
  explicit FeatureMatrix(const Points& x);
  explicit FeatureMatrix(Matrix own);

  Index points() const { return sparse_ != nullptr ? sparse_->rows : dense_.rows(); }
  Index columns() const { return sparse_ != nullptr ? sparse_->cols : dense_.cols(); }
  double stored() const;  // numbers of a row, on average

  double dot(Index i, const double* w) const;         // of row i
  void add(Index i, double factor, double* w) const;  // w += factor row i
  double square(Index i) const;
  void fetch(Index i) const;  // row i is wanted soon

 private:
  template <class See>
  void each(Index i, See see) const;  // see(column, number) of the sparse row i

  const SparseMatrix* sparse_ = nullptr;
  bool ones_ = false;  // are all its numbers, which then need not be read
  MatrixView dense_;
  std::shared_ptr<const void> owner_;
};

}  // namespace mercer::detail
