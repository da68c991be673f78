// The tests of errors and probabilities: they keep their level where nothing is wrong, and see what is.
#include "report/checks.hpp"

#include <gtest/gtest.h>

#include "base/random.hpp"
#include "mercer/mercer.hpp"
#include "points/rep.hpp"
#include "report/worries.hpp"

namespace mercer::report::checks_test {
namespace {

// The most alarms that so many sets may raise at this level, with a chance of 1 in 1,000 for more (normal).
double most_alarms(int sets, double level) { return sets * level + 3.1 * std::sqrt(sets * level * (1 - level)); }

// Probabilities of `classes` classes, sure and unsure ones, and classes drawn from them.
struct Drawn {
  Matrix p;
  std::vector<Index> truth;
};
Drawn drawn(Index n, Index classes, std::uint64_t seed) {
  Random random(seed);
  Drawn out{Matrix(n, classes), {}};
  for (Index i = 0; i < n; ++i) {
    double total = 0;
    for (Index c = 0; c < classes; ++c) total += out.p(i, c) = std::exp(3 * random.normal());
    for (Index c = 0; c < classes; ++c) out.p(i, c) /= total;
    double left = random.uniform();
    Index c = 0;
    while (c + 1 < classes && (left -= out.p(i, c)) >= 0) ++c;
    out.truth.push_back(c);
  }
  return out;
}

TEST(ReportChecks, ProbabilitiesThatAreRightAreFoundWrongInFiveOfHundredCases) {
  constexpr int kSets = 200;
  for (const Index classes : {2, 4}) {
    int alarms = 0;
    for (int s = 0; s < kSets; ++s) {
      const Drawn data = drawn(120, classes, static_cast<std::uint64_t>(100 * classes + s));
      std::vector<Index> shown;
      for (Index c = classes == 2 ? 1 : 0; c < classes; ++c) shown.push_back(c);
      alarms += check_probabilities(data.p, data.truth, shown).chance <= kOverallLevel ? 1 : 0;
    }
    EXPECT_LE(alarms, most_alarms(kSets, kOverallLevel)) << classes << " classes";
    EXPECT_GE(alarms, 1) << "a test that never sees anything has no level";
  }
}

TEST(ReportChecks, ProbabilitiesThatAreTooSureAreSeen) {
  Drawn data = drawn(300, 2, 5);
  for (Index i = 0; i < data.p.rows(); ++i) {
    const double odds = std::pow(data.p(i, 1) / data.p(i, 0), 3);  // thrice as sure as it may be
    data.p(i, 1) = odds / (1 + odds);
    data.p(i, 0) = 1 - data.p(i, 1);
  }
  const std::vector<Index> shown = {1};
  EXPECT_LE(check_probabilities(data.p, data.truth, shown).chance, 0.01);
}

// What was said to be impossible has happened; and what was said to be certain always did.
TEST(ReportChecks, ProbabilitiesOfExactlyZeroAndOne) {
  Matrix p(40, 2);
  std::vector<Index> truth;
  for (Index i = 0; i < 40; ++i) {
    p(i, i % 2) = 1;
    truth.push_back(i % 2);
  }
  const std::vector<Index> shown = {1};
  EXPECT_EQ(check_probabilities(p, truth, shown).chance, 1);
  truth[7] = 0;
  const ProbabilityCheck found = check_probabilities(p, truth, shown);
  EXPECT_EQ(found.chance, 1.0 / 200);
  EXPECT_EQ(found.bins[found.worst].sum, 20);
  EXPECT_EQ(found.bins[found.worst].hits, 19);
}

// Exact tails of the chi-square distribution: of 10 degrees beyond 18.307 5 %, of 100 beyond 135.807 1 %.
TEST(ReportChecks, SizesAreHeldToTheChiSquare) {
  const auto chance = [](double sum, Index n) {
    return chance_of_size(Vector(static_cast<std::size_t>(n), std::sqrt(sum / static_cast<double>(n))),
                          static_cast<double>(n));
  };
  EXPECT_NEAR(chance(18.307, 10), 0.05, 5e-4);
  EXPECT_NEAR(chance(135.807, 100), 0.01, 1e-4);
  // Ten numbers that are one and the same are worth one.
  EXPECT_NEAR(independent_ones(Matrix(10, 10, 4.0)), 1, 1e-12);
  Matrix apart(10, 10);
  for (Index i = 0; i < 10; ++i) apart(i, i) = static_cast<double>(i + 1);
  EXPECT_NEAR(independent_ones(apart), 10, 1e-12);
}

TEST(ReportChecks, TheLargestIsHeldToAll) {
  Vector z(100, 0.5);
  z[3] = -3.2905;  // two-sided 0.001
  EXPECT_NEAR(chance_of_largest(z), 0.1, 1e-3);
  z[3] = 9;
  EXPECT_LT(chance_of_largest(z), 1e-15);
}

// By SciPy: t of 18 degrees, twenty times its two tails. The tail that is used here is off by a few hundredths.
TEST(ReportChecks, TheFarthestIsHeldToTheOthers) {
  Vector errors;
  for (int i = 0; i < 20; ++i) errors.push_back((i * 7 % 20 - 9.5) / 6);
  errors[3] = 6;
  const FarthestCheck found = check_farthest(errors);
  EXPECT_EQ(found.row, 3u);
  EXPECT_NEAR(found.chance, 0.00020016571738756867, 5e-2 * 0.0002);  // t = 6.058032024570675 times sqrt(20/19)
  EXPECT_NEAR(found.deviations, 6.058032024570675 * std::sqrt(20.0 / 19), 1e-9);
  // Wherever they lie, and whatever their unit.
  for (double& e : errors) e = 100 - 3 * e;
  EXPECT_NEAR(check_farthest(errors).chance, found.chance, 1e-12);
  EXPECT_EQ(check_farthest(Vector(30, 2.0)).chance, 1);
}

TEST(ReportChecks, TheFarthestKeepsItsLevel) {
  constexpr int kSets = 1000;
  for (const int n : {20, 200}) {
    int alarms = 0;
    for (int s = 0; s < kSets; ++s) {
      Random random(static_cast<std::uint64_t>(s + 1));
      Vector errors;
      for (int i = 0; i < n; ++i) errors.push_back(0.2 + 3 * random.normal());
      alarms += check_farthest(errors).chance <= kOverallLevel ? 1 : 0;
    }
    EXPECT_LE(alarms, most_alarms(kSets, kOverallLevel)) << n;
    EXPECT_GE(alarms, kSets * kOverallLevel / 2) << n;
  }
}

// Errors of many kinds, none of which hangs on the order or on what is predicted.
TEST(ReportChecks, OrderAndGrowthKeepTheirLevel) {
  constexpr int kSets = 400;
  int order = 0, growth = 0;
  for (int s = 0; s < kSets; ++s) {
    Random random(static_cast<std::uint64_t>(s + 1));
    Vector errors, predicted;
    for (int i = 0; i < 60; ++i) {
      const double size = i % 3 == 0 ? 5 : 1;  // some rows are worse than others
      errors.push_back(size * std::pow(random.normal(), 3));
      predicted.push_back(random.uniform());
    }
    order += check_order(errors).chance <= 0.05 ? 1 : 0;
    growth += check_growth(predicted, errors).chance <= 0.05 ? 1 : 0;
  }
  EXPECT_LE(order, most_alarms(kSets, 0.05));
  EXPECT_LE(growth, most_alarms(kSets, 0.05));
  EXPECT_GE(growth, 1);
}

// Spearman's correlation of 1..5 and {2, 1, 4, 3, 5} is 0.8, of ties the mean of their ranks is taken.
TEST(ReportChecks, GrowthIsTheRankCorrelation) {
  EXPECT_NEAR(check_growth(Vector{1, 2, 3, 4, 5}, Vector{2, -1, 4, -3, 5}).correlation, 0.8, 1e-15);
  EXPECT_NEAR(check_growth(Vector{1, 2, 3, 4}, Vector{1, 2, 2, 3}).correlation, std::sqrt(0.9), 1e-15);
  EXPECT_EQ(check_growth(Vector{1, 1, 1}, Vector{1, 2, 3}).chance, 1);
}

// ---- on reports ----

enum class Fault { none, larger, outlier, alike, growing };

// A process that is known, observed at random places; its own model, or one that is wrong about the errors.
// `together`: the points held out lie beside each other, beyond the others, so that their errors are nearly one.
Subject observed(std::uint64_t seed, Fault fault, bool held_out, bool together = false) {
  constexpr Index n = 60;
  Random random(seed);
  Matrix x(2 * n, 1), y(2 * n, 1);
  for (Index i = 0; i < 2 * n; ++i) x(i, 0) = together && i >= n ? random.uniform(8, 8.05) : random.uniform(0, 6);
  const Points all = rows(Matrix(x));
  const Matrix K = gram(rbf(1), all);
  // A draw of f: the Cholesky factor by hand, with a little on the diagonal.
  Matrix l(2 * n, 2 * n);
  Vector white;
  for (Index i = 0; i < 2 * n; ++i) {
    white.push_back(random.normal());
    for (Index j = 0; j <= i; ++j) {
      double sum = K(i, j) + (i == j ? 1e-8 : 0);
      for (Index k = 0; k < j; ++k) sum -= l(i, k) * l(j, k);
      l(i, j) = i == j ? std::sqrt(std::max(sum, 1e-12)) : sum / l(j, j);
    }
    for (Index j = 0; j <= i; ++j) y(i, 0) += l(i, j) * white[static_cast<std::size_t>(j)];
  }
  double before = 0;
  for (Index i = 0; i < 2 * n; ++i) {
    double noise = 0.3 * random.normal();
    if (fault == Fault::larger) noise *= 2.5;
    if (fault == Fault::outlier && i % n == 17) noise = 4;
    if (fault == Fault::alike) noise = before = 0.8 * before + 0.6 * noise;
    if (fault == Fault::growing) noise *= std::exp(y(i, 0));
    y(i, 0) += noise;
  }
  const auto half = [&](Index from) {
    return std::pair(all.slice({from, from + n}), Matrix(y.view().block({from, from + n}, {0, 1})));
  };
  const auto [train, targets] = half(0);
  const Settings known = {{"objective", "none"}, {"noise", "fixed(0.09)"}, {"signal", "fixed(1)"}, {"mean", "zero"}};
  const Training training{.K = lazy(parse("rbf(ell=fixed(1))"), train), .y = targets};
  Subject out{.model = fit("gp", known, training), .x = train, .y = targets};
  if (held_out) {
    std::tie(out.x, out.y) = half(n);
  } else {
    out.fitted_to = true;
    out.training = training;
  }
  return out;
}

// Machines that do not say how large errors are: targets along a line, and one that is far off.
Subject without_bands(const std::string& machine, std::uint64_t seed, bool outlier, double noise = 0.3) {
  constexpr Index n = 60;
  Random random(seed);
  Matrix x(n, 1), y(n, 1);
  for (Index i = 0; i < n; ++i) {
    x(i, 0) = random.uniform(0, 6);
    y(i, 0) = std::sin(x(i, 0)) + noise * random.normal() + (outlier && i == 17 ? 9 * noise : 0);
  }
  const Points points = rows(std::move(x));
  const Training training{.K = lazy(parse("rbf(ell=1)"), points), .y = y};
  const Settings settings = machine == "svr" ? Settings{{"C", "1"}, {"epsilon", "0.1"}} : Settings{};
  return {.model = fit(machine, settings, training), .x = points, .y = y, .fitted_to = true, .training = training};
}

bool says(const std::vector<Worry>& all, const std::string& text) {
  return std::any_of(all.begin(), all.end(),
                     [&](const Worry& worry) { return worry.what.find(text) != std::string::npos; });
}

TEST(ReportChecks, AModelThatIsRightIsLeftAlone) {
  for (const bool held_out : {false, true}) {
    constexpr int kSets = 60;
    int alarms = 0;
    for (int s = 0; s < kSets; ++s) {
      const auto found = about_errors(observed(static_cast<std::uint64_t>(s + 1), Fault::none, held_out));
      alarms += found.empty() ? 0 : 1;
    }
    EXPECT_LE(alarms, most_alarms(kSets, kOverallLevel)) << (held_out ? "held out" : "left out");
  }
}

// Sixty errors that are nearly one are worth little more than one.
TEST(ReportChecks, ErrorsThatGoTogetherCountForWhatTheyAreWorth) {
  constexpr int kSets = 60;
  int alarms = 0;
  for (int s = 0; s < kSets; ++s) {
    const auto found = about_errors(observed(static_cast<std::uint64_t>(s + 1), Fault::none, true, true));
    alarms += says(found, "times the size that the model expects") ? 1 : 0;
  }
  EXPECT_LE(alarms, most_alarms(kSets, kOverallLevel / 4));
}

TEST(ReportChecks, OutliersAreNamedWhateverTheMachine) {
  for (const char* const machine : {"ridge", "svr", "knn_regression", "nadaraya_watson"}) {
    constexpr int kSets = 40;
    int alarms = 0, seen = 0;
    for (int s = 0; s < kSets; ++s) {
      const auto seed = static_cast<std::uint64_t>(s + 1);
      alarms += about_errors(without_bands(machine, seed, false)).empty() ? 0 : 1;
      const std::vector<Worry> found = about_errors(without_bands(machine, seed, true));
      seen += says(found, "Row 18 is ") && says(found, "3 checks of this kind") ? 1 : 0;
    }
    EXPECT_LE(alarms, most_alarms(kSets, kOverallLevel)) << machine;
    EXPECT_GE(seen, kSets - 2) << machine;
  }
  // What is met but for rounding has no outliers.
  Subject met = without_bands("ridge", 1, false);
  for (Index i = 0; i < met.y.rows(); ++i) met.y(i, 0) = 1 + 2 * dense_rows(met.x).values(i, 0);
  met.training = Training{.K = lazy(parse("linear() + 1"), met.x), .y = met.y};
  met.model = fit("ridge", {{"ridge", "1e-14"}}, *met.training);
  for (const Worry& worry : about_errors(met)) {
    EXPECT_EQ(worry.what.find("deviations of the other errors"), worry.what.npos) << worry.what;
  }
}

TEST(ReportChecks, ErrorsThatTheModelDoesNotExpectAreSaid) {
  for (const bool held_out : {false, true}) {
    const auto larger = about_errors(observed(1, Fault::larger, held_out));
    ASSERT_TRUE(says(larger, "times the size that the model expects"));
    EXPECT_NEAR(std::stod(larger[0].what.substr(std::string("Errors are ").size())), 2.5, 0.5) << larger[0].what;
    const auto outlier = about_errors(observed(2, Fault::outlier, held_out));
    EXPECT_TRUE(says(outlier, "Row 18 is ")) << held_out;
    EXPECT_TRUE(says(outlier, "4 checks of this kind, which together raise a false alarm in 5 of 100 cases"));
    EXPECT_TRUE(says(about_errors(observed(3, Fault::alike, held_out)), "err alike")) << held_out;
    EXPECT_TRUE(says(about_errors(observed(4, Fault::growing, held_out)), "grow with what is predicted")) << held_out;
  }
}

}  // namespace
}  // namespace mercer::report::checks_test
