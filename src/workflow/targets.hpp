// What is to be predicted, as a machine takes it.
#pragma once

#include "mercer/workflow.hpp"

namespace mercer::workflow {

// Labels or numbers, by the task. Throws DataError where the columns cannot be that: none, text for numbers, a quantity
// for classes, or texts that are all different in a column that nobody named (`by_default`), where `inputs` may hold
// the one that was meant. `file` is where they came from, for messages.
void add_targets(const std::vector<Column>& columns, Task task, const std::string& file, bool by_default,
                 const Points& inputs, Prepared& out);

}  // namespace mercer::workflow
