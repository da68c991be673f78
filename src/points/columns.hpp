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

// Throws DomainError when two columns have one name. A part that is named as a whole may share it with its own columns.
void require_distinct(std::vector<NamedColumns> known);

// The positions (from 0) of the selected columns among `count`; throws DomainError on an unknown one.
std::vector<Index> positions_of(const Columns& which, const std::vector<NamedColumns>& known, Index count);

}  // namespace mercer
