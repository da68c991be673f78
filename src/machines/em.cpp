#include "machines/em.hpp"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <limits>
#include <numbers>
#include <numeric>
#include <vector>

#include "base/at.hpp"
#include "base/fail.hpp"
#include "base/random.hpp"
#include "linalg/lapack.hpp"
#include "machines/clusters/k_means.hpp"
#include "machines/signs.hpp"
#include "model/gaussians.hpp"
#include "model/probabilities.hpp"

namespace mercer::detail {

namespace {

constexpr Index kLloyd = 100;  // iterations of k-means for a start

double total_of(const MixtureProblem& problem) {
  return std::accumulate(problem.weights.begin(), problem.weights.end(), 0.0);
}

// The component that fits the shares r of the points best, in a row of the mixture.
void maximise(const MixtureProblem& problem, VectorView r, double* row) {
  const Index n = problem.z.rows(), D = problem.z.cols(), q = problem.directions;
  const double mass = std::accumulate(r.begin(), r.end(), 0.0);
  double* const mean = row + 2;
  std::fill_n(mean, D, 0.0);
  for (Index i = 0; i < n; ++i) {
    for (Index d = 0; d < D; ++d) mean[d] += r[at(i)] / mass * problem.z(i, d);
  }
  Matrix x = Matrix::uninitialized(D, n), covariance(D, D);  // x by columns of points, in units
  for (Index i = 0; i < n; ++i) {
    const double root = std::sqrt(r[at(i)] / mass);
    for (Index d = 0; d < D; ++d) x(d, i) = root * (problem.z(i, d) - mean[d]) / problem.unit_of(d);
  }
  linalg::symmetric_product(x, covariance);
  linalg::Eigen eigen = linalg::eigen(covariance);
  const Vector& s = eigen.values;  // increasing: the q largest are the last
  double rest = 0;
  for (Index e = 0; e < D - q; ++e) rest += s[at(e)] / static_cast<double>(D - q);
  double log_determinant = 0;
  for (Index d = 0; d < D; ++d) log_determinant += 2 * std::log(problem.unit_of(d));
  for (Index e = 0; e < D; ++e) {
    const double variance = std::max(e < D - q ? rest : s[at(e)], problem.floor);
    log_determinant += std::log(variance);
    double* const direction = mean + D + (D - 1 - e) * D;  // the largest first
    const double sign = sign_of({eigen.vectors.row(e), at(D)}, std::less<>());
    for (Index d = 0; d < D; ++d) direction[d] = sign * eigen.vectors(e, d) / std::sqrt(variance) / problem.unit_of(d);
  }
  row[0] = mass / total_of(problem);
  row[1] = -0.5 * (static_cast<double>(D) * std::log(2 * std::numbers::pi) + log_determinant);
}

// Components without any share of a point are left out.
Matrix maximise(const MixtureProblem& problem, const Matrix& shares) {
  std::vector<Vector> columns;
  const double least = std::numeric_limits<double>::min() * total_of(problem);
  for (Index c = 0; c < shares.cols(); ++c) {
    Vector r(at(shares.rows()));
    for (Index i = 0; i < shares.rows(); ++i) r[at(i)] = problem.weights[at(i)] * shares(i, c);
    if (std::accumulate(r.begin(), r.end(), 0.0) > least) columns.push_back(std::move(r));
  }
  Matrix out(static_cast<Index>(columns.size()), gaussian_width(problem.z.cols()));
  for (Index c = 0; c < out.rows(); ++c) maximise(problem, columns[at(c)], out.row(c));
  return out;
}

double log_likelihood(const MixtureProblem& problem, MatrixView logs) {
  const Vector densities = log_sums(logs);
  return std::inner_product(densities.begin(), densities.end(), problem.weights.begin(), 0.0);
}

double squared_distance(const MixtureProblem& problem, Index i, Index j) {
  double sum = 0;
  for (Index d = 0; d < problem.z.cols(); ++d) {
    const double step = (problem.z(i, d) - problem.z(j, d)) / problem.unit_of(d);
    sum += step * step;
  }
  return sum;
}

// Equal points may differ by rounding.
void require_different(const MixtureProblem& problem) {
  constexpr double kRounding = 1e-12;  // of the least variance
  std::vector<Index> different;
  for (Index i = 0; i < problem.z.rows(); ++i) {
    if (static_cast<Index>(different.size()) == problem.components) return;
    const bool known = std::any_of(different.begin(), different.end(), [&](Index j) {
      return squared_distance(problem, i, j) <= kRounding * problem.floor;
    });
    if (!known) different.push_back(i);
  }
  if (static_cast<Index>(different.size()) == problem.components) return;
  fail(ErrorKind::data, "gmm: {} components, and the kernel tells only {} points apart; ask for fewer components",
       problem.components, different.size());
}

// Each point wholly in its cluster of k-means.
Matrix start(const MixtureProblem& problem, std::uint64_t seed, const Execution& how) {
  const KMeans options{
      .machine = "gmm", .clusters = problem.components, .starts = 1, .max_iterations = kLloyd, .seed = seed};
  const Partition clusters =
      divide_features(Matrix(problem.z), problem.weights, rows(problem.z), options, how).partition;
  if (clusters.interrupted) fail(ErrorKind::cancelled, "gmm: stopped on request");
  Matrix shares(problem.z.rows(), static_cast<Index>(clusters.masses.size()));
  for (Index i = 0; i < shares.rows(); ++i) shares(i, clusters.of[at(i)]) = 1;
  return shares;
}

MixtureFound improve(const MixtureProblem& problem, const MixtureSearch& how, Matrix shares, const Monitor& monitor) {
  MixtureFound out;
  out.stopped = "iteration limit";
  const double total = total_of(problem), enough = how.tolerance * total;
  while (static_cast<Index>(out.course.size()) < how.max_iterations) {
    Matrix next = maximise(problem, shares);
    const Matrix logs = log_joint(next, problem.z);
    const double reached = log_likelihood(problem, logs), gain = reached - out.log_likelihood;
    const bool first = out.course.empty();
    assert(first || gain >= -1e-9 * (total + std::abs(reached)));
    out.mixture = std::move(next);
    out.log_likelihood = reached;
    out.course.push_back(reached);
    if (!first && gain <= enough) {
      out.converged = true;
      out.stopped = "gains less than the tolerance";
      break;
    }
    shares = softmax_of(logs);
    try {
      monitor.report({"mixture", static_cast<double>(out.course.size()) / static_cast<double>(how.max_iterations)});
    } catch (const Error& error) {
      if (error.kind() != ErrorKind::cancelled) throw;
      out.stopped = "interrupted";
      break;
    }
  }
  return out;
}

// The largest share first, the smaller mean first among equals: of these none may be first by rounding.
void put_in_order(Matrix& mixture) {
  std::vector<Index> order(at(mixture.rows()));
  std::iota(order.begin(), order.end(), Index{0});
  std::sort(order.begin(), order.end(), [&](Index a, Index b) {
    const double sizes[] = {std::round(1e9 * mixture(a, 0)), std::round(1e9 * mixture(b, 0))};
    if (sizes[0] != sizes[1]) return sizes[0] > sizes[1];
    return std::lexicographical_compare(mixture.row(a) + 2, mixture.row(a) + mixture.cols(), mixture.row(b) + 2,
                                        mixture.row(b) + mixture.cols());
  });
  Matrix sorted = Matrix::uninitialized(mixture.rows(), mixture.cols());
  for (Index c = 0; c < sorted.rows(); ++c) std::copy_n(mixture.row(order[at(c)]), sorted.cols(), sorted.row(c));
  mixture = std::move(sorted);
}

}  // namespace

MixtureFound fit_mixture(const MixtureProblem& problem, const MixtureSearch& search, const Execution& how) {
  require_different(problem);
  MixtureFound best;
  const Index starts = problem.components == 1 ? 1 : search.starts;
  Random seeds(search.seed);
  for (Index s = 0; s < starts; ++s) {
    MixtureFound found;
    try {
      found = improve(problem, search, start(problem, static_cast<std::uint64_t>(seeds.below(Index{1} << 53)), how),
                      how.monitor);
    } catch (const Error& error) {
      if (error.kind() != ErrorKind::cancelled || best.course.empty()) throw;
      best.converged = false;
      best.stopped = "interrupted";
      break;
    }
    const bool interrupted = found.stopped == "interrupted";
    if (best.course.empty() || found.log_likelihood > best.log_likelihood) best = std::move(found);
    if (!interrupted) continue;
    best.converged = false;
    best.stopped = "interrupted";
    break;
  }
  put_in_order(best.mixture);
  return best;
}

}  // namespace mercer::detail
