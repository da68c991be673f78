// Inner products whose terms are added up in their order: the same bits wherever they are asked for. Where they take
// time, simd::dot is faster, in an order of its own.
#pragma once

#include <numeric>

#include "mercer/matrix.hpp"

namespace mercer {

inline double dot(const double* a, const double* b, Index n) { return std::inner_product(a, a + n, b, 0.0); }
inline double dot(VectorView a, VectorView b) { return dot(a.data(), b.data(), static_cast<Index>(a.size())); }
// Of all entries.
inline double dot(const Matrix& a, const Matrix& b) { return dot(a.data(), b.data(), a.rows() * a.cols()); }

}  // namespace mercer
