// Kernels on the nodes of a graph: closed forms, a second implementation, the laws, derivatives, bad graphs.
#include <gtest/gtest.h>

#include <numbers>

#include "domains/nodes/graphs.hpp"
#include "domains/nodes/oracle.hpp"
#include "mercer/mercer.hpp"
#include "mercer/testing.hpp"

namespace mercer::kernels_test {
namespace {

using namespace nodes_test;
using testing::broken_laws;

constexpr double kHalf = 0.5;

Matrix heat(const Graph& graph) { return gram(diffusion(kHalf), nodes(graph)); }

TEST(NodeKernels, HeatOfACompleteGraph) {  // Kondor & Lafferty 2002
  const Matrix k = heat(complete(4));
  EXPECT_NEAR(k(1, 1), 0.3515014624, 1e-10);
  EXPECT_NEAR(k(0, 3), 0.2161661792, 1e-10);
  EXPECT_NEAR(k(2, 2), (1 + 3 * std::exp(-4 * kHalf)) / 4, 1e-14);
}

TEST(NodeKernels, HeatOfARing) {
  const Matrix k = heat(ring(5));
  EXPECT_NEAR(k(2, 2), 0.4659593392, 1e-10);
  EXPECT_NEAR(k(0, 4), 0.2089256208, 1e-10);
  EXPECT_NEAR(k(1, 3), 0.0580947096, 1e-10);
}

TEST(NodeKernels, HeatOfAPath) {
  const Matrix k = heat(path(4));
  const double row[] = {0.6736706866, 0.2578580558, 0.0582022236, 0.0102690340};
  for (Index j = 0; j < 4; ++j) EXPECT_NEAR(k(0, j), row[j], 1e-10);
  EXPECT_NEAR(k(1, 1), 0.4740148544, 1e-10);
  EXPECT_NEAR(k(1, 2), 0.2099248662, 1e-10);
}

TEST(NodeKernels, HeatOfAStar) {
  const Matrix k = heat(star(5));
  EXPECT_NEAR(k(0, 0), 0.2656679989, 1e-10);
  EXPECT_NEAR(k(0, 3), 0.1835830003, 1e-10);
  EXPECT_NEAR(k(2, 2), 0.6590022447, 1e-10);
  EXPECT_NEAR(k(1, 4), 0.0524715850, 1e-10);
}

TEST(NodeKernels, HeatOfAHypercube) {
  const Matrix square = heat(hypercube(2));
  EXPECT_NEAR(square(0, 0), 0.4677735414, 1e-10);
  EXPECT_NEAR(square(0, 1), 0.2161661792, 1e-10);
  EXPECT_NEAR(square(0, 3), 0.0998941002, 1e-10);
  const Matrix cube = heat(hypercube(5));
  const double same = (1 + std::exp(-2 * kHalf)) / 2, other = (1 - std::exp(-2 * kHalf)) / 2;
  for (Index j = 0; j < 32; ++j) {
    const int apart = __builtin_popcount(static_cast<unsigned>(j ^ 13));
    EXPECT_NEAR(cube(13, j), std::pow(same, 5 - apart) * std::pow(other, apart), 1e-14);
  }
}

TEST(NodeKernels, HeatOfALongPathBySeries) {  // beyond the sizes at which eigenvectors are computed
  const Index n = 5000;
  const Graph line = path(n);
  const std::vector<Index> ids = {0, 1, 7, 2500, 2503, 4999};
  const Matrix k = gram(diffusion(2), nodes(line, ids));
  const Matrix other = cross(diffusion(2), nodes(line, {7, 8}), nodes(line, ids));
  const auto exact = [&](Index i, Index j) {
    long double sum = 1.0L / n;
    const long double pi = std::numbers::pi_v<long double>;
    for (Index v = 1; v < n; ++v) {
      sum += 2.0L / n * std::exp(-4 * (1 - std::cos(pi * v / n))) * std::cos(pi * v * (i + 0.5L) / n) *
             std::cos(pi * v * (j + 0.5L) / n);
    }
    return static_cast<double>(sum);
  };
  for (Index i = 0; i < 6; ++i) {
    for (Index j = 0; j < 6; ++j) {
      EXPECT_NEAR(k(i, j), exact(ids[static_cast<std::size_t>(i)], ids[static_cast<std::size_t>(j)]), 1e-8);
      EXPECT_EQ(k(i, j), k(j, i));
    }
    EXPECT_NEAR(other(1, i), exact(8, ids[static_cast<std::size_t>(i)]), 1e-8);
  }
  EXPECT_EQ(diagonal(diffusion(2), nodes(line, ids))[3], k(3, 3));
}

void expect_matrix(const Matrix& got, const nodes_oracle::Square& want, double error) {
  for (Index i = 0; i < got.rows(); ++i) {
    for (Index j = 0; j < got.cols(); ++j) {
      const auto value = static_cast<double>(want[static_cast<std::size_t>(i)][static_cast<std::size_t>(j)]);
      EXPECT_NEAR(got(i, j), value, error * (1 + std::abs(value))) << i << ", " << j;
    }
  }
}

TEST(NodeKernels, AgreeWithTheTextbook) {
  using namespace nodes_oracle;
  const Graph graph = random_graph(24, 0.15, 11);
  const Points all = nodes(graph);
  const Square plain = laplacian(graph, false), normalized = laplacian(graph, true), one = identity(24);
  expect_matrix(gram(diffusion(0.7), all), exponential(sum(-0.7L, plain, 0, plain)), 1e-13);
  expect_matrix(gram(diffusion(3, Laplacian::normalized), all), exponential(sum(-3, normalized, 0, plain)), 1e-13);
  expect_matrix(gram(regularized_laplacian(1.5), all), inverse(sum(1, one, 2.25L, plain)), 1e-13);
  expect_matrix(gram(parse("regularized_laplacian(sigma=0.3, laplacian=normalized)"), all),
                inverse(sum(1, one, 0.09L, normalized)), 1e-13);
  expect_matrix(gram(walks(1), all), power(adjacency(graph), 2), 1e-13);
  expect_matrix(gram(walks(3), all), power(adjacency(graph), 6), 1e-13);
  for (const double a : {2.0, 2.5}) {
    for (const int p : {1, 2, 3, 5, 6}) {
      expect_matrix(gram(p_step(p, a), all), power(sum(static_cast<long double>(a), one, -1, normalized), p), 1e-13);
    }
  }
}

TEST(NodeKernels, CountWalksExactly) {
  // Walks of length 2 and 4 on the path 0 - 1 - 2.
  const Points all = nodes(path(3));
  EXPECT_EQ(gram(walks(1), all), (Matrix{{1, 0, 1}, {0, 2, 0}, {1, 0, 1}}));
  EXPECT_EQ(gram(walks(2), all), (Matrix{{2, 0, 2}, {0, 4, 0}, {2, 0, 2}}));
}

TEST(NodeKernels, ANodeWithoutEdgesIsAloneWithItself) {
  const Graph graph = mercer::graph(4, {{0, 1}, {1, 2}});
  for (const char* text :
       {"diffusion(t=2)", "diffusion(t=2, laplacian=normalized)", "regularized_laplacian(sigma=2)"}) {
    const Matrix k = gram(parse(text), nodes(graph));
    EXPECT_NEAR(k(3, 3), 1, 1e-15) << text;
    for (Index j = 0; j < 3; ++j) EXPECT_NEAR(k(3, j), 0, 1e-15) << text;
  }
  EXPECT_NEAR(gram(p_step(3, 2), nodes(graph))(3, 3), 8, 1e-14);
  EXPECT_EQ(gram(walks(1), nodes(graph))(3, 3), 0);
  EXPECT_EQ(gram(normalize(walks(1)), nodes(graph))(3, 3), 0);
}

TEST(NodeKernels, OfTheNormalizedLaplacianDoNotSeeTheUnitOfTheWeights) {
  const Matrix k = gram(diffusion(1, Laplacian::normalized), nodes(graph(3, {{0, 1, 1e-200}, {1, 2, 2e-200}})));
  const Matrix other = gram(diffusion(1, Laplacian::normalized), nodes(graph(3, {{0, 1, 1}, {1, 2, 2}})));
  for (Index i = 0; i < 9; ++i) EXPECT_NEAR(k.data()[i], other.data()[i], 1e-14);
}

TEST(NodeKernels, HeatDoesNotCrossBetweenParts) {
  const Matrix k = gram(diffusion(5), nodes(graph(4, {{0, 1}, {2, 3}})));
  EXPECT_NEAR(k(0, 2), 0, 1e-15);
  EXPECT_NEAR(k(0, 0) + k(0, 1), 1, 1e-14);
}

TEST(NodeKernels, KeepTheLaws) {
  const std::vector<std::string> none;
  for (const char* text : {"walks(length=2)", "diffusion(t=0.7)", "diffusion(t=2, laplacian=normalized)",
                           "regularized_laplacian(sigma=1.3)", "p_step(p=3, a=2.5)",
                           "2*normalize(diffusion(t=1)) + diffusion(t=1)*p_step(p=2, a=2)"}) {
    EXPECT_EQ(broken_laws(parse(text), nodes(random_graph(20, 0.2, 5), {3, 1, 4, 1, 5, 9, 2, 19, 6})), none) << text;
  }
  // By series: values are within 1e-8, so that is what they can be held to.
  const Kernel k = parse("normalize(diffusion(t=0.8)) + regularized_laplacian(sigma=0.9, laplacian=normalized)");
  EXPECT_EQ(broken_laws(k, nodes(ring(4000), {3, 1, 4, 1, 5, 9, 2, 3999, 3})), none);
}

TEST(NodeKernels, RefuseWhatTheyCannotTake) {
  const Points directed = nodes(Graph({.nodes = 2, .edges = {{0, 1}}, .directed = true}));
  EXPECT_THROW(gram(diffusion(1), directed), Error);
  EXPECT_THROW(gram(walks(1), nodes(graph(2, {{0, 1, -1}}))), Error);
  EXPECT_THROW(cross(diffusion(1), nodes(path(3)), nodes(path(4))), Error);
  EXPECT_THROW(gram(diffusion(1), rows(Matrix{{1}, {2}})), Error);
  EXPECT_THROW(gram(rbf(1), nodes(path(3))), Error);
  EXPECT_THROW(p_step(3, 1.9), Error);
  EXPECT_THROW(diffusion(0), Error);
  EXPECT_THROW(nodes(path(3), {0, 3}), Error);
  EXPECT_THROW(gram(diffusion(1), nodes(graph(2, {{0, 1, 1e300}}))), Error);
  EXPECT_THROW(gram(diffusion(1e300), nodes(path(4000), {0})), Error);
  EXPECT_THROW(gram(walks(64), nodes(graph(2, {{0, 1, 1e10}}))), Error);
}

TEST(Nodes, OfEqualGraphsGoTogether) {
  const Points x = nodes(path(6), {0, 2}), y = nodes(path(6), {1});
  EXPECT_EQ(x.domain(), y.domain());
  EXPECT_EQ(cross(diffusion(1), x, y).rows(), 2);
  EXPECT_EQ(ids_of(x), (std::vector<Index>{0, 2}));
  const NamedGraph friends{path(3), {"ann", "bob", "cy"}};
  EXPECT_EQ(ids_of(nodes(friends, std::vector<std::string>{"cy", "ann"})), (std::vector<Index>{2, 0}));
  EXPECT_EQ(graph_of(nodes(friends)).name(1), "bob");
  EXPECT_THROW(nodes(friends, std::vector<std::string>{"dan"}), Error);
  EXPECT_THROW(nodes(NamedGraph{path(3), {"ann", "ann", "cy"}}), Error);
}

}  // namespace
}  // namespace mercer::kernels_test
