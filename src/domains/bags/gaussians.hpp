// Gaussians as points: a mean and a covariance each, all of one dimension.
#pragma once

#include "points/objects.hpp"

namespace mercer {

class Gaussians final : public Objects {
 public:
  // Each row: the mean, then the lower triangle of the covariance row by row (simd/gaussian_pairs.hpp).
  Gaussians(Index dimension, Matrix numbers) : dimension_(dimension), numbers_(std::move(numbers)) {}

  Index dimension() const { return dimension_; }
  const Matrix& numbers() const { return numbers_; }
  std::size_t bytes() const { return static_cast<std::size_t>(numbers_.rows() * numbers_.cols()) * sizeof(double); }

  Index size() const override { return numbers_.rows(); }
  Domain domain() const override { return {"gaussians"}; }
  int compare(Index i, Index j) const override;
  std::shared_ptr<const Objects> join(const Selection& own, const Objects& other,
                                      const Selection& others) const override;
  Json save(const Selection& which, const std::string& prefix, detail::BlockWriter& blocks) const override;

 private:
  Index dimension_;
  Matrix numbers_;
};

// How many numbers a Gaussian of dimension d is.
Index gaussian_numbers(Index d);

// The Gaussian of a bag of rows: their mean, and their covariance S (divided by n) shrunk towards tr(S)/d I as far as
// the oracle approximating shrinkage says (Chen, Wiesel, Eldar & Hero 2010, eq. 23): for two rows or more that are not
// all equal it is positive definite in any dimension. Equal rows have the covariance 0.
void estimate_gaussian(MatrixView rows, double* numbers);

}  // namespace mercer
