// Names that stand in a file are held to; names that only count its columns are not.
#include <gtest/gtest.h>

#include "cli/command.hpp"
#include "mercer/machines.hpp"
#include "mercer/model_file.hpp"

namespace mercer::column_names_test {
namespace {

using cli_test::has;
using cli_test::Outcome;
using Words = std::vector<std::string>;

class ColumnNamesTest : public cli_test::CommandTest {
 protected:
  // Two columns of which only the first says anything, and a label.
  std::string csv(const std::string& name, const std::string& header, bool with_label = true) {
    std::string content = header;
    for (int i = 0; i < 12; ++i) {
      content += std::to_string(i % 2 * 5 + 0.1 * i) + "," + std::to_string(i * 7 % 5);
      content += with_label ? (i % 2 ? ",b\n" : ",a\n") : "\n";
    }
    return files_.file(name, content);
  }
  std::string model() { return results_.path("m.mercer"); }
  void fit(const std::string& data, const Words& more = {}) {
    Words words = {"fit", "svc", data, "--kernel", "rbf(ell=1)", "-o", model()};
    words.insert(words.end(), more.begin(), more.end());
    const Outcome got = run(words);
    ASSERT_EQ(got.code, 0) << got;
  }
  std::string predictions(const std::string& data) {
    const Outcome got = run({"predict", model(), data});
    EXPECT_EQ(got.code, 0) << got;
    return got.out;
  }
};

TEST_F(ColumnNamesTest, OfTheFormX1AreNamesToo) {
  fit(csv("train.csv", "x1,x2,kind\n"));
  EXPECT_FALSE(load(model()).parts().inputs.counted);
  const std::string own = predictions(files_.path("train.csv"));
  EXPECT_EQ(predictions(csv("new.csv", "x1,x2\n", false)), own);
  // In any order: the values stay where they were, so that here others are meant.
  EXPECT_NE(predictions(csv("turned.csv", "x2,x1\n", false)), own);
  expect_error(run({"predict", model(), csv("others.csv", "x3,x7\n", false)}), 1, "column \"x1\" is missing");
}

TEST_F(ColumnNamesTest, CountedOnesArePlaces) {
  // The target first: the inputs are x2 and x3 there, and x1 and x2 in a file without it.
  std::string first = "";
  for (int i = 0; i < 12; ++i) {
    first += std::string(i % 2 ? "b," : "a,") + std::to_string(i % 2 * 5 + 0.1 * i) + "," + std::to_string(i * 7 % 5);
    first += "\n";
  }
  fit(files_.file("first.csv", first), {"--target", "1"});
  EXPECT_TRUE(load(model()).parts().inputs.counted);
  EXPECT_EQ(load(model()).parts().inputs.columns, (Words{"x2", "x3"}));
  const std::string own = predictions(files_.path("first.csv"));
  EXPECT_EQ(predictions(csv("new.csv", "", false)), own);
  // A header is held to, whatever it says.
  expect_error(run({"predict", model(), csv("turned.csv", "x3,x2\n", false)}), 1, "where the model expects \"x2\"");
  expect_error(run({"predict", model(), csv("named.csv", "a,b\n", false)}), 1, "column \"x2\" is missing");
}

TEST_F(ColumnNamesTest, OfTextColumnsToo) {
  std::string named = "x1,x2,kind\n";
  for (int i = 0; i < 8; ++i)
    named +=
        std::string(i % 2 ? "ab" : "ba") + (i % 3 ? "c" : "d") + "," + std::to_string(i) + (i % 2 ? ",p\n" : ",q\n");
  const Outcome fitted = run({"fit", "svc", files_.file("named.csv", named), "--kernel",
                              "on(x1, spectrum(k=2)) + on(x2, rbf(ell=2))", "-o", model()});
  ASSERT_EQ(fitted.code, 0) << fitted;
  const std::string own = predictions(files_.path("named.csv"));
  const std::string turned = files_.file("turned.csv", "x2,x1,kind\n1,abc,p\n2,bac,q\n3,abd,p\n");
  const std::string straight = files_.file("straight.csv", "x1,x2,kind\nabc,1,p\nbac,2,q\nabd,3,p\n");
  EXPECT_EQ(predictions(turned), predictions(straight));
}

TEST_F(ColumnNamesTest, OfTwoFilesOfAGram) {
  const std::string ab = files_.file("ab.csv", "a,b\n1,2\n3,5\n"), ba = files_.file("ba.csv", "b,a\n2,1\n5,3\n");
  expect_error(run({"gram", "rbf(ell=1)", ab, "--with", ba}), 1, "column 1 is \"a\" in one data set and \"b\" in");
  expect_error(run({"gram", "linear()", ab, "--with", ba}), 1, "on(a, ...)");
  expect_error(run({"gram", "on(1, linear())", ab, "--with", ba}), 1, "column 1 is \"a\"");
  expect_error(run({"gram", "quadratic(A=[[1, 0], [0, 2]])", ab, "--with", ba}), 1, "column 1 is \"a\"");
  // By name the order does not matter.
  EXPECT_EQ(run({"gram", "on(a, linear()) + on(b, 2*linear())", ab, "--with", ba}).out, "9,23\n23,59\n");
  // Neither has names: a target that stood in front does not matter.
  const std::string plain = files_.file("plain.csv", "9,1,2\n8,3,5\n"), rest = files_.file("rest.csv", "1,2\n3,5\n");
  EXPECT_EQ(run({"gram", "linear()", plain, "--target", "1", "--with", rest}).out, "5,13\n13,34\n");
}

TEST_F(ColumnNamesTest, AreRememberedWhereTheyAreNoInputs) {
  std::string content = "a,w,b,label\n";
  for (int i = 0; i < 20; ++i) {
    content += std::to_string(i % 5) + "," + std::to_string(1 + i % 2) + "," + std::to_string(i * 3 % 7) + ",u\n";
  }
  const std::string data = files_.file("data.csv", content);
  for (const std::string machine : {"oneclass", "kde"}) {
    const Outcome got = run({"fit", machine, data, "--target", "label", "--weights", "w", "-o", model()});
    ASSERT_EQ(got.code, 0) << got;
    EXPECT_EQ(load(model()).parts().left_out, (Words{"label", "w"}));
    const std::string own = predictions(data);
    // And without them.
    std::string bare = "a,b\n";
    for (int i = 0; i < 20; ++i) bare += std::to_string(i % 5) + "," + std::to_string(i * 3 % 7) + "\n";
    EXPECT_EQ(predictions(files_.file("bare.csv", bare)), own);
    EXPECT_TRUE(own.starts_with("prediction\n")) << own;
  }
}

// Numbers count the columns of the file, also after another column was taken out.
TEST_F(ColumnNamesTest, ByNumberCountTheFile) {
  Matrix values(12, 4);
  for (Index i = 0; i < 12; ++i) {
    const double x = 0.3 * static_cast<double>(i);
    values(i, 0) = 2 * x;                           // the target
    values(i, 1) = static_cast<double>(1 + i % 2);  // weights
    values(i, 2) = x;
    values(i, 3) = static_cast<double>(i * 5 % 7);
  }
  write_npy(files_.path("d.npy"), values);
  const Outcome got = run({"fit", "ridge", files_.path("d.npy"), "--target", "1", "--weights", "2", "--kernel",
                           "linear()", "--ridge", "1e-9", "-o", model()});
  ASSERT_EQ(got.code, 0) << got;
  const Model m = load(model());
  EXPECT_EQ(m.parts().inputs.domain.dimension, 2);
  EXPECT_NEAR(m.predict(rows(Matrix{{3, 1}}))[0], 6, 1e-6);
  // The same file: its first column is what was predicted, not its last.
  const Outcome predicted = run({"predict", model(), files_.path("d.npy"), "-o", results_.path("p.csv")});
  ASSERT_EQ(predicted.code, 0) << predicted;
  const Matrix said = matrix_in(results_.path("p.csv"));
  for (Index i = 0; i < 12; ++i) EXPECT_NEAR(said(i, 0), values(i, 0), 1e-6);
  // Several targets.
  ASSERT_EQ(run({"fit", "ridge", files_.path("d.npy"), "--target", "1,2", "--kernel", "linear()", "--ridge", "1e-9",
                 "-o", model()})
                .code,
            0);
  EXPECT_NEAR(load(model()).predict(rows(Matrix{{3, 1}}))[0], 6, 1e-6);
  EXPECT_EQ(load(model()).parts().targets, (Words{"column 1", "column 2"}));
  expect_error(run({"fit", "ridge", files_.path("d.npy"), "--target", "1,1", "-o", model()}), 2, "twice");
}

}  // namespace
}  // namespace mercer::column_names_test
