// Names or values? What the first line of a file is in which all columns hold text.
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace mercer::csv {

// Of columns of texts with their first: whether the first ones are names of the columns. Nothing where nothing tells.
std::optional<bool> names_columns_of(const std::vector<std::vector<std::string>>& columns);

}  // namespace mercer::csv
