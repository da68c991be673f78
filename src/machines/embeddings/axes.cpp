#include "machines/embeddings/axes.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "base/at.hpp"
#include "base/dot.hpp"
#include "base/fail.hpp"
#include "base/memory.hpp"
#include "gram/assemble.hpp"
#include "linalg/lapack.hpp"
#include "linalg/largest_eigen.hpp"
#include "machines/embeddings/signs.hpp"
#include "model/needs.hpp"
#include "model/training.hpp"

namespace mercer::detail {

namespace {

constexpr Index kSmall = 400;           // up to so many points all eigenvalues are computed, however few are wanted
constexpr Index kSmallSpectrum = 2000;  // where the others are of interest too
constexpr Index kSmallShare = 3000;     // and where it is not known how many will be
constexpr Index kMostFeatures = 3000;   // of which all eigenvalues are computed, in place of those of the points
constexpr Index kMostShare = 1000;      // axes that a share of the variance may need, where there are more points
// Of n x n numbers, where all eigenvalues are computed: A, the same as reflectors, eigenvectors, and work space.
constexpr int kDense = 4;
constexpr double kHeldBytes = 2147483648.0;  // of K kept in memory between products
constexpr Index kCheapColumns = 32;          // an entry of K costs no more than to fetch it
// Eigenvalues below this share of the largest are rounding.
constexpr double kRank = 1e-12;
// Below minus this share they are none.
constexpr double kIndefinite = 1e-5;
// And the largest is, below this share of the K that it is the centre of.
constexpr double kConstant = 1e-13;

double sum(const Vector& values) { return std::accumulate(values.begin(), values.end(), 0.0); }

// What is known of K before its axes are.
struct Problem {
  const AxesWanted& wanted;
  const Training& training;
  Vector weights;               // w
  Vector share;                 // p
  std::vector<Index> points{};  // of weight > 0
  Vector mean_rows{};           // K p
  double mean_square = 0;       // p'K p
  double total = 0;             // tr A
  double inertia = 0;           // sum of |eigenvalues|; 0: not known yet
  double size = 0;              // of what is subtracted to get there

  Problem(const AxesWanted& asked, const Training& given)
      : wanted(asked), training(given), weights(weights_of(given)), share(weights), points(weighted_points(given)) {
    const double all = sum(weights);
    for (double& p : share) p /= all;
  }

  // From K p.
  void add_means(Vector means, const Vector& diagonal) {
    mean_rows = std::move(means);
    mean_square = dot(share, mean_rows);
    for (std::size_t i = 0; i < weights.size(); ++i) {
      total += weights[i] * (diagonal[i] - 2 * mean_rows[i] + mean_square);
      size += weights[i] * (std::abs(diagonal[i]) + 2 * std::abs(mean_rows[i]) + std::abs(mean_square));
    }
    if (!wanted.smallest) inertia = total;
  }

