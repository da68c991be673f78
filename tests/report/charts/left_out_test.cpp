// Left-out predictions against fits without the point.
#include <gtest/gtest.h>

#include "mercer/mercer.hpp"
#include "report/charts.hpp"
#include "report/parts.hpp"
#include "support.hpp"

namespace mercer::report {
namespace {

Subject line(const std::string& name, const Settings& settings, Index n = 25) {
  Matrix x(n, 1), y(n, 1);
  const Vector noise = mercer::test::random_vector(n, 5, -0.3, 0.3);
  for (Index i = 0; i < n; ++i) {
    x(i, 0) = 0.2 * static_cast<double>(i);
    y(i, 0) = std::sin(x(i, 0)) + noise[static_cast<std::size_t>(i)];
  }
  const Points points = rows(std::move(x));
  const Training training{.K = lazy(parse("rbf(ell=fixed(0.8))"), points), .y = y};
  Subject out{.model = fit(name, settings, training), .x = points, .y = y};
  out.fitted_to = true;
  out.training = training;
  return out;
}

const Settings kGp = {{"objective", "none"}, {"noise", "fixed(0.04)"}, {"signal", "fixed(1)"}, {"mean", "zero"}};

TEST(LeftOutPictures, AreThoseOfFitsWithoutThePoint) {
  const Subject subject = line("gp", kGp);
  const Json predicted = predicted_actual_picture(subject).data;
  const Json z = calibration_picture(subject).data["z"];
  for (const Index i : {0, 11, 24}) {
    std::vector<Index> others;
    for (Index k = 0; k < 25; ++k) {
      if (k != i) others.push_back(k);
    }
    Matrix y(24, 1);
    for (std::size_t k = 0; k < 24; ++k) y(static_cast<Index>(k), 0) = subject.y(others[k], 0);
    const Model without = fit("gp", kGp, {.K = lazy(parse("rbf(ell=fixed(0.8))"), subject.x.select(others)), .y = y});
    const Points one = subject.x.select(std::vector<Index>{i});
    const double mean = without.predict(one)[0];
    const double deviation = std::sqrt(without.variances(one)(0, 0) + 0.04);
    const auto place = static_cast<std::size_t>(i);
    EXPECT_NEAR(predicted["predicted"][place].number(), mean, 1e-6);
    EXPECT_NEAR(predicted["low"][place].number(), mean - kBand95 * deviation, 1e-6);
    const double expected = (subject.y(i, 0) - mean) / deviation;
    for (std::size_t k = 0; k < 25; ++k) {
      if (z["rows"][k] == i + 1) {
        EXPECT_NEAR(z["observed"][k].number(), expected, 1e-5);
      }
    }
  }
}

TEST(LeftOutPictures, CountsAddUp) {
  const Subject subject = line("gp", kGp);
  const Json calibration = calibration_picture(subject).data;
  Index all = 0;
  for (const Json& count : calibration["pit"]["counts"]) all += count.get<Index>();
  EXPECT_EQ(all, 25);
  const Json residuals = residuals_picture(subject).data;
  all = 0;
  for (const Json& count : residuals["histogram"]["counts"]) all += count.get<Index>();
  EXPECT_EQ(all, 25);
}

TEST(LeftOutPictures, TheWorstPointIsTheOneThatWasMoved) {
  Subject subject = line("ridge", {{"ridge", "0.1"}});
  subject.y(13, 0) += 5;
  subject.training->y = subject.y;
  subject.model = fit("ridge", {{"ridge", "0.1"}}, *subject.training);
  const Exhibit worst = worst_numbers_picture(subject);
  EXPECT_EQ(worst.data["rows"].size(), 10);
  EXPECT_EQ(worst.data["more"], 15);
  EXPECT_EQ(worst.data["rows"][0][0], 14);
  EXPECT_TRUE(worst.finding.starts_with("Row 14 is missed most: ")) << worst.finding;
}

TEST(CurvePictures, BandsAreTheModels) {
  const Subject subject = line("gp", kGp);
  const Json data = curve_picture(subject).data;
  ASSERT_EQ(data["bands"].size(), 4);
  Matrix at(1, 1);
  at(0, 0) = data["at"][100].get<double>();
  const Points there = rows(std::move(at));
  const double mean = subject.model.predict(there)[0], f = subject.model.variances(there)(0, 0);
  EXPECT_NEAR(data["lines"][0]["y"][100].number(), mean, 1e-5);
  for (const Json& band : data["bands"]) {
    const double half = (band["level"] == 0.95 ? kBand95 : kBand50) * std::sqrt(f + (band["of"] == "y" ? 0.04 : 0));
    EXPECT_NEAR(band["low"][100].number(), mean - half, 1e-5);
    EXPECT_NEAR(band["high"][100].number(), mean + half, 1e-5);
  }
  EXPECT_EQ(data["lines"].size(), 6);  // the mean and five draws
  EXPECT_EQ(curve_picture(subject).data, data);
}

TEST(CurvePictures, RingsAndTubeOfSupportVectors) {
  const Subject subject = line("svr", {{"C", "10"}, {"epsilon", "0.15"}});
  const Json data = curve_picture(subject).data;
  EXPECT_EQ(data["tube"], 0.15);
  Index rings = 0;
  for (const Json& alpha : data["points"]["alpha"]) rings += alpha.get<double>() > 0 ? 1 : 0;
  EXPECT_EQ(rings, static_cast<Index>(subject.model.support().size()));
}

// Whatever the machine is called.
TEST(CurvePictures, EveryTubeIsDrawnAndEveryPosteriorIsDrawnFrom) {
  EXPECT_EQ(curve_picture(line("linear_svr", {{"epsilon", "0.2"}})).data["tube"], 0.2);
  EXPECT_FALSE(curve_picture(line("linear_svr", {})).data.contains("tube"));
  const Json quantile = curve_picture(line("rrm", {{"loss", "quantile"}, {"tau", "0.9"}})).data;
  EXPECT_EQ(quantile["lines"][0]["name"], "0.9 quantile");
  EXPECT_EQ(curve_picture(line("rvm", {})).data["lines"].size(), 6);
}

}  // namespace
}  // namespace mercer::report
