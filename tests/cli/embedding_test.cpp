// pca and mds by the command: files of distances, coordinates, pre-images, and what is refused.
#include "cli/command.hpp"
#include "mercer/model_file.hpp"
#include "paths.hpp"

namespace mercer::embedding_test {
namespace {

using cli_test::has;
using cli_test::Json;
using cli_test::Outcome;

const std::string kCities = std::string(MERCER_TEST_DATA) + "/us_cities_10.csv";
const std::string kMoons = std::string(MERCER_TEST_DATA) + "/toys/two_moons.csv";

class EmbeddingTest : public cli_test::CommandTest {
 protected:
  std::string model() { return results_.path("m.mercer"); }
  Outcome map(const std::string& data) { return run({"fit", "mds", data, "--kernel", "precomputed", "-o", model()}); }
};

TEST_F(EmbeddingTest, DistancesComeWithAndWithoutNames) {
  ASSERT_EQ(map(kCities).code, 0);
  const Json named = json_of({"predict", model()})["predictions"];
  ASSERT_EQ(named.size(), 10u);
  // Gower's rule puts the old points where they are, from a file of the same form.
  const Json again = json_of({"predict", model(), kCities})["predictions"];
  for (std::size_t i = 0; i < 10; ++i) {
    EXPECT_NEAR(named[i][0].get<double>(), again[i][0].get<double>(), 1e-6);
    EXPECT_NEAR(named[i][1].get<double>(), again[i][1].get<double>(), 1e-6);
  }
  const Outcome bare = shell("tail -n +2 " + kCities + " | cut -d, -f2- > " + files_.path("d.csv"));
  ASSERT_EQ(bare.code, 0) << bare;
  const Outcome got = map(files_.path("d.csv"));
  EXPECT_TRUE(has(got.err, "3 of 10 eigenvalues are negative")) << got;
  EXPECT_EQ(json_of({"predict", model()})["predictions"], named);
  expect_error(run({"score", model(), files_.path("d.csv")}), 2, "no truth to hold them against");
}

TEST_F(EmbeddingTest, ATableOfDistancesIsNotTakenForPointsSilently) {
  expect_error(run({"fit", "mds", kCities, "-o", model()}), 2, "--kernel precomputed takes it");
  const std::string bare = files_.file("d.csv", "0,3,4\n3,0,5\n4,5,0\n");
  const Outcome got = run({"fit", "mds", bare, "--header", "no", "--components", "1", "-o", model()});
  EXPECT_TRUE(has(got.err, "they look like distances")) << got;
}

TEST_F(EmbeddingTest, SaysWhereAFileHoldsNoDistances) {
  expect_error(map(files_.file("a.csv", "0,3,4\n3,0,5\n4,6,0\n")), 1, "K(3, 2) = 6, K(2, 3) = 5");
  expect_error(map(files_.file("b.csv", "0,3,4\n3,1,5\n4,5,0\n")), 1, "row 2 and column 2, is 1 and not 0");
  expect_error(map(files_.file("c.csv", "0,3,-4\n3,0,5\n-4,5,0\n")), 1, "row 1, column 3 is -4");
  expect_error(map(files_.file("d.csv", "0,3\n3,0\n4,5\n")), 1, "3 rows of 2 columns");
}

TEST_F(EmbeddingTest, SaysHowManyComponentsThereAre) {
  expect_error(
      run({"fit", "pca", kMoons, "--target", "label", "--kernel", "linear()", "--components", "3", "-o", model()}), 2,
      "differ in 2 directions only");
  expect_error(run({"fit", "pca", kMoons, "--kernel", "const(c=2)", "-o", model()}), 1,
               "all points are the same to the kernel");
  expect_error(run({"fit", "pca", kMoons, "--components", "1.5", "-o", model()}), 2, "a share such as 0.95");
  expect_error(run({"fit", "pca", kMoons, "--components", "some", "-o", model()}), 2, "components");
}

TEST_F(EmbeddingTest, PreImagesAreInputs) {
  ASSERT_EQ(run({"fit", "pca", kMoons, "--target", "label", "--components", "6", "-o", model()}).code, 0);
  const Json back = json_of({"predict", model(), kMoons, "--pre-images"});
  EXPECT_EQ(back["columns"], (Json{"x1", "x2"}));
  EXPECT_EQ(back["predictions"].size(), 200u);
  ASSERT_EQ(run({"fit", "pca", kMoons, "--target", "label", "--kernel", "poly(degree=3, c=1)", "-o", model()}).code, 0);
  const Outcome learnt = run({"predict", model(), kMoons, "--pre-images"});
  EXPECT_TRUE(has(learnt.err, "learnt from the training points")) << learnt;
  ASSERT_EQ(run({"fit", "ridge", kMoons, "-o", model()}).code, 0);
  expect_error(run({"predict", model(), kMoons, "--pre-images"}), 2, "a pca with a kernel is needed");
}

}  // namespace
}  // namespace mercer::embedding_test
