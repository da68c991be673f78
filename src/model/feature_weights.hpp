// Expansions over kernels that are inner products of explicit features (substrings, subtrees, ...): f is then w.phi(x),
// and costs what the features of x cost, whatever the number of centres.
#pragma once

#include <memory>

#include "mercer/explain.hpp"

namespace mercer::detail {

class FeatureWeights {
 public:
  virtual ~FeatureWeights() = default;
  // K(x, centres) alpha.
  virtual Matrix times(const Points& x) const = 0;
  // What the places of one point contribute to that, times `factor`: added to the parts of its columns. The words for
  // the places are of the point as it was given, before it was scaled.
  virtual void explain(const Points& one, const Points& given, double factor, const std::string& column,
                       std::vector<Contribution>& parts) const = 0;
};

// w of sums, multiples and normalised ones of such kernels, on columns or on whole inputs, and of kernels of dense rows
// with few features beside the centres (linear() + 1, random_features); null for other kernels.
std::unique_ptr<const FeatureWeights> feature_weights(const Kernel& k, const Points& centres, MatrixView alpha);

// The same where only some terms of a sum are such kernels, or means over the elements of bags; the others contribute a
// number each, as a whole. Null where no term is one.
std::unique_ptr<const FeatureWeights> explained_weights(const Kernel& k, const Points& centres, MatrixView alpha);

}  // namespace mercer::detail
