// DATA that is several files.
#include "cli/command.hpp"
#include "mercer/model_file.hpp"

namespace mercer::cli_test::several_files_test {
namespace {

class SeveralFilesCommandTest : public CommandTest {
 protected:
  void SetUp() override {
    std::string all = head_;
    for (int part = 1; part <= 11; ++part) {
      std::string text = head_;
      for (int i = 0; i < 4; ++i) {
        const int k = 4 * part + i;
        const std::string row = std::to_string(k * k % 7) + "." + std::to_string(k) + "," + std::to_string(k % 5) +
                                (k % 2 == 0 ? ",left\n" : ",right\n");
        text += row;
        all += row;
      }
      files_.file("part-" + std::to_string(part) + ".csv", text);
    }
    whole_ = files_.file("whole.csv", all);
    parts_ = files_.path("part-*.csv");
  }
  std::string head_ = "a,b,c\n", whole_, parts_;
};

TEST_F(SeveralFilesCommandTest, GiveTheModelOfOneFile) {
  const std::string one = results_.path("one.mercer"), many = results_.path("many.mercer");
  ASSERT_EQ(run({"fit", "kfda", whole_, "-o", one}).code, 0);
  ASSERT_EQ(run({"fit", "kfda", parts_, "-o", many}).code, 0);
  const Model a = load(one), b = load(many);
  EXPECT_EQ(a.expansion().parts().kernel->str(), b.expansion().parts().kernel->str());
  for (Index i = 0; i < a.expansion().parts().alpha.rows(); ++i) {
    EXPECT_EQ(a.expansion().parts().alpha(i, 0), b.expansion().parts().alpha(i, 0));
  }
  EXPECT_EQ(a.parts().provenance.rows, b.parts().provenance.rows);
  EXPECT_EQ(b.parts().provenance.source, parts_);
  EXPECT_EQ(b.parts().provenance.sha256.size(), 64u);
  for (const std::vector<std::string>& verb :
       std::vector<std::vector<std::string>>{{"predict", one},
                                             {"score", one},
                                             {"gram", "on(a, rbf(ell=1))"},
                                             {"tune", "kfda", "--grid", "ridge=0.1,1"}}) {
    std::vector<std::string> of_one = verb, of_many = verb;
    of_one.insert(of_one.begin() + 2, whole_);
    of_many.insert(of_many.begin() + 2, parts_);
    EXPECT_EQ(run(of_one).out, run(of_many).out) << verb[0];
  }
}

TEST_F(SeveralFilesCommandTest, EmptyOnesAreNamed) {
  files_.file("part-5.csv", "");
  const Outcome got = run({"fit", "kfda", parts_, "-o", results_.path("m.mercer")});
  EXPECT_EQ(got.code, 0) << got;
  EXPECT_TRUE(has(got.err, "part-5.csv is empty, and left out")) << got;
}

TEST_F(SeveralFilesCommandTest, NoneIsWrittenOver) {
  const std::string piece = files_.path("part-7.csv"), before = content_of(piece);
  expect_error(run({"gram", "on(a, rbf(ell=1))", parts_, "-o", piece}), 2, "give the output another name");
  EXPECT_EQ(content_of(piece), before);
}

TEST_F(SeveralFilesCommandTest, WhatIsWrongIsSaid) {
  expect_error(run({"fit", "kfda", files_.path("none-*.csv"), "-o", results_.path("m.mercer")}), 1, "no file matches");
  // What a shell makes of a pattern without quotes.
  expect_error(run({"fit", "kfda", files_.path("part-1.csv"), files_.path("part-2.csv")}), 2,
               "put quotes around a pattern of several files");
}

}  // namespace
}  // namespace mercer::cli_test::several_files_test
