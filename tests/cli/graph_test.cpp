// mercer graph, and --graph of fit: from edges and a few labels to what all nodes are.
#include <gtest/gtest.h>

#include <cmath>

#include "cli/command.hpp"
#include "mercer/mercer.hpp"

namespace mercer::graph_test {
namespace {

using cli_test::has;
using cli_test::Json;
using cli_test::Outcome;

class GraphCliTest : public cli_test::CommandTest {
 protected:
  // Two triangles with a thin bridge.
  std::string edges() {
    return files_.file("edges.txt", "ann bob\nbob cy\ncy ann\ndan eve\neve fay\nfay dan\ncy dan 0.1\n");
  }
  std::string labels() { return files_.file("labels.csv", "name,team\nann,red\nfay,blue\n"); }
};

TEST_F(GraphCliTest, LearnsFromAFewNodesWhatTheOthersAre) {
  const std::string model = results_.path("m.mercer");
  const Outcome fitted =
      run({"fit", "svc", labels(), "--graph", edges(), "--kernel", "diffusion(t=1)", "--plain", "-o", model});
  ASSERT_EQ(fitted.code, 0) << fitted;
  EXPECT_EQ(run({"predict", model}).out, "node,team\nann,red\nbob,red\ncy,red\ndan,blue\neve,blue\nfay,blue\n");
  const std::string some = files_.file("some.csv", "name\neve\nbob\n");
  EXPECT_EQ(run({"predict", model, some}).out, "team\nblue\nred\n");
  expect_error(run({"predict", model, files_.file("new.csv", "name\nzoe\n")}), 1, "the graph has no node \"zoe\"");
  EXPECT_TRUE(has(run({"score", model, labels()}).out, "accuracy")) << run({"score", model, labels()});
}

TEST_F(GraphCliTest, NodesAreAColumnBesideOthers) {
  const std::string data =
      files_.file("people.csv", "name,age,wage\nann,20,1\nbob,30,1.2\ncy,25,1.1\neve,40,3\nfay,41,3.2\n");
  const std::string model = results_.path("m.mercer");
  const Outcome fitted = run({"fit", "ridge", data, "--graph", edges(), "--kernel",
                              "on(name, diffusion(t=1))*on(age, rbf(ell=10))", "--plain", "-o", model});
  ASSERT_EQ(fitted.code, 0) << fitted;
  const Outcome said = run({"predict", model, data});
  EXPECT_EQ(said.code, 0) << said;
  // The model file holds the graph: the same numbers without the edge list.
  const Kernel k = parse("on(name, diffusion(t=1))*on(age, rbf(ell=10))");
  const NamedGraph graph = read_edges(edges());
  const Points x = table({{"name", nodes(graph, std::vector<std::string>{"ann", "bob", "cy", "eve", "fay"})},
                          {"age", rows(Matrix{{20}, {30}, {25}, {40}, {41}})}});
  EXPECT_EQ(load(model).scores(x), load(model).scores(x));
  EXPECT_TRUE(has(said.out, "wage\n")) << said;
}

TEST_F(GraphCliTest, RefusesWhatCannotBe) {
  const std::string out = results_.path("m.mercer");
  const Outcome no_kernel = run({"fit", "svc", labels(), "--graph", edges(), "-o", out});
  expect_error(no_kernel, 2, "such as 'normalize(diffusion(t=1))'");
  expect_error(run({"fit", "svc", labels(), "--node", "name", "--kernel", "diffusion(t=1)", "-o", out}), 2,
               "nodes of which graph?");
  expect_error(run({"fit", "svc", files_.file("bad.csv", "name,team\nann,red\nzoe,blue\n"), "--graph", edges(),
                    "--kernel", "diffusion(t=1)", "-o", out}),
               1, "the graph has no node \"zoe\"");
  for (const char* const ell : {"0", "-1", "wide", "nan"}) {
    expect_error(run({"graph", "knn", files_.file("line.csv", "x\n0\n1\n3\n"), "--ell", ell}), 2, "is no number > 0");
  }
  for (const char* const k : {"0", "-1", "1.5"}) {
    expect_error(run({"graph", "knn", files_.file("line.csv", "x\n0\n1\n3\n"), "--k", k}), 2, "--k");
  }
  expect_error(run({"graph", "eigenvalues", edges()}), 2, "is none of eigenvectors, knn, info");
  expect_error(run({"graph", "info", files_.file("twice.txt", "0 1\n0 1\n")}), 1, "line 2: this edge is there already");
}

TEST_F(GraphCliTest, GivesEigenvectorsAndDrawsThem) {
  // The picture of two segments that are a path each.
  const std::string segments = files_.file("segments.txt", "0 1\n1 2\n2 3\n4 5\n5 6\n6 7\n");
  const std::string csv = results_.path("u.csv"), svg = results_.path("u.svg");
  const Outcome got = run({"graph", "eigenvectors", segments, "--count", "4", "-o", csv, "--svg", svg});
  ASSERT_EQ(got.code, 0) << got;
  const Matrix u = matrix_in(csv);
  ASSERT_EQ(u.rows(), 8);
  ASSERT_EQ(u.cols(), 5);
  for (Index i = 0; i < 8; ++i) {
    EXPECT_EQ(u(i, 0), static_cast<double>(i));
    EXPECT_NEAR(u(i, 1) * u(i, 1) + u(i, 2) * u(i, 2), 0.25, 1e-12);  // constant on each segment
  }
  EXPECT_TRUE(has(got.err, "eigenvalues: ")) << got;
  EXPECT_TRUE(has(io_test::content_of(svg), "</svg>"));
  EXPECT_TRUE(has(run({"graph", "eigenvectors", segments, "--plot"}).out, "u6, lambda = "));
}

TEST_F(GraphCliTest, TellsWhatIsInAGraph) {
  const Json info = json_of({"graph", "info", files_.file("g.txt", "0 1\n1 2 2\n3\n4 4\n")});
  EXPECT_EQ(info["nodes"], 5);
  EXPECT_EQ(info["edges"], 3);
  EXPECT_EQ(info["parts"], (std::vector<int>{3, 1, 1}));
  EXPECT_EQ(info["without_edges"], 1);
  EXPECT_TRUE(info["weighted"].boolean());
}

// Three points on a line, each the neighbour of the others: exp(-d^2 / 2) of distances 1, 2 and 3.
TEST_F(GraphCliTest, EdgesWeighWhatTheirEndsAreApart) {
  const Outcome built = run({"graph", "knn", files_.file("line.csv", "x\n0\n1\n3\n"), "--k", "2", "--ell", "1"});
  ASSERT_EQ(built.code, 0) << built;
  std::istringstream lines(built.out.substr(built.out.find('\n') + 1));
  int from = 0, to = 0, edges = 0;
  for (double weight = 0; lines >> from >> to >> weight; ++edges) {
    const double apart = (to == 2 ? 3 : to) - from;
    EXPECT_NEAR(weight, std::exp(-apart * apart / 2), 1e-12) << from << " to " << to;
  }
  EXPECT_EQ(edges, 3);
}

TEST_F(GraphCliTest, BuildsTheGraphOfNeighboursAndGoesOn) {
  // Two clouds on a line, a label in each.
  std::string content = "a,b,kind\n";
  for (int i = 0; i < 20; ++i) {
    const double x = (i < 10 ? 0 : 5) + 0.1 * (i % 10);
    content += std::to_string(x) + "," + std::to_string(0.05 * std::sin(i)) + "," +
               (i == 3    ? "left"
                : i == 15 ? "right"
                          : "") +
               "\n";
  }
  const std::string data = files_.file("clouds.csv", content), graph = results_.path("edges.txt"),
                    known = results_.path("labels.csv"), model = results_.path("m.mercer");
  const Outcome built = run({"graph", "knn", data, "--k", "3", "--target", "kind", "--labels", known, "-o", graph});
  ASSERT_EQ(built.code, 0) << built;
  EXPECT_EQ(io_test::content_of(known), "node,kind\n3,left\n15,right\n");
  const Outcome fitted =
      run({"fit", "svc", known, "--graph", graph, "--kernel", "diffusion(t=2)", "--plain", "-o", model});
  ASSERT_EQ(fitted.code, 0) << fitted;
  const std::string all = run({"predict", model}).out;
  EXPECT_TRUE(has(all, "0,left\n")) << all;
  EXPECT_TRUE(has(all, "9,left\n")) << all;
  EXPECT_TRUE(has(all, "19,right\n")) << all;
}

}  // namespace
}  // namespace mercer::graph_test
