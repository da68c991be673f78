// What is to be predicted, as a machine takes it.
#pragma once

#include "mercer/model.hpp"
#include "mercer/source.hpp"
#include "mercer/task.hpp"

namespace mercer::data {

struct Targets {
  Labels labels = {};                     // where classes are predicted
  Matrix y = {};                          // where numbers are
  std::vector<std::string> remarks = {};  // doubts, one line each
};

// Labels or numbers, by the task of the machine. Throws DataError where the columns cannot be that: none, text for
// numbers, for classes a quantity or what is different in every row. `by_default`: nobody named the column; `inputs`
// may hold the one that was meant. `file` is where they came from, for messages.
Targets targets_of(const std::vector<Column>& columns, Task task, const std::string& machine, const std::string& file,
                   bool by_default, const Points& inputs);

}  // namespace mercer::data
