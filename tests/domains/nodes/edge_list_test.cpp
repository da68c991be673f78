// Edge lists: what is read, and what is refused, with the line to look at.
#include <gtest/gtest.h>

#include <cmath>

#include "mercer/mercer.hpp"

namespace mercer::edge_list_test {
namespace {

NamedGraph parsed(const std::string& text) { return parse_edges(text, "e.txt"); }

std::string refusal(const std::string& text) {
  try {
    (void)parsed(text);
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

TEST(EdgeList, TakesAnySeparatorAndComments) {
  const NamedGraph g = parsed("# a comment\n0 1\n1\t2 0.5  # behind an edge\n\n2 , 3, 2\r\n");
  EXPECT_EQ(g.graph.nodes(), 4);
  EXPECT_EQ(g.graph.edges(), 3);
  EXPECT_TRUE(g.names.empty());
  EXPECT_EQ(g.graph.weights(1)[1], 0.5);
  EXPECT_EQ(g.graph.weights(3)[0], 2);
  EXPECT_FALSE(g.graph.directed());
}

TEST(EdgeList, NamesNodes) {
  const NamedGraph texts = parsed("bob ann\nann cy\n");
  EXPECT_EQ(texts.names, (std::vector<std::string>{"bob", "ann", "cy"}));
  const NamedGraph numbers = parsed("30 10\n10 20\n");  // not 0, 1, 2: in their order
  EXPECT_EQ(numbers.names, (std::vector<std::string>{"10", "20", "30"}));
  EXPECT_EQ(numbers.graph.neighbours(0).size(), 2u);
  EXPECT_EQ(ids_of(nodes(numbers, std::vector<std::string>{"30"})), (std::vector<Index>{2}));
}

TEST(EdgeList, AZeroInFrontMakesAName) {
  const NamedGraph g = parsed("01 1\n1 2\n");
  EXPECT_EQ(g.names, (std::vector<std::string>{"01", "1", "2"}));
  EXPECT_EQ(g.graph.edges(), 2);
  EXPECT_FALSE(g.graph.has_self_loops());
}

TEST(EdgeList, TakesNodesWithoutEdgesAndSelfLoops) {
  const NamedGraph g = parsed("0 1\n2\n1 1 3\n");
  EXPECT_EQ(g.graph.nodes(), 3);
  EXPECT_TRUE(g.graph.neighbours(2).empty());
  EXPECT_TRUE(g.graph.has_self_loops());
}

TEST(EdgeList, PassesOverNamesOfColumns) {
  EXPECT_EQ(parsed("from,to\n0,1\n1,2\n").graph.nodes(), 3);
  EXPECT_EQ(parsed("from to weight\na b 2\n").graph.nodes(), 2);
  EXPECT_EQ(parsed("from to\na b\n").graph.nodes(), 4);  // cannot be told
}

TEST(EdgeList, HasNoDirections) {
  EXPECT_EQ(parsed("0 1 2\n1 0 2\n").graph.edges(), 1);
  EXPECT_EQ(parsed("0 1\n").graph.neighbours(1).size(), 1u);
  EXPECT_NE(refusal("0 1 2\n1 0 3\n").find("lines 1 and 2 give the two directions"), std::string::npos);
}

TEST(EdgeList, SaysWhatIsWrong) {
  EXPECT_NE(refusal("0 1\n0 1\n").find("line 2: this edge is there already, on line 1"), std::string::npos);
  EXPECT_NE(refusal("0 1 -2\n").find("line 1: the weight -2 is below 0"), std::string::npos);
  EXPECT_NE(refusal("0 1 2\n1 2 x\n").find("line 2: the weight \"x\" is no number"), std::string::npos);
  EXPECT_NE(refusal("0 1 1 1\n").find("more than two nodes"), std::string::npos);
  EXPECT_NE(refusal("0,,1\n").find("line 1: nothing stands before a comma"), std::string::npos);
  EXPECT_NE(refusal("# nothing\n").find("no edge"), std::string::npos);
  EXPECT_NE(refusal("0 1 nan\n1 2 1\n").size(), 0u);
  EXPECT_THROW((void)read_edges("/nowhere/edges.txt"), Error);
}

TEST(NearestNeighbours, AreThoseOfTheDoubleLoop) {
  const Points x = rows(Matrix{{0, 0}, {1, 0}, {0, 1.5}, {5, 5}, {5, 6}, {9, 9}});
  const Graph g = nearest_neighbours(x, {.k = 1});
  const auto of = [&](Index i) { return std::vector<std::int32_t>(g.neighbours(i).begin(), g.neighbours(i).end()); };
  EXPECT_EQ(of(0), (std::vector<std::int32_t>{1, 2}));
  EXPECT_EQ(of(3), (std::vector<std::int32_t>{4}));
  EXPECT_EQ(of(5), (std::vector<std::int32_t>{4}));
  EXPECT_FALSE(g.is_weighted());
  EXPECT_NEAR(nearest_neighbours(x, {.k = 1, .ell = 2}).weights(2)[0], std::exp(-1.5 * 1.5 / 8), 1e-14);
  EXPECT_EQ(nearest_neighbours(x, {.k = 99}).edges(), 15);
  EXPECT_THROW(nearest_neighbours(x, {.k = 0}), Error);
  EXPECT_THROW(nearest_neighbours(strings({"a", "b"})), Error);
}

}  // namespace
}  // namespace mercer::edge_list_test
