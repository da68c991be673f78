// What a request to fit asks for, read and not yet prepared.
#pragma once

#include "mercer/workflow.hpp"

namespace mercer::workflow {

inline bool is_precomputed(const KernelChoice& kernel) { return std::holds_alternative<Precomputed>(kernel); }

// The points and what is known of each of them.
struct RawTraining {
  Points points;
  bool counted;
  std::vector<Column> targets = {};
  Vector weights = {};
  std::vector<std::string> left_out = {};     // columns that are neither inputs nor predicted
  bool last_column = false;                   // the target is the last column because none was named
  std::shared_ptr<const Recipe> recipe = {};  // that made the points of a raw table
  std::vector<std::string> remarks = {};      // on that
  std::optional<Points> as_read = {};         // the table itself
  std::string in_pieces = {};                 // why rows are read in pieces; empty: they are in memory
  std::optional<Index> series = {};           // the column of the points that tells series apart
  std::optional<Kernel> of_series = {};       // along each of them
};
RawTraining read_raw(const FitRequest& request, Task task);

}  // namespace mercer::workflow
