// Densities by the command: in the units of the data, whatever the model does to them.
#include <gtest/gtest.h>

#include <cmath>

#include "cli/command.hpp"

namespace mercer::density_test {
namespace {

using cli_test::Json;

class DensityCliTest : public cli_test::CommandTest {
 protected:
  // 1000, 2000, ..., 9000
  std::string data() {
    std::string content = "x\n";
    for (int i = 1; i <= 9; ++i) content += std::to_string(1000 * i) + "\n";
    return files_.file("d.csv", content);
  }
  const double spread_ = 1000 * std::sqrt(60.0 / 9);  // their standard deviation
  std::string model() { return results_.path("m.mercer"); }
  Matrix density(const std::string& at) {
    EXPECT_EQ(run({"predict", model(), at, "-o", results_.path("p.csv")}).code, 0);
    return matrix_in(results_.path("p.csv"));
  }
};

TEST_F(DensityCliTest, IntegratesToOne) {
  std::string grid = "x\n";
  for (int i = -5000; i < 15000; i += 50) grid += std::to_string(i) + "\n";
  for (const std::string scale : {"none", "standard", "minmax"}) {
    const std::string kernel = scale == "none" ? "rbf(ell=1000)" : scale == "minmax" ? "rbf(ell=0.1)" : "rbf(ell=0.3)";
    ASSERT_EQ(run({"fit", "kde", data(), "--kernel", kernel, "--scale", scale, "-o", model()}).code, 0);
    const Matrix f = density(files_.file("g.csv", grid));
    double mass = 0;
    for (Index i = 0; i < f.rows(); ++i) mass += 50 * f(i, 0);
    EXPECT_NEAR(mass, 1, 1e-6) << scale;
  }
}

TEST_F(DensityCliTest, LogarithmsAreThoseOfTheData) {
  const Json fitted = json_of({"fit", "kde", data(), "--kernel", "rbf(ell=0.5)", "-o", model()});
  double expected = 0;
  const double h = 0.5 * spread_;
  for (int i = 0; i < 9; ++i) {
    double sum = 0;
    for (int j = 0; j < 9; ++j) {
      const double z = 1000 * (i - j) / h;
      if (j != i) sum += std::exp(-z * z / 2) / (h * std::sqrt(2 * std::acos(-1.0)));
    }
    expected += std::log(sum / 8) / 9;
  }
  EXPECT_NEAR(fitted["report"]["figures"]["leave_one_out_log_likelihood"].get<double>(), expected, 1e-9);

  const Matrix own = density(data());
  double mean = 0;
  for (Index i = 0; i < own.rows(); ++i) mean += std::log(own(i, 0)) / 9;
  EXPECT_NEAR(json_of({"score", model(), data()})["mean_log_density"].get<double>(), mean, 1e-12);
  expect_error(run({"score", model(), files_.file("far.csv", "x\n1e9\n")}), 1, "row 1 has density 0");

  const auto tuned = [&](const std::string& scale, double ell) {
    return json_of({"tune", "kde", data(), "--kernel", "rbf(ell=1)", "--scale", scale, "--cv", "3", "--grid",
                    "ell=" + std::to_string(ell)})["candidates"][0]["mean"]
        .get<double>();
  };
  EXPECT_NEAR(tuned("standard", 0.5), tuned("none", 0.5 * spread_), 1e-6);
}

}  // namespace
}  // namespace mercer::density_test
