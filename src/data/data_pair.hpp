// Two data files whose rows meet in one matrix.
#pragma once

#include <optional>

#include "data/columns.hpp"

namespace mercer::data {

struct DataPair {
  Points first;
  std::optional<Points> second;  // none without a second source
};

// Reads both alike: columns that are only counted meet by place, the narrower of two sparse files is read as wide as
// the other, and the second may come without the target that is taken out of the first.
DataPair read_pair(const Source& first, const std::optional<Source>& second, const std::string& target);

}  // namespace mercer::data
