// The Matern function of any order nu > 0,
//
//     M(s) = 2^(1-nu) / Gamma(nu) s^nu K_nu(s),   M(0) = 1
//
// (K_nu: the modified Bessel function of the second kind), as T(s) = log M(s) + s, so that M(s) = exp(T(s) - s) neither
// overflows nor underflows on the way. T is a polynomial of degree 23 on each interval [2^e, 2^(e+1)): its nearest
// singularity is 0, three half-widths from the middle, so that terms fall by 5.8 from one to the next. They are fitted
// once for each nu, in some milliseconds, to the integral K_nu(s) = int_0^inf exp(-s cosh t) cosh(nu t) dt, for which
// the trapezoidal rule is exact to all digits (Watson 1944, 6.22; Trefethen & Weideman 2014).
// Values are within some 1e-15 of M, relative where M > 1e-100. Immutable, so threads may share it.
#pragma once

#include <array>
#include <memory>
#include <vector>

#include "mercer/matrix.hpp"

namespace mercer::detail {

class MaternTable {
 public:
  static std::shared_ptr<const MaternTable> of(double nu);  // the one of this nu, made when first asked for
  explicit MaternTable(double nu);

  double value(double s) const;  // T(s), s >= 0
  double slope(double s) const;  // T'(s)

 private:
  static constexpr std::size_t kTerms = 24;
  using Terms = std::array<double, kTerms>;  // of powers of the place in an interval, from -1 to 1

  struct Place {
    const Terms* terms;  // null: outside of the table
    double x;            // in the interval
  };
  Place place(double s) const;

  int lowest_;
  std::vector<Terms> intervals_;
};

// The coefficients of p where M(s) = p(s) exp(-s): for nu = 1/2, 3/2, ... up to 20.5. Empty for any other nu.
Vector matern_polynomial(double nu);

}  // namespace mercer::detail
