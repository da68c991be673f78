// What rows of K = F F' with few columns add to f, without the rows: through w = F'b, for the numbers of F once for
// all of them together. In double precision.
#pragma once

#include <optional>
#include <span>

#include "machines/svm/linear/feature_matrix.hpp"
#include "mercer/gram.hpp"
#include "mercer/plan.hpp"

namespace mercer::detail {

class FeatureRows {
 public:
  // Of linear() the inputs as they are stored, of other kernels the features that are known; points in the order of
  // `order`. None where rows are the shorter way. Which it is depends on the points and the kernel alone.
  static std::optional<FeatureRows> of(const Gram& K, std::span<const Index> order);
  static bool is_shorter(const Extent& extent);
  // Of what is not there anyway.
  static double bytes(const Extent& extent);

  // f[j] += sum_k weights[k] K(which[k], j) for j of the range; f points to that of its begin. The bits do not depend
  // on the threads.
  void add(std::span<const Index> which, VectorView weights, Range range, double* f, int threads) const;
  const FeatureMatrix& matrix() const { return matrix_; }

 private:
  explicit FeatureRows(FeatureMatrix matrix) : matrix_(std::move(matrix)) {}

  FeatureMatrix matrix_;
};

}  // namespace mercer::detail
