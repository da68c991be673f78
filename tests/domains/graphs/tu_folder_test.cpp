#include "domains/graphs/tu_folder.hpp"

#include <gtest/gtest.h>

#include "support.hpp"

namespace mercer::tu_folder_test {
namespace {

using test::expect_error;

// A path of three nodes and an edge.
TuTexts sample() { return {.edges = "1, 2\n2, 1\n2,3\n3, 2\n5, 4\n4, 5\n", .graph_of_node = "1\n1\n1\n2\n2\n"}; }

TEST(TuFolder, ReadsGraphsLabelsAndAttributes) {
  TuTexts texts = sample();
  texts.graph_labels = "1\r\n-1\r\n\r\n";
  texts.node_labels = "C\nO\nC\nC\nN\n";
  texts.edge_labels = "1\n1\n2\n2\n1\n1\n";
  texts.node_attributes = "1, 2\n3, 4\n5, 6\n7, 8\n9, 1e1\n";
  const TuGraphs read = parse_tu(texts, "X");
  ASSERT_EQ(read.graphs.size(), 2U);
  EXPECT_EQ(read.targets, (std::vector<std::string>{"1", "-1"}));
  EXPECT_EQ(read.graphs[0].nodes(), 3);
  EXPECT_EQ(read.graphs[0].edges(), 2);
  EXPECT_EQ(read.graphs[0].node_label_names(), (std::vector<std::string>{"C", "O"}));
  EXPECT_EQ(read.graphs[0].edge_labels()[2], 1);  // from node 1 to node 2
  EXPECT_EQ(read.graphs[1].attributes()(1, 1), 10);
}

TEST(TuFolder, PartsMayBeMissingAndGraphsEmpty) {
  EXPECT_TRUE(parse_tu(sample(), "X").targets.empty());
  TuTexts texts = sample();
  texts.graph_attributes = "0.5\n1.5\n2\n";
  const TuGraphs read = parse_tu(texts, "X");
  ASSERT_EQ(read.graphs.size(), 3U);
  EXPECT_EQ(read.graphs[2].nodes(), 0);
  EXPECT_EQ(read.targets[2], "2");
}

TEST(TuFolder, ASelfLoopStandsInOneLine) {
  const TuGraphs read = parse_tu({.edges = "1, 1\n1, 2\n2, 1\n", .graph_of_node = "1\n1\n"}, "X");
  EXPECT_TRUE(read.graphs[0].has_self_loops());
  EXPECT_EQ(read.graphs[0].edges(), 2);
}

TEST(TuFolder, SaysWhatDoesNotFit) {
  const auto refused = [](auto change, const std::string& because) {
    TuTexts texts = sample();
    change(texts);
    expect_error([&] { parse_tu(texts, "X"); }, "DataError", {because});
  };
  refused([](TuTexts& t) { t.edges = "1, 2\n"; }, "X: A: line 1 is the edge 1, 2 without its other direction 2, 1");
  refused([](TuTexts& t) { t.edges = "1, 2\n2, 1\n1, 2\n"; },
          "X: A: line 3 is the edge 1, 2 again; it stands in line 1");
  refused([](TuTexts& t) { t.edges = "1, 1\n1, 1\n"; }, "X: A: line 2 is the edge 1, 1 again");
  refused([](TuTexts& t) { t.edges = "1, 6\n"; },
          "X: A: line 1 names node 6; nodes are numbered from 1, and there are 5");
  refused([](TuTexts& t) { t.edges = "1, 0\n"; }, "names node 0");
  refused([](TuTexts& t) { t.edges = "3, 4\n4, 3\n"; }, "leads from node 3 of graph 1 to node 4 of graph 2");
  refused([](TuTexts& t) { t.edges = "1 and 2\n"; }, "it must be two nodes");
  refused([](TuTexts& t) { t.edges = "1, 2, 3\n"; }, "it must be two nodes");
  refused([](TuTexts& t) { t.edges = "1, 2\n\n2, 1\n"; }, "A: line 2 is blank");
  refused([](TuTexts& t) { t.graph_of_node = "1\n1\n1\nx\n2\n"; }, "graph_indicator: line 4 is \"x\"");
  refused([](TuTexts& t) { t.graph_of_node = "1\n1\n1\n0\n2\n"; }, "graphs are numbered from 1");
  refused([](TuTexts& t) { t.graph_of_node = "1\n1\n1\n2\n999999999\n"; }, "there are at most 5");
  refused([](TuTexts& t) { t.graph_labels = "1\n"; },
          "graph_indicator: line 4 is 2; graphs are numbered from 1, and there are 1");
  refused([](TuTexts& t) { t.node_labels = "1\n"; }, "node_labels: has 1 lines, and there are 5 nodes");
  refused([](TuTexts& t) { t.edge_labels = "1\n2\n"; }, "edge_labels: has 2 lines, and there are 6 edges");
  refused([](TuTexts& t) { t.edge_labels = "1\n2\n1\n1\n1\n1\n"; }, "edge_labels: line 2 is \"2\", and line 1");
  refused([](TuTexts& t) { t.node_attributes = "1\n2\n3,4\n5\n6\n"; }, "node_attributes: line 3 has 2 numbers");
  refused([](TuTexts& t) { t.node_attributes = "1\n2\nnan\n5\n6\n"; }, "node_attributes: line 3 has \"nan\"");
  refused([](TuTexts& t) { t = {.edges = "", .graph_of_node = ""}; }, "X: holds no graphs");
}

}  // namespace
}  // namespace mercer::tu_folder_test
