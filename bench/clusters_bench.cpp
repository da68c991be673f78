// One iteration of k-means in feature space beside one product K V of that size: bench/clusters.py prints the ratio.
#include <string>

#include "bench.hpp"
#include "machines/clusters/k_means.hpp"
#include "mercer/kernels.hpp"
#include "timing.hpp"

namespace mercer::bench {
namespace {

Json iteration_case(const Words& words) {
  const Index n = std::stol(words.at(0)), columns = std::stol(words.at(1)), clusters = std::stol(words.at(2));
  const bool in_memory = words.at(3) == "memory";
  const Points x = rows(random_matrix(n, columns));
  const Gram K = in_memory ? exact(parse("rbf(ell=auto)"), x) : lazy(parse("rbf(ell=auto)"), x);
  const Vector weights(static_cast<std::size_t>(n), 1.0);
  const detail::WeightedPoints points(K, weights, K.points(), {});
  Random random(1);
  const std::vector<Index> start = draw_seeds(points, clusters, random, {}).nearest;
  Matrix v(n, clusters);
  for (Index i = 0; i < n; ++i) v(i, start[static_cast<std::size_t>(i)]) = 1;
  // The first product of a fit is no iteration: products are counted on both sides.
  constexpr Index kIterations = 3;
  const detail::Lloyd products_only{.machine = "kmeans", .max_iterations = kIterations};
  Index products = 0;
  const Pair by_products = best(
      3, [&] { products = static_cast<Index>(improve(points, {start}, clusters, products_only, {}).course.size()); },
      [&] { K.multiply(v.view()); });
  // As a fit goes: rows of the points that moved where these are fewer.
  detail::Partition found;
  const detail::Lloyd as_fitted{.machine = "kmeans", .rows_per_product = 0.5 * static_cast<double>(n)};
  const double whole = seconds([&] { found = improve(points, {start}, clusters, as_fitted, {}); });
  return {
      {"product", by_products.peer},
      {"iteration", by_products.ours / static_cast<double>(products)},
      {"iterations", found.course.size() - 1},
      {"whole", whole},
      {"settled", found.settled},
  };
}

}  // namespace

Bench clusters_bench() {
  return {"clusters",
          "k-means in feature space",
          {{"iteration", "N COLUMNS CLUSTERS lazy|memory", "one iteration, beside one product K V", iteration_case}}};
}

}  // namespace mercer::bench
