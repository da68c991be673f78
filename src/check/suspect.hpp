// The function under suspicion, and the few questions the search asks about it.
#pragma once

#include <functional>
#include <optional>

#include "mercer/check.hpp"

namespace mercer::checking {

struct Suspect {
  PairFunction value;
  // The same in higher precision; may be empty.
  std::function<long double(VectorView, VectorView)> precise;
  // Without `precise`: values this small beside it are taken for rounding.
  double scale = 0;
  // Of one evaluation per component of the points, in units of a simple operation: a long formula gets fewer tries.
  double cost = 1;

  // Has k a value at this pair? One too large for a double only is not held against it.
  bool defined(VectorView x, VectorView y) const;
  // A generous bound on the rounding error of value(x, y) = v.
  double error(VectorView x, VectorView y, double v) const;
};

inline VectorView row(const Matrix& points, Index i) {
  return {points.row(i), static_cast<std::size_t>(points.cols())};
}
Matrix without_row(const Matrix& points, Index i);

// k of every two points, from the lower triangle alone.
Matrix gram_of(const Suspect& k, const Matrix& points);
bool all_finite(const Matrix& m);
// Leaves out the points that have no finite value with themselves or with an earlier one.
Matrix finite_part(const Suspect& k, const Matrix& points);

// The smallest eigenvalue of D K D, where D scales the diagonal of K to +-1, and c = D v with v its eigenvector:
// scaling cannot change the sign of c'Kc, but keeps one large entry from hiding all others.
struct Lowest {
  double eigenvalue = 0;
  Vector weights;
};
// Nothing if K is positive semi-definite up to rounding.
std::optional<Lowest> lowest(const Matrix& gram);

// The same eigenvalue whatever its sign, for a search that goes downhill; +infinity if K is not finite.
double lowest_eigenvalue(const Matrix& gram);

// c'Kc over the full Gram matrix, if negative far beyond the rounding error.
std::optional<Counterexample> verified(const Suspect& k, const Matrix& points, const Vector& weights);

bool inside(Inputs inputs, VectorView x);

// The same disproof with fewer points and rounder numbers; nothing if the negative value is but rounding.
std::optional<Counterexample> simplified(const Suspect& k, const Matrix& points, Inputs inputs);

CheckResult search(Suspect k, std::span<const Index> dimensions, const CheckOptions& options);

}  // namespace mercer::checking
