// What score and tune count, and what a fit that goes on from a model keeps of it.
#include "cli/command.hpp"
#include "mercer/kernels.hpp"
#include "mercer/model_file.hpp"

namespace mercer::score_test {
namespace {

using cli_test::Json;

class CountingTest : public cli_test::CommandTest {};

// f(x) = x: at least 0 is like the training points.
TEST_F(CountingTest, ThePointsOnTheEdgeOfAOneClassModelAreInside) {
  const Points centre = named(rows(Matrix{{1}}), {"x"});
  Expansion f({.kernel = linear(), .centres = centre, .alpha = Matrix{{1}}});
  const Model edge({.machine = "oneclass", .f = f, .reading = Reading::novelty, .inputs = Schema::of(centre)});
  save(results_.path("edge"), edge);
  const std::string data = files_.file("d.csv", "x,like\n0,1\n2,1\n-1,-1\n-2,1\n");
  const Json score = json_of({"score", results_.path("edge"), data, "--target", "like"});
  EXPECT_EQ(score["accuracy"], 0.75);
  EXPECT_EQ(score["confusion"], (Json{{1, 0}, {1, 2}}));
  // A row of the table is a class of the truth there, too.
  const std::string table = run({"score", results_.path("edge"), data, "--target", "like"}).out;
  std::istringstream last(table.substr(table.rfind("\n1 ")));
  std::string name, others, ones;
  last >> name >> others >> ones;
  EXPECT_EQ(others + " " + ones, "1 2") << table;
}

TEST_F(CountingTest, TuneTakesEveryFoldOfEveryRepeat) {
  std::string content = "x,y\n";
  for (int i = 0; i < 12; ++i) content += std::to_string(i) + "," + std::to_string(i * i % 7) + "\n";
  const Json got = json_of({"tune", "ridge", files_.file("d.csv", content), "--grid", "ridge=0.1,1", "--cv", "3",
                            "--repeats", "4", "--kernel", "rbf(ell=1)"});
  ASSERT_EQ(got["candidates"].size(), 2u);
  for (const Json& candidate : got["candidates"]) {
    ASSERT_EQ(candidate["scores"].size(), 12u);
    EXPECT_NE(candidate["scores"][0], candidate["scores"][3]);  // divided anew
  }
}

TEST_F(CountingTest, TheSeedOfTuneDividesThePoints) {
  std::string content = "x,y\n";
  for (int i = 0; i < 12; ++i) content += std::to_string(i) + "," + std::to_string(i * i % 7) + "\n";
  const std::string data = files_.file("d.csv", content);
  const auto scores = [&](const char* seed) {
    return json_of({"tune", "ridge", data, "--grid", "ridge=1", "--cv", "3", "--kernel", "rbf(ell=1)", "--seed",
                    seed})["candidates"][0]["scores"];
  };
  EXPECT_EQ(scores("1"), scores("1"));
  EXPECT_NE(scores("1"), scores("2"));
}

TEST_F(CountingTest, ClassesAreOneColumn) {
  const std::string data = files_.file("x.csv", "x\n1\n2\n3\n");
  const std::string two = files_.file("two.csv", "a,b\nu,v\nu,w\nt,v\n");
  expect_error(run({"fit", "svc", data, "--target", two, "-o", results_.path("m")}), 1, "2 columns; svc");
  EXPECT_TRUE(results_.list().empty());
}

// Points that come later are seen in the units of the first.
TEST_F(CountingTest, AFitThatGoesOnKeepsTheScale) {
  const std::string first = files_.file("a.csv", "x,kind\n0,a\n1,a\n4,b\n5,b\n");
  const std::string later = files_.file("b.csv", "x,kind\n100,b\n101,b\n300,b\n-400,a\n");
  const std::string begun = results_.path("begun"), done = results_.path("done");
  ASSERT_EQ(run({"fit", "perceptron", first, "-o", begun}).code, 0);
  const cli_test::Outcome got = run({"fit", "perceptron", later, "--start", begun, "-o", done});
  EXPECT_TRUE(got.code == 0 || got.code == 1) << got;
  const Scaling kept = load(begun).parts().scaling;
  EXPECT_EQ(kept.shift, Vector{2.5});
  EXPECT_EQ(load(done).parts().scaling, kept);
  const Matrix z = io_test::numbers(*load(done).expansion().parts().centres);
  double largest = 0;
  for (Index i = 0; i < z.rows(); ++i) largest = std::max(largest, std::abs(z(i, 0)));
  EXPECT_GT(largest, 40);  // 100 in units of the first, whose standard deviation is 2.06
}

}  // namespace
}  // namespace mercer::score_test
