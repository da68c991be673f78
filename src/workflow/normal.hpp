// How good predictions are that come with a variance.
#pragma once

#include "mercer/matrix.hpp"

namespace mercer::workflow {

inline constexpr double kBand95 = 1.959963984540054;  // a normal number is within so many deviations 95 times in 100

struct NormalMarks {
  double log_density = 0;  // mean of log N(y; mean, variance)
  double coverage = 0;     // the fraction of y inside the 95 % band
};
NormalMarks normal_marks(VectorView y, VectorView mean, VectorView variance, VectorView weights = {});

}  // namespace mercer::workflow
