// Very many columns: so many that nothing which looks at each column once for each column would come to an end.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "cli/command.hpp"
#include "mercer/mercer.hpp"
#include "sanitized.hpp"

namespace mercer::wide_test {
namespace {

using cli_test::Outcome;

using Words = std::vector<std::string>;

constexpr Index kColumns = test::kSanitized ? 10000 : 100000, kRows = 4;

class WideTest : public cli_test::CommandTest {
 protected:
  // Names, numbers and a target in the middle; with texts every `texts` columns.
  std::string csv(const std::string& name, bool header, Index texts = 0) {
    std::string content;
    for (Index j = 0; header && j < kColumns; ++j) {
      content += j == kColumns / 2 ? "y," : fmt::format("c{}{}", j, j + 1 < kColumns ? "," : "\n");
    }
    for (Index i = 0; i < kRows; ++i) {
      for (Index j = 0; j < kColumns; ++j) {
        const bool word = texts > 0 && j % texts == 0 && j != kColumns / 2;
        content += word ? (i % 2 == 0 ? "p" : "q") : std::to_string((i * 7 + j) % 5);
        content += j + 1 < kColumns ? ',' : '\n';
      }
    }
    return files_.file(name, content);
  }
  void expect_done(const Words& words) {
    const Outcome got = run(words);
    EXPECT_EQ(got.code, 0) << words[0] << got;
  }
};

TEST_F(WideTest, ColumnsWithNames) {
  const std::string data = csv("d.csv", true), model = results_.path("m.mercer");
  expect_done({"fit", "ridge", data, "--target", "y", "--kernel", "linear()", "--plain", "-o", model});
  expect_done({"predict", model, data});
  expect_done({"score", model, data});
  expect_done({"gram", "rbf(ell=auto)", data, "--target", "y", "--with", data});
  expect_done({"represent", data, "--count", "2", "--target", "y", "-o", results_.path("few.csv")});
  expect_done({"sample", "rbf(ell=auto)", data, "--target", "y", "--draws", "1", "-o", results_.path("draws.csv")});
  expect_done({"test", "hsic", data, "--y", "y", "--resamples", "19"});
  // Columns in another order are found.
  std::string turned = io_test::content_of(data);
  std::swap(turned[1], turned[4]);  // c0,c1 becomes c1,c0
  expect_done({"predict", model, files_.file("turned.csv", turned)});
}

TEST_F(WideTest, ColumnsWithoutNames) {
  const std::string data = csv("d.csv", false), model = results_.path("m.mercer");
  const std::string target = std::to_string(kColumns / 2 + 1);
  expect_done({"fit", "ridge", data, "--target", target, "--kernel", "linear()", "--plain", "-o", model});
  expect_done({"predict", model, data});
}

// Of machines that learn without a target: a column of labels left in is looked for among all of them.
TEST_F(WideTest, WithoutATarget) {
  const std::string data = csv("d.csv", true), model = results_.path("m.mercer");
  expect_done({"fit", "pca", data, "--kernel", "linear()", "--plain", "-o", model});
  expect_done({"predict", model, data});
  expect_done({"fit", "kmeans", data, "--kernel", "linear()", "--clusters", "2", "--plain", "-o", model});
  expect_done({"fit", "oneclass", data, "--kernel", "linear()", "--plain", "-o", model});
}

// Where the last column holds no classes, all are looked at for one that does.
TEST_F(WideTest, NoClassesInTheLastColumn) {
  std::string content;
  for (int i = 0; i < 12; ++i) {
    for (Index j = 0; j < kColumns / 5; ++j) content += std::to_string((i * 7 + j) % 13) + ",";
    content += fmt::format("t{}\n", i);
  }
  expect_error(run({"fit", "svc", files_.file("d.csv", content), "-o", results_.path("m.mercer")}), 1,
               "12 texts are all different, which are no classes; --target names another column");
}

TEST_F(WideTest, TextsBetweenNumbers) {
  const std::string model = results_.path("m.mercer");
  for (const Index texts : {kColumns - 1, Index{50}}) {
    const std::string data = csv("d.csv", true, texts);
    expect_done({"fit", "ridge", data, "--target", "y", "--kernel", "on(c0, equal()) + on(c1, rbf(ell=1))", "--plain",
                 "-o", model});
    expect_done({"predict", model, data});
    expect_done({"fit", "ridge", data, "--target", "y", "--plain", "-o", model});
  }
}

}  // namespace
}  // namespace mercer::wide_test
