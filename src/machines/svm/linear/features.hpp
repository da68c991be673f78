// The features of the training points: rows of F with K = F F'.
#pragma once

#include <memory>
#include <optional>
#include <string_view>

#include "mercer/machines.hpp"

namespace mercer::detail {

// What a machine takes that works on them.
Needs needs_of_features(const Extent& extent);

class Features {
 public:
  // Of linear() the inputs as they are stored; of other kernels with few features those; else a pivoted Cholesky factor
  // of K, for which room for two matrices of K's size is asked. Points of weight 0 may be left at zero.
  Features(std::string_view machine, const Training& training);

  Index points() const { return points_; }
  Index columns() const { return columns_; }
  // The inputs themselves, so that weights of the columns are an f for new inputs too.
  bool are_inputs() const { return inputs_.has_value(); }
  const Points& inputs() const { return *inputs_; }

  double dot(Index i, const double* w) const;         // of row i
  void add(Index i, double factor, double* w) const;  // w += factor row i
  double square(Index i) const;

 private:
  Index points_ = 0, columns_ = 0;
  const SparseMatrix* sparse_ = nullptr;
  MatrixView dense_;
  std::optional<Points> inputs_;
  std::shared_ptr<const void> owner_;
  Matrix own_;
};

}  // namespace mercer::detail
