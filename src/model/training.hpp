// What every machine does first and last: refuse training data that make no sense, and put its model together.
#pragma once

#include <string>
#include <string_view>

#include "base/parallel.hpp"
#include "base/stopwatch.hpp"
#include "mercer/machines.hpp"

namespace mercer::detail {

// Two classes must be among the points; or, for a stream that may begin with one, among those that are named.
enum class Classes { seen, named };

// Throws one line for: no points, sizes that differ, targets that are not finite or out of range (target_fault),
// weights that are negative, not finite or all zero; for regression no targets, for classification no labels, or too
// few classes (unless there is a start). What it returns makes the fit use as many threads as training.how says.
Threads check_training(std::string_view machine, Task task, const Training& training, Classes needed = Classes::seen);

// Squares of targets are added up, and divided by small numbers: so the largest of a column must be between 1e-100 and
// 1e100 in size, or zero. What is wrong and what to do about it, to stand behind the name of a target; empty: nothing.
std::string target_fault(MatrixView y, Index column);

// Why a fit ended that keeps Training::seconds, in words, and whether a report says so.
std::string time_was_over(double seconds);
bool is_over_time(std::string_view stopped);

// Asks for memory before it is taken: UsageError when so many matrices of n x n numbers are more than training.memory,
// or than what is free. Names the figures and what would fit.
void require_matrices(std::string_view machine, const Training& training, Index n, double matrices);
// The same of what a machine's row says that it needs; others for the task that would fit are named.
void require_room(std::string_view machine, Task task, const Needs& needs, const Extent& extent);

// The weight of each point, 1 where none are given.
Vector weights_of(const Training& training);
// Points whose weight is not 0, in order.
std::vector<Index> weighted_points(const Training& training);

// Parts with the machine's name, f and the schema of the inputs. NumericError where f is not finite.
Model::Parts parts_of(std::string_view machine, const Training& training, Expansion f, Reading reading);

// Training for callers who have a K and one target.
Training training_on(const Gram& K, VectorView y);

}  // namespace mercer::detail
