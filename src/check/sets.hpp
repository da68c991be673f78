// The sets of points on which a function is put to the test.
#pragma once

#include <functional>
#include <vector>

#include "base/random.hpp"
#include "mercer/check.hpp"

namespace mercer::checking {

// Points with components such as 1, -1, 2, 1/2 and 0, simplest first: what a reader can check in the head.
Matrix nice_points(Index d);

// Pairs and triples of nice points, grids and simplices of many spacings, smallest first. Stops when `visit` returns
// true.
bool regular_sets(Index d, const std::function<bool(const Matrix&)>& visit);

// 2 to 24 points: a normal cloud, a uniform one, a lattice, near-duplicates or a sphere, of random scale.
Matrix random_set(Random& random, Index d);

// The points moved to where they may lie.
Matrix moved_into(Inputs inputs, Matrix points);

}  // namespace mercer::checking
