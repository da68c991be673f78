// Taking columns into a SparseBayes, for regression and classification alike.
#pragma once

#include <string>

#include "machines/sparse_bayes/rvm_solver.hpp"
#include "machines/sparse_bayes/sparse_bayes.hpp"

namespace mercer::detail {

class SparseGrowth {
 public:
  SparseGrowth(const RvmLimits& limits, std::string_view stage) : limits_(limits), progress_{stage, 0} {}

  // Adds the columns that gain most and more than the tolerance, and returns their numbers: one, or several where many
  // are in the model, because what follows costs more then. Says why in out.stopped if the limit lets it add none.
  std::vector<Index> grow(SparseBayes& state, bool one, RvmSolution& out);

  const Progress& progress() const { return progress_; }

 private:
  RvmLimits limits_;
  Progress progress_;
  double first_gain_ = 0;
};

}  // namespace mercer::detail
