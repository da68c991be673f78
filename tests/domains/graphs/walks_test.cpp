#include "domains/graphs/walks.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "domains/graphs/counts.hpp"
#include "domains/graphs/samples.hpp"
#include "mercer/evaluate.hpp"
#include "mercer/kernels.hpp"
#include "simd/targets.hpp"
#include "support.hpp"

namespace mercer::walks_test {
namespace {

using namespace test;

double geometric(const Graph& g, const Graph& h, double lambda) {
  return walk_sum({.lambda = lambda}, walk_spectrum(g), walk_spectrum(h)).value;
}

TEST(Walks, GeometricClosedForms) {
  const double t = 0.1;
  EXPECT_NEAR(geometric(complete(4), complete(4), t), 160, 1e-11);
  EXPECT_NEAR(geometric(ring(5), ring(6), t), 50, 1e-12);
  EXPECT_NEAR(geometric(path(3), path(3), t), (9 + 16 * t) / (1 - 4 * t * t), 1e-12);
  EXPECT_NEAR(geometric(path(3), path(2), t), (6 + 8 * t) / (1 - 2 * t * t), 1e-12);
  EXPECT_NEAR(geometric(path(3), complete(3), t), (9 + 24 * t) / (1 - 8 * t * t), 1e-12);
  EXPECT_NEAR(geometric(path(3), path(3), t), 11.0416667, 1e-7);
  EXPECT_NEAR(geometric(path(3), path(2), t), 6.9387755, 1e-7);
  EXPECT_NEAR(geometric(path(3), complete(3), t), 12.3913043, 1e-7);
  EXPECT_NEAR(walk_radius(complete(5)), 4, 1e-13);
  EXPECT_NEAR(walk_radius(walk_spectrum(complete(5))), 4, 1e-13);
}

TEST(Walks, ExponentialOfRegularGraphs) {
  const WalkSeries series{.kind = WalkKind::exponential, .lambda = 0.3};
  const double expected = 5 * 6 * std::exp(0.3 * 2 * 2);
  EXPECT_NEAR(walk_sum(series, walk_spectrum(ring(5)), walk_spectrum(ring(6))).value, expected, 1e-12 * expected);
}

TEST(Walks, SymmetricGraphsHaveFewEigenvaluesThatCount) {
  EXPECT_EQ(walk_spectrum(complete(9)).values.size(), 1U);
  EXPECT_EQ(walk_spectrum(star(9)).values.size(), 2U);
  EXPECT_TRUE(walk_spectrum(Graph()).values.empty());
  EXPECT_EQ(walk_spectrum(graph(5, {})).weights, Vector{5});
}

TEST(Walks, AFewStepsStandForTheWholeSpectrum) {
  for (const Graph& g : {random_graph(60, 0.1, 3, {.weights = true}), path(90), star(40), ring(30), graph(5, {})}) {
    const WalkSpectrum whole = walk_spectrum(g), other = walk_spectrum(path(7));
    const double radius = std::max(walk_radius(whole), walk_radius(other));
    const double bound = walk_bound(g);
    EXPECT_GE(bound, walk_radius(g) * (1 - 1e-12));
    EXPECT_LE(bound, walk_radius(g) * 1.05 + 1e-12);
    for (const double q : {0.1, 0.7, 0.95}) {
      for (const WalkKind kind : {WalkKind::geometric, WalkKind::exponential}) {
        const WalkSeries series{.kind = kind, .lambda = radius == 0 ? q : q / (radius * radius)};
        const Index points = std::min(g.nodes(), quadrature_points(series, radius * radius));
        const WalkSpectrum part = walk_quadrature(g, points);
        for (const auto& [x, y] : {std::pair{&part, &other}, {&part, &part}}) {
          const WalkSum got = walk_sum(series, *x, *y);
          const WalkSum want = walk_sum(series, whole, y == &other ? other : whole);
          EXPECT_NEAR(got.value, want.value, 2e-13 * std::abs(want.value));
          EXPECT_NEAR(got.slope, want.slope, 1e-11 * std::abs(want.slope) + 1e-12);
        }
      }
    }
  }
}

// Beyond the graphs whose eigenvectors are computed, against sums over the lengths of walks.
TEST(Walks, OfLargeGraphs) {
  const Graph large = path(kLargeGraph + 200), small = path(5);
  const Points x = graphs({large, small, star(kLargeGraph + 50)});
  const double lambda = 0.0004;
  const Matrix K = gram(random_walk(lambda), x);
  const std::vector<Vector> counts = {walk_counts(large, 300), walk_counts(small, 300),
                                      walk_counts(star(kLargeGraph + 50), 300)};
  for (Index i = 0; i < 3; ++i) {
    for (Index j = 0; j < 3; ++j) {
      const double want = walk_sum(lambda, counts[size_t(i)], counts[size_t(j)]).value;
      EXPECT_NEAR(K(i, j), want, 1e-12 * want) << i << " " << j;
      EXPECT_EQ(K(i, j), K(j, i));
    }
    EXPECT_EQ(diagonal(random_walk(lambda), x)[size_t(i)], K(i, i));
  }
  expect_error([&] { gram(random_walk(0.001), x); }, "NumericError", {"lambda must be below 0.00095"});
}

// W of the direct product as a plain matrix, and start.
struct Plain {
  Matrix W;
  Vector start;
};

Plain plain_product(const LabelledGraph& x, const LabelledGraph& y, const Matrix& likeness) {
  const Graph &g = x.graph, &h = y.graph;
  const auto at = [](Index k) { return static_cast<std::size_t>(k); };
  const Index m = h.nodes(), n = g.nodes() * m;
  Plain out{Matrix(n, n), Vector(at(n))};
  for (Index i = 0; i < g.nodes(); ++i) {
    for (Index j = 0; j < m; ++j) {
      const bool match = x.node_labels.empty() || x.node_labels[at(i)] == y.node_labels[at(j)];
      out.start[at(i * m + j)] = match ? (likeness.cols() > 0 ? std::sqrt(likeness(i, j)) : 1.0) : 0.0;
    }
  }
  for (Index i = 0; i < g.nodes(); ++i) {
    for (Index p = g.offsets()[at(i)]; p < g.offsets()[at(i) + 1]; ++p) {
      for (Index j = 0; j < m; ++j) {
        for (Index q = h.offsets()[at(j)]; q < h.offsets()[at(j) + 1]; ++q) {
          if (!x.edge_labels.empty() && x.edge_labels[at(p)] != y.edge_labels[at(q)]) continue;
          const Index from = i * m + j, to = g.neighbours()[at(p)] * m + h.neighbours()[at(q)];
          out.W(from, to) = g.weights()[at(p)] * h.weights()[at(q)] * out.start[at(from)] * out.start[at(to)];
        }
      }
    }
  }
  return out;
}

// The series, term by term.
double plain_sum(const Plain& product, const WalkSeries& series) {
  const auto at = [](Index k) { return static_cast<std::size_t>(k); };
  Vector v = product.start;
  double total = 0;
  const int last = series.kind == WalkKind::steps ? series.steps : 400;
  for (int s = 0; s <= last; ++s) {
    Vector next(v.size());
    const double factor = series.lambda / (series.kind == WalkKind::exponential ? s + 1 : 1);
    for (Index i = 0; i < product.W.rows(); ++i) {
      total += product.start[at(i)] * v[at(i)];
      for (Index j = 0; j < product.W.cols(); ++j) next[at(i)] += factor * product.W(i, j) * v[at(j)];
    }
    v = next;
  }
  return total;
}

// Labels of one letter as their letters.
LabelledGraph labelled(const Graph& g, bool nodes, bool edges) {
  LabelledGraph out{g, {}, {}};
  const auto letters = [](std::span<const std::int32_t> labels, const std::vector<std::string>& names) {
    std::vector<std::int32_t> found;
    for (const std::int32_t label : labels) found.push_back(names[static_cast<std::size_t>(label)][0]);
    return found;
  };
  if (nodes) out.node_labels = letters(g.node_labels(), g.node_label_names());
  if (edges) out.edge_labels = letters(g.edge_labels(), g.edge_label_names());
  return out;
}

TEST(Walks, AreThoseOfTheDirectProduct) {
  const Kind kind{.edge_labels = true, .weights = true, .self_loops = true};
  ProductGraph product;
  for (unsigned seed = 0; seed < 6; ++seed) {
    const Graph g = random_graph(7, 0.6, 2 * seed, kind), h = random_graph(8, 0.6, 2 * seed + 1, kind);
    const double largest = 1 / (walk_radius(g) * walk_radius(h));
    const Matrix likeness = random_matrix(7, 8, seed, 0.1, 1);
    for (const WalkSeries series :
         {WalkSeries{.lambda = 0.9 * largest}, WalkSeries{.kind = WalkKind::exponential, .lambda = 3 * largest},
          WalkSeries{.kind = WalkKind::steps, .lambda = 2 * largest, .steps = 4}}) {
      for (const bool nodes : {false, true}) {
        for (const bool edges : {false, true}) {
          for (const bool alike : {false, true}) {
            const LabelledGraph x = labelled(g, nodes, edges), y = labelled(h, nodes, edges);
            const Matrix used = alike ? likeness : Matrix();
            const double expected = plain_sum(plain_product(x, y, used), series);
            product.assign(x, y, used);
            EXPECT_NEAR(product.sum(series).value, expected, 1e-11 * expected);
            WalkSeries above = series, below = series;
            above.lambda *= 1 + 1e-5;
            below.lambda *= 1 - 1e-5;
            const double slope = (product.sum(above).value - product.sum(below).value) / (2e-5 * series.lambda);
            EXPECT_NEAR(product.sum(series).slope, slope, 1e-7 * slope);
            if (nodes || edges || alike) continue;
            for_each_target([&] {
              const WalkSum sum = series.kind == WalkKind::steps
                                      ? walk_sum(series.lambda, walk_counts(g, 4), walk_counts(h, 4))
                                      : walk_sum(series, walk_spectrum(g), walk_spectrum(h));
              EXPECT_NEAR(sum.value, expected, 1e-11 * expected);
              EXPECT_NEAR(sum.slope, slope, 1e-7 * slope);
              if (series.kind == WalkKind::steps) return;
              const double alone = walk_sum(series, walk_spectrum(g), walk_spectrum(h), Slope::unwanted).value;
              EXPECT_NEAR(alone, expected, 1e-11 * expected);
            });
          }
        }
      }
    }
  }
}

TEST(Walks, BothOrdersGiveTheSameBits) {
  for (unsigned seed = 0; seed < 10; ++seed) {
    const WalkSpectrum x = walk_spectrum(random_graph(9, 0.4, seed)),
                       y = walk_spectrum(random_graph(9, 0.4, seed + 50));
    EXPECT_EQ(walk_sum({.lambda = 0.01}, x, y).value, walk_sum({.lambda = 0.01}, y, x).value);
  }
}

TEST(Walks, WithoutMatchesThereIsNothing) {
  ProductGraph product;
  product.assign({path(2), {0, 0}, {}}, {path(2), {1, 1}, {}}, {});
  for (const WalkKind kind : {WalkKind::geometric, WalkKind::exponential, WalkKind::steps}) {
    EXPECT_EQ(product.sum({.kind = kind, .lambda = 0.1, .steps = 3}).value, 0);
  }
  product.assign({graph(2, {}), {0, 0}, {}}, {graph(3, {}), {0, 0, 1}, {}}, {});
  for (const WalkKind kind : {WalkKind::geometric, WalkKind::exponential, WalkKind::steps}) {
    EXPECT_EQ(product.sum({.kind = kind, .lambda = 1e6, .steps = 3}).value, 4);
  }
}

}  // namespace
}  // namespace mercer::walks_test
