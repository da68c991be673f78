// Which variables to work on next, and how far from optimal all of them are.
#pragma once

#include <array>
#include <vector>

#include "machines/svm/dual.hpp"

namespace mercer::detail {

class WorkingSet {
 public:
  // The largest violation of the KKT conditions. With groups: of a pair of a group, one that may grow and one that may
  // shrink, how much steeper it is to move the one than the other. Without: the steepest slope that is free to go.
  double gap(const DualProblem& p, const Vector& b, const Vector& g);
  // At most `most` variables that violate the conditions most, and those of the last set that are between their bounds;
  // ordered by group.
  std::vector<Index> choose(const DualProblem& p, const Vector& b, const Vector& g, Index most);
  // The gradient at free variables of each group: their mean; where none is free the middle of what is possible.
  std::array<double, 2> levels(const DualProblem& p, const Vector& b, const Vector& g) const;

  // The last set, which the next one goes on from.
  const std::vector<Index>& last() const { return last_; }
  void set_last(std::vector<Index> set) { last_ = std::move(set); }

 private:
  struct Ends {
    double up, low;  // the largest -g that may grow, the largest g that may shrink
  };
  std::array<Ends, 2> ends_{};
  double worst_ = 0;
  std::vector<Index> last_;
};

}  // namespace mercer::detail
