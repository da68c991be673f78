// Machines on nodes: learnt parameters, files, graphs that do not go together.
#include <gtest/gtest.h>

#include <sstream>

#include "domains/nodes/graphs.hpp"
#include "mercer/mercer.hpp"

namespace mercer::model_test {
namespace {

using namespace nodes_test;

TEST(NodeModels, AreTheSameAfterLoading) {
  const NamedGraph named{random_graph(30, 0.2, 2), [] {
                           std::vector<std::string> names;
                           for (int i = 0; i < 30; ++i) names.push_back("node " + std::to_string(i * i));
                           return names;
                         }()};
  std::vector<Index> ids;
  for (Index i = 0; i < 12; ++i) ids.push_back(2 * i);
  const Points x = nodes(named, ids);
  Matrix y(12, 1);
  for (Index i = 0; i < 12; ++i) y(i, 0) = std::sin(static_cast<double>(i));
  for (const char* text : {"diffusion(t=0.5)", "walks(length=2)", "p_step(p=3, a=2)"}) {
    const Model model = KernelRidge{.ridge = 0.1}.fit({.K = exact(parse(text), x), .y = y});
    std::stringstream file;
    save(file, model);
    const Model loaded = load_bytes(file.str(), "m.mercer");
    EXPECT_EQ(loaded.scores(nodes(named)), model.scores(nodes(named))) << text;
    EXPECT_EQ(graph_of(*loaded.expansion().parts().centres).name(3), "node 9");
    EXPECT_THROW(loaded.scores(nodes(path(30))), Error);
  }
}

TEST(NodeModels, ProcessesLearnTheTime) {
  // Heights drawn along a path with a diffusion of t = 4: the evidence has its maximum near there, inside the bounds.
  const Graph line = path(60);
  const Points all = nodes(line);
  Random random(8);
  // Through a square root of K: heat of half the time, of white noise.
  const Matrix root = gram(diffusion(2), all);
  Matrix y(60, 1);
  Vector white(60);
  for (double& value : white) value = random.normal();
  for (Index i = 0; i < 60; ++i) {
    for (Index j = 0; j < 60; ++j) y(i, 0) += root(i, j) * white[static_cast<std::size_t>(j)];
    y(i, 0) += 0.01 * random.normal();
  }
  const Model model = GaussianProcess{}.fit({.K = exact(diffusion(0.3), all), .y = y});
  const double t = model.expansion().parts().kernel->params()[0].value;
  EXPECT_GT(t, 2);
  EXPECT_LT(t, 8);
}

}  // namespace
}  // namespace mercer::model_test
