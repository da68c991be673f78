// Two data files whose rows meet in one matrix.
#pragma once

#include <optional>

#include "columns.hpp"

namespace mercer::cli {

struct DataPair {
  Points first;
  std::optional<Points> second;  // none without a second path
};

// Reads both alike: columns that are only counted meet by place, the narrower of two sparse files is read as wide as
// the other, and the second may come without the target that is taken out of the first.
DataPair read_pair(const std::string& path, const std::string& with, const ReadOptions& options,
                   const FormatWords& file);

}  // namespace mercer::cli
