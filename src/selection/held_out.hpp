// Fitting without a fold, and what the model then says of the fold.
#pragma once

#include "mercer/tune.hpp"

namespace mercer::detail {

// The points outside a fold, increasing. UsageError unless the fold is some but not all of n points, each once, in
// order.
std::vector<Index> outside(const Fold& fold, Index n);

// Some points of a training set, without its start and monitor. Classes that do not occur among them are unknown there.
Training part_of(const Training& all, const std::vector<Index>& which);

// Scores of a model at the fold's points. `centres`: which of all points its centres are. Where `all.K` is in memory
// its rows are read off it.
Matrix scores_at(const Fold& fold, const Training& all, const Model& model, const std::vector<Index>& centres,
                 const Execution& how);
// One column per class, also where one column of scores speaks for two; larger the likelier.
Matrix scores_of_classes(const Model& model, MatrixView scores);
// What a model says of points at which its f is `scores`, in numbers of all classes.
HeldOut read_scores(const Labels& all, const Model& model, MatrixView scores);

// A training set cut at one fold. `all.K` is shared: rows between the parts are read off it where it is in memory.
class Cut {
 public:
  Cut(const Training& all, const Fold& fold);

  // The points outside the fold. Classes that occur only inside it are unknown there.
  const Training& rest() const { return rest_; }
  // What a model of rest() says of the fold's points.
  HeldOut say(const Model& model, const Execution& how) const;
  // Of an observation at the fold's points, one column per target; empty where the model does not know.
  Matrix variances(const Model& model, const Execution& how) const;

 private:
  const Training& all_;
  const Fold& fold_;
  std::vector<Index> outside_;
  Training rest_;
};

}  // namespace mercer::detail
