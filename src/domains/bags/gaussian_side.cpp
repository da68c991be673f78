// Gaussians under probability products. With C the mean of the two covariances and u the difference of the means,
//   log k = d c(rho) + (1 - rho)/2 (log|S| + log|T|) - 1/2 log|C| - rho/4 u'C^-1 u,
//   c(rho) = ((1 - 2 rho) log(2 pi) - log(2 rho)) / 2,
// which is 0 where both are equal and rho = 1/2, to the last bit: C is then S.
#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include "base/aligned.hpp"
#include "base/at.hpp"
#include "base/fail.hpp"
#include "base/parallel.hpp"
#include "domains/bags/bags.hpp"
#include "domains/bags/distribution_side.hpp"
#include "domains/bags/gaussians.hpp"
#include "linalg/lapack.hpp"
#include "points/rep.hpp"
#include "simd/gaussian_pairs.hpp"

namespace mercer::detail {

namespace {

constexpr auto kPanel = static_cast<Index>(simd::kGaussianPanel);

struct GaussianSide final : DistributionSide {
  GaussianSide(Index d, Matrix values) : dimension(d), numbers(std::move(values)) { rows = numbers.rows(); }

  std::shared_ptr<const Side> select(std::span<const Index> which) const override;
  void logs(const ProbabilityProduct& product, const DistributionSide& y, Range i, Range j, MatrixRef out,
            Scratch& scratch) const override;
  void self_logs(const ProbabilityProduct& product, Range i, double* out) const override;
  void pull(const ProbabilityProduct& product, const DistributionSide& y, Range i, Range j, MatrixView v,
            double* parameters, Scratch& scratch) const override;
  void pull_selves(const ProbabilityProduct& product, Range i, const double* v, double* parameters) const override;

  const double* panel(Index first) const { return panels.data() + first * numbers.cols(); }
  void pack();
  // visit(row of i, column of j, pairs, lane) for all pairs of the tile.
  template <class Visit>
  void for_each_pair(const GaussianSide& y, Range i, Range j, bool slopes, Visit visit) const;

