// A column of labels among the inputs of a machine that learns without a target is said.
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
  const Outcome refused = run({"fit", "oneclass", text, "-o", results_.path("m.mercer")});
  EXPECT_EQ(refused.code, 2) << refused;
  EXPECT_NE(refused.err.find("leave the labels out by --target species"), std::string::npos) << refused;
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
