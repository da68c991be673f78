// Several problems of one fit: side by side, under one monitor.
#pragma once

#include <functional>
#include <span>
#include <string_view>

#include "mercer/evaluate.hpp"

namespace mercer::detail {

// How many of so many tasks run_tasks works on at a time.
int side_by_side(std::size_t tasks, const Execution& how);

// Runs body(i, how) for each i. With at least as many tasks as threads, each task has one thread and the largest are
// begun first; otherwise one task after the other has all threads. The monitor a task gets reports the progress of
// all, and once cancelled stays so: later tasks end as soon as they report.
// Returns false if it was cancelled.
bool run_tasks(std::span<const double> size, const Execution& how, std::string_view stage,
               const std::function<void(Index i, const Execution& how)>& body);

}  // namespace mercer::detail