  Index count() const { return static_cast<Index>(points.size()); }
  // Eigenvalues up to this are rounding: of the largest, and of what was subtracted to centre K.
  double floor(double largest) const {
    return std::max(kRank * largest, std::numeric_limits<double>::epsilon() * size);
  }
  // Of a number, no more than show that there are not so many.
  Index asked() const { return static_cast<Index>(std::min(wanted.components, static_cast<double>(count()) + 1)); }
  bool by_number() const { return wanted.by_number(); }
};

// As many as are wanted of eigenvalues in decreasing order.
linalg::Wanted wanted_of(const Problem& problem) {
  const double components = problem.wanted.components;
  if (problem.by_number()) {
    const Index count = problem.asked();
    return [count](VectorView) { return count; };
  }
  return [&problem, components](VectorView values) {
    const auto known = static_cast<Index>(values.size());
    const double floor = known == 0 ? 0 : problem.floor(values.front());
    double explained = 0;
    for (Index i = 0; i < known; ++i) {
      if (values[at(i)] <= floor || (components < 1 && explained >= components * problem.inertia)) return i;
      explained += values[at(i)];
    }
    const bool reached = known == problem.count() || explained >= components * problem.inertia;
    if (!reached && known > kMostShare) {
      fail(ErrorKind::usage,
           "{}: {} components explain {:.3g} of the variance of {} points; ask for that share, or for a number",
           problem.wanted.machine, known, explained / problem.inertia, problem.count());
    }
    return reached ? known : known + 1;
  };
}

// `values`: all that are known.
void require_axes(const Problem& problem, const Vector& values) {
  const std::string_view machine = problem.wanted.machine;
  const double largest = values.empty() ? 0 : values.front();
  if (problem.count() == 1) fail(ErrorKind::data, "{}: one point has no directions; at least two are needed", machine);
  if (!(largest > kConstant * problem.size)) {
    fail(ErrorKind::data,
         "{}: all points are the same to the kernel, so there is no direction in which they differ; check the points, "
         "and the parameters of the kernel",
         machine);
  }
  if (!problem.by_number()) return;
  const double floor = problem.floor(largest);
  const auto rank = std::count_if(values.begin(), values.end(), [&](double value) { return value > floor; });
  if (problem.wanted.components <= static_cast<double>(rank)) return;
  if (values.back() < -kIndefinite * largest && !problem.wanted.smallest) {
    fail(
        ErrorKind::data,
        "{}: {} components were asked for, and {} directions have a length. There are significant negative eigenvalues "
        "({:.3g}, the largest being {:.3g}), so K is the matrix of no kernel; ask for at most {}",
        machine, problem.wanted.components, rank, values.back(), largest, rank);
  }
  if (problem.wanted.at_most) return;
  fail(ErrorKind::usage,
       "{}: {} components were asked for, and the points differ in {} direction{} only, the rank of the centred K; ask "
       "for at most {}",
       machine, problem.wanted.components, rank, rank == 1 ? "" : "s", rank);
}

// Those that are no rounding.
void leave_out_rest(const Problem& problem, linalg::LargestEigen& found) {
  std::erase_if(found.values, [floor = problem.floor(found.values.front())](double value) { return value <= floor; });
  const auto count = static_cast<Index>(found.values.size());
  if (count < found.vectors.rows())
    found.vectors = Matrix(found.vectors.view().block({0, count}, {0, found.vectors.cols()}));
}

// A of the points that have weight.
linalg::LargestEigen solve_dense(Problem& problem, Vector& all) {
  const Training& training = problem.training;
  const std::vector<Index>& points = problem.points;
  const Index n = problem.count();
  require_matrices(problem.wanted.machine, training, n, kDense);
  Matrix A = Matrix::uninitialized(n, n);
  assemble(training.K, points, A, training.how);
  Vector means(problem.weights.size()), diagonal(problem.weights.size());
  for (Index i = 0; i < n; ++i) {
    diagonal[at(points[at(i)])] = A(i, i);
    for (Index j = 0; j < n; ++j) means[at(points[at(i)])] += A(i, j) * problem.share[at(points[at(j)])];
  }
  problem.add_means(std::move(means), diagonal);
  for (Index i = 0; i < n; ++i) {
    for (Index j = 0; j < n; ++j) {
      const std::size_t a = at(points[at(i)]), b = at(points[at(j)]);
      A(i, j) = std::sqrt(problem.weights[a] * problem.weights[b]) *
                (A(i, j) - problem.mean_rows[a] - problem.mean_rows[b] + problem.mean_square);
    }
  }
  training.how.monitor.report({"eigen", 0});
  const linalg::Wanted wanted = wanted_of(problem);
  const auto keep = [&](VectorView values) {
    all.assign(values.begin(), values.end());
    if (problem.wanted.smallest) {
      problem.inertia = 0;
      for (const double value : values) problem.inertia += std::abs(value);
    }
    return wanted(values);
  };
  linalg::LargestEigen found = linalg::largest_eigen(A, keep, training.how.monitor);
  Matrix vectors(found.vectors.rows(), training.K.size());
  for (Index j = 0; j < vectors.rows(); ++j) {
    for (Index i = 0; i < n; ++i) vectors(j, points[at(i)]) = found.vectors(j, i);
  }
  found.vectors = std::move(vectors);
  return found;
}

// Each column of v less p times its sum.
void take_sums_out(MatrixRef v, const Vector& p) {
  Vector sums(at(v.cols()));
  for (Index i = 0; i < v.rows(); ++i) {
    for (Index c = 0; c < v.cols(); ++c) sums[at(c)] += v(i, c);
  }
  for (Index i = 0; i < v.rows(); ++i) {
    for (Index c = 0; c < v.cols(); ++c) v(i, c) -= p[at(i)] * sums[at(c)];
  }
}

// Each column of v less its mean under p.
void take_means_out(MatrixRef v, const Vector& p) {
  Vector means(at(v.cols()));
  for (Index i = 0; i < v.rows(); ++i) {
    for (Index c = 0; c < v.cols(); ++c) means[at(c)] += p[at(i)] * v(i, c);
  }
  for (Index i = 0; i < v.rows(); ++i) {
    for (Index c = 0; c < v.cols(); ++c) v(i, c) -= means[at(c)];
  }
}

void scale_rows(MatrixRef v, const Vector& factors) {
  for (Index i = 0; i < v.rows(); ++i) {
    for (Index c = 0; c < v.cols(); ++c) v(i, c) *= factors[at(i)];
  }
}

// A = G G' of the centred, weighted features G, by the eigenvectors of G'G.
linalg::LargestEigen solve_by_features(Problem& problem, Vector& all) {
  const Training& training = problem.training;
  const Monitor& monitor = training.how.monitor;
  problem.add_means(training.K.multiply(VectorView(problem.share), training.how), training.K.diagonal());
  Matrix G = *training.K.factor(training.K.size());
  Vector roots = problem.weights;
  for (double& root : roots) root = std::sqrt(root);
  take_means_out(G, problem.share);
  scale_rows(G, roots);
  Matrix inner(G.cols(), G.cols());
  linalg::multiply_left_transposed(1, G, G, 0, inner, monitor);
  monitor.report({"eigen", 0});
  const linalg::Wanted wanted = wanted_of(problem);
  const auto keep = [&](VectorView values) {
    all.assign(values.begin(), values.end());
    return std::min(wanted(values), static_cast<Index>(values.size()));
  };
  linalg::LargestEigen found = linalg::largest_eigen(inner, keep, monitor);
  Matrix vectors(found.vectors.rows(), G.rows());
  linalg::multiply_transposed(1, found.vectors, G, 0, vectors, monitor);
  for (Index j = 0; j < vectors.rows(); ++j) {
    const VectorView own(vectors.row(j), at(vectors.cols()));
    const double length = std::sqrt(dot(own, own));
    for (Index i = 0; i < vectors.cols() && length > 0; ++i) vectors(j, i) /= length;
  }
  found.vectors = std::move(vectors);
  return found;
}

// Whether the features of K, and not its pairs, are worked on.
bool by_features_of(const AxesWanted& wanted, const Extent& extent) {
  return wanted.solver == AxesSolver::automatic && !wanted.smallest && !extent.in_memory && extent.weighted > kSmall &&
         extent.features > 0 && extent.features <= std::min(extent.points / 4, kMostFeatures) &&
         2 * sizeof(double) * static_cast<double>(extent.points) * static_cast<double>(extent.features) <=
             extent.room();
}

// Sizes decide, and not what else runs: but where there is no room, there is none.
bool worth_holding(const Extent& extent) {
  const double n = static_cast<double>(extent.points), bytes = 8 * n * n;
  if (extent.in_memory || !extent.plain) return false;
  if (extent.features > 0 && extent.features <= extent.points / 4) return false;  // products go through these
  if (extent.dimension > 0 && extent.dimension <= kCheapColumns) return false;
  const double allowed = extent.memory > 0 ? 0.5 * static_cast<double>(extent.memory) : kHeldBytes;
  return bytes <= std::min(allowed, 0.5 * available_memory());
}

linalg::LargestEigen solve_by_products(Problem& problem, double& smallest) {
  const Training& training = problem.training;
  const Gram K =
      worth_holding(extent_of(training)) ? exact(*training.K.kernel(), *training.K.points(), training.how) : training.K;
  problem.add_means(K.multiply(VectorView(problem.share), training.how), K.diagonal());
  Vector roots = problem.weights;
  for (double& root : roots) root = std::sqrt(root);
  const linalg::Symmetric A{K.size(), [&](MatrixView v, MatrixRef out) {
                              Matrix inner(v);
                              scale_rows(inner, roots);
                              take_sums_out(inner, problem.share);
                              if (K.dense().empty()) {
                                K.source().multiply(inner, out, training.how);
                              } else {
                                linalg::multiply(1, K.dense(), inner, 0, out);
                              }
                              take_means_out(out, problem.share);
                              scale_rows(out, roots);
                            }};
  linalg::Krylov how{.tolerance = problem.wanted.tolerance, .seed = problem.wanted.seed};
  const Monitor& monitor = training.how.monitor;
  if (problem.wanted.smallest) {
    const linalg::Symmetric minus{A.size, [&](MatrixView v, MatrixRef out) {
                                    A.multiply(v, out);
                                    scale_rows(out, Vector(at(out.rows()), -1.0));
                                  }};
    smallest = -linalg::largest_eigen(minus, 1, {.tolerance = 1e-3, .seed = how.seed}, monitor).values.front();
  }
  if (!problem.by_number()) return linalg::largest_eigen(A, wanted_of(problem), how, monitor);
  return linalg::largest_eigen(A, problem.asked(), how, monitor);
}

// Of so many points of some weight.
bool by_all(const AxesWanted& wanted, Index n) {
  if (wanted.solver != AxesSolver::automatic) return wanted.solver == AxesSolver::dense;
  if (n <= (wanted.smallest ? kSmallSpectrum : kSmall) || std::isinf(wanted.components)) return true;
  return wanted.by_number() ? 5 * wanted.components > static_cast<double>(n) : wanted.smallest || n <= kSmallShare;
}

}  // namespace

Needs needs_of(const AxesWanted& wanted, const Extent& extent) {
  if (by_features_of(wanted, extent)) {
    Needs out = *by_features(extent, extent.points, extent.points, "eigenvectors of the features");
    const double r = static_cast<double>(extent.features), n = static_cast<double>(extent.points);
    out.beside.push_back({"axes", 3 * sizeof(double) * n * std::min(r, wanted.components)});
    out.flops += 9 * r * r * r;
    return out;
  }
  if (by_all(wanted, extent.weighted)) return by_all_pairs(extent.weighted, kDense, "all eigenvalues", 9);
  constexpr double kProducts = 12, kBlocks = 20;  // of blocks of vectors with K, as a rule; that are kept
  const double asked = wanted.by_number() ? wanted.components : static_cast<double>(kMostShare) / 4;
  const double kept = asked + kBlocks * std::clamp(asked / 4, 8.0, 64.0), n = static_cast<double>(extent.points);
  Needs out = by_passes(extent, "Krylov", kProducts);
  out.beside = {{"vectors", 2 * sizeof(double) * n * kept}};
  out.flops = 2 * n * kept * kept + (extent.in_memory ? 2 * n * n * kept / 2 : 0);
  if (!worth_holding(extent)) return out;
  out.form = Form::exact;
  out.matrices = out.least = 1;
  out.pairs /= kProducts;
  out.why = "values of this kernel cost more to compute than to fetch, and fit";
  return out;
}

Axes principal_axes(const AxesWanted& wanted, const Training& training) {
  Problem problem(wanted, training);
  if (wanted.solver == AxesSolver::krylov && std::isinf(wanted.components)) {
    fail(ErrorKind::usage, "{}: all components take the solver dense; ask for a number or a share of the variance",
         wanted.machine);
  }
  if (wanted.solver == AxesSolver::krylov && wanted.smallest && wanted.components < 1) {
    fail(ErrorKind::usage,
         "{}: a share of what may be negative takes all eigenvalues, the solver dense; ask for a number of components",
         wanted.machine);
  }
  Axes out;
  linalg::LargestEigen found = by_features_of(wanted, extent_of(training)) ? solve_by_features(problem, out.all)
                               : by_all(wanted, problem.count())           ? solve_dense(problem, out.all)
                                                                           : solve_by_products(problem, out.smallest);
  require_axes(problem, out.all.empty() ? found.values : out.all);
  leave_out_rest(problem, found);
  const Index n = training.K.size();
  const auto axes = static_cast<Index>(found.values.size());
  out.alpha = Matrix(n, axes);
  out.coordinates = Matrix(n, axes);
  for (Index j = 0; j < axes; ++j) {
    const double length = std::sqrt(found.values[at(j)]);
    for (const Index i : problem.points) {
      const double root = std::sqrt(problem.weights[at(i)]);
      out.alpha(i, j) = root * found.vectors(j, i) / length;
      out.coordinates(i, j) = length * found.vectors(j, i) / root;
    }
  }
  // By places, which do not change when a point is said twice.
  const Before before = by_what_they_are(training.K);
  Vector places(at(n));
  for (Index j = 0; j < axes; ++j) {
    for (Index i = 0; i < n; ++i) places[at(i)] = out.coordinates(i, j);
    const double sign = sign_of(places, before);
    for (Index i = 0; i < n; ++i) {
      out.alpha(i, j) *= sign;
      out.coordinates(i, j) *= sign;
    }
  }
  take_sums_out(out.alpha, problem.share);
  out.bias.assign(at(axes), 0.0);
  for (Index i = 0; i < n; ++i) {
    for (Index j = 0; j < axes; ++j) out.bias[at(j)] -= problem.mean_rows[at(i)] * out.alpha(i, j);
  }
  if (problem.count() < n) {  // points without weight have their places too
    out.coordinates = training.K.multiply(out.alpha.view(), training.how);
    for (Index i = 0; i < n; ++i) {
      for (Index j = 0; j < axes; ++j) out.coordinates(i, j) += out.bias[at(j)];
    }
  }
  if (!out.all.empty()) out.smallest = out.all.back();
  out.values = std::move(found.values);
  out.total = problem.total;
  out.inertia = problem.inertia;
  out.weights = std::move(problem.share);
  out.mean_square = problem.mean_square;
  out.residual = found.residual;
  out.products = found.products;
  out.converged = found.converged;
  return out;
}

}  // namespace mercer::detail
