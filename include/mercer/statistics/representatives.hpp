// mercer/statistics/representatives.hpp: a few of many points that stand for all.
//
//     std::vector<Index> few = Thinning{.count = 100}.choose(lazy(k, x));
//     double left = distance_to_all(lazy(k, x), few);
//
// Good representatives have a mean in feature space close to that of all points; the distance of these means (MMD) is
// what both methods make small. Uses: centres for machines, examples to look at, samples for costly simulations. Points
// are chosen once each and returned in the order of their choice. The order of the rows does not matter where the
// points are known, except among points to which the kernel is the same.
#pragma once

#include <cstdint>
#include <span>

#include "mercer/gram.hpp"

namespace mercer {

// Chooses point by point what is like all and unlike those chosen before: argmax over x of
//     mean_i k(x, x_i) - sum_{s <= t} k(x, x_s) / (t + 1).
// The first ones stand for all already. Chen, Welling & Smola, UAI 2010. Cost: n^2 kernel values and n for each choice.
struct Herding {
  Index count = 0;

  std::vector<Index> choose(const Gram& K, const Execution& how = {}) const;
};

// Halves the points again and again, each time keeping one of each pair by a coin that is loaded such that the two
// halves stay alike (a self-balancing walk), then exchanges each chosen point for the one that brings the mean closest.
// Dwivedi & Mackey, "Kernel thinning", JMLR 25 (2024). As good as count^2 points drawn at random, up to logarithms.
// Where n is not count times a power of two, as many of the points as are go into the halving, and all into the
// exchange. Cost: n^2 kernel values for the first halving, half as many for each further one, n for each exchange.
struct Thinning {
  Index count = 0;
  double delta = 0.5;  // the probability that some coin of the halving is not fair enough
  std::uint64_t seed = 1;

  std::vector<Index> choose(const Gram& K, const Execution& how = {}) const;
};

// The distance in feature space of the mean of the chosen points and that of all.
double distance_to_all(const Gram& K, std::span<const Index> chosen, const Execution& how = {});

}  // namespace mercer
