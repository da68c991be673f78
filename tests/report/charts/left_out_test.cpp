// Left-out predictions against fits without the point.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <set>

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

// ---- what the sentences above the pictures say, counted anew ----

std::size_t points_where(std::size_t n, const std::function<bool(std::size_t)>& is) {
  std::size_t out = 0;
  for (std::size_t i = 0; i < n; ++i) out += is(i) ? 1 : 0;
  return out;
}

Vector of_list(const Json& list) {
  Vector out;
  for (const Json& one : list) out.push_back(one.number());
  return out;
}

// Predictions are compared to ten digits, as the picture has them.
TEST(Findings, OfPredictionsAreThoseOfTheirPoints) {
  for (const auto& [machine, settings] : {std::pair{"gp", kGp}, std::pair{"ridge", Settings{{"ridge", "0.1"}}}}) {
    Subject subject = line(machine, settings, 40);
    subject.training->y(7, 0) = subject.y(7, 0) += 2;
    subject.model = fit(machine, settings, *subject.training);
    const Exhibit scatter = predicted_actual_picture(subject), left = residuals_picture(subject);
    const Vector said = of_list(scatter.data["predicted"]), seen = of_list(scatter.data["actual"]);
    ASSERT_EQ(said.size(), 40U);
    double squares = 0, mean = 0, about = 0, middle = 0;
    for (std::size_t i = 0; i < 40; ++i) middle += seen[i] / 40;
    for (std::size_t i = 0; i < 40; ++i) {
      squares += std::pow(seen[i] - said[i], 2) / 40;
      mean += (seen[i] - said[i]) / 40;
      about += std::pow(seen[i] - middle, 2) / 40;
    }
    const double root = std::sqrt(squares);
    EXPECT_TRUE(scatter.finding.starts_with(fmt::format(
        "Predictions are off by {} (root mean square) and explain {} of", figure(root), percent(1 - squares / about))))
        << scatter.finding;
    const std::size_t far = points_where(40, [&](std::size_t i) { return std::abs(seen[i] - said[i]) > 2 * root; });
    EXPECT_TRUE(left.finding.starts_with(
        fmt::format("Observed less predicted has mean {} and standard deviation {}; {} of 40 points are beyond two",
                    figure(mean), figure(root), far)))
        << left.finding << far;
    EXPECT_GT(far, 0U) << "the case says nothing of them";
  }
}

TEST(Findings, OfBandsCountThePointsInThem) {
  std::set<std::string> verdicts;
  for (const char* const noise : {"0.002", "0.03", "0.3"}) {
    Settings settings = kGp;
    settings["noise"] = fmt::format("fixed({})", noise);
    const Exhibit made = calibration_picture(line("gp", settings, 40));
    const Vector z = of_list(made.data["z"]["observed"]);
    ASSERT_EQ(z.size(), 40U);
    double squares = 0;
    for (const double v : z) squares += v * v / 40;
    const double inside =
        static_cast<double>(points_where(40, [&](std::size_t i) { return std::abs(z[i]) <= kBand95; })) / 40;
    const Extent honest = wilson(38, 40);
    const std::string verdict = inside < honest.low    ? "the model is too sure of itself"
                                : inside > honest.high ? "the model is less sure than it could be"
                                                       : "which is what chance allows";
    verdicts.insert(verdict);
    EXPECT_EQ(made.finding,
              fmt::format("95 % bands hold {} of the 40 left-out points (leave-one-out), {}; errors are {} "
                          "times the size expected.",
                          percent(inside), verdict, figure(std::sqrt(squares))));
  }
  EXPECT_GE(verdicts.size(), 2U);
}

// Of y, not of f: with the noise.
TEST(Findings, OfCurvesCountThePoints) {
  for (const char* const noise : {"0.04", "0.01"}) {
    Settings settings = kGp;
    settings["noise"] = fmt::format("fixed({})", noise);
    const Subject subject = line("gp", settings, 40);
    const Matrix mean = subject.model.predict_targets(subject.x), variance = subject.model.variances(subject.x);
    const double more = std::stod(noise);
    const std::size_t inside = points_where(40, [&](std::size_t i) {
      const auto r = static_cast<Index>(i);
      return std::abs(subject.y(r, 0) - mean(r, 0)) <= kBand95 * std::sqrt(variance(r, 0) + more);
    });
    EXPECT_EQ(
        curve_picture(subject).finding,
        fmt::format("Observations vary about f by {} (one standard deviation); the 95 % band of y holds {} of the "
                    "40 points.",
                    figure(std::sqrt(more)), percent(static_cast<double>(inside) / 40)));
  }
  const Subject tube = line("svr", {{"C", "10"}, {"epsilon", "0.15"}}, 40);
  const Matrix curve = tube.model.predict_targets(tube.x);
  const std::size_t outside = points_where(40, [&](std::size_t i) {
    const auto r = static_cast<Index>(i);
    return std::abs(tube.y(r, 0) - curve(r, 0)) > 0.15 * (1 + 1e-9);
  });
  EXPECT_GT(outside, 0U);
  EXPECT_EQ(curve_picture(tube).finding,
            fmt::format("{} of 40 points lie outside the tube of half width 0.15; {} of 40 points carry the curve "
                        "(rings).",
                        outside, tube.model.support().size()));
  const Subject plain = line("rrm", {}, 40);
  const Matrix fitted = plain.model.predict_targets(plain.x);
  double squares = 0;
  for (Index i = 0; i < 40; ++i) squares += std::pow(plain.y(i, 0) - fitted(i, 0), 2) / 40;
  EXPECT_NE(curve_picture(plain).finding.find(figure(std::sqrt(squares))), std::string::npos)
      << curve_picture(plain).finding;
  const Subject quantile = line("rrm", {{"loss", "quantile"}, {"tau", "0.8"}}, 40);
  const Matrix q = quantile.model.predict_targets(quantile.x);
  const std::size_t below = points_where(
      40, [&](std::size_t i) { return quantile.y(static_cast<Index>(i), 0) < q(static_cast<Index>(i), 0); });
  EXPECT_NE(
      curve_picture(quantile).finding.find(fmt::format("{} of the points lie below the curve, 80.0 % were asked for",
                                                       percent(static_cast<double>(below) / 40))),
      std::string::npos)
      << curve_picture(quantile).finding;
}

}  // namespace
}  // namespace mercer::report
