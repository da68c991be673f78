// Functions of a spectrum in [0, top] as series of Chebyshev polynomials, with a bound of what is left out:
//     f(lambda) = sum_k c_k T_k(x) + error,  x = 2 lambda / top - 1.
// T_k has no value beyond 1 there, so |f(L) v - sum_k c_k T_k(2 L/top - 1) v| <= (sum of the |c_k| left out) |v| for
// every symmetric L with its spectrum in that interval: a bound known before the first product.
#pragma once

#include "mercer/matrix.hpp"

namespace mercer::detail {

struct ChebyshevSeries {
  Vector c;          // of T_0, T_1, ...
  double error = 0;  // at most, in the operator norm
  Index degree() const { return static_cast<Index>(c.size()) - 1; }
};

// A function of lambda with one parameter, and its derivative with respect to it.
struct SpectralSeries {
  ChebyshevSeries value, slope;
};

// exp(-t lambda). Coefficients (2 - [k = 0]) (-1)^k exp(-z) I_k(z), z = t top / 2 (Abramowitz & Stegun 9.6.34), the
// Bessel functions by Miller's backward recurrence. The degree grows as sqrt(z log(1/error)).
SpectralSeries exponential_series(double t, double top, double error);

// 1 / (1 + sigma^2 lambda). Coefficients (2 - [k = 0]) (-q)^k / s, b = sigma^2 top / 2, s = sqrt(1 + 2 b),
// q = b / (1 + b + s): the degree grows as s, the root of the condition number, as the steps of conjugate gradients do.
SpectralSeries resolvent_series(double sigma, double top, double error);

// What an error of size 1 made in T_k adds to the sum, at most: sum_{j >= k} |c_j| (j - k + 1), for T_k enters T_j as
// U_(j-k), which has no value beyond j - k + 1.
Vector error_weights(const Vector& c);

}  // namespace mercer::detail
