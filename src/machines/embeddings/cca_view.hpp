// One of the two views of a canonical correlation: its centred, weighted matrix by its eigenvectors.
#pragma once

#include <optional>

#include "mercer/machines.hpp"

namespace mercer::detail {

// With p the shares of the weights w, and H = I - 1 p': the matrix W^1/2 H K H' W^1/2 = sum_r values_r u_r u_r', and
// shrink_r = (values_r / (values_r + n kappa))^1/2, n the sum of the weights, n kappa being the ridge times the trace.
struct CcaView {
  // Where it was found in features phi with K = F F': f = sum_r directions_r axes_r'(phi(x) - mean).
  struct InFeatures {
    Matrix axes;  // a column for each r
    Vector mean;
    std::optional<Centres> centres;  // whose features they are; none: those of the kernel itself
  };
  Matrix vectors = {};  // u_r in row r, largest eigenvalue first; those that are rounding are left out
  Vector values, shrink;
  double penalty;  // n kappa
  std::optional<InFeatures> features = {};

  Index rank() const { return static_cast<Index>(values.size()); }
};

// `which` names the view in errors. Points of weight 0 have zeros in all vectors.
CcaView view_of(const char* which, const Gram& K, VectorView weights, double ridge, const Execution& how);

// The same from features F, a row for each point: of the kernel itself, or of centres. n m^2 flops for m of them.
CcaView view_in_features(const char* which, Matrix F, std::optional<Centres> centres, VectorView weights, double ridge,
                         const Execution& how);

// The expansion with f(x_i) at the points of weight > 0 equal to the columns of H K H' alpha, where
// alpha = W^1/2 sum_r u_r values_r^-1/2 directions(r, c): a function of the feature vector less its mean.
Expansion expansion_of(const CcaView& view, const Gram& K, VectorView weights, const Matrix& directions,
                       const Execution& how);

}  // namespace mercer::detail
