#include "report/checks.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "base/at.hpp"
#include "base/random.hpp"
#include "report/matrix_of.hpp"
#include "report/parts.hpp"

namespace mercer::report {

namespace {

constexpr std::size_t kBins = 10;
constexpr int kDrawn = 199;  // with the data themselves 200, of which 5 % are 10
constexpr Index kMostTested = 20'000;

double upper_tail(double z) { return normal_cdf(-z); }

// ---- probabilities ----

// Which bin of which class each point falls into, for all classes that are looked at.
class Binning {
 public:
  Binning(MatrixView p, std::span<const Index> classes) : p_(p), classes_(classes) {
    for (const Index c : classes) {
      for (std::size_t b = 0; b < kBins; ++b) all_.push_back({.cls = c});
    }
    for (Index i = 0; i < p.rows(); ++i) {
      for (std::size_t k = 0; k < classes.size(); ++k) {
        const double share = probability(i, k);
        Bin& bin = all_[place(i, k)];
        bin.sum += share;
        bin.variance += share * (1 - share);
        bin.count += 1;
      }
    }
  }

  std::vector<Bin> filled(std::span<const Index> truth) const {
    std::vector<Bin> out = all_;
    for (Index i = 0; i < p_.rows(); ++i) {
      for (std::size_t k = 0; k < classes_.size(); ++k) {
        if (truth[at(i)] == classes_[k]) out[place(i, k)].hits += 1;
      }
    }
    return out;
  }

 private:
  double probability(Index i, std::size_t k) const { return std::clamp(p_(i, classes_[k]), 0.0, 1.0); }
  std::size_t place(Index i, std::size_t k) const {
    return k * kBins + std::min(kBins - 1, static_cast<std::size_t>(probability(i, k) * kBins));
  }

  MatrixView p_;
  std::span<const Index> classes_;
  std::vector<Bin> all_;
};

std::size_t worst_of(const std::vector<Bin>& bins) {
  return static_cast<std::size_t>(
      std::max_element(bins.begin(), bins.end(),
                       [](const Bin& a, const Bin& b) { return a.deviation() < b.deviation(); }) -
      bins.begin());
}

std::vector<Index> drawn_from(MatrixView p, Random& random) {
  std::vector<Index> out;
  for (Index i = 0; i < p.rows(); ++i) {
    double left = random.uniform();
    Index c = 0;
    while (c + 1 < p.cols() && (left -= p(i, c)) >= 0) ++c;
    // What rounding leaves over belongs to no class that cannot happen.
    while (c > 0 && p(i, c) == 0) --c;
    out.push_back(c);
  }
  return out;
}

double chance_of(MatrixView p, std::span<const Index> truth, std::span<const Index> classes) {
  const Binning binning(p, classes);
  const auto largest = [&](std::span<const Index> of) {
    const std::vector<Bin> bins = binning.filled(of);
    return bins[worst_of(bins)].deviation();
  };
  const double seen = largest(truth);
  Random random(1);
  int as_much = 1;
  for (int d = 0; d < kDrawn; ++d) as_much += largest(drawn_from(p, random)) >= seen ? 1 : 0;
  return as_much / (kDrawn + 1.0);
}

// ---- errors ----

Vector ranks_of(VectorView values) {
  std::vector<std::size_t> order(values.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return values[a] < values[b]; });
  Vector out(values.size());
  for (std::size_t first = 0; first < order.size();) {
    std::size_t end = first;
    while (end < order.size() && values[order[end]] == values[order[first]]) ++end;
    // Equal values share the mean of their ranks.
    for (std::size_t r = first; r < end; ++r) out[order[r]] = 0.5 * static_cast<double>(first + end - 1);
    first = end;
  }
  return out;
}

}  // namespace

double Bin::deviation() const {
  const double off = std::abs(hits - sum);
  // Sums of probabilities that are 0 and 1 are whole but for rounding.
  if (off <= 1e-9 * count) return 0;
  return variance > 0 ? off / std::sqrt(variance) : std::numeric_limits<double>::infinity();
}

