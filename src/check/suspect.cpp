#include "check/suspect.hpp"

#include <algorithm>
#include <cfenv>
#include <cmath>
#include <limits>

#include "check/jacobi.hpp"

namespace mercer::checking {

namespace {

constexpr double epsilon = std::numeric_limits<double>::epsilon();

class RoundingMode {
 public:
  explicit RoundingMode(int mode) : before_(std::fegetround()) { std::fesetround(mode); }
  ~RoundingMode() { std::fesetround(before_); }
  RoundingMode(const RoundingMode&) = delete;
  RoundingMode& operator=(const RoundingMode&) = delete;

 private:
  int before_;
};

double tolerance(Index n) { return 1e-9 * static_cast<double>(n); }

Vector scaling(const Matrix& gram) {
  const Index n = gram.rows();
  Vector d(static_cast<std::size_t>(n));
  for (Index i = 0; i < n; ++i) {
    const double size = std::abs(gram(i, i));
    d[i] = size > 0 ? 1 / std::sqrt(size) : 0;
  }
  // A zero on the diagonal beside a non-zero entry is itself a disproof; scale so that the entry becomes 1.
  for (Index i = 0; i < n; ++i) {
    if (gram(i, i) != 0) continue;
    double most = 0;
    for (Index j = 0; j < n; ++j) {
      most = std::max(most, gram(j, j) != 0 ? std::abs(gram(i, j)) * d[j] : std::sqrt(std::abs(gram(i, j))));
    }
    d[i] = most > 0 ? 1 / most : 1;
  }
  return d;
}

Matrix scale_both(const Matrix& gram, const Vector& d) {
  Matrix scaled = Matrix::uninitialized(gram.rows(), gram.cols());
  for (Index i = 0; i < gram.rows(); ++i) {
    for (Index j = 0; j < gram.cols(); ++j) scaled(i, j) = d[i] * gram(i, j) * d[j];
  }
  return scaled;
}

// Whether A + shift I has a Cholesky factor: much cheaper than eigenvalues, and nearly every set passes.
bool positive(Matrix a, double shift) {
  const Index n = a.rows();
  for (Index j = 0; j < n; ++j) {
    double pivot = a(j, j) + shift;
    for (Index l = 0; l < j; ++l) pivot -= a(j, l) * a(j, l);
    if (!(pivot > 0)) return false;
    pivot = std::sqrt(pivot);
    a(j, j) = pivot;
    for (Index i = j + 1; i < n; ++i) {
      double s = a(i, j);
      for (Index l = 0; l < j; ++l) s -= a(i, l) * a(j, l);
      a(i, j) = s / pivot;
    }
  }
  return true;
}

}  // namespace

bool Suspect::defined(VectorView x, VectorView y) const {
  if (std::isfinite(value(x, y))) return true;
  return precise && std::isfinite(precise(x, y));
}

double Suspect::error(VectorView x, VectorView y, double v) const {
  if (!precise) return 64 * epsilon * (std::abs(v) + scale);
  // Higher precision shows what is lost in the last digits; rounding the other way shows what both lose alike, such as
  // x*y in (1e20 + x*y) - 1e20.
  double spread = static_cast<double>(std::abs(precise(x, y) - static_cast<long double>(v)));
  for (const int direction : {FE_UPWARD, FE_DOWNWARD}) {
    const RoundingMode mode(direction);
    spread = std::max(spread, std::abs(value(x, y) - v));  // passes over a NaN, as of sqrt(0) rounded below 0
  }
  return 8 * epsilon * std::abs(v) + 4 * spread;
}

Matrix without_row(const Matrix& points, Index i) {
  Matrix out = Matrix::uninitialized(points.rows() - 1, points.cols());
  for (Index j = 0; j < out.rows(); ++j) std::copy_n(points.row(j < i ? j : j + 1), points.cols(), out.row(j));
  return out;
}

Matrix gram_of(const Suspect& k, const Matrix& points) {
  const Index n = points.rows();
  Matrix gram = Matrix::uninitialized(n, n);
  for (Index i = 0; i < n; ++i) {
    for (Index j = 0; j <= i; ++j) gram(i, j) = gram(j, i) = k.value(row(points, i), row(points, j));
  }
  return gram;
}

bool all_finite(const Matrix& m) {
  return std::all_of(m.data(), m.data() + m.rows() * m.cols(), [](double v) { return std::isfinite(v); });
}

Matrix finite_part(const Suspect& k, const Matrix& points) {
  std::vector<Index> kept;
  for (Index i = 0; i < points.rows(); ++i) {
    const VectorView x = row(points, i);
    const bool fits = std::isfinite(k.value(x, x)) && std::all_of(kept.begin(), kept.end(), [&](Index j) {
                        return std::isfinite(k.value(x, row(points, j)));
                      });
    if (fits) kept.push_back(i);
  }
  Matrix out = Matrix::uninitialized(std::ssize(kept), points.cols());
  for (Index i = 0; i < out.rows(); ++i) std::copy_n(points.row(kept[i]), points.cols(), out.row(i));
  return out;
}

std::optional<Lowest> lowest(const Matrix& gram) {
  const Index n = gram.rows();
  if (n == 0) return std::nullopt;
  Vector d = scaling(gram);
  const Matrix scaled = scale_both(gram, d);
  if (!all_finite(scaled) || positive(scaled, tolerance(n))) return std::nullopt;
  const SmallestPair smallest = smallest_eigenpair(scaled);
  if (!(smallest.value < -tolerance(n))) return std::nullopt;
  for (Index i = 0; i < n; ++i) d[i] *= smallest.vector[i];
  return Lowest{smallest.value, std::move(d)};
}

double lowest_eigenvalue(const Matrix& gram) {
  const Matrix scaled = scale_both(gram, scaling(gram));
  return all_finite(scaled) ? smallest_eigenpair(scaled).value : std::numeric_limits<double>::infinity();
}

std::optional<Counterexample> verified(const Suspect& k, const Matrix& points, const Vector& weights) {
  const Index n = points.rows();
  Counterexample found{.kind = Counterexample::Kind::indefinite,
                       .points = points,
                       .weights = weights,
                       .gram = Matrix::uninitialized(n, n),
                       .value = 0};
  double doubt = 0;
  for (Index i = 0; i < n; ++i) {
    for (Index j = 0; j < n; ++j) {
      const VectorView x = row(points, i), y = row(points, j);
      const double v = found.gram(i, j) = k.value(x, y);
      const double c = weights[i] * weights[j];
      found.value += c * v;
      doubt += std::abs(c) * (k.error(x, y, v) + static_cast<double>(n) * epsilon * std::abs(v));
    }
  }
  // The comparison also turns away NaN and overflow.
  if (!(found.value < -1e3 * doubt) || !std::isfinite(found.value)) return std::nullopt;
  return found;
}

bool inside(Inputs inputs, VectorView x) {
  if (inputs == Inputs::nonnegative) return std::all_of(x.begin(), x.end(), [](double v) { return v >= 0; });
  if (inputs != Inputs::unit_ball) return true;
  double squares = 0;
  for (const double v : x) squares += v * v;
  return squares < 1;
}

}  // namespace mercer::checking
