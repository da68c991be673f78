// The usual answers to what a machine takes to be fitted.
#pragma once

#include <optional>
#include <string>

#include "mercer/plan.hpp"
#include "mercer/points.hpp"

namespace mercer::detail {

// All of K for n points, in so many matrices at the peak, and so many n^3 flops.
Needs by_all_pairs(Index n, double matrices, std::string solver, double cubes);
// Flops of matrix algebra that take as long as one of a product with a matrix of few columns.
inline constexpr double kNarrow = 3;
// K multiplied by few vectors, or looked at row by row, so many times; no matrix.
Needs by_passes(const Extent& extent, std::string solver, double passes);
// By F of K = F F', for n points; none where K has no F of at most `most` columns.
std::optional<Needs> by_features(const Extent& extent, Index n, Index most, std::string solver);

// Of a point of these; 0 of objects.
double stored_numbers(const Points& x);
// What a fit to so many rows, stored as these are, has of them in memory.
double bytes_in_memory(const Points& head, Index rows);

// 3.2 GB, 640 MB, 13 KB
std::string in_bytes(double bytes);
// 50 s, 12 min
std::string about(double seconds);

}  // namespace mercer::detail
