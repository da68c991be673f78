// Where learning ends: at the maximum of evidence and beliefs together, the best of several starts; and what is saved.
#include <numbers>
#include <sstream>
#include <tuple>

#include "machines/processes/learn.hpp"
#include "mercer/kernels.hpp"
#include "mercer/machines.hpp"
#include "mercer/machines/gp.hpp"
#include "mercer/model_file.hpp"
#include "support.hpp"

namespace mercer::gp_learn_test {
namespace {

// A wave with noise.
struct Wave {
  Matrix x, y;
};
Wave wave(Index n, double frequency) {
  Wave out{test::random_matrix(n, 1, 1), test::random_matrix(n, 1, 2, -0.3, 0.3)};
  for (Index i = 0; i < n; ++i) out.y(i, 0) += std::sin(frequency * out.x(i, 0));
  return out;
}

double learnt(const Model& m) { return m.expansion().parts().kernel->params()[0].value; }

// Few points and a belief of moderate strength: neither decides alone. The mode is that of the density of ell, not of
// its logarithm.
TEST(GpLearning, PriorsAndEvidenceHaveTheirMaximumTogether) {
  const Wave w = wave(15, 2);
  const Vector y(w.y.data(), w.y.data() + 15);
  for (const Prior& prior : {Prior::log_normal(std::log(4), 0.3), Prior::gamma(40, 10), Prior::half_normal(0.1)}) {
    SCOPED_TRACE(prior.str());
    const GaussianProcess gp{.noise = Learnable::fixed_at(0.05),
                             .signal = Learnable::fixed_at(1),
                             .mean = Trend::none,
                             .priors = {{"rbf.ell", prior}},
                             .starts = 1,
                             .tolerance = 1e-12};
    const double ell = learnt(gp.fit(lazy(rbf(2.5), rows(w.x)), y));
    const auto together = [&](double at) {
      return log_marginal_likelihood(rbf(at), rows(w.x), y, 0.05, false).value + prior.log_density(at);
    };
    const double h = 1e-4 * ell, curved = together(ell + h) + together(ell - h) - 2 * together(ell);
    ASSERT_LT(curved, 0);
    const double slope = (together(ell + h) - together(ell - h)) / (2 * h);
    EXPECT_NEAR(slope * h * h / -curved, 0, 1e-3 * ell) << ell;  // the distance to the maximum
  }
}

// Numbers of any sign and between two ends beside a kernel that has none: the maximum is known.
TEST(GpLearning, SignedAndBoundedNumbers) {
  const std::vector<detail::Extra> extras = {
      {"slope", 2, -std::numeric_limits<double>::infinity(), std::numeric_limits<double>::infinity(), false,
       ValueRange::any()},
      {"share", 0.5, 0, 1, false, ValueRange::between(0, 1)},
      {"held", 0.5, 0.2, 0.6, false, ValueRange::from_to(0, 1)},
  };
  const detail::LogEvidence evidence = [](const Kernel&, VectorView v, Vector* gradient) {
    if (gradient != nullptr) *gradient = {-2 * (v[0] + 3), 7 / v[1] - 3 / (1 - v[1]), 1};
    return -(v[0] + 3) * (v[0] + 3) + 7 * std::log(v[1]) + 3 * std::log(1 - v[1]) + v[2];
  };
  for (const Index starts : {1, 5}) {
    Report report;
    const detail::LearnOptions options{.starts = starts, .tolerance = 1e-12};
    const Vector found = detail::learn("test", linear(), extras, {{1, evidence}}, options, {}, report).extras;
    EXPECT_NEAR(found[0], -3, 1e-5);
    EXPECT_NEAR(found[1], 0.7, 1e-5);
    EXPECT_EQ(found[2], 0.6);
    ASSERT_EQ(report.notes.size(), 1u);
    EXPECT_EQ(report.notes[0], "held = 0.6 is at its upper bound");
  }
}

// What is believed of a number of any sign is believed of both signs.
TEST(GpLearning, PriorsOfSignedNumbers) {
  const std::vector<detail::Extra> extras = {{"slope", 0, -5, 5, false, ValueRange::any()}};
  const detail::LogEvidence evidence = [](const Kernel&, VectorView v, Vector* gradient) {
    if (gradient != nullptr) *gradient = {-(v[0] + 3)};
    return -(v[0] + 3) * (v[0] + 3) / 2;
  };
  Report report;
  const auto with = [&](const Prior& prior) {
    const detail::LearnOptions options{.priors = {{"slope", prior}}, .starts = 1, .tolerance = 1e-12};
    return detail::learn("test", linear(), extras, {{1, evidence}}, options, {}, report).extras[0];
  };
  EXPECT_NEAR(with(Prior::normal(-1, 1)), -2, 1e-6);
  test::expect_error([&] { with(Prior::half_normal(1)); }, "UsageError",
                     {"halfnormal(1)", "slope", "normal(mean, sigma)"});
  const GaussianProcess gp{.priors = {{"rbf.ell", Prior::normal(0, 1)}}};
  test::expect_error(
      [&] {
        gp.fit(lazy(rbf(1.0), rows(Matrix{{0}, {1}, {2}})), Vector{0, 1, 0});
      },
      "UsageError", {"normal(0, 1)", "rbf.ell", "lognormal"});
}

// The evidence of a period has many maxima. The first s of 8 starts are those of s starts, so more can only help.
TEST(GpLearning, TheBestOfSeveralStartsGoesOn) {
  const Wave w = wave(40, 9);
  const Kernel k = parse("periodic(period=2, ell=fixed(1))");
  double best = -std::numeric_limits<double>::infinity(), first = 0;
  for (Index starts = 1; starts <= 8; ++starts) {
    const GaussianProcess gp{.noise = Learnable::fixed_at(0.05), .signal = Learnable::fixed_at(1), .starts = starts};
    const Model m = gp.fit({.K = lazy(k, rows(w.x)), .y = w.y});
    const double evidence = *m.report().figure("log_marginal_likelihood");
    EXPECT_GE(evidence, best - 1e-3) << starts;
    best = std::max(best, evidence);
    if (starts == 1) first = evidence;
  }
  EXPECT_GT(best, first + 1);  // or the test would show nothing
}

// "All of it is noise" is a maximum, and what a random start near auto finds in a series of many periods. Also where
// the points on which starts are compared are too far apart to see one.
TEST(GpLearning, ShortLengthsOfASeriesAreFound) {
  for (const auto& [n, periods, screen] : {std::tuple<Index, double, Index>{150, 20, 400}, {240, 40, 40}}) {
    Matrix x(n, 1);
    Vector y = test::random_vector(n, 7, -0.5, 0.5);
    for (Index i = 0; i < n; ++i) {
      x(i, 0) = static_cast<double>(i) / static_cast<double>(n);
      y[static_cast<std::size_t>(i)] += std::sin(2 * std::numbers::pi * periods * x(i, 0));
    }
    const Points points = rows(x);
    double best = -std::numeric_limits<double>::infinity(), of_noise = best;
    for (const double ell : {0.002, 0.005, 0.01, 0.02, 0.05, 0.2, 1.0}) {
      for (const double signal : {0.3, 0.6}) {
        for (const double noise : {0.05, 0.1, 0.5}) {
          const double value = log_marginal_likelihood(signal * rbf(ell), points, y, noise, false).value;
          best = std::max(best, value);
          if (ell > 0.1) of_noise = std::max(of_noise, value);
        }
      }
    }
    ASSERT_GT(best, of_noise + 20);
    const GaussianProcess gp{.mean = Trend::none, .screen = screen};
    const Model m = gp.fit(lazy(parse("rbf(ell=[auto])").resolve(points), points), y);
    EXPECT_GE(*m.report().figure("log_marginal_likelihood"), best) << n;
  }
}

// A kernel with a scale of its own: the number in its text is a start, and targets in other units have another one.
TEST(GpLearning, UnitsOfTheTargetsChangeNothing) {
  const Wave w = wave(60, 4);
  for (const char* const text : {"2*rbf(ell=1)", "2*rbf(ell=1) + 0.5*const()", "rbf(ell=1)*3*matern(nu=1.5, ell=2)"}) {
    const GaussianProcess gp{.mean = Trend::none};
    const Points x = rows(w.x);
    const Model one = gp.fit({.K = lazy(parse(text), x), .y = w.y});
    const Matrix mean = one.scores(x), variance = one.variances(x);
    for (const double unit : {1e-90, 1e-5, 30.0, 1e4, 1e90}) {
      Matrix y(w.y);
      for (Index i = 0; i < y.rows(); ++i) y(i, 0) *= unit;
      const Model other = gp.fit({.K = lazy(parse(text), x), .y = y});
      EXPECT_TRUE(other.report().converged) << text << " " << unit << " " << other.report().stopped;
      const double shift = static_cast<double>(y.rows()) * std::log(unit);
      EXPECT_NEAR(*other.report().figure("log_marginal_likelihood") + shift,
                  *one.report().figure("log_marginal_likelihood"), 5e-3)
          << text << " " << unit;
      const Matrix scaled = other.scores(x), spread = other.variances(x);
      for (Index i = 0; i < y.rows(); ++i) {
        EXPECT_NEAR(scaled(i, 0) / unit, mean(i, 0), 1e-2) << text << " " << unit;
        EXPECT_NEAR(spread(i, 0) / unit / unit, variance(i, 0), 0.05 * variance(i, 0)) << text << " " << unit;
      }
    }
  }
}

// What was given with bounds, or is fixed, is meant in the units of the targets.
TEST(GpLearning, BoundsAreInTheUnitsOfTheTargets) {
  const Wave w = wave(40, 4);
  Matrix y(w.y);
  for (Index i = 0; i < y.rows(); ++i) y(i, 0) *= 1e9;
  const GaussianProcess gp{.mean = Trend::none};
  const Model m = gp.fit({.K = lazy(parse("(2 in [1, 5])*rbf(ell=1)"), rows(w.x)), .y = y});
  const Params params = m.expansion().parts().kernel->params();
  EXPECT_LE(params[0].value, 5);
}

TEST(GpLearning, LevelsGrowByASteadyFactor) {
  using Sizes = std::vector<Index>;
  EXPECT_EQ(detail::level_sizes(400, 400), Sizes{400});
  EXPECT_EQ(detail::level_sizes(1000, 400), (Sizes{400, 632, 1000}));
  EXPECT_EQ(detail::level_sizes(2000, 400), (Sizes{400, 684, 1170, 2000}));
  for (const Index n : {401, 800, 801, 5000, 100000}) {
    const Sizes sizes = detail::level_sizes(n, 400);
    EXPECT_EQ(sizes.front(), 400);
    EXPECT_EQ(sizes.back(), n);
    for (std::size_t k = 1; k < sizes.size(); ++k) {
      EXPECT_LT(sizes[k - 1], sizes[k]);
      EXPECT_LE(static_cast<double>(sizes[k]), 2 * static_cast<double>(sizes[k - 1]) + 2);
    }
  }
}

// Levels are a way, not an end: what is reached on all points is what a search on all of them reaches.
TEST(GpLearning, LevelsReachWhatAllPointsReach) {
  const Matrix x = test::random_matrix(500, 3, 31, -2, 2);
  Matrix y = test::random_matrix(500, 1, 32, -0.2, 0.2);
  Labels labels{{"a", "b", "c"}, {}};
  for (Index i = 0; i < 500; ++i) {
    y(i, 0) += std::sin(2 * x(i, 0)) + x(i, 1);
    labels.of.push_back(y(i, 0) < -0.7 ? 0 : y(i, 0) < 0.7 ? 1 : 2);
  }
  const Gram K = lazy(parse("rbf(ell=[1, 1, 1])"), rows(x));
  const auto evidence = [&](const char* machine, const char* figure, const char* screen) {
    const Model m = fit(machine, {{"screen", screen}, {"starts", "2"}}, {.K = K, .y = y, .labels = labels});
    EXPECT_TRUE(m.report().converged) << m.report().stopped;
    return *m.report().figure(figure);
  };
  for (const auto& [machine, figure] : {std::pair{"gp", "log_marginal_likelihood"}, {"gpc", "log_evidence"}}) {
    const double all = evidence(machine, figure, "500");
    EXPECT_NEAR(evidence(machine, figure, "60"), all, 0.1) << machine;
  }
}

// Equal targets at equal points: the less noise there is, the higher the evidence, without end, and where the kernel is
// narrower than the points are apart it no longer depends on ell. What stops the search is the least noise there may
// be.
TEST(GpLearning, EqualPointsWithEqualTargetsEndAtTheLeastNoise) {
  const Index group[] = {0, 0, 0, 1, 1, 1, 2, 2};
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    for (const double unit : {1.0, 1e90, 1e-90}) {
      SCOPED_TRACE(testing::Message() << "seed " << seed << ", targets times " << unit);
      const Index columns = 1 + static_cast<Index>(seed % 2);
      const Matrix places = test::random_matrix(3, columns, seed), values = test::random_matrix(3, 1, seed + 100);
      Matrix x(8, columns), y(8, 1);
      for (Index i = 0; i < 8; ++i) {
        for (Index j = 0; j < columns; ++j) x(i, j) = places(group[i], j);
        y(i, 0) = unit * values(group[i], 0);
      }
      const Kernel k = columns == 1 ? rbf(1) : rbf(Vector(at(columns), 1.0));
      const Model m = GaussianProcess{}.fit({.K = lazy(k, rows(x)), .y = y});
      EXPECT_TRUE(m.report().converged) << m.report().stopped;
      const auto& notes = m.report().notes;
      EXPECT_NE(std::ranges::find(notes, "noise / signal = 1e-08 is at its lower bound"), notes.end());
      const Matrix f = m.scores(rows(x));
      for (Index i = 0; i < 8; ++i) EXPECT_NEAR(f(i, 0) / unit, y(i, 0) / unit, 1e-6);
    }
  }
}

// A loaded model factors K + noise again, which is positive definite only with what the fit had to add.
TEST(GpFiles, WhatWasAddedToTheDiagonalIsSaved) {
  const Matrix x = test::random_matrix(40, 1, 3), y = test::random_matrix(40, 1, 4);
  const GaussianProcess gp{.noise = Learnable::fixed_at(0),
                           .signal = Learnable::fixed_at(1),
                           .mean = Trend::none,
                           .objective = GaussianProcess::Objective::none};
  const Model m = gp.fit({.K = lazy(rbf(3), rows(x)), .y = y});
  ASSERT_GT(m.report().figure("jitter").value_or(0), 0);
  std::ostringstream file;
  save(file, m);
  const Model again = load_bytes(file.str(), "memory");
  const Points fresh = rows(test::random_matrix(9, 1, 5, -4, 4));
  test::expect_near(again.variances(fresh), m.variances(fresh), 1e-9);
  EXPECT_EQ(again.posterior().shift, Vector(40, *m.report().figure("jitter")));
}

}  // namespace
}  // namespace mercer::gp_learn_test
