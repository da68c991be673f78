// Data that are numbers of all pairs of points.
#pragma once

#include "mercer/points.hpp"

namespace mercer::data {

// Whether the numbers look like distances: symmetric, 0 on the diagonal and above it elsewhere.
bool holds_distances(const Points& x);

// The numbers as a matrix. Throws ShapeError unless it is square. `path` is for messages.
Matrix square_matrix(const Points& x, const std::string& path);

}  // namespace mercer::data
