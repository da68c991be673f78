// Rows of functions of the Laplacian by Chebyshev series: within the error they state, in any company, on any threads.
#include <gtest/gtest.h>

#include <numeric>

#include "base/parallel.hpp"
#include "domains/nodes/graphs.hpp"
#include "domains/nodes/oracle.hpp"
#include "domains/nodes/series_rows.hpp"

namespace mercer::detail::series_test {
namespace {

std::vector<std::int32_t> all_nodes(const Graph& graph) {
  std::vector<std::int32_t> out(static_cast<std::size_t>(graph.nodes()));
  std::iota(out.begin(), out.end(), 0);
  return out;
}

double value_of(const Vector& c, double x) {
  double sum = 0;
  for (std::size_t k = 0; k < c.size(); ++k) sum += c[k] * std::cos(static_cast<double>(k) * std::acos(x));
  return sum;
}

TEST(ChebyshevSeries, ErrorsAreWithinTheirBound) {
  for (const double parameter : {1e-300, 1e-20, 1e-9, 1e-3, 0.3, 1.0, 12.0}) {
    for (const double top : {0.5, 2.0, 40.0}) {
      const SpectralSeries heat = exponential_series(parameter, top, 1e-9);
      const SpectralSeries resolvent = resolvent_series(parameter, top, 1e-9);
      EXPECT_LE(heat.value.error, 1e-9);
      EXPECT_LE(resolvent.slope.error, 1e-9);
      for (double x = -1; x <= 1; x += 1.0 / 64) {
        const double lambda = top * (1 + x) / 2, rounding = 1e-12 * (1 + top);
        EXPECT_NEAR(value_of(heat.value.c, x), std::exp(-parameter * lambda), heat.value.error + rounding);
        EXPECT_NEAR(value_of(heat.slope.c, x), -lambda * std::exp(-parameter * lambda), heat.slope.error + rounding);
        const double g = 1 / (1 + parameter * parameter * lambda);
        EXPECT_NEAR(value_of(resolvent.value.c, x), g, resolvent.value.error + rounding);
        EXPECT_NEAR(value_of(resolvent.slope.c, x), -2 * parameter * lambda * g * g, resolvent.slope.error + rounding);
      }
    }
  }
}

TEST(ChebyshevSeries, KeepsItsDegreeSmall) {
  // z = t top / 2 = 10 and 100: the degrees that an absolute error of 1e-12 needs.
  EXPECT_EQ(exponential_series(1, 20, 1e-12).value.degree(), 26);
  EXPECT_EQ(exponential_series(1, 200, 1e-12).value.degree(), 73);
}

TEST(NodeOperator, BoundsTheLargestEigenvalue) {
  EXPECT_NEAR(NodeOperator(nodes_test::complete(6), NodeMatrix::adjacency).top, 5, 1e-6);
  for (const Graph& graph : {nodes_test::star(9), nodes_test::path(7), nodes_test::random_graph(30, 0.2, 3)}) {
    const NodeOperator plain(graph, NodeMatrix::plain);
    // No quotient v'Lv / v'v is larger.
    Random random(4);
    for (int trial = 0; trial < 50; ++trial) {
      Vector v(static_cast<std::size_t>(graph.nodes()));
      for (double& value : v) value = random.normal();
      double form = 0, norm = 0;
      const Matrix l = plain.dense();
      for (Index i = 0; i < l.rows(); ++i) {
        norm += v[static_cast<std::size_t>(i)] * v[static_cast<std::size_t>(i)];
        for (Index j = 0; j < l.cols(); ++j)
          form += v[static_cast<std::size_t>(i)] * l(i, j) * v[static_cast<std::size_t>(j)];
      }
      EXPECT_LE(form / norm, plain.top);
    }
  }
  EXPECT_NEAR(NodeOperator(nodes_test::star(9), NodeMatrix::plain).top, 9, 0.1);
  EXPECT_EQ(NodeOperator(graph(3, {}), NodeMatrix::plain).top, 0);
}

TEST(SeriesRows, AreTheMatrixExponential) {
  for (const NodeMatrix which : {NodeMatrix::plain, NodeMatrix::normalized}) {
    const Graph graph = nodes_test::random_graph(40, 0.08, 7);
    const NodeOperator l(graph, which);
    for (const double t : {0.05, 1.0, 8.0}) {
      const auto want = nodes_oracle::exponential(nodes_oracle::sum(
          -t, nodes_oracle::laplacian(graph, which == NodeMatrix::normalized), 0, nodes_oracle::zeros(40)));
      const SpectralSeries heat = exponential_series(t, l.top, 2e-9);
      const auto nodes = all_nodes(graph);
      for (const double rounding : {0.0, 7e-9, 1.0}) {
        const Matrix got = series_rows(l, heat.value, rounding, nodes, nodes);
        double error = 0;
        for (Index i = 0; i < 40; ++i) {
          for (Index j = 0; j < 40; ++j) {
            error = std::max(
                error, std::abs(got(i, j) -
                                static_cast<double>(want[static_cast<std::size_t>(i)][static_cast<std::size_t>(j)])));
          }
        }
        EXPECT_LE(error, heat.value.error + rounding + 1e-13) << "t " << t << " rounding " << rounding;
        // Single precision all the way, so that it was tried.
        if (rounding == 1.0) {
          EXPECT_GT(error, 1e-9);
        }
      }
    }
  }
}

TEST(SeriesRows, AreTheSameBitsInAnyCompany) {
  const Graph graph = nodes_test::path(3000);
  const NodeOperator l(graph, NodeMatrix::plain);
  const ChebyshevSeries f = exponential_series(3, l.top, 1e-9).value;
  std::vector<std::int32_t> many;
  for (std::int32_t i = 0; i < 40; ++i) many.push_back(70 * i);
  const std::vector<std::int32_t> few = {many[17], many[3]};
  const Matrix all = series_rows(l, f, 5e-9, many, all_nodes(graph)), some = series_rows(l, f, 5e-9, few, few);
  EXPECT_EQ(some(0, 0), all(17, few[0]));
  EXPECT_EQ(some(0, 1), all(17, few[1]));
  EXPECT_EQ(some(1, 1), all(3, few[1]));
  const Vector diagonal = series_diagonal(l, f, 5e-9, many);
  EXPECT_EQ(diagonal[17], some(0, 0));
  const Threads one(1);
  EXPECT_EQ(series_rows(l, f, 5e-9, many, all_nodes(graph)), all);
}

}  // namespace
}  // namespace mercer::detail::series_test
