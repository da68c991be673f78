// The columns that a sparse Bayesian machine chooses from: k(x_i, .) at the training points for each of them, and 1.
#pragma once

#include "mercer/machines.hpp"

namespace mercer::detail {

// What a machine takes that has such a basis.
Needs needs_of_basis(const Extent& extent);

// K in memory where it fits, else computed tile by tile whenever it is asked for.
class RvmBasis {
 public:
  // The points of positive weight alone are in it, in the order of their content where that is known. Memory is planned
  // from training.memory, or from what is free.
  RvmBasis(const Training& training, bool bias);

  Index points() const { return gram_.size(); }
  Index columns() const { return gram_.size() + (bias_ ? 1 : 0); }
  bool is_bias(Index column) const { return column == gram_.size(); }
  bool in_memory() const { return !dense_.empty(); }
  int threads() const { return threads_; }
  Index training_point(Index column) const { return which_[static_cast<std::size_t>(column)]; }

  // The values of a column at all points.
  Vector column(Index j) const;
  // phi_j'v of all columns j and each row v of `rows`: one row of results for each. As many products with K.
  Matrix project(MatrixView rows) const;
  // sum_i w_i phi_j(x_i)^2 of all columns j: one pass over K.
  Vector squares(const Vector& w) const;

 private:
  std::vector<Index> which_;
  Gram gram_;
  bool bias_;
  int threads_;
  Matrix own_;
  MatrixView dense_;
};

}  // namespace mercer::detail
