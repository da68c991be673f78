// How many centres: doubled while points held out are told better, with one look further, and no longer.
#include "selection/grow_centres.hpp"

#include <gtest/gtest.h>

#include "mercer/kernels.hpp"
#include "support.hpp"

namespace mercer::grow_centres_test {
namespace {

constexpr Index kPoints = 1200;

detail::Growth grown(const std::string& name, const std::string& kernel, const Settings& settings, Training training) {
  const Choice choice{.settings = settings, .kernel = parse(kernel)};
  return detail::grow_centres(machine(name), settings, choice, training, {.count = 1000});
}

Training numbers(const std::function<double(double, double, double)>& target) {
  const Matrix x = test::random_matrix(kPoints, 2, 1), noise = test::random_matrix(kPoints, 1, 2);
  Training out{.K = lazy(parse("linear()"), rows(x)), .y = Matrix(kPoints, 1)};
  for (Index i = 0; i < kPoints; ++i) out.y(i, 0) = target(x(i, 0), x(i, 1), noise(i, 0));
  return out;
}

TEST(GrowCentres, EndsWhereTwiceAsManyGainNothing) {
  const detail::Growth found = grown("ridge", "rbf(ell=1)", {{"ridge", "0.1"}},
                                     numbers([](double a, double b, double e) { return std::sin(a + b) + e; }));
  EXPECT_EQ(found.count, 250);
  ASSERT_TRUE(found.centres && found.table);
  EXPECT_LE(found.centres->size(), 250);
  ASSERT_EQ(found.table->rows.rows(), 3);
  EXPECT_EQ(found.table->rows(1, 0), 500);
  EXPECT_EQ(found.table->rows(2, 0), 1000);  // all that are allowed
  EXPECT_NE(found.words.find("; 1000 gain less than 1 %"), std::string::npos) << found.words;
}

// One sort of two counts ten thousand times as much, and has 600 values: fewer centres tell these and nothing of the
// other sort, which is all that the target depends on.
TEST(GrowCentres, LooksBeyondWhatGainsNothing) {
  constexpr Index kMany = 5000;
  const Matrix x = test::random_matrix(kMany, 2, 6, 0, 1), effect = test::random_matrix(400, 1, 7);
  Matrix sorts(kMany, 2);
  Training training{.K = lazy(parse("linear()"), rows(x)), .y = Matrix(kMany, 1)};
  for (Index i = 0; i < kMany; ++i) {
    const auto sort = [&](Index j, Index values) { return std::floor(x(i, j) * static_cast<double>(values)); };
    sorts(i, 0) = sort(0, 600);
    sorts(i, 1) = sort(1, 400);
    training.y(i, 0) = effect(static_cast<Index>(sorts(i, 1)), 0);
  }
  training.K = lazy(parse("linear()"), rows(sorts));
  const Choice choice{.settings = {{"ridge", "1e-4"}},
                      .kernel = parse("100*on(1, exponential(ell=0.01)) + 0.01*on(2, exponential(ell=0.01))")};
  const detail::Growth found =
      detail::grow_centres(machine("ridge"), choice.settings, choice, training, {.count = 1500});
  ASSERT_TRUE(found.table && found.centres);
  ASSERT_EQ(found.table->rows.rows(), 3) << found.words;
  const auto error = [&](Index row) { return found.table->rows(row, 1); };
  EXPECT_GT(error(1), 0.99 * error(0));
  EXPECT_LT(error(2), 0.5 * error(0));
  EXPECT_EQ(found.count, 1500);
  EXPECT_EQ(found.centres->size(), 600 + 400 - 1);  // the rank of K
}

// A short kernel knows nothing beyond its centres.
TEST(GrowCentres, GoesOnWhileItHelps) {
  const detail::Growth found = grown("ridge", "exponential(ell=0.1)", {{"ridge", "1e-4"}},
                                     numbers([](double a, double b, double) { return std::sin(3 * a) + b; }));
  EXPECT_EQ(found.count, 1000);
  ASSERT_TRUE(found.centres);
  EXPECT_EQ(found.centres->size(), 1000);
  EXPECT_NE(found.words.find("more would help"), std::string::npos) << found.words;
}

// Fewer that end are better than more that do not, and of the first trial nothing is known before.
TEST(GrowCentres, StopsBeforeWhatWouldNotEndInTime) {
  Training training = numbers([](double a, double b, double) { return std::sin(3 * a) + b; });
  const auto count = [&](double seconds) {
    training.seconds = seconds;
    return grown("ridge", "exponential(ell=0.1)", {{"ridge", "1e-4"}}, training);
  };
  const detail::Growth few = count(0);
  EXPECT_EQ(few.count, 250);
  ASSERT_TRUE(few.table);
  EXPECT_EQ(few.table->rows.rows(), 1);
  EXPECT_NE(few.words.find("more would not end in the time"), std::string::npos) << few.words;
  EXPECT_EQ(count(1e9).count, 1000);
}

// More points than are tried get more centres by the root of that: where it comes to all that are allowed, no further
// trial could change the number.
TEST(GrowCentres, TriesNothingThatWouldNotMatter) {
  constexpr Index kMany = 60000;
  const Matrix x = test::random_matrix(kMany, 1, 4), noise = test::random_matrix(kMany, 1, 5);
  Training training{.K = lazy(parse("linear()"), rows(x)), .y = Matrix(kMany, 1)};
  for (Index i = 0; i < kMany; ++i) training.y(i, 0) = std::sin(3 * x(i, 0)) + noise(i, 0);
  const Choice choice{.settings = {{"ridge", "1"}}, .kernel = parse("exponential(ell=3)")};
  for (const Index most : {270, 290}) {  // 250 * sqrt(60,000 / 50,000) = 273
    const detail::Growth found =
        detail::grow_centres(machine("ridge"), choice.settings, choice, training, {.count = most});
    ASSERT_TRUE(found.table && found.centres);
    EXPECT_EQ(found.table->rows.rows(), most == 270 ? 1 : 2);
    EXPECT_EQ(found.words.find("gain less") == std::string::npos, most == 270) << found.words;
    EXPECT_EQ(found.count, most == 270 ? 270 : 273) << found.words;
  }
  // A ridge that is open is that of as many as there will be.
  const detail::Growth open = detail::grow_centres(machine("ridge"), {}, choice, training, {.count = 270});
  EXPECT_TRUE(open.settled.contains("ridge"));
  EXPECT_TRUE(open.words.ends_with(" with 270 centres")) << open.words;
}

// sin x_1 + x_2 x_3 in 12 columns with noise of 0.2, and a wide kernel, for which K is what products of columns make
// it: of three columns there are 364, which 250 centres cannot tell.
Training products(Index n) {
  const Matrix x = test::random_matrix(n, 12, 8, -1.7, 1.7);
  std::mt19937 random(9);
  std::normal_distribution<double> noise(0, 0.2);
  Training out{.K = lazy(parse("linear()"), rows(x)), .y = Matrix(n, 1)};
  for (Index i = 0; i < n; ++i) out.y(i, 0) = std::sin(x(i, 0)) + x(i, 1) * x(i, 2) + noise(random);
  return out;
}

// What few centres leave is noise to them, and a ridge for so much noise keeps more of them from telling it.
TEST(GrowCentres, TheRidgeIsSettledAnew) {
  const Training training = products(4000);
  const Choice choice{.settings = {{"ridge", "0.01"}}, .kernel = parse("rbf(ell=12)")};
  const auto grow = [&](const Settings& given) {
    return detail::grow_centres(machine("ridge"), given, choice, training, {.count = 1000});
  };
  const detail::Growth open = grow({}), given = grow(choice.settings);
  const auto least = [](const detail::Growth& found) {
    double out = std::numeric_limits<double>::infinity();
    for (Index r = 0; r < found.table->rows.rows(); ++r) out = std::min(out, found.table->rows(r, 1));
    return out / 0.2;
  };
  ASSERT_TRUE(open.table && given.table);
  EXPECT_GT(least(given), 1.1);
  EXPECT_LT(least(open), 1.1);
  EXPECT_GT(open.count, 250);
  EXPECT_TRUE(given.settled.empty());
  ASSERT_TRUE(open.settled.contains("ridge"));
  EXPECT_LT(std::stod(open.settled.at("ridge")), 1e-3);
  EXPECT_NE(open.words.find("; ridge="), std::string::npos) << open.words;
  EXPECT_EQ(given.words.find("ridge="), std::string::npos) << given.words;
}

// A number that is given has its ridge, too.
TEST(GrowCentres, AGivenNumberHasItsRidge) {
  const Training training = products(2000);
  const Choice choice{.settings = {{"ridge", "0.01"}}, .kernel = parse("rbf(ell=12)")};
  const auto settle = [&](const Settings& given, const std::string& name, Index count) {
    return detail::settle_on_centres(machine(name), given, choice, training, {.count = count});
  };
  const detail::Growth found = settle({}, "ridge", 700);
  EXPECT_EQ(found.count, 700);
  ASSERT_EQ(found.settled.size(), 1U);
  Training all = training;
  all.K = lazy(*choice.kernel, *training.K.points());
  all.centres = choose_centres(*choice.kernel, *training.K.points(), {.count = 700});
  const Report report = fit("ridge", {{"ridge", "auto"}, {"criterion", "gcv"}}, all).report();
  EXPECT_EQ(std::stod(found.settled.at("ridge")), *report.figure("ridge"));
  EXPECT_TRUE(settle(choice.settings, "ridge", 700).settled.empty());
  EXPECT_TRUE(settle({}, "ols", 700).settled.empty());
}

// Noise cannot be foretold: only who has seen the points that are held out is clearly better than its deviation.
TEST(GrowCentres, PointsHeldOutAreNotFittedTo) {
  const Training training = numbers([](double, double, double e) { return e; });
  double square = 0;
  for (Index i = 0; i < kPoints; ++i) square += training.y(i, 0) * training.y(i, 0) / kPoints;
  const detail::Growth found = grown("ridge", "rbf(ell=0.2)", {{"ridge", "1e-3"}}, training);
  ASSERT_TRUE(found.table);
  EXPECT_EQ(found.count, 250);
  for (Index r = 0; r < found.table->rows.rows(); ++r) EXPECT_GT(found.table->rows(r, 1), 0.95 * std::sqrt(square));
}

// Of accuracy more is better.
TEST(GrowCentres, GoesByWhatIsBetter) {
  const Matrix x = test::random_matrix(kPoints, 2, 3, 0, 12);
  std::vector<std::string> board;
  for (Index i = 0; i < kPoints; ++i) {
    board.push_back((static_cast<int>(x(i, 0)) + static_cast<int>(x(i, 1))) % 2 == 0 ? "black" : "white");
  }
  const Training training{.K = lazy(parse("linear()"), rows(x)), .labels = Labels::from(board)};
  const detail::Growth found = grown("kfda", "exponential(ell=0.4)", {}, training);
  ASSERT_TRUE(found.table);
  EXPECT_EQ(found.table->columns[1], "accuracy");
  EXPECT_GT(found.count, 250);
  EXPECT_GT(found.table->rows(1, 1), found.table->rows(0, 1));
}

}  // namespace
}  // namespace mercer::grow_centres_test
