// How much memory the solver of a dual problem takes beside rows of K.
#pragma once

#include "machines/svm/dual.hpp"

namespace mercer::detail {

// Rows of a matrix of a working set begin at multiples of so many numbers.
constexpr Index kTilePadding = 48;
// The largest set: pages of its tile are fresh, which costs as much as what a larger one saves.
constexpr Index kLargestSet = 3072, kLargestExactSet = 2048;

// A tile takes a quarter of the memory at most.
Index largest_set_for(std::size_t memory);
// In numbers of double precision, of so many variables.
std::size_t room_for_tiles(Index variables, Index largest_set);
// Whether all of K and its factor find room.
bool may_go_inside(Index points, std::size_t memory);

}  // namespace mercer::detail
