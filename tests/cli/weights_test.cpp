// Points of weight 0 are not there: neither the scale of the inputs nor `auto` sees them.
#include "cli/command.hpp"
#include "paths.hpp"

namespace mercer::weights_test {
namespace {

using namespace cli_test;

class WeightsTest : public CommandTest {};

TEST_F(WeightsTest, PointsOfWeightZeroAreNotThere) {
  std::string some, all;
  for (int i = 0; i < 30; ++i) {
    const std::string row = std::to_string(0.2 * i) + "," + std::to_string(i * 13 % 7) + "," + std::to_string(i % 5);
    some += row + ",1\n";
    all += row + ",1\n" + (i % 3 == 0 ? std::to_string(100 * i) + ",-70,3,0\n" : "");
  }
  const std::string fewer = files_.file("some.csv", some), more = files_.file("all.csv", all);
  for (const std::string machine : {"ridge", "rvm"}) {
    const auto predictions = [&](const std::string& data) {
      const std::string model = results_.path("m.mercer"), out = results_.path("f.csv");
      const Outcome fitted =
          run({"fit", machine, data, "--kernel", "rbf(ell=auto)", "--target", "x3", "--weights", "x4", "-o", model});
      EXPECT_EQ(fitted.code, 0) << fitted;
      const Outcome predicted =
          shell("cut -d, -f1,2 " + fewer + " | " MERCER_TEST_COMMAND " predict " + model + " - -o " + out);
      EXPECT_EQ(predicted.code, 0) << predicted;
      return matrix_in(out);
    };
    const Matrix a = predictions(fewer), b = predictions(more);
    ASSERT_EQ(a.rows(), 30) << machine;
    for (Index i = 0; i < 30; ++i) EXPECT_NEAR(a(i, 0), b(i, 0), 1e-9) << machine;
  }
}

}  // namespace
}  // namespace mercer::weights_test
