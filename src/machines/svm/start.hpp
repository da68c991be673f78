// Where a dual solver begins: at a model's alphas, made feasible.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <vector>

#include "machines/svm/dual.hpp"
#include "mercer/machines.hpp"

namespace mercer::detail {

// The alphas of training.start at every training point, one column per output; nothing without a start.
// Throws UsageError unless the model is of the same machine, reading, number of points and classes.
std::optional<Matrix> starting_alphas(const Training& training, const std::string& machine, Reading reading,
                                      const std::vector<std::string>& classes, Index outputs);

// Sets problem.start to a point of the box near `wish` whose groups have the sums `sums`. What must change is taken
// first from variables inside their box, then from nonzero ones, then from the others in order, so that few
// leave a bound. The sums must be within the reach of the box.
void begin_near(DualProblem& problem, VectorView wish, std::array<double, 2> sums);

}  // namespace mercer::detail
