// What a request to fit asks for, read and not yet prepared.
#pragma once

#include "mercer/workflow.hpp"

namespace mercer::workflow {

// FitRequest::kernel that says: the source holds K itself.
inline constexpr std::string_view kPrecomputed = "precomputed";

// The points and what is known of each of them.
struct RawTraining {
  Points points;
  bool counted;
  std::vector<Column> targets = {};
  Vector weights = {};
  std::vector<std::string> left_out = {};  // columns that are neither inputs nor predicted
  bool last_column = false;                // the target is the last column because none was named
};
RawTraining read_raw(const FitRequest& request, Task task);

}  // namespace mercer::workflow
