// What rows of K = F F' with few columns add to f, without the rows: through w = F'b, for the numbers of F once for
// all of them together. In double precision.
#pragma once

#include <memory>
#include <optional>
#include <span>

#include "mercer/gram.hpp"
#include "mercer/plan.hpp"

namespace mercer::detail {

class FeatureRows {
 public:
  // Of linear() the inputs as they are stored, of other kernels the features that are known; `x` are the points in the
  // order of `order`. None where rows are the shorter way. Which it is depends on the points and the kernel alone.
  static std::optional<FeatureRows> of(const Gram& K, const Points& x, std::span<const Index> order);
  static bool is_shorter(const Extent& extent);
  // Of what is not there anyway.
  static double bytes(const Extent& extent);

  // f[j] += sum_k weights[k] K(which[k], j) for j of the range; f points to that of its begin. `workers` for as many
  // multiplications: how many threads. The bits do not depend on them.
  void add(std::span<const Index> which, VectorView weights, Range range, double* f, int threads) const;
  double stored() const { return stored_; }  // numbers of a row

 private:
  const SparseMatrix* sparse_ = nullptr;
  MatrixView dense_;
  std::shared_ptr<const void> owner_;
  std::optional<Points> inputs_;
  double stored_ = 0;
};

}  // namespace mercer::detail
