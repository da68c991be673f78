// mercer/statistics/alignment.hpp: how alike two kernels are on some points.
//
//     double a = alignment(exact(k, x), exact(linear(), rows(y)));   // with what is to be predicted
//
// The cosine of the angle between two matrices with the mean of the features taken out, <HKH, HLH> / (|HKH| |HLH|):
// between 0 and 1 for kernels. Cortes, Mohri & Rostamizadeh, "Algorithms for learning kernels based on centered
// alignment", JMLR 13 (2012). High alignment of a kernel with the target means that a good predictor exists.
#pragma once

#include <span>

#include "mercer/gram.hpp"

namespace mercer {

// DataError where a matrix is constant: it says nothing of the points.
double alignment(const Gram& K, const Gram& L, const Execution& how = {});
// Of all pairs of them, computed by blocks of rows that are forgotten again; each matrix is gone through twice.
Matrix alignments(std::span<const Gram> matrices, const Execution& how = {});

}  // namespace mercer
