// Fitting without a fold, and what the model then says of the fold.
#pragma once

#include "mercer/tune.hpp"

namespace mercer::detail {

// A training set cut at one fold. `all.K` is shared: rows between the parts are read off it where it is in memory.
class Cut {
 public:
  Cut(const Training& all, const Fold& fold);

  // The points outside the fold. Classes that occur only inside it are unknown there.
  const Training& rest() const { return rest_; }
  // What a model of rest() says of the fold's points.
  HeldOut say(const Model& model, const Execution& how) const;

 private:
  Matrix scores(const Model& model, const Execution& how) const;

  const Training& all_;
  const Fold& fold_;
  std::vector<Index> outside_;
  Training rest_;
};

}  // namespace mercer::detail
