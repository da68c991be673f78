// Which of several scores is best, and when one is clearly better than another.
#pragma once

#include <string>

#include "mercer/choose.hpp"
#include "mercer/tune.hpp"
#include "selection/criterion.hpp"

namespace mercer::detail {

class Judge {
 public:
  // Keeps both.
  Judge(const Machine& machine, const Choosing& plan, Task task) : machine_(machine), plan_(plan), task_(task) {}

  // What scores are: the metric of points held out, or where the plan names one a figure of the report.
  std::string name() const;
  bool better(double a, double b) const { return larger_is_better() ? a > b : a < b; }
  // A kernel later in the list must be worth it: the best of several grids is so partly by luck. By half the standard
  // error of a share of points that are right, or by 2 % of an error.
  bool clearly_better(double value, double than, Index points) const;
  // Of a whole grid, what its scores are compared by.
  Vector judged(const Vector& scores, const std::vector<Axis>& axes) const;
  // The first of the best, or their number where nothing can be said.
  std::size_t best_of(const Vector& scores, const Vector& judged) const;

 private:
  const Criterion& criterion() const;
  bool larger_is_better() const;
  bool counts() const;  // whether scores are shares of points that are right

  const Machine& machine_;
  const Choosing& plan_;
  const Task task_;
};

}  // namespace mercer::detail
