// Kernels between graphs whose nodes have real attributes, against sums over all pairs.
#include <gtest/gtest.h>

#include <cmath>

#include "domains/domains.hpp"
#include "domains/graphs/distances.hpp"
#include "domains/graphs/graphs.hpp"
#include "domains/graphs/samples.hpp"
#include "domains/graphs/walks.hpp"
#include "mercer/evaluate.hpp"
#include "mercer/kernels.hpp"
#include "mercer/testing.hpp"
#include "support.hpp"

namespace mercer::node_kernels_test {
namespace {

using namespace test;
const std::vector<std::string> none;

Graph attributed(Index nodes, unsigned seed) {
  const Graph plain = random_graph(nodes, 0.5, seed);
  GraphParts parts{.nodes = nodes, .attributes = random_matrix(nodes, 2, seed, -1, 1)};
  for (Index i = 0; i < nodes; ++i) {
    parts.node_labels.push_back(plain.node_label_names()[size_t(plain.node_labels()[size_t(i)])]);
    for (const std::int32_t j : plain.neighbours(i)) {
      if (j > i) parts.edges.push_back({i, j});
    }
  }
  return graph(std::move(parts));
}

std::string label(const Graph& g, Index i) { return g.node_label_names()[size_t(g.node_labels()[size_t(i)])]; }

Matrix base_of(const Graph& g, const Graph& h) {
  Matrix out(g.nodes(), h.nodes());
  for (Index i = 0; i < g.nodes(); ++i) {
    for (Index j = 0; j < h.nodes(); ++j) {
      const double a = g.attributes()(i, 0) - h.attributes()(j, 0), b = g.attributes()(i, 1) - h.attributes()(j, 1);
      out(i, j) = std::exp(-(a * a + b * b) / 2);
    }
  }
  return out;
}

TEST(NodeKernels, ShortestPathsCompareBothEnds) {
  const Graph g = attributed(5, 1), h = attributed(6, 2);
  const Matrix k = base_of(g, h);
  Distances dg(g, ""), dh(h, "");
  double plain = 0, labelled = 0;
  for (Index i = 0; i < g.nodes(); ++i) {
    const std::vector<double> from_i = dg.from(i);
    for (Index a = 0; a < h.nodes(); ++a) {
      const std::vector<double> from_a = dh.from(a);
      for (Index j = 0; j < g.nodes(); ++j) {
        for (Index b = 0; b < h.nodes(); ++b) {
          if (i == j || a == b || from_i[size_t(j)] != from_a[size_t(b)] || std::isinf(from_i[size_t(j)])) continue;
          plain += k(i, a) * k(j, b);
          if (label(g, i) == label(h, a) && label(g, j) == label(h, b)) labelled += k(i, a) * k(j, b);
        }
      }
    }
  }
  const Points x = graphs({g}), y = graphs({h});
  EXPECT_NEAR(cross(shortest_path(rbf(1), "none"), x, y)(0, 0), plain, 1e-12 * plain);
  EXPECT_NEAR(cross(shortest_path(rbf(1)), x, y)(0, 0), labelled, 1e-12 * plain);
}

TEST(NodeKernels, AKernelThatIsOneChangesNothing) {
  std::vector<Graph> some;
  for (unsigned seed = 0; seed < 6; ++seed) some.push_back(attributed(3 + seed, seed));
  const Points x = graphs(some);
  expect_near(gram(wl(3, constant(1)), x), gram(wl(3), x), 1e-12);
  expect_near(gram(shortest_path(constant(1)), x), gram(shortest_path(), x), 1e-12);
  expect_near(gram(random_walk(0.01, constant(1)), x), gram(random_walk(0.01), x), 1e-11);
  expect_near(gram(random_walk(0.01, constant(1), "nodes"), x), gram(random_walk(0.01, "geometric", "nodes"), x),
              1e-11);
}

TEST(NodeKernels, WlSumsOverRoundsInWhichColoursAgree) {
  const Graph g = attributed(6, 3), h = attributed(7, 4);
  const Matrix k = base_of(g, h);
  double labels = 0;
  for (Index i = 0; i < g.nodes(); ++i) {
    for (Index j = 0; j < h.nodes(); ++j) labels += label(g, i) == label(h, j) ? k(i, j) : 0;
  }
  EXPECT_NEAR(cross(wl(0, rbf(1)), graphs({g}), graphs({h}))(0, 0), labels, 1e-12);
}

TEST(NodeKernels, WalksCountWithTheProductAlongThem) {
  const Graph g = attributed(5, 5), h = attributed(5, 6);
  ProductGraph product;
  product.assign({g, {}, {}}, {h, {}, {}}, base_of(g, h));
  const double expected = product.sum({.lambda = 0.01}).value;  // itself against plain matrices: walks_test.cpp
  EXPECT_NEAR(cross(random_walk(0.01, rbf(1)), graphs({g}), graphs({h}))(0, 0), expected, 1e-11);
}

TEST(NodeKernels, ObeyTheLaws) {
  const auto domain = std::find_if(detail::domains().begin(), detail::domains().end(),
                                   [](const detail::DomainRow& row) { return row.kind == "graphs"; });
  const Points x = domain->sample(9, 7);
  for (const char* text : {"wl(h=2, base=rbf(ell=1.5))", "shortest_path(node=rbf(ell=[1, 2]))",
                           "random_walk(lambda=0.01, node=rbf(ell=2))", "wl(h=1, base=0.5*rbf(ell=2) + linear())",
                           "random_walk(lambda=0.02, labels=both, node=2*rbf(ell=2))"}) {
    SCOPED_TRACE(text);
    const Kernel k = parse(text);
    EXPECT_EQ(testing::broken_laws(k, x), none);
    EXPECT_EQ(testing::broken_laws(2 * normalize(k) + 1, x), none);
  }
  EXPECT_EQ(parse("wl(h=2, base=rbf(ell=auto))").resolve(x).str().find("auto"), std::string::npos);
}

// Attributes at right angles are alike to the degree 0 exactly: no walk passes there, but one would as soon as c grows.
TEST(NodeKernels, WalksThroughPairsOfLikenessZeroHaveASlope) {
  const auto with_attributes = [](std::vector<std::pair<double, double>> values, std::vector<GraphEdge> edges) {
    GraphParts parts{.nodes = Index(values.size()), .edges = std::move(edges)};
    parts.attributes = Matrix(parts.nodes, 2);
    for (Index i = 0; i < parts.nodes; ++i) {
      parts.attributes(i, 0) = values[size_t(i)].first;
      parts.attributes(i, 1) = values[size_t(i)].second;
    }
    return graph(std::move(parts));
  };
  const Points x = graphs({with_attributes({{1, 0}, {0, 1}, {1, 1}}, {{0, 1}, {1, 2}}),
                           with_attributes({{0, 2}, {1, 0}, {0, 1}, {2, 0}}, {{0, 1}, {1, 2}, {2, 3}, {0, 3}})});
  const Matrix w{{1, -2}, {0.5, 3}};
  const auto contracted = [&](double scale, double c) {
    const Matrix K = gram(random_walk(0.02, scale * linear() + constant(c)), x);
    return w(0, 0) * K(0, 0) + w(0, 1) * K(0, 1) + w(1, 0) * K(1, 0) + w(1, 1) * K(1, 1);
  };
  const Kernel k = random_walk(0.02, 1.5 * linear() + constant(0));
  const Vector slopes = gradient(k, x, w);
  const double h = 1e-4;
  EXPECT_NEAR(slopes[size_t(k.params().find("scale"))], (contracted(1.5 + h, 0) - contracted(1.5 - h, 0)) / (2 * h),
              1e-6);
  // One-sided, to third order: c is not below 0.
  const double there =
      (-11 * contracted(1.5, 0) + 18 * contracted(1.5, h) - 9 * contracted(1.5, 2 * h) + 2 * contracted(1.5, 3 * h)) /
      (6 * h);
  EXPECT_NEAR(slopes[size_t(k.params().find("c"))], there, 1e-6);
}

TEST(NodeKernels, RefuseWhatTheyCannotTake) {
  const Points plain = graphs({path(2)}), x = graphs({attributed(4, 1)});
  expect_error([&] { gram(wl(1, rbf(1)), plain); }, "DomainError", {"needs their attributes, and graph 1 has none"});
  expect_error(
      [&] {
        gram(random_walk(0.01, linear()), graphs({attributed(6, 1), attributed(6, 2)}));
      },
      "DomainError", {"take one that is >= 0 everywhere"});
  expect_error([&] { gram(random_walk(1, rbf(1)), x); }, "NumericError", {"lambda must be below"});
  expect_error([] { parse("random_walk(lambda=0.1, kind=exponential, node=rbf(ell=1))"); }, "KernelError",
               {"node goes with kind=geometric"});
}

}  // namespace
}  // namespace mercer::node_kernels_test
