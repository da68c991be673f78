// The features of the training points: rows of F with K = F F'.
#pragma once

#include <optional>
#include <string_view>

#include "machines/svm/linear/feature_matrix.hpp"
#include "mercer/machines.hpp"

namespace mercer::detail {

// What a machine takes that works on them.
Needs needs_of_features(const Extent& extent);

class Features : public FeatureMatrix {
 public:
  // Of linear() the inputs as they are stored; of other kernels with few features those; else a pivoted Cholesky factor
  // of K, for which room for two matrices of K's size is asked. Points of weight 0 may be left at zero.
  Features(std::string_view machine, const Training& training);

  // The inputs themselves, so that weights of the columns are an f for new inputs too.
  bool are_inputs() const { return inputs_.has_value(); }
  const Points& inputs() const { return *inputs_; }

 private:
  std::optional<Points> inputs_;
};

}  // namespace mercer::detail
