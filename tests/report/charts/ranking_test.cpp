// Curves of ranked points, against scikit-learn 1.x and mercer/metrics.hpp.
#include "report/ranking.hpp"

#include <gtest/gtest.h>

#include "mercer/mercer.hpp"
#include "report/answers.hpp"
#include "report/charts.hpp"
#include "support.hpp"

namespace mercer::report {
namespace {

// sklearn.metrics.roc_auc_score and average_precision_score of the same, two scores being equal.
TEST(Ranking, AreasAreThoseOfScikitLearn) {
  const Vector score = {0.9, 0.8, 0.8, 0.7, 0.6, 0.55, 0.5, 0.4, 0.3, 0.1};
  const std::vector<bool> positive = {true, true, false, true, false, true, false, false, true, false};
  const Counted all = Ranking(score, positive).counted();
  EXPECT_NEAR(roc_area(all), 0.7, 1e-15);
  EXPECT_NEAR(average_precision(all), 0.7277777777777779, 1e-15);
  EXPECT_EQ(all.tp, (Vector{1, 2, 3, 3, 4, 4, 4, 5, 5}));
  EXPECT_EQ(all.fp, (Vector{0, 1, 1, 2, 2, 3, 4, 4, 5}));
}

// By definition: at a rate of false alarms, the share of hits on the line between the corners.
TEST(Ranking, CurvesGoThroughTheirCorners) {
  const Vector score = {5, 4, 3, 2, 1};
  const Counted c = Ranking(score, {true, false, true, false, true}).counted();
  EXPECT_EQ(roc_at(c, Vector{0, 0.5, 1}), (Vector{1.0 / 3, 2.0 / 3, 1}));
  const Vector precision = precision_at(c, Vector{1.0 / 3, 2.0 / 3, 1});
  EXPECT_NEAR(precision[0], 1, 1e-15);
  EXPECT_NEAR(precision[1], 2.0 / 3, 1e-15);
  EXPECT_NEAR(precision[2], 3.0 / 5, 1e-15);
}

TEST(Ranking, ResamplesKeepBothSidesAndRepeatBySeed) {
  const Vector score = test::random_vector(50, 1);
  std::vector<bool> positive;
  for (int i = 0; i < 50; ++i) positive.push_back(i % 3 == 0);
  const Ranking ranking(score, positive);
  const Counted one = ranking.resampled(7);
  EXPECT_EQ(one.positives, 17);
  EXPECT_EQ(one.negatives, 33);
  EXPECT_EQ(ranking.resampled(7).tp, one.tp);
  EXPECT_NE(ranking.resampled(8).tp, one.tp);
}

Subject moons(Index classes) {
  Matrix x = test::random_matrix(80, 2, 3);
  Labels labels;
  for (Index c = 0; c < classes; ++c) labels.classes.push_back(std::string(1, static_cast<char>('a' + c)));
  for (Index i = 0; i < 80; ++i)
    labels.of.push_back(static_cast<Index>(std::abs(std::floor(x(i, 0) + 0.3 * x(i, 1)))) % classes);
  const Points points = rows(std::move(x));
  return {.model = fit("logistic", {}, {.K = lazy(rbf(1), points), .labels = labels}), .x = points, .labels = labels};
}

TEST(RankingPictures, TheAreaIsTheMetric) {
  for (const Index classes : {2, 3}) {
    const Subject subject = moons(classes);
    const Json curves = roc_picture(subject).data["curves"];
    double sum = 0;
    for (const Json& curve : curves) sum += curve["area"].get<double>();
    const HeldOut& said = answers(subject).said;
    EXPECT_NEAR(sum / static_cast<double>(curves.size()), auc(subject.labels.of, said.ranking()), 1e-14);
    for (const Json& curve : curves) {
      EXPECT_LE(curve["area_low"].number(), curve["area"].number());
      EXPECT_GE(curve["area_high"].number(), curve["area"].number());
    }
    // Of 200 resamples five are below the band and five above it, ties apart.
    if (classes > 2) continue;
    std::vector<bool> positive;
    for (const Index c : subject.labels.of) positive.push_back(c == 1);
    Vector score;
    for (Index i = 0; i < 80; ++i) score.push_back(said.ranking()(i, said.ranking().cols() - 1));
    const Ranking ranking(score, positive);
    int below = 0, above = 0;
    for (std::uint64_t b = 1; b <= 200; ++b) {
      const double area = roc_area(ranking.resampled(b));
      below += area < curves[0]["area_low"].number() ? 1 : 0;
      above += area > curves[0]["area_high"].number() ? 1 : 0;
    }
    EXPECT_LE(below, 5);
    EXPECT_LE(above, 5);
    EXPECT_GE(below + above, 1);
  }
}

TEST(RankingPictures, CountsOfCutOffsAreBruteForce) {
  const Subject subject = moons(2);
  const Json data = cutoff_picture(subject).data;
  const Matrix& p = answers(subject).said.probabilities;
  EXPECT_EQ(data["score"], "probability");
  for (std::size_t i = 0; i < data["cut"].size(); i += 7) {
    Index hits = 0, alarms = 0;
    for (Index k = 0; k < p.rows(); ++k) {
      if (p(k, 1) >= data["cut"][i].get<double>() * (1 - 1e-6))
        ++(subject.labels.of[static_cast<std::size_t>(k)] == 1 ? hits : alarms);
    }
    EXPECT_EQ(data["tp"][i], hits);
    EXPECT_EQ(data["fp"][i], alarms);
  }
}

TEST(RankingPictures, ReliabilityCountsEveryPointOnce) {
  const Subject subject = moons(2);
  const Json data = reliability_picture(subject).data;
  Index all = 0;
  double hits = 0;
  const Json& curve = data["curves"][0];
  for (std::size_t b = 0; b < curve["count"].size(); ++b) {
    all += curve["count"][b].get<Index>();
    hits += curve["observed"][b].get<double>() * curve["count"][b].get<double>();
    EXPECT_LE(curve["low"][b].number(), curve["observed"][b].number());
    EXPECT_GE(curve["high"][b].number(), curve["observed"][b].number());
  }
  EXPECT_EQ(all, 80);
  EXPECT_NEAR(hits, static_cast<double>(std::count(subject.labels.of.begin(), subject.labels.of.end(), 1)), 1e-4);
}

// Densities are densities: they integrate to one, but for their tails.
TEST(RankingPictures, DensitiesIntegrateToOne) {
  const Json data = densities_picture(moons(2)).data;
  for (const Json& line : data["lines"]) {
    double sum = 0;
    for (std::size_t i = 1; i < line["y"].size(); ++i) {
      sum += (line["y"][i].get<double>() + line["y"][i - 1].get<double>()) / 2 *
             (data["at"][i].get<double>() - data["at"][i - 1].get<double>());
    }
    EXPECT_NEAR(sum, 1, 0.1);
  }
}

}  // namespace
}  // namespace mercer::report
