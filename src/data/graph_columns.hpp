// Columns of data files that point to graphs, which stand in a folder of their own.
#pragma once

#include "mercer/source.hpp"

namespace mercer::data {

// The points of the source with graphs in the place of their numbers, where it says so.
Points with_graphs(const Points& x, const Source& source);

}  // namespace mercer::data
