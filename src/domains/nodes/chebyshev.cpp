#include "domains/nodes/chebyshev.hpp"

#include <algorithm>
#include <cmath>

#include "base/at.hpp"
#include "base/fail.hpp"

namespace mercer::detail {

namespace {

// As many products with a sparse matrix are not a computation that anybody waits for.
constexpr Index kMostTerms = 1000000;

// exp(-z) I_k(z), k = 0, 1, ..., far beyond where it is smaller than rounding. By the quotients I_k / I_(k-1), which
// are below 1 for any z and follow from the last to the first.
Vector scaled_bessel(double z) {
  // I_k(z) falls as exp(-k^2 / (2 z)) while k < z, and faster behind that.
  const auto size = static_cast<std::size_t>(std::sqrt(120 * z) + 60);
  Vector values(size + 2);
  for (std::size_t k = size; k > 0; --k) values[k] = 1 / (2 * static_cast<double>(k) / z + values[k + 1]);
  values[0] = 1;
  for (std::size_t k = 1; k <= size; ++k) values[k] *= values[k - 1];
  double sum = 0;
  for (std::size_t k = size; k > 0; --k) sum += 2 * values[k];
  sum += values[0];  // exp(z) = I_0 + 2 sum_k I_k
  for (double& value : values) value /= sum;
  return values;
}

// The first terms of a series whose others add up to no more than `error`.
ChebyshevSeries cut(Vector c, double error) {
  double left = 0;
  while (c.size() > 1 && left + std::abs(c.back()) <= error) {
    left += std::abs(c.back());
    c.pop_back();
  }
  return {std::move(c), left};
}

void require_terms(double terms, const char* what) {
  if (terms > static_cast<double>(kMostTerms)) {
    fail(ErrorKind::numeric, "{} on this graph needs a series of {:.0f} terms; take a smaller one", what, terms);
  }
}

}  // namespace

SpectralSeries exponential_series(double t, double top, double error) {
  const double z = t * top / 2;
  if (z == 0) return {{{1.0}}, {{0.0}}};  // a graph without edges
  require_terms(std::sqrt(120 * z), "diffusion() with such a t");
  const Vector bessel = scaled_bessel(z);
  Vector value(bessel.size() - 1), slope(bessel.size() - 1);
  for (std::size_t k = 0; k < value.size(); ++k) {
    const double sign = (k == 0 ? 1.0 : 2.0) * (k % 2 == 0 ? 1 : -1);
    value[k] = sign * bessel[k];
    // d/dz exp(-z) I_k(z), with I_k' = (I_(k-1) + I_(k+1)) / 2
    const double before = k == 0 ? bessel[1] : bessel[k - 1];
    slope[k] = top / 2 * sign * ((before + bessel[k + 1]) / 2 - bessel[k]);
  }
  return {cut(std::move(value), error), cut(std::move(slope), error)};
}

SpectralSeries resolvent_series(double sigma, double top, double error) {
  const double b = sigma * sigma * top / 2;
  if (b == 0) return {{{1.0}}, {{0.0}}};
  const double s = std::sqrt(1 + 2 * b), q = b / (1 + b + s);
  const double terms = std::log(1e-20) / std::log(q);
  require_terms(terms, "regularized_laplacian() with such a sigma");
  Vector value(static_cast<std::size_t>(terms) + 2), slope(value.size());
  double power = 1;
  for (std::size_t k = 0; k < value.size(); ++k, power *= -q) {
    value[k] = (k == 0 ? 1.0 : 2.0) * power / s;
    // d/db, with dq/db = q / (s b) and ds/db = 1/s; db/dsigma = sigma top
    slope[k] = value[k] * (static_cast<double>(k) / (s * b) - 1 / (s * s)) * sigma * top;
  }
  return {cut(std::move(value), error), cut(std::move(slope), error)};
}

Vector error_weights(const Vector& c) {
  Vector weights(c.size() + 1);
  double sum = 0, weighted = 0;  // of |c_j| and of |c_j| (j - k + 1), j >= k
  for (std::size_t k = c.size(); k > 0; --k) {
    sum += std::abs(c[k - 1]);
    weighted += sum;
    weights[k - 1] = weighted;
  }
  return weights;
}

}  // namespace mercer::detail
