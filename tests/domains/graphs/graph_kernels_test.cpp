// Kernels between graphs through the engine. Values from structured textbooks and closed forms; see walks_test.cpp and
// counts_test.cpp for the algorithms beneath.
#include <gtest/gtest.h>

#include <cmath>

#include "domains/graphs/samples.hpp"
#include "mercer/evaluate.hpp"
#include "mercer/gram.hpp"
#include "mercer/kernels.hpp"
#include "points/join.hpp"
#include "support.hpp"

namespace mercer::graph_kernels_test {
namespace {

using namespace test;

TEST(GraphKernels, WlOfWaterAndHydronium) {
  const Points x = graphs({water(), hydronium()});
  EXPECT_EQ(gram(wl(0), x), (Matrix{{5, 7}, {7, 10}}));
  EXPECT_EQ(gram(wl(3), x), (Matrix{{20, 13}, {13, 40}}));
  EXPECT_EQ(gram(label_histogram(), x), (Matrix{{5, 7}, {7, 10}}));
  EXPECT_EQ(gram(wl(0, "none"), x), (Matrix{{9, 12}, {12, 16}}));
}

TEST(GraphKernels, ShortestPathsOfWaterAndHydronium) {
  const Points x = graphs({water(), hydronium()});
  EXPECT_EQ(gram(shortest_path(), x), (Matrix{{12, 24}, {24, 54}}));
  EXPECT_NEAR(gram(normalize(shortest_path()), x)(0, 1), 0.9428090416, 1e-10);
  EXPECT_EQ(gram(shortest_path("none"), x)(0, 1), 4 * 6 + 2 * 6);
}

TEST(GraphKernels, GraphletsOfSmallGraphs) {
  const Points x = graphs({path(4), complete(4), ring(4)});
  EXPECT_EQ(gram(graphlet(4), x), (Matrix{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}));
  EXPECT_EQ(gram(graphlet(3), x), (Matrix{{8, 0, 8}, {0, 16, 0}, {8, 0, 16}}));
}

TEST(GraphKernels, EmptyGraphsAndGraphsWithoutEdges) {
  const Points x = graphs({Graph(), graph(2, {}), path(3)});
  for (const Kernel& k :
       {wl(2), shortest_path(), label_histogram(), graphlet(3), random_walk(0.1), random_walk(0.1, "exponential"),
        random_walk(0.1, "geometric", "both"), random_walk(0.1, "steps", "none", 2)}) {
    const Matrix K = gram(k, x), N = gram(normalize(k), x);
    for (Index i = 0; i < 3; ++i) {
      EXPECT_EQ(K(0, i), 0) << k.str();
      EXPECT_EQ(N(0, i), 0) << k.str();  // what has no features is like nothing, and not like itself
      for (Index j = 0; j < 3; ++j) EXPECT_TRUE(std::isfinite(K(i, j))) << k.str();
    }
  }
}

TEST(GraphKernels, RandomWalksOfTheTextbook) {
  const Points x = graphs({path(3), path(2), complete(3), complete(4)});
  const double t = 0.1;
  const Matrix K = gram(random_walk(t), x);
  EXPECT_NEAR(K(0, 0), (9 + 16 * t) / (1 - 4 * t * t), 1e-12);
  EXPECT_NEAR(K(0, 1), (6 + 8 * t) / (1 - 2 * t * t), 1e-12);
  EXPECT_NEAR(K(0, 2), (9 + 24 * t) / (1 - 8 * t * t), 1e-12);
  EXPECT_NEAR(K(3, 3), 160, 1e-11);
  EXPECT_NEAR(gram(random_walk(t, "exponential"), x)(2, 3), 12 * std::exp(t * 2 * 3), 1e-11);
  EXPECT_NEAR(gram(random_walk(t, "steps", "none", 1), x)(2, 3), 12 * (1 + t * 2 * 3), 1e-12);
}

TEST(GraphKernels, WalksThatDivergeAreRefusedWithTheLargestLambda) {
  expect_error(
      [] {
        gram(random_walk(0.1), graphs({path(2), complete(5)}));
      },
      "NumericError", {"random_walk(lambda=0.1)", "graphs 2 and 2 grow 16 times", "lambda must be below 0.0625"});
  expect_error([] { gram(random_walk(0.1, "geometric", "nodes"), graphs({complete(5)})); }, "NumericError",
               {"lambda must be below 0.0625"});
  // A pair may converge where one of its graphs with itself does not.
  const Points large = graphs({complete(5)}), small = graphs({path(2)});
  EXPECT_NEAR(cross(random_walk(0.1), large, small)(0, 0), 10 / (1 - 0.1 * 4), 1e-12);
  expect_error([&] { diagonal(random_walk(0.1), large); }, "NumericError", {"lambda must be below 0.0625"});
  EXPECT_NO_THROW(gram(random_walk(0.1, "exponential"), large));
}

TEST(GraphKernels, LabelledWalksOfUniformLabelsAreTheUnlabelledOnes) {
  std::vector<Graph> some;
  for (unsigned seed = 0; seed < 5; ++seed) some.push_back(random_graph(6, 0.5, seed, {.node_labels = false}));
  const Points x = graphs(some);
  for (const char* kind : {"geometric", "exponential", "steps"}) {
    const int steps = std::string(kind) == "steps" ? 4 : 0;
    const Matrix K = gram(random_walk(0.02, kind, "none", steps), x);
    expect_near(gram(random_walk(0.02, kind, "both", steps), x), K, 1e-10);
  }
}

TEST(GraphKernels, DirectedGraphsWhereSymmetryIsNeeded) {
  const Points x = graphs({graph({.nodes = 2, .edges = {{0, 1}}, .directed = true})});
  expect_error([&] { gram(random_walk(0.1), x); }, "DomainError", {"graph 1 is directed", "kind=steps"});
  expect_error([&] { gram(graphlet(3), x); }, "DomainError", {"graph 1 is directed"});
  EXPECT_EQ(gram(random_walk(0.5, "steps", "none", 2), x)(0, 0), 4 + 0.5);
  EXPECT_EQ(gram(wl(1), x)(0, 0), 4 + 2);
  EXPECT_EQ(gram(shortest_path(), x)(0, 0), 1);
}

TEST(GraphKernels, OtherInputsAreRefused) {
  expect_error([] { gram(wl(1), rows(Matrix{{1, 2}})); }, "DomainError", {"wl() needs graphs"});
  expect_error([] { gram(random_walk(0.1), strings({"CCO"})); }, "DomainError", {"random_walk() needs graphs"});
  expect_error([] { gram(rbf(1), graphs({path(2)})); }, "DomainError", {"needs numbers"});
}

TEST(GraphKernels, ArgumentsThatMeanNothingAreRefused) {
  expect_error([] { parse("random_walk(lambda=0.1, kind=steps)"); }, "KernelError", {"needs the length"});
  expect_error([] { parse("random_walk(lambda=0.1, steps=2)"); }, "KernelError", {"goes with kind=steps"});
  expect_error([] { parse("shortest_path(labels=edges)"); }, "KernelError", {"labels"});
}

TEST(GraphKernels, OrderOfNodesDoesNotMatter) {
  std::vector<Graph> some, moved;
  for (unsigned seed = 0; seed < 6; ++seed) {
    some.push_back(random_graph(7, 0.4, seed, {.edge_labels = true}));
    moved.push_back(shuffled(some.back(), seed));
  }
  for (const Kernel& k :
       {wl(3, "both"), shortest_path(), graphlet(4), random_walk(0.02), random_walk(0.02, "geometric", "both")}) {
    const Matrix K = gram(k, graphs(some));
    expect_near(gram(k, graphs(moved)), K, 1e-9);
    expect_near(cross(k, graphs(some), graphs(moved)), K, 1e-9);
  }
}

TEST(GraphKernels, BothOrdersOfAPairGiveTheSameBits) {
  std::vector<Graph> some;
  for (unsigned seed = 0; seed < 8; ++seed) some.push_back(random_graph(6, 0.4, seed, {.edge_labels = true}));
  const std::vector<Index> backwards{7, 6, 5, 4, 3, 2, 1, 0};
  const Points x = graphs(some), y = x.select(backwards);
  for (const Kernel& k :
       {random_walk(0.02), random_walk(0.02, "geometric", "both"), random_walk(0.3, "exponential", "nodes")}) {
    const Matrix K = cross(k, x, y), L = cross(k, y, x);
    for (Index i = 0; i < 8; ++i) {
      for (Index j = 0; j < 8; ++j) EXPECT_EQ(K(i, j), L(j, i));
    }
    const Vector d = diagonal(k, x);
    for (Index i = 0; i < 8; ++i) EXPECT_EQ(d[size_t(i)], K(i, 7 - i));
  }
}

TEST(GraphKernels, JoinedGraphsKeepTheirOrder) {
  const Points x = graphs({path(2), path(3)}), y = graphs({ring(4), ring(5)});
  const std::vector<Index> last{1};
  EXPECT_EQ(gram(wl(1), join(x.select(last), y)), gram(wl(1), graphs({path(3), ring(4), ring(5)})));
}

}  // namespace
}  // namespace mercer::graph_kernels_test
