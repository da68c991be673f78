// Counts of values between edges that are round numbers.
#pragma once

#include <vector>

#include "mercer/matrix.hpp"

namespace mercer::report {

struct Histogram {
  Vector edges;  // one more than counts; a value on an edge belongs to the bin above it, the last one to the last bin
  std::vector<Index> counts;
};
// About `bins` of them. Values that are not finite are passed over; of equal values one bin.
Histogram histogram(VectorView values, Index bins = 30);

}  // namespace mercer::report
