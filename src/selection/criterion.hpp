// By what candidates are compared: the metrics of mercer/metrics.hpp by name.
#pragma once

#include "mercer/tune.hpp"

namespace mercer::detail {

// A machine as it was fitted to all points.
struct WholeFit {
  const Machine& machine;
  const Settings& settings;
  const Model& model;
  const Training& training;
};

struct Criterion {
  std::string name;
  bool larger_is_better;
  Task task;
  // Of the points of a fold, whose truth is in the training data.
  double (*of)(const HeldOut& held, const Training& training, const Fold& fold);
  bool needs_variances = false;
  // Instead, where there is no truth to hold out: of a fit to all points.
  double (*of_fit)(const WholeFit& fit) = nullptr;
};

// The one called `name`, or for an empty name the usual one of the task. Throws UsageError when it does not fit the
// task, or the task has none.
const Criterion& criterion(const std::string& name, const std::string& machine, Task task);

// All of a task, the usual one first.
std::vector<const Criterion*> criteria(Task task);

}  // namespace mercer::detail
