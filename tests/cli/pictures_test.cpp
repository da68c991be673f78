// Pictures by the command: maps that belong to a model, copies that mean the same, and what is refused.
#include "cli/command.hpp"

namespace mercer::pictures_test {
namespace {

using namespace cli_test;

class PicturesTest : public CommandTest {
 protected:
  // Strokes of 5 x 5 pixels that lie or stand somewhere; the class comes last.
  std::string strokes(const std::string& name, int n, bool in_the_middle) {
    std::string text;
    unsigned noise = 7;
    for (int i = 0; i < n; ++i) {
      const bool stands = i % 2 == 0;
      const int row = in_the_middle ? 2 : 1 + i / 2 % 3, column = in_the_middle ? 2 : 1 + i / 6 % 3;
      for (int p = 0; p < 25; ++p) {
        const int down = p / 5 - row, right = p % 5 - column;
        const bool ink = stands ? right == 0 && std::abs(down) <= 1 : down == 0 && std::abs(right) <= 1;
        noise = noise * 1664525 + 1013904223;
        text += std::to_string((ink ? 200 : 0) + noise / 65536 % 20) + ",";
      }
      text += stands ? "stands\n" : "lies\n";
    }
    return files_.file(name, text);
  }
};

TEST_F(PicturesTest, TheModelTakesRawPictures) {
  const std::string train = strokes("train.csv", 80, true), test = strokes("test.csv", 60, false);
  const std::string model = results_.path("m.mercer"), kernel = "poly(degree=3, c=1)";
  const Outcome fitted = run({"fit", "svc", train, "--kernel", kernel, "--C", "10", "--prepare", "unit_norm(200)",
                              "--invariance", "shift(5x5, 1)", "-o", model, "-v"});
  ASSERT_EQ(fitted.code, 0) << fitted;
  EXPECT_TRUE(has(fitted.err, "inputs prepared by unit_norm(200)")) << fitted;
  EXPECT_TRUE(has(fitted.err, "by shift(5x5, 1)")) << fitted;
  EXPECT_TRUE(has(fitted.err, "points held out, fitted to")) << fitted;
  EXPECT_TRUE(has(fitted.err, "held_out_accuracy")) << fitted;
  EXPECT_EQ(json_of({"score", model, test})["accuracy"].get<double>(), 1);
  const Outcome shown = run({"show", model});
  EXPECT_TRUE(has(shown.out, "prepared       unit_norm(200)")) << shown;
  EXPECT_TRUE(has(shown.out, "invariance=shift(5x5, 1)")) << shown;

  const Json plain = json_of({"fit", "svc", train, "--kernel", kernel, "--C", "10", "--prepare", "unit_norm(200)", "-o",
                              results_.path("plain.mercer")});
  EXPECT_EQ(plain["prepare"].get<std::string>(), "unit_norm(200)");
  EXPECT_LT(json_of({"score", results_.path("plain.mercer"), test})["accuracy"].get<double>(), 0.9);
  // Reports fit again without some points, with copies of the others.
  const Outcome report = run({"report", model, train, "-o", results_.path("r.html")});
  EXPECT_EQ(report.code, 0) << report;
  EXPECT_TRUE(has(content_of(results_.path("r.html")), "--prepare 'unit_norm(200)'"));
}

TEST_F(PicturesTest, PreparedInputsGoWithEveryVerb) {
  const std::string train = strokes("train.csv", 60, false), model = results_.path("m.mercer");
  const Outcome tuned = run({"tune", "svc", train, "--kernel", "rbf(ell=1)", "--prepare", "deskew(5x5), unit_norm",
                             "--grid", "C=1,10", "-o", model});
  ASSERT_EQ(tuned.code, 0) << tuned;
  EXPECT_GT(json_of({"score", model, train})["accuracy"].get<double>(), 0.9);
  const Outcome more = run({"fit", "svc", train, "--start", model, "-o", results_.path("n.mercer")});
  ASSERT_EQ(more.code, 0) << more;
  EXPECT_TRUE(has(run({"show", results_.path("n.mercer")}).out, "deskew(5x5), unit_norm"));
  expect_error(run({"fit", "svc", train, "--start", model, "--prepare", "unit_norm", "-o", results_.path("n.mercer")}),
               2, "--prepare: the model to go on from has deskew(5x5), unit_norm; leave it out");
  EXPECT_EQ(run({"tune", "svc", train, "--kernel", "rbf(ell=1)", "--prepare", "unit_norm", "--invariance",
                 "shift(5x5, 1)", "--grid", "C=1,10", "--cv", "3"})
                .code,
            0);
  EXPECT_EQ(run({"fit", "svc", train, "--prepare", "unit_norm", "--invariance", "flip(5x5)", "--plan"}).code, 0);
}

TEST_F(PicturesTest, WhatIsNoPictureIsRefusedInOneLine) {
  const std::string train = strokes("train.csv", 40, true), model = results_.path("m.mercer");
  const auto refused = [&](std::vector<std::string> words, int code, const std::string& text) {
    words.insert(words.begin(), {"fit", "svc", train});
    words.insert(words.end(), {"-o", model});
    expect_error(run(words), code, text);
    EXPECT_EQ(content_of(model), "");
  };
  refused({"--prepare", "deskew(28x28)"}, 1, "784 pixels, and the inputs have 25 columns");
  refused({"--prepare", "deskew(0x25)"}, 2, "ROWSxCOLUMNS");
  refused({"--prepare", "deskw(5x5)"}, 2, "did you mean deskew?");
  refused({"--prepare", "shift(5x5, 1)"}, 2, "give it as an invariance");
  refused({"--invariance", "shift(5x5, 5)"}, 2, "from 1 to 4");
  refused({"--invariance", "shift(4x5, 1)", "--plain"}, 1, "20 pixels, and the inputs have 25 columns");
  refused({"--invariance", "unit_norm", "--plain"}, 2, "--invariance: unit_norm makes no copies");
  refused({"--invariance", "flip(5x5)", "--probability", "--plain"}, 2, "leave out --probability or --invariance");
  refused({"--invariance", "flip(5x5)", "--centres", "5", "--plain"}, 2, "--invariance");
  expect_error(run({"fit", "kde", train, "--prepare", "unit_norm", "-o", model}), 2, "--prepare: kde finds a density");
  expect_error(run({"fit", "ridge", train, "--invariance", "flip(5x5)", "-o", model}), 2, "no option --invariance");
  const std::string words = files_.file("words.csv", "a,b,y\n1,red,0\n2,blue,1\n3,red,0\n4,blue,1\n");
  expect_error(run({"fit", "svc", words, "--prepare", "unit_norm", "-o", model}), 1, "it takes rows of numbers");
}

TEST_F(PicturesTest, MapsAreListed) {
  const Outcome listed = run({"machines", "--maps"});
  for (const char* const name : {"deskew", "unit_norm", "shift", "rotate", "scale", "flip"}) {
    EXPECT_TRUE(has(listed.out, name)) << listed;
  }
  EXPECT_EQ(json_of({"machines", "--maps"}).size(), 6u);
}

}  // namespace
}  // namespace mercer::pictures_test
