// mercer/single.hpp: matrices in single precision, of points in single precision.
//
//     Precision used = gram(k, x, K);       // K(X, X) into floats, symmetric to the last bit
//     Precision used = cross(k, x, y, K);   // K(X, Y)
//
// Multiples of rbf, linear and poly, also on(...) some columns, are computed in single precision where that leaves the
// entries of rbf within 1e-5 of what they are, and those of the others within the rounding of single precision of
// |x| |y|. Everything else is computed in double precision and rounded once. The call says which it was. Half the
// memory of a matrix of doubles and, in single precision, three fifths of the time; the diagonal is k(x, x) rounded.
// Bits do not depend on the number of threads. A kernel with `auto` is resolved on x first.
#pragma once

#include "mercer/evaluate.hpp"

namespace mercer {

using FloatMatrixRef = BasicMatrixView<float>;

enum class Precision { float32, float64 };

bool is_single_precision(const Points& x);  // dense rows of floats

// What gram and cross below will compute in.
Precision precision_of(const Kernel& k, const Points& x, const Points& y);

Precision gram(const Kernel& k, const Points& x, FloatMatrixRef out, const Execution& how = {});
Precision cross(const Kernel& k, const Points& x, const Points& y, FloatMatrixRef out, const Execution& how = {});

}  // namespace mercer
