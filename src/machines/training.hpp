// What every machine does first and last: refuse training data that make no sense, and put its model together.
#pragma once

#include <chrono>
#include <string_view>

#include "mercer/machines.hpp"

namespace mercer::detail {

// Throws one line for: no points, sizes that differ, targets that are not finite, weights that are negative, not finite
// or all zero; for regression no targets, for classification no labels, or one class only (unless there is a start, or
// the perceptron is told of others).
void check_training(std::string_view machine, Task task, const Training& training);

// The weight of each point, 1 where none are given.
Vector weights_of(const Training& training);
// Points whose weight is not 0, in order.
std::vector<Index> weighted_points(const Training& training);

// Parts with the machine's name, f and the schema of the inputs. NumericError where f is not finite.
Model::Parts parts_of(std::string_view machine, const Training& training, Expansion f, Reading reading);

// Training for callers who have a K and one target.
Training training_on(const Gram& K, VectorView y);

class Stopwatch {
 public:
  double seconds() const { return std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count(); }

 private:
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

}  // namespace mercer::detail
