#include "mercer/rkhs.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "base/at.hpp"
#include "base/dot.hpp"
#include "base/fail.hpp"
#include "base/parallel.hpp"
#include "gram/distance_products.hpp"
#include "linalg/lapack.hpp"
#include "points/distinct.hpp"
#include "points/join.hpp"
#include "points/rep.hpp"

namespace mercer::rkhs {

namespace {

void require_numbers(const Kernel& k) {
  const Params params = k.params();
  for (Index p = 0; p < params.size(); ++p) {
    if (!params[p].automatic) continue;
    fail(ErrorKind::usage, "rkhs: {} has an auto, and a function needs its number; k.resolve(x) reads it off points",
         k.str());
  }
}

void require_same_space(const Kernel& a, const Kernel& b) {
  if (a == b) return;
  fail(ErrorKind::kernel, "rkhs: one function is of {}, the other of {}; they live in different spaces", a.str(),
       b.str());
}

Expansion expansion_of(const Kernel& k, const Points& centres, VectorView alpha) {
  require_numbers(k);
  if (static_cast<Index>(alpha.size()) != centres.size()) {
    fail(ErrorKind::shape, "rkhs: {} coefficients for {} centres", alpha.size(), centres.size());
  }
  for (std::size_t i = 0; i < alpha.size(); ++i) {
    if (std::isfinite(alpha[i])) continue;
    fail(ErrorKind::data, "rkhs: coefficient {} is {}; finite numbers are needed", i + 1, alpha[i]);
  }
  return Expansion({.kernel = k, .centres = centres, .alpha = Matrix(MatrixView(alpha.data(), centres.size(), 1))});
}

double total(VectorView values) { return std::accumulate(values.begin(), values.end(), 0.0); }

// Equal centres as one, those without a coefficient left out, in the order in which they come.
Function merged(const Kernel& k, const Points& x, VectorView alpha) {
  const std::vector<Index> first = first_equal(x);
  Vector sums(alpha.size());
  for (std::size_t i = 0; i < sums.size(); ++i) sums[at(first[i])] += alpha[i];
  std::vector<Index> kept;
  Vector coefficients;
  for (Index i = 0; i < x.size(); ++i) {
    if (sums[at(i)] == 0) continue;
    kept.push_back(i);
    coefficients.push_back(sums[at(i)]);
  }
  return Function(k, x.select(kept), coefficients);
}

}  // namespace

Function::Function(Expansion f) : f_(std::move(f)) {
  const Expansion::Parts& parts = f_.parts();
  const bool plain = parts.slope.rows() == 0 && parts.bias == Vector{0} && parts.self.empty();
  if (!parts.kernel || parts.alpha.cols() != 1 || !plain) {
    fail(ErrorKind::usage,
         "rkhs: a function of the space is sum_i alpha_i k(x_i, .), with one output and nothing else");
  }
}

Function::Function(const Kernel& k, const Points& centres, VectorView alpha) : f_(expansion_of(k, centres, alpha)) {}

Vector Function::operator()(const Points& x, const Execution& how) const {
  const Matrix values = f_(x, how);
  return Vector(values.data(), values.data() + values.rows());
}

// With s = sum_i alpha_i: alpha' K alpha = s sum_i alpha_i k(x_i, x_i) - 1/2 sum_ij alpha_i alpha_j d_ij^2. The largest
// coefficient is 1 on the way, so that no square of it overflows.
double Function::norm(const Execution& how) const {
  Vector alpha(coefficients().begin(), coefficients().end());
  double largest = 0;
  for (const double a : alpha) largest = std::max(largest, std::abs(a));
  if (largest == 0) return 0;
  for (double& a : alpha) a /= largest;
  const double apart = dot(alpha, detail::multiply_squared_distances(kernel(), centres(), alpha, how));
  const double together = total(alpha) * dot(alpha, diagonal(kernel(), centres()));
  const double squared = together - 0.5 * apart;
  return largest * std::sqrt(squared < 0 ? 0 : squared);
}

Function operator+(const Function& f, const Function& g) {
  require_same_space(f.kernel(), g.kernel());
  Vector alpha(f.coefficients().begin(), f.coefficients().end());
  alpha.insert(alpha.end(), g.coefficients().begin(), g.coefficients().end());
  return merged(f.kernel(), join(f.centres(), g.centres()), alpha);
}

Function operator*(const Function& f, double c) {
  if (!std::isfinite(c)) fail(ErrorKind::usage, "rkhs: a function times {}; a finite number is needed", c);
  Vector alpha(f.coefficients().begin(), f.coefficients().end());
  for (double& a : alpha) a *= c;
  return Function(f.kernel(), f.centres(), alpha);
}

Function section(const Kernel& k, const Points& x) {
  if (x.size() != 1)
    fail(ErrorKind::shape, "rkhs: section is k(x, .) of one point, not of {}; mean takes many", x.size());
  return Function(k, x, Vector{1});
}

Function mean(const Kernel& k, const Points& x, VectorView weights) {
  if (x.size() == 0) fail(ErrorKind::shape, "rkhs: the mean of no points");
  Vector shares(weights.begin(), weights.end());
  if (shares.empty()) shares.assign(at(x.size()), 1.0);
  const double sum = total(shares);
  if (!(sum > 0) || !std::isfinite(sum)) {
    fail(ErrorKind::data, "rkhs: the weights of a mean add up to {}; a finite number > 0 is needed", sum);
  }
  for (double& share : shares) share /= sum;
  return Function(k, x, shares);
}

Function function_of(const Model& model, Index output) {
  const Expansion::Parts& f = model.expansion().parts();
  if (output < 0 || output >= f.alpha.cols()) {
    fail(ErrorKind::usage, "rkhs: f has {} outputs, counted from 0; there is no {}", f.alpha.cols(), output);
  }
  if (!f.kernel) fail(ErrorKind::usage, "rkhs: the model was fitted to a matrix of numbers and knows no kernel");
  if (f.slope.rows() > 0) fail(ErrorKind::usage, "rkhs: f has a linear trend, which is no function of the space");
  if (!f.self.empty()) fail(ErrorKind::usage, "rkhs: f has a multiple of k(x, x), which is no function of the space");
  if (!model.parts().scaling.leaves_inputs()) {
    fail(ErrorKind::usage,
         "rkhs: the model prepares or scales its inputs, and its f is a function of what comes out; fit without it");
  }
  Vector alpha;
  for (Index i = 0; i < f.alpha.rows(); ++i) alpha.push_back(f.alpha(i, output));
  return merged(*f.kernel, *f.centres, alpha);
}

double inner(const Function& f, const Function& g, const Execution& how) {
  require_same_space(f.kernel(), g.kernel());
  // Evaluated at the fewer centres.
  const Function& few = f.size() <= g.size() ? f : g;
  const Function& many = f.size() <= g.size() ? g : f;
  return few.size() == 0 ? 0 : dot(few.coefficients(), many(few.centres(), how));
}

double distance(const Function& f, const Function& g, const Execution& how) { return (f - g).norm(how); }

Projection project(const Function& f, const Points& z, const Execution& how) {
  const Threads threads(how.threads);
  const Index n = z.size();
  if (n == 0) fail(ErrorKind::shape, "rkhs: a projection onto the span of no points");
  const linalg::Eigen eigen = linalg::eigen(gram(f.kernel(), z, how), how.monitor);
  const Vector values = f(z, how);
  const double largest = eigen.values.back(), least = 1e-14 * static_cast<double>(n) * largest;
  Vector beta(at(n));
  Index rank = 0;
  double smallest = largest;
  for (Index e = n - 1; e >= 0 && eigen.values[at(e)] > least; --e) {
    const VectorView direction(eigen.vectors.row(e), at(n));
    const double along = dot(direction, values) / eigen.values[at(e)];
    for (Index i = 0; i < n; ++i) beta[at(i)] += along * direction[at(i)];
    smallest = eigen.values[at(e)];
    ++rank;
  }
  return {Function(f.kernel(), z, beta), rank, rank > 0 ? largest / smallest : 1};
}

}  // namespace mercer::rkhs
