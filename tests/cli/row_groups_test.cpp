// Files in which several rows are one point: --bag and --series.
#include <cmath>

#include "cli/command.hpp"
#include "mercer/model_file.hpp"
#include "paths.hpp"

namespace mercer::row_groups_test {
namespace {

using namespace cli_test;

class RowGroupsTest : public CommandTest {
 protected:
  // Twelve bags of one to four rows; those of class b lie elsewhere.
  std::string bags(const std::string& name, int first = 0) {
    std::string text = "x,y,molecule,class\n";
    for (int bag = first; bag < first + 12; ++bag) {
      for (int row = 0; row <= bag % 4; ++row) {
        const double x = std::sin(7 * bag + row) + (bag % 2 == 0 ? 0 : 2);
        text += std::to_string(x) + "," + std::to_string(std::cos(5 * bag + row)) + ",m" + std::to_string(bag) + "," +
                (bag % 2 == 0 ? "a" : "b") + "\n";
      }
    }
    return files_.file(name, text);
  }
};

TEST_F(RowGroupsTest, FitPredictScoreTuneAndGram) {
  const std::string data = bags("train.csv"), test = bags("test.csv", 12), model = results_.path("m.mercer");
  const Outcome fitted = run(
      {"fit", "svc", data, "--bag", "molecule", "--kernel", "mean_embedding(rbf(ell=auto))", "--C", "10", "-o", model});
  EXPECT_EQ(fitted.code, 0) << fitted;
  EXPECT_EQ(load(model).parts().provenance.read, (Settings{{"bag", "molecule"}}));
  const Outcome scored = run({"score", model, test, "--bag", "molecule"});
  EXPECT_EQ(scored.code, 0) << scored;
  const Outcome predicted = run({"predict", model, test, "--bag", "molecule"});
  EXPECT_EQ(predicted.code, 0) << predicted;
  EXPECT_EQ(std::count(predicted.out.begin(), predicted.out.end(), '\n'), 13);  // a header, and one line per bag
  const Outcome tuned = run({"tune", "svc", data, "--bag", "molecule", "--kernel", "mean_embedding(rbf(ell=1))",
                             "--grid", "C=1,10,ell=0.5,2", "--cv", "3", "-o", results_.path("t.mercer")});
  EXPECT_EQ(tuned.code, 0) << tuned;
  const Outcome gram = run({"gram", "rbf_of(mean_embedding(rbf(ell=1)), ell=auto)", data, "--bag", "molecule",
                            "--target", "class", "-o", results_.path("K.npy")});
  EXPECT_EQ(gram.code, 0) << gram;
  EXPECT_EQ(matrix_in(results_.path("K.npy")).rows(), 12);
}

TEST_F(RowGroupsTest, SeriesOfAFileWithoutNames) {
  std::string text;
  for (int i = 0; i < 60; ++i) {
    text += std::to_string(i / 6) + "," + std::to_string(std::sin(0.3 * i)) + "," + std::to_string(i / 6 % 2) + "\n";
  }
  const std::string data = files_.file("walks.csv", text), model = results_.path("s.mercer");
  const Outcome fitted =
      run({"fit", "gp", data, "--series", "1", "--kernel", "normalize(gak(sigma=auto))", "-o", model});
  EXPECT_EQ(fitted.code, 0) << fitted;
  EXPECT_EQ(load(model).parts().provenance.read.at("series"), "1");
  const Outcome predicted = run({"predict", model, data, "--series", "1"});
  EXPECT_EQ(predicted.code, 0) << predicted;
  EXPECT_EQ(std::count(predicted.out.begin(), predicted.out.end(), '\n'), 11);
}

TEST_F(RowGroupsTest, BadInput) {
  const std::string data = bags("train.csv"), model = results_.path("m.mercer");
  const auto refused = [&](std::vector<std::string> words, int code, const std::string& text) {
    words.insert(words.end(), {"-o", results_.path("out")});
    const Outcome outcome = run(words);
    EXPECT_EQ(outcome.code, code) << outcome;
    EXPECT_NE(outcome.err.find(text), std::string::npos) << outcome;
  };
  const std::string k = "mean_embedding(rbf(ell=1))";
  refused({"fit", "svc", data, "--bag", "molecul", "--kernel", k}, 1, "molecul");
  refused({"fit", "svc", data, "--bag", "class", "--kernel", k}, 2, "name another");
  refused({"fit", "svc", data, "--bag", "molecule", "--series", "molecule", "--kernel", k}, 2, "not both");
  refused({"fit", "ridge", data, "--bag", "class", "--target", "x", "--kernel", k}, 1, "the target \"x\"");
  EXPECT_EQ(run({"fit", "svc", data, "--bag", "molecule", "--kernel", k, "--C", "1", "-o", model}).code, 0);
  refused({"predict", model, data}, 2, "--bag COLUMN");
}

}  // namespace
}  // namespace mercer::row_groups_test
