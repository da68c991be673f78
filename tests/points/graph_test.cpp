#include "mercer/graph.hpp"

#include <gtest/gtest.h>

#include <limits>
#include <string>
#include <vector>

#include "support.hpp"

namespace mercer::graph_test {
namespace {

using test::expect_error;
using Nodes = std::vector<std::int32_t>;
using Numbers = std::vector<double>;

Nodes list(std::span<const std::int32_t> x) { return {x.begin(), x.end()}; }
Numbers list(std::span<const double> x) { return {x.begin(), x.end()}; }

TEST(Graph, AnUndirectedEdgeStandsInBothRowsInIncreasingOrder) {
  const Graph g = graph(4, {{2, 1, 0.5}, {0, 2, 3}});
  EXPECT_EQ(g.nodes(), 4);
  EXPECT_EQ(g.edges(), 2);
  EXPECT_TRUE(g.is_weighted());
  EXPECT_EQ(list(g.neighbours(2)), (Nodes{0, 1}));
  EXPECT_EQ(list(g.weights(2)), (Numbers{3, 0.5}));
  EXPECT_EQ(list(g.neighbours(1)), Nodes{2});
  EXPECT_TRUE(g.neighbours(3).empty());
  EXPECT_EQ(g.offsets().size(), 5U);
  EXPECT_EQ(g.offsets()[4], 4);
}

TEST(Graph, ADirectedEdgeStandsInTheRowItLeavesFrom) {
  const Graph g = graph({.nodes = 2, .edges = {{1, 0}, {0, 1}, {0, 0}}, .directed = true});
  EXPECT_TRUE(g.directed());
  EXPECT_EQ(list(g.neighbours(0)), (Nodes{0, 1}));
  EXPECT_EQ(list(g.neighbours(1)), Nodes{0});
}

TEST(Graph, ASelfLoopStandsOnce) {
  const Graph g = graph(2, {{0, 0, 2}, {0, 1}});
  EXPECT_TRUE(g.has_self_loops());
  EXPECT_EQ(g.edges(), 2);
  EXPECT_EQ(list(g.neighbours(0)), (Nodes{0, 1}));
  EXPECT_FALSE(graph(2, {{0, 1}}).has_self_loops());
}

TEST(Graph, LabelsAreNumbersOfSortedNamesAndFollowTheirEdges) {
  const Graph g = graph(
      {.nodes = 3, .edges = {{0, 2}, {0, 1}}, .node_labels = {"O", "H", "H"}, .edge_labels = {"double", "single"}});
  EXPECT_EQ(g.node_label_names(), (std::vector<std::string>{"H", "O"}));
  EXPECT_EQ(list(g.node_labels()), (Nodes{1, 0, 0}));
  EXPECT_EQ(g.edge_label_names(), (std::vector<std::string>{"double", "single"}));
  EXPECT_EQ(list(g.edge_labels()), (Nodes{1, 0, 1, 0}));  // 0-1, 0-2, 1-0, 2-0
}

TEST(Graph, AttributesAreRows) {
  const Graph g = graph({.nodes = 2, .attributes = Matrix{{1, 2, 3}, {4, 5, 6}}});
  EXPECT_EQ(g.attributes()(1, 2), 6);
  EXPECT_EQ(graph(2, {}).attributes().cols(), 0);
}

TEST(Graph, ThereAreGraphsWithoutEdgesAndWithoutNodes) {
  EXPECT_EQ(Graph().nodes(), 0);
  EXPECT_EQ(Graph().edges(), 0);
  EXPECT_EQ(graph(0, {}).offsets().size(), 1U);
  EXPECT_TRUE(graph(1, {}).neighbours(0).empty());
}

TEST(Graph, RefusesWhatIsNoGraph) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const auto refused = [](GraphParts parts, const std::string& because) {
    expect_error([&] { graph(std::move(parts)); }, "DataError", {because});
  };
  refused({.nodes = 3, .edges = {{0, 1}, {1, 3}}}, "node 3 is not there: the graph has 3 nodes");
  refused({.nodes = 3, .edges = {{-1, 1}}}, "edge 1 leads from node -1");
  refused({.nodes = 3, .edges = {{0, 1, nan}}}, "weights must be finite");
  refused({.nodes = 3, .edges = {{0, 1}, {1, 0}}}, "given twice");
  refused({.nodes = 3, .edges = {{1, 1}, {1, 1}}}, "given twice");
  refused({.nodes = -1}, "-1 nodes");
  refused({.nodes = 2, .node_labels = {"a"}}, "1 node labels in a graph of 2");
  refused({.nodes = 2, .edges = {{0, 1}}, .edge_labels = {"a", "b"}}, "2 edge labels in a graph of 1");
  refused({.nodes = 2, .attributes = Matrix{{1}}}, "attributes of 1 nodes");
  refused({.nodes = 2, .attributes = Matrix{{1, 2}, {3, nan}}}, "attribute 2 of node 1 is nan");
}

}  // namespace
}  // namespace mercer::graph_test
