// Points in the order of a score, and what every cut-off makes of them; with resamples of the points.
#pragma once

#include <cstdint>
#include <vector>

#include "mercer/matrix.hpp"
#include "report/parts.hpp"

namespace mercer::report {

// Above each cut-off, from the highest down: so many of the class and so many others.
struct Counted {
  Vector tp, fp;
  double positives = 0, negatives = 0;
};

class Ranking {
 public:
  Ranking(VectorView scores, const std::vector<bool>& positive);

  const Vector& cuts() const { return cuts_; }  // the different scores, decreasing
  Counted counted() const;
  // With points drawn anew from each side, as many as there are.
  Counted resampled(std::uint64_t seed) const;

 private:
  Counted counted(const std::vector<double>& weights) const;
  std::vector<bool> positive_;       // in the order of the scores
  std::vector<std::size_t> cut_of_;  // of each point
  Vector cuts_;
};

double roc_area(const Counted& c);                                 // equal scores count half: mercer/metrics.hpp's auc
double average_precision(const Counted& c);                        // sum of precision times the step of recall
Vector roc_at(const Counted& c, VectorView false_positive_rates);  // the highest true positive rate there
Vector precision_at(const Counted& c, VectorView recalls);         // at the first cut-off that reaches the recall

}  // namespace mercer::report