  Index dimension;
  Matrix numbers;                   // the ridge in them
  Vector panels;                    // of the second side; see simd/gaussian_pairs.hpp
  Vector log_determinants, traces;  // of the covariances and their inverses
};

void GaussianSide::pack() {
  panels.resize(at((rows + kPanel - 1) / kPanel * kPanel * numbers.cols()));
  for (Index i = 0; i < (rows + kPanel - 1) / kPanel * kPanel; ++i) {
    const double* const from = numbers.row(std::min(i, rows - 1));
    double* const to = panels.data() + i / kPanel * kPanel * numbers.cols() + i % kPanel;
    for (Index e = 0; e < numbers.cols(); ++e) to[e * kPanel] = from[e];
  }
}

template <class Visit>
void GaussianSide::for_each_pair(const GaussianSide& y, Range i, Range j, bool slopes, Visit visit) const {
  const int threads = thread_count(0);
  std::vector<Vector> scratch(at(threads), Vector(simd::gaussian_scratch(at(dimension))));
  parallel_for(i.size(), threads, {}, "gaussians", [&](Index a, int thread) {
    simd::GaussianPairs pairs;
    for (Index first = j.begin / kPanel * kPanel; first < j.end; first += kPanel) {
      simd::gaussian_pairs(numbers.row(i.begin + a), y.panel(first), at(dimension), slopes, scratch[at(thread)].data(),
                           pairs);
      for (Index b = std::max(first, j.begin); b < std::min(first + kPanel, j.end); ++b) {
        visit(i.begin + a, b, pairs, at(b - first));
      }
    }
  });
}

double log_product(const ProbabilityProduct& product, Index d, double both, double middle, double square) {
  const double rho = product.rho;
  const double constant = 0.5 * ((1 - 2 * rho) * std::log(2 * std::numbers::pi) - std::log(2 * rho));
  const double log = static_cast<double>(d) * constant + 0.5 * (1 - rho) * both - 0.5 * middle - 0.25 * rho * square;
  return rho == 0.5 ? std::min(0.0, log) : log;
}

double slope_in_rho(const ProbabilityProduct& product, Index d, double both, double square) {
  return -static_cast<double>(d) * (std::log(2 * std::numbers::pi) + 0.5 / product.rho) - 0.5 * both - 0.25 * square;
}

std::shared_ptr<const Side> GaussianSide::select(std::span<const Index> which) const {
  auto out = std::make_shared<GaussianSide>(dimension, Matrix(std::ssize(which), numbers.cols()));
  for (Index i = 0; i < out->rows; ++i) {
    std::copy_n(numbers.row(which[at(i)]), numbers.cols(), out->numbers.row(i));
    out->log_determinants.push_back(log_determinants[at(which[at(i)])]);
    out->traces.push_back(traces[at(which[at(i)])]);
  }
  return out;
}

void GaussianSide::logs(const ProbabilityProduct& product, const DistributionSide& other, Range i, Range j,
                        MatrixRef out, Scratch&) const {
  const auto& y = static_cast<const GaussianSide&>(other);
  for_each_pair(y, i, j, false, [&](Index a, Index b, const simd::GaussianPairs& pairs, std::size_t lane) {
    const double both = log_determinants[at(a)] + y.log_determinants[at(b)];
    out(a - i.begin, b - j.begin) =
        log_product(product, dimension, both, pairs.log_determinant[lane], pairs.square[lane]);
  });
}

void GaussianSide::self_logs(const ProbabilityProduct& product, Range i, double* out) const {
  for (Index a = i.begin; a < i.end; ++a) {
    const double own = log_determinants[at(a)];
    out[a - i.begin] = log_product(product, dimension, own + own, own, 0);
  }
}

void GaussianSide::pull(const ProbabilityProduct& product, const DistributionSide& other, Range i, Range j,
                        MatrixView v, double* parameters, Scratch&) const {
  const auto& y = static_cast<const GaussianSide&>(other);
  Vector rho(at(i.size())), ridge(at(i.size()));  // by rows, so that threads do not matter
  for_each_pair(y, i, j, true, [&](Index a, Index b, const simd::GaussianPairs& pairs, std::size_t lane) {
    const double weight = v(a - i.begin, b - j.begin);
    const double both = log_determinants[at(a)] + y.log_determinants[at(b)];
    rho[at(a - i.begin)] += weight * slope_in_rho(product, dimension, both, pairs.square[lane]);
    ridge[at(a - i.begin)] += weight * (0.5 * (1 - product.rho) * (traces[at(a)] + y.traces[at(b)]) -
                                        0.5 * pairs.trace[lane] + 0.25 * product.rho * pairs.squared_slope[lane]);
  });
  for (std::size_t a = 0; a < rho.size(); ++a) {
    if (product.rho_at >= 0) parameters[product.rho_at] += rho[a];
    parameters[product.ridge_at] += ridge[a];
  }
}

void GaussianSide::pull_selves(const ProbabilityProduct& product, Range i, const double* v, double* parameters) const {
  for (Index a = i.begin; a < i.end; ++a) {
    const double weight = v[a - i.begin], own = log_determinants[at(a)];
    if (product.rho_at >= 0) parameters[product.rho_at] += weight * slope_in_rho(product, dimension, own + own, 0);
    parameters[product.ridge_at] += weight * (0.5 - product.rho) * traces[at(a)];
  }
}

// The Gaussian of each bag of a store.
std::shared_ptr<const Gaussians> estimated(const Bags& bags, const std::string& who) {
  if (find_reals(bags.elements()) == nullptr) {
    fail(ErrorKind::domain, "{} needs bags of rows of numbers; the inputs are {}", who, bags.domain().str());
  }
  const auto made = bags.cached<std::shared_ptr<const Gaussians>>("gaussians", [&] {
    const DenseRows elements = dense_rows(bags.elements());
    const Index d = elements.values.cols();
    Matrix numbers(bags.size(), gaussian_numbers(d));
    for (Index i = 0; i < bags.size(); ++i) {
      estimate_gaussian({elements.values.row(bags[i].begin), bags[i].size(), d}, numbers.row(i));
    }
    return std::make_shared<const Gaussians>(d, std::move(numbers));
  });
  return *made;
}

void require_definite(const GaussianSide& side, const ProbabilityProduct& product, bool from_bags) {
  const Index d = side.dimension;
  Matrix covariance(d, d);
  for (Index i = 0; i < side.rows; ++i) {
    for (Index r = 0, e = d; r < d; ++r) {
      for (Index c = 0; c <= r; ++c, ++e) covariance(r, c) = side.numbers(i, e);
    }
    const Vector values = linalg::eigenvalues(covariance);
    if (values.front() > static_cast<double>(d) * std::numeric_limits<double>::epsilon() * values.back()) continue;
    fail(ErrorKind::data, "{}: {} {} has {}, and so no density; add to the diagonals: ridge=0.01", product.who,
         from_bags ? "bag" : "Gaussian", i + 1,
         values.back() > 0 ? fmt::format("a singular covariance, its smallest eigenvalue is {}", values.front())
                           : "the covariance 0");
  }
}

std::shared_ptr<GaussianSide> gaussian_side(const ProbabilityProduct& product, const Points& x) {
  const auto bags = find_objects<Bags>(x);
  const auto given = find_objects<Gaussians>(x);
  const auto store = bags ? estimated(*bags.store, product.who) : given.store;
  const Selection& which = bags ? bags.which : given.which;
  const Index d = store->dimension();
  auto side = std::make_shared<GaussianSide>(d, Matrix(which.size, store->numbers().cols()));
  for (Index i = 0; i < which.size; ++i) {
    double* const numbers = side->numbers.row(i);
    std::copy_n(store->numbers().row(which[i]), side->numbers.cols(), numbers);
    for (Index r = 0, e = d; r < d; e += ++r + 1) numbers[e] += product.ridge;
  }
  require_definite(*side, product, static_cast<bool>(bags));
  side->pack();
  Vector scratch(simd::gaussian_scratch(at(d)));
  simd::GaussianPairs pairs;
  for (Index i = 0; i < side->rows; ++i) {
    simd::gaussian_pairs(side->numbers.row(i), side->panel(i / kPanel * kPanel), at(d), true, scratch.data(), pairs);
    side->log_determinants.push_back(pairs.log_determinant[i % kPanel]);
    side->traces.push_back(pairs.trace[i % kPanel]);
  }
  return side;
}

}  // namespace

Sides gaussian_sides(const ProbabilityProduct& product, const PointsPair& points) {
  const auto x = gaussian_side(product, points.x);
  if (points.same()) return {x, x};
  const auto y = gaussian_side(product, points.y);
  if (x->dimension != y->dimension) {
    fail(ErrorKind::domain, "{}: the distributions are on {} and on {} dimensions", product.who, x->dimension,
         y->dimension);
  }
  return {x, y};
}

}  // namespace mercer::detail
