// Ten cities of the United States, by the distances between them: the map that textbooks draw.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "mercer/matrix.hpp"

namespace mercer::report {

struct Cities {
  std::vector<std::string> names;
  Matrix distances;  // miles

  Index find(std::string_view name) const;
};
Cities ten_cities();

// A map has no up and no left of its own: the signs of its axes are set so that Los Angeles is to the left of New York
// and Seattle above it.
Matrix as_on_a_map(Matrix y, const Cities& cities);

}  // namespace mercer::report
