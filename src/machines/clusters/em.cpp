#include "machines/clusters/em.hpp"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <limits>
#include <numbers>
#include <numeric>
#include <vector>

#include "base/at.hpp"
#include "base/fail.hpp"
#include "base/parallel.hpp"
#include "base/random.hpp"
#include "linalg/cut.hpp"
#include "linalg/lapack.hpp"
#include "machines/clusters/k_means.hpp"
#include "machines/embeddings/signs.hpp"
#include "model/gaussians.hpp"
#include "simd/loops.hpp"

namespace mercer::detail {

namespace {

constexpr Index kLloyd = 100;  // iterations of k-means for a start
// Of more points than this, by weight, starts are followed to this tolerance before the likeliest goes on.
constexpr double kMany = 500;
constexpr double kRough = 1e-4;

double total_of(const MixtureProblem& problem) {
  return std::accumulate(problem.weights.begin(), problem.weights.end(), 0.0);
}

// The problem by columns, in units: a coordinate of all points side by side.
class EmColumns {
 public:
  explicit EmColumns(const MixtureProblem& problem, int threads)
      : problem_(problem), z_(Matrix::uninitialized(problem.z.cols(), problem.z.rows())), total_(total_of(problem)) {
    for (Index i = 0; i < points(); ++i) {
      for (Index d = 0; d < coordinates(); ++d) z_(d, i) = problem.z(i, d) / problem.unit_of(d);
    }
    for (Index d = 0; d < coordinates(); ++d) log_units_ += std::log(problem.unit_of(d));
    const auto flops = 4 * static_cast<double>(points() * coordinates() * coordinates() * problem.components);
    threads_ = flops < linalg::kWorthSharing ? 1 : thread_count(threads);
  }

  double total() const { return total_; }

  // The mixture that fits the shares of the points best, a row for each component. Those without any are left out.
  Matrix maximise(const Matrix& shares, const Monitor& monitor) const {
    std::vector<Index> there;
    const double least = std::numeric_limits<double>::min() * total_;
    for (Index c = 0; c < shares.rows(); ++c) {
      if (simd::dot(shares.row(c), problem_.weights.data(), at(points())) > least) there.push_back(c);
    }
    Matrix out(static_cast<Index>(there.size()), gaussian_width(coordinates()));
    parallel_for(out.rows(), threads_, monitor, "mixture",
                 [&](Index c, int) { maximise(shares.row(there[at(c)]), out.row(c)); });
    return out;
  }

  // log (pi_c N(z_i; m_c, S_c)), a row for each component.
  Matrix log_joint(const Matrix& mixture, const Monitor& monitor) const {
    Matrix out = Matrix::uninitialized(mixture.rows(), points());
    parallel_for(out.rows(), threads_, monitor, "mixture",
                 [&](Index c, int) { log_density(mixture.row(c), out.row(c)); });
    return out;
  }

  // Of each point the shares that these give it, in their place; returns the log likelihood.
  double expect(Matrix& logs) const {
    const auto n = at(points());
    Vector top(logs.row(0), logs.row(0) + n), sum(n);
    for (Index c = 1; c < logs.rows(); ++c) {
      for (std::size_t i = 0; i < n; ++i) top[i] = std::max(top[i], logs.row(c)[i]);
    }
    for (Index c = 0; c < logs.rows(); ++c) {
      double* const row = logs.row(c);
      for (std::size_t i = 0; i < n; ++i) row[i] -= top[i];
      const double* const exponent = row;
      const double one = 1;
      simd::monomial({1, 0, nullptr, 1, &exponent, &one}, false, n, row, nullptr);
      simd::add_scaled(1, row, n, sum.data());
    }
    double likelihood = 0;
    for (std::size_t i = 0; i < n; ++i) {
      likelihood += problem_.weights[i] * (top[i] + std::log(sum[i]));
      sum[i] = 1 / sum[i];
    }
    for (Index c = 0; c < logs.rows(); ++c) {
      for (std::size_t i = 0; i < n; ++i) logs.row(c)[i] *= sum[i];
    }
    return likelihood;
  }

 private:
  Index points() const { return problem_.z.rows(); }
  Index coordinates() const { return problem_.z.cols(); }

  void maximise(const double* share, double* row) const {
    const Index n = points(), D = coordinates(), q = problem_.directions;
    Vector r(at(n));
    for (Index i = 0; i < n; ++i) r[at(i)] = problem_.weights[at(i)] * share[i];
    const double mass = simd::sum(r.data(), r.size());
    for (double& value : r) value /= mass;
    double* const mean = row + 2;
    for (Index d = 0; d < D; ++d) mean[d] = simd::dot(r.data(), z_.row(d), r.size());
    simd::square_root(r.data(), r.size(), r.data());
    Matrix x = Matrix::uninitialized(D, n), covariance(D, D);
    for (Index d = 0; d < D; ++d) {
      for (Index i = 0; i < n; ++i) x(d, i) = r[at(i)] * (z_(d, i) - mean[d]);
    }
    linalg::symmetric_product(x, covariance);
    const linalg::Eigen eigen = linalg::eigen(covariance);
    const Vector& s = eigen.values;  // increasing: the q largest are the last
    double rest = 0;
    for (Index e = 0; e < D - q; ++e) rest += s[at(e)] / static_cast<double>(D - q);
    double log_determinant = 2 * log_units_;
    for (Index e = 0; e < D; ++e) {
      const double variance = std::max(e < D - q ? rest : s[at(e)], problem_.floor);
      log_determinant += std::log(variance);
      double* const direction = mean + D + (D - 1 - e) * D;  // the largest first
      const double sign = sign_of({eigen.vectors.row(e), at(D)}, std::less<>());
      for (Index d = 0; d < D; ++d) {
        direction[d] = sign * eigen.vectors(e, d) / std::sqrt(variance) / problem_.unit_of(d);
      }
    }
    for (Index d = 0; d < D; ++d) mean[d] *= problem_.unit_of(d);
    row[0] = mass / total_;
    row[1] = -0.5 * (static_cast<double>(D) * std::log(2 * std::numbers::pi) + log_determinant);
  }

