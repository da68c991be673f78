// Random expressions drawn from the catalog, on real vectors.
#pragma once

#include <cmath>
#include <random>

#include "mercer/kernels.hpp"

namespace mercer {

class RandomKernels {
 public:
  RandomKernels(std::uint64_t seed, Index dimension) : engine_(seed), dimension_(dimension) {}

  // An axiom's example with its parameters moved about, or one with a length scale per column.
  Kernel leaf() {
    if (pick(6) == 0) return pick(2) == 0 ? rbf(many()) : matern(0.5 + 0.25 * pick(9), many());
    while (true) {
      const std::vector<CatalogRow> rows = catalog();
      const CatalogRow& row = rows[static_cast<std::size_t>(pick(static_cast<int>(rows.size())))];
      const bool on_vectors = row.domain == "reals" || row.domain == "any";
      if (row.is_rule || !on_vectors || row.example.empty() || row.name == "assume_psd") continue;
      // Of inputs >= 0 only, and of numbers of tasks.
      if (row.name == "min" || row.name == "chi2" || row.name == "coregion") continue;
      const Kernel k = parse(row.example);
      if (k.domain().dimension != Domain::any_dimension && k.domain().dimension != dimension_) continue;
      Vector theta = k.params().theta();
      for (double& t : theta) t += std::uniform_real_distribution<double>(-0.7, 0.7)(engine_);
      return k.with(theta);
    }
  }

  // Values stay of moderate size: exp() and powers take normalised kernels.
  Kernel tree(int depth) {
    if (depth == 0) return leaf();
    switch (pick(9)) {
      case 0: return tree(depth - 1) + tree(depth - 1);
      case 1: return tree(depth - 1) * tree(depth - 1);
      case 2: return positive() * tree(depth - 1);
      case 3: return pow(normalize(tree(depth - 1)), 1 + pick(3));
      case 4: return exp(normalize(tree(depth - 1)));
      case 5: return polynomial({positive(), 0.0, positive()}, normalize(tree(depth - 1)));
      case 6: return scaled("norm", tree(depth - 1));
      case 7: return warp(pick(2) == 0 ? "tanh" : "asinh", tree(depth - 1));
      default: return on("1:" + std::to_string(dimension_), tree(depth - 1));
    }
  }

  Points points(Index count) {
    std::normal_distribution<double> normal;
    Matrix x(count, dimension_);
    for (Index i = 0; i < count; ++i) {
      for (Index k = 0; k < dimension_; ++k) x(i, k) = normal(engine_);
    }
    return rows(std::move(x));
  }

 private:
  int pick(int count) { return std::uniform_int_distribution<int>(0, count - 1)(engine_); }
  double positive() { return std::exp(std::uniform_real_distribution<double>(-0.7, 1.0)(engine_)); }
  Vector many() {
    Vector out;
    for (Index k = 0; k < dimension_; ++k) out.push_back(positive());
    return out;
  }
  std::mt19937_64 engine_;
  Index dimension_;
};

}  // namespace mercer
