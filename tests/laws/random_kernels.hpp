// Random expressions drawn from the catalog, on real vectors.
#pragma once

#include <cmath>
#include <random>

#include "mercer/kernels.hpp"

namespace mercer {

class RandomKernels {
 public:
  RandomKernels(std::uint64_t seed, Index dimension) : engine_(seed), dimension_(dimension) {}

  Kernel leaf() {
    switch (pick(14)) {
      case 0: return linear();
      case 1: return constant(positive());
      case 2: return poly(1 + pick(3), positive());
      case 3: return rbf(positive());
      case 4: return rbf(many());
      case 5: return laplace(positive());
      case 6: return exponential(positive());
      case 7: return matern(0.5 + pick(3), positive());
      case 8: return matern(0.5 + pick(3), many());
      case 9: return rq(positive(), positive());
      case 10: return periodic(1 + positive(), positive());
      case 11: return multilinear();
      case 12: return cosine();
      default: return quadratic(psd());
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
  Matrix psd() {
    std::normal_distribution<double> normal;
    Matrix f(dimension_, 2), a(dimension_, dimension_);
    for (Index i = 0; i < dimension_; ++i) {
      for (Index r = 0; r < 2; ++r) f(i, r) = normal(engine_);
    }
    for (Index i = 0; i < dimension_; ++i) {
      for (Index j = 0; j < dimension_; ++j) a(i, j) = f(i, 0) * f(j, 0) + f(i, 1) * f(j, 1);
    }
    return a;
  }

  std::mt19937_64 engine_;
  Index dimension_;
};

}  // namespace mercer