ProbabilityCheck check_probabilities(MatrixView p, std::span<const Index> truth, std::span<const Index> classes) {
  ProbabilityCheck out{.bins = Binning(p, classes).filled(truth)};
  std::erase_if(out.bins, [](const Bin& bin) { return bin.count == 0; });
  out.worst = worst_of(out.bins);
  if (p.rows() < kFewestChecked) return out;
  const std::vector<Index> which = evenly(p.rows(), kMostTested);
  Matrix some(static_cast<Index>(which.size()), p.cols());
  std::vector<Index> of;
  for (std::size_t r = 0; r < which.size(); ++r) {
    std::copy_n(p.row(which[r]), p.cols(), some.row(static_cast<Index>(r)));
    of.push_back(truth[at(which[r])]);
  }
  out.chance = chance_of(some, of, classes);
  return out;
}

double chance_of_size(VectorView z, double freedom) {
  double squares = 0;
  for (const double v : z) squares += v * v;
  const double ratio = squares / static_cast<double>(z.size()), spread = 2 / (9 * freedom);
  return upper_tail((std::cbrt(ratio) - (1 - spread)) / std::sqrt(spread));
}

double chance_of_largest(VectorView z) {
  double largest = 0;
  for (const double v : z) largest = std::max(largest, std::abs(v));
  return std::min(1.0, 2 * static_cast<double>(z.size()) * upper_tail(largest));
}

FarthestCheck check_farthest(VectorView errors) {
  const auto n = static_cast<double>(errors.size()), freedom = n - 2;
  if (!(freedom > 0)) return {};
  const double mean = mean_of(errors);
  FarthestCheck out;
  double squares = 0, most = 0;
  for (std::size_t i = 0; i < errors.size(); ++i) {
    const double e = errors[i] - mean;
    squares += e * e;
    if (std::abs(e) > most) most = std::abs(e), out.row = i;
  }
  // Without this one: n/(n-1) e is its distance from the mean of the others.
  const double others = squares - most * most * n / (n - 1);
  if (!(others > 1e-12 * squares)) return {};
  const double t = most * std::sqrt(n / (n - 1)) / std::sqrt(others / freedom);
  out.deviations = t * std::sqrt(n / (n - 1));
  const double z = (8 * freedom + 1) / (8 * freedom + 3) * std::sqrt(freedom * std::log1p(t * t / freedom));
  out.chance = std::min(1.0, 2 * n * upper_tail(z));
  return out;
}

OrderCheck check_order(VectorView errors) {
  const double mean = mean_of(errors);
  double products = 0, squares = 0, all = 0;
  for (std::size_t i = 0; i < errors.size(); ++i) {
    const double e = errors[i] - mean;
    all += e * e;
    if (i + 1 == errors.size()) continue;
    const double product = e * (errors[i + 1] - mean);
    products += product;
    squares += product * product;
  }
  if (!(squares > 0)) return {};
  return {products / all, upper_tail(products / std::sqrt(squares))};
}

OrderCheck check_growth(VectorView predicted, VectorView errors) {
  Vector sizes(errors.begin(), errors.end());
  for (double& e : sizes) e = std::abs(e);
  const Vector a = ranks_of(predicted), b = ranks_of(sizes);
  const double middle = mean_of(a);  // that of all ranks, in both
  double aa = 0, bb = 0, ab = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    aa += (a[i] - middle) * (a[i] - middle);
    bb += (b[i] - middle) * (b[i] - middle);
    ab += (a[i] - middle) * (b[i] - middle);
  }
  if (!(aa > 0 && bb > 0)) return {};
  const double correlation = ab / std::sqrt(aa * bb);
  return {correlation, 2 * upper_tail(std::abs(correlation) * std::sqrt(static_cast<double>(a.size()) - 1))};
}

double independent_ones(MatrixView covariance) {
  double squares = 0;
  for (Index i = 0; i < covariance.rows(); ++i) {
    for (Index j = 0; j < covariance.cols(); ++j) {
      squares += covariance(i, j) * covariance(i, j) / (covariance(i, i) * covariance(j, j));
    }
  }
  const auto m = static_cast<double>(covariance.rows());
  return m * m / squares;
}

}  // namespace mercer::report
