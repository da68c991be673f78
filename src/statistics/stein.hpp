// Rows of Stein's kernel, from what there is of pairs of points.
#pragma once

#include "mercer/matrix.hpp"

namespace mercer::detail {

// scale * phi(r2), phi = exp(-r2/(2 ell^2)) where alpha is 0, else (1 + r2/(2 alpha ell^2))^-alpha.
struct RadialTerm {
  double scale, ell, alpha;
};

// Of one point x and each of others y, in d columns.
struct SteinPairs {
  const double* r2;      // |x - y|^2
  const double* scores;  // s(x).s(y)
  const double* slope;   // (s(y) - s(x)).(x - y) - d
};

// out += phi s(x).s(y) + 2 phi' slope - 4 r2 phi'', with phi' and phi'' by r2. `space` has room for n numbers.
void add_stein(const RadialTerm& k, const SteinPairs& pairs, std::size_t n, Vector& space, double* out);

}  // namespace mercer::detail