  void log_density(const double* row, double* out) const {
    const Index n = points(), D = coordinates();
    const double *mean = row + 2, *whitening = mean + D;
    Matrix x = Matrix::uninitialized(D, n), y = Matrix::uninitialized(D, n), P = Matrix::uninitialized(D, D);
    for (Index d = 0; d < D; ++d) {
      const double unit = problem_.unit_of(d), centre = mean[d] / unit;
      for (Index i = 0; i < n; ++i) x(d, i) = z_(d, i) - centre;
      for (Index e = 0; e < D; ++e) P(e, d) = whitening[e * D + d] * unit;
    }
    linalg::multiply(1, P, x, 0, y);
    std::fill_n(out, n, 0.0);
    for (Index e = 0; e < D; ++e) {
      const double* const v = y.row(e);
      for (Index i = 0; i < n; ++i) out[i] += v[i] * v[i];
    }
    const double constant = std::log(row[0]) + row[1];
    for (Index i = 0; i < n; ++i) out[i] = constant - 0.5 * out[i];
  }

  const MixtureProblem& problem_;
  Matrix z_;
  double total_, log_units_ = 0;
  int threads_ = 1;
};

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

// Each point wholly in its cluster of k-means: a row of shares for each.
Matrix start(const MixtureProblem& problem, std::uint64_t seed, const Execution& how) {
  const KMeans options{
      .machine = "gmm", .clusters = problem.components, .starts = 1, .max_iterations = kLloyd, .seed = seed};
  const Partition clusters =
      divide_features(Matrix(problem.z), problem.weights, rows(problem.z), options, how).partition;
  if (clusters.interrupted) fail(ErrorKind::cancelled, "gmm: stopped on request");
  Matrix shares(static_cast<Index>(clusters.masses.size()), problem.z.rows());
  for (Index i = 0; i < shares.cols(); ++i) shares(clusters.of[at(i)], i) = 1;
  return shares;
}

// Goes on until an iteration gains less than the tolerance for each point.
void improve(const EmColumns& data, MixtureFound& found, Matrix& shares, double tolerance, Index max_iterations,
             const Monitor& monitor) {
  const double enough = tolerance * data.total();
  found.converged = false;
  found.stopped = "iteration limit";
  try {
    while (static_cast<Index>(found.course.size()) < max_iterations) {
      Matrix next = data.maximise(shares, monitor);
      Matrix logs = data.log_joint(next, monitor);
      const double reached = data.expect(logs), gain = reached - found.log_likelihood;
      const bool first = found.course.empty();
      assert(first || gain >= -1e-9 * (data.total() + std::abs(reached)));
      shares = std::move(logs);
      found.mixture = std::move(next);
      found.log_likelihood = reached;
      found.course.push_back(reached);
      if (!first && gain <= enough) {
        found.converged = true;
        found.stopped = "gains less than the tolerance";
        return;
      }
      monitor.report({"mixture", static_cast<double>(found.course.size()) / static_cast<double>(max_iterations)});
    }
  } catch (const Error& error) {
    if (error.kind() != ErrorKind::cancelled || found.course.empty()) throw;
    found.stopped = "interrupted";
  }
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
  const EmColumns data(problem, how.threads);
  MixtureFound best;
  Matrix shares;
  const Index starts = problem.components == 1 ? 1 : search.starts;
  const double roughly = data.total() > kMany ? std::max(search.tolerance, kRough) : search.tolerance;
  Random seeds(search.seed);
  for (Index s = 0; s < starts && best.stopped != "interrupted"; ++s) {
    MixtureFound found;
    Matrix own;
    try {
      own = start(problem, static_cast<std::uint64_t>(seeds.below(Index{1} << 53)), how);
      improve(data, found, own, roughly, search.max_iterations, how.monitor);
    } catch (const Error& error) {
      if (error.kind() != ErrorKind::cancelled || best.course.empty()) throw;
      best.stopped = "interrupted";
      break;
    }
    const bool interrupted = found.stopped == "interrupted";
    if (best.course.empty() || found.log_likelihood > best.log_likelihood) {
      best = std::move(found);
      shares = std::move(own);
    }
    if (interrupted) best.stopped = "interrupted";
  }
  if (best.stopped != "interrupted" && roughly > search.tolerance) {
    improve(data, best, shares, search.tolerance, search.max_iterations, how.monitor);
  }
  if (best.stopped == "interrupted") best.converged = false;
  put_in_order(best.mixture);
  return best;
}

}  // namespace mercer::detail
