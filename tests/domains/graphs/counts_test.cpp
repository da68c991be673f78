#include "domains/graphs/counts.hpp"

#include <gtest/gtest.h>

#include <charconv>
#include <cstdlib>
#include <map>
#include <numeric>
#include <random>
#include <string>
#include <tuple>
#include <vector>

#include "domains/graphs/distances.hpp"
#include "domains/graphs/samples.hpp"
#include "support.hpp"

namespace mercer::counts_test {
namespace {

using namespace test;
using Graphs = std::vector<Graph>;

Matrix products(const SparseMatrix& a, const SparseMatrix& b) {
  Matrix out(a.rows, b.rows);
  for (Index i = 0; i < a.rows; ++i) {
    std::map<std::int32_t, double> row;
    for (auto p = a.offsets[size_t(i)]; p < a.offsets[size_t(i) + 1]; ++p)
      row[a.columns[size_t(p)]] = a.values[size_t(p)];
    for (Index j = 0; j < b.rows; ++j) {
      for (auto p = b.offsets[size_t(j)]; p < b.offsets[size_t(j) + 1]; ++p) {
        const auto found = row.find(b.columns[size_t(p)]);
        if (found != row.end()) out(i, j) += found->second * b.values[size_t(p)];
      }
    }
  }
  return out;
}

Matrix wl(const Graphs& graphs, int h, bool edge_labels = false) {
  Vocabulary vocabulary;
  const SparseMatrix counts = wl_counts(graphs, h, {.edges = edge_labels}, vocabulary);
  return products(counts, counts);
}

Matrix shortest_path(const Graphs& graphs) {
  Vocabulary vocabulary;
  const SparseMatrix counts = shortest_path_counts(graphs, true, vocabulary);
  return products(counts, counts);
}

// The colour of a node as the text of its whole tree of walks: what numbers of colours stand for.
std::string tree(const Graph& g, Index i, int depth, bool edge_labels) {
  const auto at = [](Index k) { return static_cast<std::size_t>(k); };
  if (depth == 0) {
    return g.node_labels().empty() ? "*" : g.node_label_names()[at(g.node_labels()[at(i)])];
  }
  std::vector<std::string> below;
  for (Index e = g.offsets()[at(i)]; e < g.offsets()[at(i) + 1]; ++e) {
    const std::string label =
        edge_labels && !g.edge_labels().empty() ? g.edge_label_names()[at(g.edge_labels()[at(e)])] : "";
    below.push_back(label + tree(g, g.neighbours()[at(e)], depth - 1, edge_labels));
  }
  std::sort(below.begin(), below.end());
  std::string out = tree(g, i, depth - 1, edge_labels) + "(";
  for (const std::string& child : below) out += child + ",";
  return out + ")";
}

double wl_by_trees(const Graph& a, const Graph& b, int h, bool edge_labels) {
  double total = 0;
  for (int depth = 0; depth <= h; ++depth) {
    for (Index i = 0; i < a.nodes(); ++i) {
      for (Index j = 0; j < b.nodes(); ++j) {
        total += tree(a, i, depth, edge_labels) == tree(b, j, depth, edge_labels);
      }
    }
  }
  return total;
}

TEST(GraphCounts, WlOfWaterAndHydronium) {
  const Graphs graphs{water(), hydronium()};
  EXPECT_EQ(wl(graphs, 0), (Matrix{{5, 7}, {7, 10}}));
  EXPECT_EQ(wl(graphs, 1), (Matrix{{10, 13}, {13, 20}}));
  EXPECT_EQ(wl(graphs, 2), (Matrix{{15, 13}, {13, 30}}));
  EXPECT_EQ(wl(graphs, 3), (Matrix{{20, 13}, {13, 40}}));
}

TEST(GraphCounts, WlWithoutLabels) {
  EXPECT_EQ(wl({path(4), star(4)}, 1), (Matrix{{24, 22}, {22, 26}}));
  EXPECT_EQ(wl({path(4), star(4)}, 2), (Matrix{{32, 22}, {22, 36}}));
}

TEST(GraphCounts, WlDoesNotTellARingOfSixFromTwoTriangles) {
  for (const int h : {0, 1, 2, 5}) {
    const double all = 36.0 * (h + 1);
    EXPECT_EQ(wl({ring(6), two_triangles()}, h), (Matrix{{all, all}, {all, all}}));
  }
}

TEST(GraphCounts, WlCountsEqualTrees) {
  for (const bool edge_labels : {false, true}) {
    Graphs graphs{Graph(), graph(3, {})};
    for (unsigned seed = 0; seed < 8; ++seed) {
      graphs.push_back(random_graph(2 + seed, 0.3, seed,
                                    {.node_labels = seed % 3 != 0,
                                     .edge_labels = seed % 2 != 0,
                                     .directed = seed % 4 == 3,
                                     .self_loops = seed > 4}));
    }
    const Matrix K = wl(graphs, 2, edge_labels);
    for (Index i = 0; i < K.rows(); ++i) {
      for (Index j = 0; j < K.cols(); ++j) {
        EXPECT_EQ(K(i, j), wl_by_trees(graphs[size_t(i)], graphs[size_t(j)], 2, edge_labels)) << i << " " << j;
      }
    }
  }
}

TEST(GraphCounts, NewGraphsTakeTheColumnsOfKnownOnes) {
  Graphs known, fresh, all;
  for (unsigned seed = 0; seed < 6; ++seed) known.push_back(random_graph(7, 0.3, seed));
  for (unsigned seed = 6; seed < 10; ++seed) fresh.push_back(random_graph(8, 0.3, seed));
  fresh.push_back(graph({.nodes = 2, .edges = {{0, 1}}, .node_labels = {"Xe", "C"}}));
  all = known;
  all.insert(all.end(), fresh.begin(), fresh.end());

  const auto check = [&](auto counts) {
    Vocabulary together;
    const SparseMatrix whole = counts(all, together);
    const auto vocabulary = std::make_shared<Vocabulary>();
    const SparseMatrix old_rows = counts(known, *vocabulary);
    Vocabulary behind{std::shared_ptr<const Vocabulary>(vocabulary)};
    const SparseMatrix new_rows = counts(fresh, behind);
    EXPECT_EQ(old_rows.cols, vocabulary->features.size());
    EXPECT_GT(new_rows.cols, old_rows.cols);
    const Matrix K = products(whole, whole);
    EXPECT_EQ(products(old_rows, new_rows), Matrix(K.view().block({0, 6}, {6, 11})));
    EXPECT_EQ(products(new_rows, new_rows), Matrix(K.view().block({6, 11}, {6, 11})));
  };
  check([](const Graphs& g, Vocabulary& v) { return wl_counts(g, 3, {}, v); });
  check([](const Graphs& g, Vocabulary& v) { return shortest_path_counts(g, true, v); });
  check([](const Graphs& g, Vocabulary& v) { return label_counts(g, v); });
}

TEST(GraphCounts, ShortestPathsOfWaterAndHydronium) {
  EXPECT_EQ(shortest_path({water(), hydronium()}), (Matrix{{12, 24}, {24, 54}}));
}

// Floyd and Warshall's distances.
std::map<std::tuple<std::string, std::string, float>, double> pairs_by_distance(const Graph& g) {
  const auto at = [](Index k) { return static_cast<std::size_t>(k); };
  const double far = std::numeric_limits<double>::infinity();
  Matrix d(g.nodes(), g.nodes(), far);
  for (Index i = 0; i < g.nodes(); ++i) {
    for (std::size_t e = 0; e < g.neighbours(i).size(); ++e) d(i, g.neighbours(i)[e]) = g.weights(i)[e];
    d(i, i) = 0;
  }
  for (Index k = 0; k < g.nodes(); ++k) {
    for (Index i = 0; i < g.nodes(); ++i) {
      for (Index j = 0; j < g.nodes(); ++j) d(i, j) = std::min(d(i, j), d(i, k) + d(k, j));
    }
  }
  std::map<std::tuple<std::string, std::string, float>, double> out;
  const auto label = [&](Index i) {
    return g.node_labels().empty() ? "" : g.node_label_names()[at(g.node_labels()[at(i)])];
  };
  for (Index i = 0; i < g.nodes(); ++i) {
    for (Index j = 0; j < g.nodes(); ++j) {
      if (i != j && d(i, j) < far) ++out[{label(i), label(j), static_cast<float>(d(i, j))}];
    }
  }
  return out;
}

TEST(GraphCounts, ShortestPathsCountPairsByLabelsAndDistance) {
  Graphs graphs{Graph(), graph(2, {})};
  for (unsigned seed = 0; seed < 12; ++seed) {
    graphs.push_back(random_graph(
        3 + seed % 6, 0.3, seed,
        {.node_labels = seed % 3 != 0, .weights = seed % 2 == 1, .directed = seed % 4 >= 2, .self_loops = seed > 8}));
  }
  const Matrix K = shortest_path(graphs);
  for (Index i = 0; i < K.rows(); ++i) {
    const auto a = pairs_by_distance(graphs[size_t(i)]);
    for (Index j = 0; j < K.cols(); ++j) {
      double expected = 0;
      for (const auto& [key, count] : pairs_by_distance(graphs[size_t(j)])) {
        const auto found = a.find(key);
        if (found != a.end()) expected += found->second * count;
      }
      EXPECT_EQ(K(i, j), expected) << i << " " << j;
    }
  }
}

// A path with these lengths.
Graph with_lengths(const Vector& lengths) {
  std::vector<GraphEdge> edges;
  for (std::size_t i = 0; i < lengths.size(); ++i) edges.push_back({Index(i), Index(i + 1), lengths[i]});
  return graph(Index(lengths.size()) + 1, std::move(edges));
}

double end_to_end(const Vector& lengths) {
  const Graph g = with_lengths(lengths);
  return Distances(g, "").from(0).back();
}

TEST(GraphCounts, DifferentLengthsAreKeptApart) {
  // They have the edge of 1700000000 in common, in both directions, and nothing else.
  EXPECT_EQ(shortest_path({with_lengths({1700000000, 1}), with_lengths({1700000000, 60})}), (Matrix{{12, 4}, {4, 12}}));
  EXPECT_EQ(end_to_end({1700000000, 60}), 1700000060);
  EXPECT_NE(end_to_end({1, 1e-15}), end_to_end({1, 2e-15}));
}

TEST(GraphCounts, LengthsAddUpAsTheyAreWritten) {
  // Sums of decimals, by hand; adding doubles gives 0.30000000000000004, 0.7999999999999999, ...
  EXPECT_EQ(end_to_end({0.1, 0.2}), 0.3);
  EXPECT_EQ(end_to_end({0.7, 0.1}), 0.8);
  EXPECT_EQ(end_to_end({1.1, 2.2}), 3.3);
  EXPECT_EQ(end_to_end(Vector(10, 0.1)), 1.0);
  EXPECT_EQ(end_to_end({1e16, 1, 1}), 10000000000000002.0);
  EXPECT_EQ(end_to_end({1, 1e16, 1}), 10000000000000002.0);
  EXPECT_EQ(end_to_end({1e22, 4e5, 4e5}), 1.00000000000000008e22);
  EXPECT_EQ(end_to_end({3e-20, 1e-20, 1e-21}), 4.1e-20);
  EXPECT_EQ(end_to_end({1e-300, 2e-300}), 3e-300);
}

TEST(GraphCounts, TheOrderOfLengthsDoesNotMatter) {
  std::mt19937_64 engine(5);
  for (int trial = 0; trial < 200; ++trial) {
    Vector lengths(12);
    for (double& length : lengths) {
      length = std::uniform_real_distribution<double>(0, 1)(engine) *
               std::pow(10, std::uniform_int_distribution<int>(-12, 12)(engine));
    }
    const double first = end_to_end(lengths);
    std::shuffle(lengths.begin(), lengths.end(), engine);
    EXPECT_EQ(end_to_end(lengths), first);
  }
}

// The decimal itself, as the C library reads it to 64 bits.
TEST(GraphCounts, ALengthIsTheDecimalThatItIsWrittenAs) {
  std::mt19937_64 engine(6);
  for (int trial = 0; trial < 2000; ++trial) {
    const double weight = std::uniform_real_distribution<double>(1, 10)(engine) *
                          std::pow(10, std::uniform_int_distribution<int>(-60, 60)(engine));
    char text[40];
    *std::to_chars(text, text + 39, weight, std::chars_format::scientific).ptr = '\0';
    const Length length = written_length(weight);
    EXPECT_EQ(length.high, weight);
    const double expected = static_cast<double>(std::strtold(text, nullptr) - static_cast<long double>(weight));
    EXPECT_NEAR(length.low, expected, std::ldexp(weight, -63));
  }
}

TEST(GraphCounts, AsManyDistancesAsPairsAreCounted) {
  std::mt19937_64 engine(7);
  std::vector<GraphEdge> edges;
  const Index n = 300;  // more pairs than are sorted at once
  for (Index i = 1; i < n; ++i) edges.push_back({i, Index(engine() % size_t(i)), 1 + 1e-9 * double(engine() % 100000)});
  const Graph g = graph(n, edges);
  Vocabulary vocabulary;
  const std::vector<Graph> one{g};
  const SparseMatrix counts = shortest_path_counts(one, false, vocabulary);
  EXPECT_EQ(std::accumulate(counts.values.begin(), counts.values.end(), 0.0), double(n * (n - 1)));
  std::map<double, double> expected;
  Distances distances(g, "");
  for (Index i = 0; i < n; ++i) {
    for (const double d : distances.from(i)) expected[d] += d > 0 ? 1 : 0;
  }
  expected.erase(0);
  ASSERT_EQ(counts.values.size(), expected.size());
  double squares = 0, own = 0;
  for (const auto& [d, times] : expected) squares += times * times;
  for (const double value : counts.values) own += value * value;
  EXPECT_EQ(own, squares);
}

TEST(GraphCounts, LengthsThatAddUpToNoNumberAreRefused) {
  expect_error([] { shortest_path({with_lengths({1e308, 1e308})}); }, "NumericError", {"add up to no number"});
}

TEST(GraphCounts, LengthsBelowZeroAreRefused) {
  expect_error(
      [] {
        shortest_path({path(2), graph(3, {{0, 1, 2}, {1, 2, -1}})});
      },
      "DomainError", {"shortest_path(): an edge has the length -1"});
}

}  // namespace
}  // namespace mercer::counts_test
