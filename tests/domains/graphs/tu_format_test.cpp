// Folders of graphs as data, from the file system to a model and back.
#include <gtest/gtest.h>

#include <filesystem>
#include <random>

#include "cli/command.hpp"
#include "domains/graphs/samples.hpp"
#include "domains/graphs/walks.hpp"
#include "mercer/kernels.hpp"
#include "mercer/machines/gp.hpp"
#include "mercer/model_file.hpp"
#include "support.hpp"

namespace mercer::tu_format_test {
namespace {

using cli_test::Json;
using io_test::gzip;

class GraphFolderTest : public cli_test::CommandTest {
 protected:
  // Paths of class 0 and rings of class 1, of 3 to 12 nodes.
  std::string folder(const std::string& name) {
    std::string edges, graph_of_node, labels;
    int node = 0;
    for (int g = 0; g < 20; ++g) {
      const int size = 3 + g / 2;
      for (int i = 0; i < size; ++i) {
        graph_of_node += std::to_string(g + 1) + "\n";
        if (i + 1 == size && g % 2 == 0) continue;
        const std::string from = std::to_string(node + i + 1), to = std::to_string(node + (i + 1) % size + 1);
        edges += from + ", " + to + "\n" + to + ", " + from + "\n";
      }
      node += size;
      labels += std::to_string(g % 2) + "\n";
    }
    std::filesystem::create_directory(files_.path(name));
    files_.file(name + "/" + name + "_A.txt.gz", gzip(edges));
    files_.file(name + "/" + name + "_graph_indicator.txt", graph_of_node);
    files_.file(name + "/" + name + "_graph_labels.txt", labels);
    return files_.path(name);
  }
};

TEST_F(GraphFolderTest, IsReadFittedAndPredicted) {
  const std::string data = folder("RINGS"), model = results_.path("m.mercer");
  const auto fitted = run({"fit", "svc", data + "/", "--kernel", "wl(h=1)", "--C", "10", "-o", model});
  ASSERT_EQ(fitted.code, 0) << fitted;
  EXPECT_EQ(json_of({"score", model, data})["accuracy"], 1.0);
  // Without classes there is still something to predict.
  std::filesystem::remove(data + "/RINGS_graph_labels.txt");
  const auto predicted = run({"predict", model, data});
  EXPECT_EQ(predicted.code, 0) << predicted;
  EXPECT_EQ(std::count(predicted.out.begin(), predicted.out.end(), '\n'), 21);
}

// They are not silently one class.
TEST_F(GraphFolderTest, RefusesAClassWrittenInTwoWays) {
  const std::string data = folder("RINGS");
  std::string labels;
  for (int g = 0; g < 20; ++g) labels += g % 2 == 0 ? "1\n" : "01\n";
  files_.file("RINGS/RINGS_graph_labels.txt", labels);
  const auto fitted = run({"fit", "svc", data, "--kernel", "wl(h=1)", "-o", results_.path("m.mercer")});
  EXPECT_EQ(fitted.code, 1) << fitted;
  EXPECT_TRUE(cli_test::has(fitted.err, "the classes \"01\" and \"1\" look like one")) << fitted;
  // Of numbers both are one.
  std::filesystem::remove(data + "/RINGS_graph_labels.txt");
  files_.file("RINGS/RINGS_graph_attributes.txt", labels);
  EXPECT_EQ(read_data(data).target_numbers, Vector(20, 1.0));
}

TEST_F(GraphFolderTest, SaysWhatIsMissing) {
  const std::string data = folder("RINGS");
  std::filesystem::remove(data + "/RINGS_A.txt.gz");
  expect_error(run({"gram", "wl(h=1)", data, "-o", results_.path("K.npy")}), 1, "has no file RINGS_A.txt[.gz]");
  std::filesystem::remove(data + "/RINGS_graph_indicator.txt");
  expect_error(run({"gram", "wl(h=1)", data, "-o", results_.path("K.npy")}), 1, "is a folder; name a file in it");
  expect_error(
      run({"fit", "svc", folder("MORE"), "--target", "class", "--kernel", "wl(h=1)", "-o", results_.path("m")}), 2,
      "its graph_labels is the target; leave --target out");
}

TEST_F(GraphFolderTest, DivergingWalksAreOneLine) {
  expect_error(run({"gram", "random_walk(lambda=0.5)", folder("RINGS"), "-o", results_.path("K.npy")}), 1,
               "lambda must be below 0.25 for these graphs");
}

TEST_F(GraphFolderTest, AColumnOfATablePointsToGraphs) {
  const std::string pointing = "molecule=" + folder("RINGS"), model = results_.path("m.mercer");
  std::string content = "molecule,dose,active\n";
  for (int i = 0; i < 20; ++i) {
    content += std::to_string(20 - i) + "," + std::to_string(0.1 * i) + "," + (i % 2 == 0 ? "yes" : "no") + "\n";
  }
  const std::string data = files_.file("t.csv", content);
  const std::string kernel = "on(molecule, normalize(wl(h=3))) + on(dose, rbf(ell=1))";
  const auto fitted = run({"fit", "svc", data, "--graphs", pointing, "--kernel", kernel, "--C", "100", "-o", model});
  ASSERT_EQ(fitted.code, 0) << fitted;
  EXPECT_EQ(json_of({"score", model, data, "--graphs", pointing})["accuracy"], 1.0);
  const auto predicted = run({"predict", model, data, "--graphs", pointing});
  EXPECT_TRUE(predicted.out.starts_with("active\nyes\nno\n")) << predicted;
  expect_error(run({"predict", model, files_.file("u.csv", "molecule,dose\n21,1\n"), "--graphs", pointing}), 1,
               "row 1, column \"molecule\": 21 is no graph of");
  expect_error(run({"predict", model, data, "--graphs", "molecule"}), 2, "give a column and a folder");
}

TEST(GraphModels, LoadedModelsPredictTheSameBits) {
  io_test::TemporaryFolder results;
  std::vector<Graph> some, others;
  Matrix y(12, 1);
  for (unsigned seed = 0; seed < 12; ++seed) {
    const test::Kind kind{.node_labels = seed % 3 != 0, .edge_labels = seed % 2 != 0, .weights = seed % 4 == 0};
    some.push_back(test::random_graph(2 + seed % 6, 0.5, seed, kind));
    others.push_back(test::random_graph(3 + seed % 6, 0.5, seed + 100, kind));
    y(seed, 0) = std::sin(seed);
  }
  for (const char* text :
       {"wl(h=2, labels=both)", "shortest_path() + graphlet(size=3)", "random_walk(lambda=0.01)",
        "random_walk(lambda=0.3, kind=steps, steps=3)", "normalize(random_walk(lambda=0.01, labels=both))"}) {
    const Model model = fit("ridge", {{"ridge", "0.1"}}, {.K = lazy(parse(text), graphs(some)), .y = y});
    save(results.path("m"), model);
    EXPECT_EQ(load(results.path("m")).predict(graphs(others)), model.predict(graphs(others))) << text;
    const Matrix direct = test::product(cross(parse(text), graphs(others), *model.expansion().parts().centres),
                                        model.expansion().parts().alpha);
    const Vector predicted = model.predict(graphs(others)), bias = model.expansion().parts().bias;
    for (Index i = 0; i < 12; ++i)
      EXPECT_NEAR(predicted[size_t(i)], direct(i, 0) + (bias.empty() ? 0 : bias[0]), 1e-9) << text;
  }
}

// Not every lambda is one for these graphs: the search must stay below the largest without failing.
TEST(GraphModels, AProcessLearnsLambda) {
  std::vector<Graph> some;
  double radius = 0;
  for (unsigned seed = 0; seed < 16; ++seed) {
    some.push_back(test::random_graph(4 + seed % 5, 0.4, seed));
    radius = std::max(radius, walk_radius(some.back()));
  }
  const double largest = 1 / (radius * radius);
  const Points x = graphs(some);
  const Matrix K = gram(normalize(random_walk(0.9 * largest)), x);
  Vector y(some.size());
  for (Index i = 0; i < x.size(); ++i) y[static_cast<std::size_t>(i)] = K(i, 0) - 0.9 * K(i, 3);
  const GaussianProcess gp{.noise = Learnable::fixed_at(1e-6)};
  const Model model = gp.fit(lazy(normalize(random_walk(0.1 * largest)), x), y);
  const double lambda = model.expansion().parts().kernel->params()[0].value;
  EXPECT_GT(lambda, 0.2 * largest);
  EXPECT_LT(lambda, largest);
}

}  // namespace
}  // namespace mercer::tu_format_test
