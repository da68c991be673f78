// What is to be predicted, as a machine takes it.
#pragma once

#include "mercer/workflow.hpp"

namespace mercer::workflow {

// Labels or numbers, by the task. Throws DataError where the columns cannot be that: none, text for numbers, a quantity
// for classes. `file` is where they came from, for messages.
void add_targets(const std::vector<Column>& columns, Task task, const std::string& file, Prepared& out);

}  // namespace mercer::workflow
