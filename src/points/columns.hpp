// Turning a column selection into positions.
#pragma once

#include <string>
#include <vector>

#include "mercer/points.hpp"

namespace mercer {

struct NamedColumns {
  std::string name;
  Range positions;  // counted from 0; several for a part that is named as a whole
};

// The positions (from 0) of the selected columns among `count`; throws DomainError on an unknown one.
std::vector<Index> positions_of(const Columns& which, const std::vector<NamedColumns>& known, Index count);

}  // namespace mercer
