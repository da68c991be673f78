// Pictures of matrices, maps, clusters, densities, strings and graphs, against numbers that are known otherwise.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "base/at.hpp"
#include "mercer/kernels.hpp"
#include "mercer/machines/kde.hpp"
#include "mercer/machines/mds.hpp"
#include "mercer/metrics.hpp"
#include "mercer/nodes.hpp"
#include "report/catalog.hpp"
#include "report/histogram.hpp"
#include "report/layout.hpp"
#include "report/matrix_of.hpp"

namespace mercer::report {
namespace {

// Two clouds of four points, far from each other.
Matrix two_clouds() {
  Matrix x(8, 2);
  for (Index i = 0; i < 8; ++i) {
    x(i, 0) = static_cast<double>(i % 2) + (i < 4 ? 0 : 10);
    x(i, 1) = static_cast<double>(i / 2 % 2);
  }
  return x;
}

Subject subject_of(const std::string& machine, const Settings& settings, const Training& training, const Points& x) {
  return {.model = fit(machine, settings, training), .x = x, .fitted_to = true, .training = training};
}

Exhibit picture(const Subject& subject, const std::string& id) {
  const std::vector<std::string> wanted = {id};
  const std::vector<Exhibit> made = exhibits_of(subject, wanted);
  EXPECT_EQ(made.size(), 1U) << id << " does not apply";
  return made.empty() ? Exhibit{} : made[0];
}

bool applies(const Subject& subject, const std::string& id) {
  const std::vector<std::string> wanted = {id};
  return !exhibits_of(subject, wanted).empty();
}

TEST(Histogram, CountsAllValuesBetweenRoundEdges) {
  const Histogram found = histogram(Vector{0, 0.1, 0.5, 1, 1, 0.999}, 10);
  EXPECT_EQ(std::accumulate(found.counts.begin(), found.counts.end(), Index{0}), 6);
  ASSERT_EQ(found.edges.size(), found.counts.size() + 1);
  EXPECT_DOUBLE_EQ(found.edges[1] - found.edges[0], 0.1);
  EXPECT_EQ(found.counts.back(), 2);  // the ones
  EXPECT_EQ(found.counts[at(1)], 1);  // a value on an edge is above it
}

TEST(Histogram, ConstantValuesAndNoneAreNoTrouble) {
  EXPECT_EQ(histogram(Vector{7, 7, 7}).counts, std::vector<Index>{3});
  EXPECT_EQ(histogram(Vector{1e300, 1e300}).counts, std::vector<Index>{2});
  EXPECT_TRUE(histogram(Vector{}).counts.empty());
  EXPECT_TRUE(histogram(Vector{NAN}).counts.empty());
  EXPECT_EQ(histogram(Vector{1, NAN, 1}).counts, std::vector<Index>{2});
}

TEST(Layout, APathIsStraightAndAsLongAsItsEdges) {
  std::vector<GraphEdge> edges;
  for (Index i = 0; i < 5; ++i) edges.push_back({i, i + 1});
  const Matrix y = layout(graph(6, edges));
  for (Index i = 0; i < 6; ++i) {
    for (Index j = 0; j < i; ++j) {
      EXPECT_NEAR(std::hypot(y(i, 0) - y(j, 0), y(i, 1) - y(j, 1)), static_cast<double>(i - j), 0.05);
    }
  }
}

TEST(Layout, PartsStandSideBySide) {
  const Matrix y = layout(graph(5, {{0, 1}, {2, 3}}));  // and node 4 alone
  EXPECT_GT(std::min(y(2, 0), y(3, 0)), std::max(y(0, 0), y(1, 0)));
  EXPECT_GT(y(4, 0), std::max(y(2, 0), y(3, 0)));
  EXPECT_EQ(layout(graph(0, {})).rows(), 0);
}

TEST(GramPicture, OrdersByClassAndSaysHowAlikeGroupsAre) {
  const Points x = rows(two_clouds());
  const std::vector<std::string> names = {"b", "b", "a", "b", "a", "a", "a", "b"};
  const Training training{.K = lazy(rbf(2), x), .labels = Labels::from(names)};
  Subject subject = subject_of("svc", {}, training, x);
  subject.labels = training.labels;
  const Exhibit made = picture(subject, "gram");
  EXPECT_EQ(made.data["order"], "by class");
  EXPECT_EQ(made.data["rows"], Json({3, 5, 6, 7, 1, 2, 4, 8}));
  EXPECT_EQ(made.data["blocks"], Json::parse(R"([{"name":"a","from":0,"to":4},{"name":"b","from":4,"to":8}])"));
  EXPECT_EQ(made.data["values"]["max"], 1.0);
  EXPECT_NEAR(made.data["values"]["min"].get<double>(), std::exp(-(121.0 + 1) / 8), 1e-12);
}

TEST(SpectrumPicture, CountsTheDirectionsOfUnlikePoints) {
  const Points x = rows(two_clouds());
  const Training training{.K = lazy(rbf(0.01), x), .y = Matrix(8, 1, 1.0)};
  const Exhibit made = picture(subject_of("ridge", {}, training, x), "spectrum");
  EXPECT_NEAR(made.data["effective"].get<double>(), 8, 1e-9);  // K is the identity
  const Training alike{.K = lazy(constant(2), x), .y = Matrix(8, 1, 1.0)};
  EXPECT_NEAR(picture(subject_of("ridge", {}, alike, x), "spectrum").data["effective"].get<double>(), 1, 1e-9);
}

// ---- what the sentences above the pictures say, counted anew ----

// Of a kernel whose diagonal is not 1: alike is what k(x, y) / sqrt(k(x, x) k(y, y)) is.
TEST(Findings, OfTheMatrixAreThoseOfItsPairs) {
  Matrix x(9, 2), y(9, 1);
  std::vector<std::string> names;
  for (Index i = 0; i < 9; ++i) {
    x(i, 0) = 1 + 0.3 * static_cast<double>(i);
    x(i, 1) = static_cast<double>(i * i % 5) - 1.5;
    y(i, 0) = static_cast<double>(i * i % 7);
    names.emplace_back(i % 3 == 0 ? "a" : "b");
  }
  const Kernel k = linear();
  const Points points = rows(Matrix(x));
  const Matrix K = gram(k, points);
  const Labels labels = Labels::from(names);
  double within = 0, between = 0, all = 0;
  Index pairs_within = 0;
  for (Index i = 0; i < 9; ++i) {
    for (Index j = 0; j < i; ++j) {
      const double alike = K(i, j) / std::sqrt(K(i, i) * K(j, j));
      const bool together = labels.of[at(i)] == labels.of[at(j)];
      (together ? within : between) += alike;
      pairs_within += together ? 1 : 0;
      all += alike / 36;
    }
  }
  within /= static_cast<double>(pairs_within);
  between /= static_cast<double>(36 - pairs_within);
  Subject classes = subject_of("svc", {}, {.K = lazy(k, points), .labels = labels}, points);
  classes.labels = labels;
  const std::string said = picture(classes, "gram").finding;
  EXPECT_NE(said.find(fmt::format("Two points of one group are alike to {:.2f} on average, of two groups to {:.2f}.",
                                  within, between)),
            std::string::npos)
      << said;
  // The alignment of the centred matrices: <HKH, Y> / |HKH| |HYH| with Y of the classes as unit vectors.
  const auto aligned = [&](const Matrix& targets) {
    const auto centred = [](Matrix m) {
      const Index n = m.rows();
      Vector mean(at(n));
      double total = 0;
      for (Index i = 0; i < n; ++i) {
        for (Index j = 0; j < n; ++j) mean[at(i)] += m(i, j) / static_cast<double>(n);
        total += mean[at(i)] / static_cast<double>(n);
      }
      for (Index i = 0; i < n; ++i) {
        for (Index j = 0; j < n; ++j) m(i, j) += total - mean[at(i)] - mean[at(j)];
      }
      return m;
    };
    Matrix Y(9, 9);
    for (Index i = 0; i < 9; ++i) {
      for (Index j = 0; j < 9; ++j) {
        for (Index c = 0; c < targets.cols(); ++c) Y(i, j) += targets(i, c) * targets(j, c);
      }
    }
    const Matrix a = centred(K), b = centred(Y);
    double ab = 0, aa = 0, bb = 0;
    for (Index i = 0; i < 81; ++i) {
      ab += a.data()[i] * b.data()[i];
      aa += a.data()[i] * a.data()[i];
      bb += b.data()[i] * b.data()[i];
    }
    return ab / std::sqrt(aa * bb);
  };
  Matrix indicators(9, 2);
  for (Index i = 0; i < 9; ++i) indicators(i, labels.of[at(i)]) = 1;
  EXPECT_TRUE(said.ends_with(fmt::format("what is to be predicted: {:.2f}.", aligned(indicators)))) << said;
  Subject numbers = subject_of("ridge", {}, {.K = lazy(k, points), .y = y}, points);
  numbers.y = y;
  const std::string of_numbers = picture(numbers, "gram").finding;
  EXPECT_NE(of_numbers.find(fmt::format("Two points are alike to {:.2f} on average", all)), std::string::npos)
      << of_numbers;
  EXPECT_TRUE(of_numbers.ends_with(fmt::format("what is to be predicted: {:.2f}.", aligned(y)))) << of_numbers;
  Vector values;
  for (Index i = 0; i < 9; ++i) {
    for (Index j = 0; j < i; ++j) values.push_back(K(i, j));
  }
  std::ranges::sort(values);
  EXPECT_NE(picture(numbers, "entries").finding.find(fmt::format("half of them are above {:.3g}.", values[18])),
            std::string::npos);
}

// Eight points of three columns: K = diag(4, 4, 4, 4, 1, 1, 1, 1) on features of their own.
TEST(Findings, OfTheSpectrumCountUpToNinetyFivePercent) {
  Matrix x(8, 8);
  for (Index i = 0; i < 8; ++i) x(i, i) = i < 4 ? 2 : 1;
  const Points points = rows(std::move(x));
  const Exhibit made =
      picture(subject_of("ridge", {}, {.K = lazy(linear(), points), .y = Matrix(8, 1, 1.0)}, points), "spectrum");
  // 4 of 4 make 16 of 20, 7 make 19: 95 % to the last bit or not, the next does.
  EXPECT_TRUE(made.finding.find(": 7 of them make 95 %") != std::string::npos ||
              made.finding.find(": 8 of them make 95 %") != std::string::npos)
      << made.finding;
  EXPECT_TRUE(made.finding.ends_with(fmt::format("as if it had {:.1f} directions.", 400.0 / 68))) << made.finding;
  for (Index i = 0; i < 8; ++i) {
    EXPECT_NEAR(made.data["cumulative"][at(i)].number(), i < 4 ? 0.2 * (i + 1) : 0.8 + 0.05 * (i - 3), 1e-9);
  }
}

TEST(Findings, OfMapsAreThoseOfTheirPoints) {
  const Points x = rows(two_clouds());
  const Training training{.K = lazy(linear(), x)};
  const Subject one = subject_of("mds", {{"components", "1"}}, training, x);
  // Eight corners: 10 apart along the first axis, 1 within; the one along the second is left out.
  const Exhibit shepard = picture(one, "shepard"), scree = picture(one, "scree");
  double errors = 0, squares = 0;
  const Matrix c = two_clouds();
  for (Index i = 0; i < 8; ++i) {
    for (Index j = 0; j < i; ++j) {
      const double u = std::abs(c(i, 0) - c(j, 0)), v = c(i, 1) - c(j, 1), whole = std::sqrt(u * u + v * v);
      errors += (whole - u) * (whole - u);
      squares += whole * whole;
    }
  }
  EXPECT_NE(shepard.finding.find(fmt::format("off by {:.1f} % of a distance", 100 * std::sqrt(errors / squares))),
            std::string::npos)
      << shepard.finding;
  // Variances 25 + 1/4 and 1/4.
  EXPECT_EQ(scree.finding, fmt::format("1 component explain {:.1f} % of the whole.", 100 * 25.25 / 25.5));
}

TEST(MapPictures, DistancesInAPlaneAreShownAsTheyAre) {
  const Matrix x = two_clouds();
  Matrix d(8, 8);
  for (Index i = 0; i < 8; ++i) {
    for (Index j = 0; j < 8; ++j) d(i, j) = std::hypot(x(i, 0) - x(j, 0), x(i, 1) - x(j, 1));
  }
  const Training training{.K = precomputed(d)};
  const Subject subject = subject_of("mds", {{"components", "2"}}, training, rows(Matrix(d)));
  EXPECT_NEAR(picture(subject, "shepard").data["stress"].get<double>(), 0, 1e-12);
  const Json scree = picture(subject, "scree").data;
  EXPECT_NEAR(scree["cumulative"][1].get<double>(), 1, 1e-12);
  EXPECT_EQ(picture(subject, "embedding").data["coordinates"].size(), 2U);
}

TEST(ClusterPictures, SayWhatTheMetricsSay) {
  const Points x = rows(two_clouds());
  const Training training{.K = lazy(linear(), x)};
  Subject subject = subject_of("kmeans", {{"clusters", "2"}}, training, x);
  const Silhouette wanted = silhouette(training.K, subject.model.predict_classes(x), 100);
  EXPECT_DOUBLE_EQ(picture(subject, "silhouette").data["mean"].get<double>(), wanted.mean);
  EXPECT_EQ(picture(subject, "cluster_sizes").data["bars"][0]["value"], 4);
  EXPECT_FALSE(applies(subject, "cluster_classes"));
  subject.labels = Labels::from(std::vector<std::string>{"u", "u", "u", "u", "v", "v", "v", "v"});
  const Json counts = picture(subject, "cluster_classes").data["counts"];
  EXPECT_TRUE(counts == Json({{4, 0}, {0, 4}}) || counts == Json({{0, 4}, {4, 0}})) << counts;
  EXPECT_EQ(picture(subject, "gram").data["order"], "by cluster");
}

TEST(DensityPictures, ACurveIntegratesToNearlyOne) {
  Matrix values(4, 1);
  for (Index i = 0; i < 4; ++i) values(i, 0) = static_cast<double>(i);
  const Points x = rows(std::move(values));
  const Subject subject = subject_of("kde", {}, {.K = lazy(rbf(0.1), x)}, x);
  const Exhibit made = picture(subject, "density");
  EXPECT_EQ(made.kind, "curve");
  EXPECT_NE(made.finding.find("99.9 % of it lies within"), std::string::npos) << made.finding;
  const Points plane = rows(two_clouds());
  const Subject two = subject_of("kde", {}, {.K = lazy(rbf(1), plane)}, plane);
  EXPECT_EQ(picture(two, "density_levels").data["nx"], 90);
  EXPECT_EQ(picture(two, "least_likely").data["rows"].size(), 8U);
}

TEST(ContributionPictures, LettersAndBiasAddUpToTheScore) {
  const Points x = strings({"aabb", "abab", "bbbb", "aaaa", "abba"});
  const std::vector<std::string> names = {"yes", "yes", "no", "no", "yes"};
  const Training training{.K = lazy(spectrum(2), x), .labels = Labels::from(names)};
  Subject subject = subject_of("svc", {}, training, x);
  subject.labels = training.labels;
  const Json shown = picture(subject, "strings").data["strings"];
  ASSERT_EQ(shown.size(), 5U);
  for (std::size_t i = 0; i < shown.size(); ++i) {
    double sum = subject.model.expansion().parts().bias[0];
    for (const Json& value : shown[i]["values"]) sum += value.get<double>();
    EXPECT_NEAR(sum, shown[i]["score"].get<double>(), 1e-12);
    EXPECT_EQ(shown[i]["truth"], names[i]);
  }
}

TEST(ContributionPictures, GraphsHaveAPlaceForEachNodeAndTheirLikes) {
  std::vector<Graph> all;
  for (Index n = 3; n < 9; ++n) {
    std::vector<GraphEdge> edges;
    for (Index i = 0; i + 1 < n; ++i) edges.push_back({i, i + 1});
    if (n % 2 == 0) edges.push_back({0, n - 1});
    all.push_back(graph(n, edges));
  }
  const Points x = graphs(all);
  const Training training{.K = lazy(parse("normalize(wl(h=2))"), x),
                          .labels = Labels::from(std::vector<std::string>{"p", "c", "p", "c", "p", "c"})};
  Subject subject = subject_of("svc", {}, training, x);
  subject.labels = training.labels;
  const Json shown = picture(subject, "graphs").data["graphs"];
  ASSERT_EQ(shown.size(), 6U);
  for (std::size_t i = 0; i < 6; ++i) {
    EXPECT_EQ(shown[i]["x"].size(), i + 3);
    EXPECT_EQ(shown[i]["values"].size(), i + 3);
    EXPECT_EQ(shown[i]["edges"].size(), i + 2 + i % 2);
    EXPECT_LE(shown[i]["like"].size(), 3U);
  }
}

TEST(NodePictures, TheSlowestWaveOfAPathIsHalfACosine) {
  std::vector<GraphEdge> edges;
  for (Index i = 0; i < 5; ++i) edges.push_back({i, i + 1});
  const Points x = nodes(graph(6, edges));
  Matrix y(6, 1);
  for (Index i = 0; i < 6; ++i) y(i, 0) = static_cast<double>(i);
  const Subject subject = subject_of("ridge", {}, {.K = lazy(parse("diffusion(t=1)"), x), .y = y}, x);
  const Json wave = picture(subject, "waves").data["graphs"][0]["values"];
  for (Index i = 0; i < 6; ++i) {
    const double wanted = std::sqrt(2.0 / 6) * std::cos(M_PI / 6 * (static_cast<double>(i) + 0.5));
    EXPECT_NEAR(wave[at(i)].get<double>(), wanted, 1e-12);
  }
  EXPECT_EQ(picture(subject, "node_scores").data["graphs"][0]["values"].size(), 6U);
}

}  // namespace
}  // namespace mercer::report
