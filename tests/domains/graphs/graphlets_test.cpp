#include "domains/graphs/graphlets.hpp"

#include <gtest/gtest.h>

#include <numeric>

#include "domains/graphs/samples.hpp"

namespace mercer::graphlets_test {
namespace {

using namespace test;

bool linked(const Graph& g, Index i, Index j) {
  const auto neighbours = g.neighbours(i);
  return std::find(neighbours.begin(), neighbours.end(), j) != neighbours.end();
}

// The kind of a set of nodes, by the number of its edges and its largest degree, which tell all kinds apart but one
// pair: three edges of largest degree 2 are a path of 4 or a triangle.
int kind_of(const Graph& g, const std::vector<Index>& nodes) {
  int edges = 0, largest = 0, least = 3;
  for (const Index i : nodes) {
    int degree = 0;
    for (const Index j : nodes) degree += i != j && linked(g, i, j);
    edges += degree;
    largest = std::max(largest, degree);
    least = std::min(least, degree);
  }
  edges /= 2;
  if (nodes.size() == 3) return edges;
  switch (edges) {
    case 0: return 0;
    case 1: return 1;
    case 2: return largest == 1 ? 2 : 3;
    case 3: return largest == 3 ? 5 : least == 0 ? 4 : 6;
    case 4: return largest == 3 ? 7 : 8;
    case 5: return 9;
    default: return 10;
  }
}

TEST(Graphlets, CountEverySetOfNodesOnce) {
  for (unsigned seed = 0; seed < 40; ++seed) {
    const Graph g = random_graph(seed % 10, 0.1 + 0.02 * seed, seed, {.self_loops = seed % 2 == 1});
    std::array<double, 4> three{};
    std::array<double, 11> four{};
    for (Index i = 0; i < g.nodes(); ++i) {
      for (Index j = 0; j < i; ++j) {
        for (Index k = 0; k < j; ++k) {
          ++three[size_t(kind_of(g, {i, j, k}))];
          for (Index l = 0; l < k; ++l) ++four[size_t(kind_of(g, {i, j, k, l}))];
        }
      }
    }
    EXPECT_EQ(graphlets_of_3(g), three) << seed;
    EXPECT_EQ(graphlets_of_4(g), four) << seed;
  }
}

TEST(Graphlets, LargeGraphsAreExact) {
  // A star of 20,001 nodes: sets with the centre are stars, those without have no edge.
  const double n = 20000;
  const auto four = graphlets_of_4(star(20001));
  EXPECT_EQ(four[5], n * (n - 1) * (n - 2) / 6);
  EXPECT_EQ(four[0], 6664666849995000.0);  // 20000 choose 4
  EXPECT_EQ(std::accumulate(four.begin(), four.end(), 0.0), four[0] + four[5]);
}

}  // namespace
}  // namespace mercer::graphlets_test
