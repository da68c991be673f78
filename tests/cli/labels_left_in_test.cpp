// A column of labels among the inputs of a machine that learns without a target is said.
#include <fmt/format.h>

#include "cli/command.hpp"

namespace mercer::labels_left_in_test {
namespace {

using namespace cli_test;

std::string measurements(const std::string& header, const std::vector<std::string>& labels) {
  std::string out = header + "\n";
  for (std::size_t i = 0; i < 40; ++i) {
    const double t = 0.1 * static_cast<double>(i);
    out += std::to_string(t) + "," + std::to_string(1.5 - 3 * t * t) + "," + labels[i % labels.size()] + "\n";
  }
  return out;
}

class LabelsLeftIn : public CommandTest {
 protected:
  // What is said of a fit that goes well.
  std::string said(std::vector<std::string> words) {
    words.insert(words.end(), {"-o", results_.path("m.mercer")});
    const Outcome got = run(words);
    EXPECT_EQ(got.code, 0) << got;
    return got.err;
  }
};

TEST_F(LabelsLeftIn, AreSaidWhereTheyLookLikeIt) {
  const std::string last = files_.file("last.csv", measurements("a,b,kind", {"0", "1", "2"}));
  const std::string remark = said({"fit", "oneclass", last});
  EXPECT_NE(remark.find("column \"kind\" holds 3 different whole numbers"), std::string::npos) << remark;
  EXPECT_NE(remark.find("--target kind leaves it out"), std::string::npos) << remark;
  const std::string named = files_.file("named.csv", measurements("class,b,a", {"0.5", "1.5"}));
  EXPECT_EQ(said({"fit", "kde", named, "--plain"}).find("as labels do"), std::string::npos);
  const std::string text = files_.file("text.csv", measurements("a,b,species", {"setosa", "other"}));
  const std::string texts = said({"fit", "oneclass", text});
  EXPECT_NE(texts.find("column \"species\" holds 2 different texts, as labels do"), std::string::npos) << texts;
  EXPECT_NE(texts.find("--target species leaves it out"), std::string::npos) << texts;
}

// A file with the labels first, whose last column nobody named: texts that are all different are no classes.
TEST_F(LabelsLeftIn, AreNamedWhereTheLastColumnHoldsNone) {
  std::string rows = "label,sequence\n", nearly = rows;
  for (int i = 0; i < 24; ++i) {
    std::string letters = "GATTACA";
    for (int bit = 1; bit < 24; bit *= 2) letters += (i & bit) != 0 ? "C" : "T";
    rows += fmt::format("{},{}\n", i % 2 == 0 ? "plus" : "minus", letters);
    nearly += fmt::format("{},{}\n", i % 2 == 0 ? "plus" : "minus", i < 2 ? "GATTACA" : letters);
  }
  const std::string file = files_.file("first.csv", rows);
  const std::vector<std::string> words = {"fit", "svc", file, "--kernel", "spectrum(k=2)", "--plain"};
  std::vector<std::string> output = words;
  output.insert(output.end(), {"-o", results_.path("m.mercer")});
  const Outcome refused = run(output);
  EXPECT_EQ(refused.code, 1) << refused;
  EXPECT_NE(refused.err.find("the target is the last column, \"sequence\", where --target names none, and its 24 texts "
                             "are all different, which are no classes; --target label names one of 2 values"),
            std::string::npos)
      << refused;
  std::vector<std::string> given = words;
  given.insert(given.end(), {"--target", "label"});
  EXPECT_EQ(said(given).find("is \"label\" a class"), std::string::npos);
  std::vector<std::string> some = words;
  some[2] = files_.file("nearly.csv", nearly);
  EXPECT_NE(
      said(some).find("23 classes in 24 rows of the last column: is \"sequence\" a class? --target label names one "
                      "of 2 values"),
      std::string::npos);
}

TEST_F(LabelsLeftIn, AreNotImagined) {
  const std::string numbers = files_.file("numbers.csv", measurements("a,b,c", {"0.5", "1.25", "2"}));
  EXPECT_EQ(said({"fit", "oneclass", numbers}).find("as labels do"), std::string::npos);
  const std::string last = files_.file("last.csv", measurements("a,b,kind", {"0", "1", "2"}));
  EXPECT_EQ(said({"fit", "oneclass", last, "--target", "kind"}).find("as labels do"), std::string::npos);
  EXPECT_EQ(said({"fit", "svc", last, "--plain"}).find("as labels do"), std::string::npos);
}

}  // namespace
}  // namespace mercer::labels_left_in_test
