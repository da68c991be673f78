#include "domains/graphs/walks.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "base/at.hpp"
#include "base/fail.hpp"
#include "base/memory.hpp"
#include "linalg/lapack.hpp"
#include "simd/loops.hpp"
#include "simd/walks.hpp"

namespace mercer {

namespace {

constexpr double kRounding = std::numeric_limits<double>::epsilon();

// out = A v
void multiply(const Graph& g, VectorView v, VectorRef out) {
  for (Index i = 0; i < g.nodes(); ++i) {
    const auto neighbours = g.neighbours(i);
    const auto weights = g.weights(i);
    double total = 0;
    for (std::size_t e = 0; e < neighbours.size(); ++e) total += weights[e] * v[at(neighbours[e])];
    out[at(i)] = total;
  }
}

// Of the matrix, its eigenvectors, and what the eigensolver takes.
void require_memory(const Graph& g) {
  const double bytes = 4.0 * sizeof(double) * static_cast<double>(g.nodes()) * static_cast<double>(g.nodes());
  if (bytes <= available_memory()) return;
  fail(ErrorKind::numeric,
       "random_walk(): the spectrum of a graph of {} nodes needs {:.3g} GB, more than is free; kind=steps needs none",
       g.nodes(), bytes / 1e9);
}

simd::Weighted weighted(const WalkSpectrum& s) { return {s.values.data(), s.weights.data(), s.values.size()}; }

bool comes_first(const WalkSpectrum& x, const WalkSpectrum& y) {
  if (x.values.size() != y.values.size()) return x.values.size() < y.values.size();
  return x.values != y.values ? x.values < y.values : x.weights < y.weights;
}

}  // namespace

WalkSpectrum walk_spectrum(const Graph& g) {
  require_memory(g);
  Matrix A(g.nodes(), g.nodes());
  for (Index i = 0; i < g.nodes(); ++i) {
    for (std::size_t e = 0; e < g.neighbours(i).size(); ++e) A(i, g.neighbours(i)[e]) = g.weights(i)[e];
  }
  WalkSpectrum out;
  if (g.nodes() == 0) return out;
  const linalg::Eigen eigen = linalg::eigen(A);
  const double n = static_cast<double>(g.nodes());
  const double same = 4 * n * kRounding * std::max(std::abs(eigen.values.front()), std::abs(eigen.values.back()));
  const double nothing = n * n * kRounding * kRounding * n;  // the square of a sum of n that cancels
  for (Index i = 0; i < g.nodes(); ++i) {
    const double sum = simd::sum(eigen.vectors.row(i), at(g.nodes()));
    if (sum * sum <= nothing) continue;
    const double value = eigen.values[at(i)];
    if (!out.values.empty() && value - out.values.back() <= same) {
      const double total = out.weights.back() + sum * sum;
      out.values.back() += (value - out.values.back()) * (sum * sum / total);
      out.weights.back() = total;
    } else {
      out.values.push_back(value);
      out.weights.push_back(sum * sum);
    }
  }
  return out;
}

WalkSum walk_sum(const WalkSeries& series, const WalkSpectrum& x, const WalkSpectrum& y, Slope slope) {
  if (comes_first(y, x)) return walk_sum(series, y, x, slope);
  const auto sum = series.kind == WalkKind::geometric ? simd::geometric_sum : simd::exponential_sum;
  WalkSum out;
  out.value = sum(series.lambda, weighted(x), weighted(y), slope == Slope::wanted ? &out.slope : nullptr);
  return out;
}

Vector walk_counts(const Graph& g, int steps) {
  Vector v(at(g.nodes()), 1.0), next(at(g.nodes())), out;
  for (int s = 0; s <= steps; ++s) {
    out.push_back(simd::sum(v.data(), v.size()));
    multiply(g, v, next);
    v.swap(next);
  }
  return out;
}

WalkSum walk_sum(double lambda, std::span<const double> x, std::span<const double> y) {
  WalkSum out;
  for (std::size_t s = x.size(); s-- > 0;) {  // Horner's rule, for both
    out.slope = out.slope * lambda + out.value;
    out.value = out.value * lambda + x[s] * y[s];
  }
  return out;
}

double walk_radius(const WalkSpectrum& s) {
  return s.values.empty() ? 0 : std::max(std::abs(s.values.front()), std::abs(s.values.back()));
}

double walk_radius(const Graph& g) {
  if (g.nodes() == 0) return 0;
  require_memory(g);
  Matrix A(g.nodes(), g.nodes());
  for (Index i = 0; i < g.nodes(); ++i) {
    for (std::size_t e = 0; e < g.neighbours(i).size(); ++e) A(i, g.neighbours(i)[e]) = std::abs(g.weights(i)[e]);
  }
  return std::max(0.0, linalg::eigenvalues(A).back());
}

}  // namespace mercer
