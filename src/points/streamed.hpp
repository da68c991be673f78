// Rows of numbers that are not in memory: a recipe reads any of them, again and again, whenever they are wanted.
//
//     Points x = streamed(n, head, [&](Range rows) { return ...; });
//     x.slice({0, 4096});      // in memory, as every slice of at most kHeld rows is
//     x.select(few);           // in memory
//     x.select(most);          // not in memory either
//
// Columns, names, scales and selections of rows are steps of the recipe, so that code which goes through points slice
// by slice, or takes a sample of them, need not know. What asks for all rows at once gets an Error where there are more
// than kHeld. Thread-safe, as the recipe must be.
#pragma once

#include <functional>
#include <memory>

#include "points/elsewhere.hpp"

namespace mercer {

// So many rows at most are brought into memory at once: samples that decide something, and pieces of a pass.
inline constexpr Index kHeld = Index{1} << 17;

// `head` are some of the rows in memory: their columns, names and storage are those of all. `read` gives rows in
// memory, for several threads at once; what it gives for a row must not depend on the rows beside it, and numbers that
// cannot be used are its to refuse. Rows that are elsewhere are brought here for samples only.
Points streamed(Index rows, const Points& head, std::function<Points(Range rows)> read,
                std::shared_ptr<const Elsewhere> elsewhere = {});

bool is_streamed(const Points& x);
// The same points in memory, where they are not yet: for samples that are looked at again and again.
Points in_memory(const Points& x);
// The points themselves, or some that stand for their storage where they are not in memory.
Points head_of(const Points& x);
// Each row as `step` makes it from rows in memory. x must be streamed.
Points streamed_through(const Points& x, const std::function<Points(const Points& rows)>& step);

}  // namespace mercer
