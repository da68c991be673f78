// mercer/machines/nadaraya_watson.hpp: the locally weighted mean.
#pragma once

#include "mercer/machines.hpp"

namespace mercer {

// f(x) = argmin_c  sum_i w_i k(x_i, x) (y_i - c)^2  =  sum_i w_i k(x_i, x) y_i / sum_i w_i k(x_i, x)
//
// For kernels that are never negative; refused when the sum below the line is not positive at some training point.
// Where every k(x_i, x) underflows to 0, the prediction is the mean of the targets. One product with K, n^2.
// Report: rmse and leave_one_out_rmse, the latter in closed form, over the points that have any neighbour; a point is
// left out together with those equal to it.
struct NadarayaWatson {
  Model fit(const Training& training) const;
  Model fit(const Gram& K, VectorView y) const;
};

}  // namespace mercer
