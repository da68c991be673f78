// The loops of sequential minimal optimisation on a small dense matrix. T is float or double.
//
// g is the gradient; up[k] is 0 where variable k may grow and -inf where it may not, low[k] likewise for shrinking.
#pragma once

#include <cstddef>

namespace mercer::simd {

using Size = std::size_t;

template <class T>
struct Extremes {
  Size grow = 0;  // where up - g is largest
  T up = 0;       // how large
  T low = 0;      // the largest low + g; up + low is the gap
};

// g += t (ri - rj), then the extremes. With t = 0 rows are not read.
template <class T>
Extremes<T> step_pair(T t, const T* ri, const T* rj, const T* up, const T* low, Size n, T* g);
// The partner k of i that gains most: largest (up_i + low_k + g_k)^2 / (K_ii + K_kk - 2 K_ik) among the positive.
// What is divided by is taken for `least` at least, which keeps steps finite where points are the same.
template <class T>
Size partner(T best, T kii, T least, const T* ri, const T* diagonal, const T* low, const T* g, Size n);

template <class T>
struct Single {
  Size index = 0;   // the variable that gains most when it moves alone
  T violation = 0;  // the largest of all
};
// g += t ri, then the best single variable.
template <class T>
Single<T> step_single(T t, T least, const T* ri, const T* diagonal, const T* up, const T* low, Size n, T* g);

}  // namespace mercer::simd
