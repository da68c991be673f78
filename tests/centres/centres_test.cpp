// Centres: what their features say of K, and how they are chosen.
#include "mercer/centres.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <set>

#include "centres/growing.hpp"
#include "linalg/lapack.hpp"
#include "mercer/gram.hpp"
#include "mercer/kernels.hpp"
#include "support.hpp"

namespace mercer::centres_test {
namespace {

const std::vector<CentresBy> kWays = {CentresBy::rpcholesky, CentresBy::uniform, CentresBy::kmeanspp,
                                      CentresBy::thinning};

Matrix product(const Matrix& f) {
  Matrix out(f.rows(), f.rows());
  linalg::multiply_transposed(1, f, f, 0, out);
  return out;
}

// K - F F'
Matrix left_by(const Centres& centres, const Points& x) {
  Matrix out = gram(centres.kernel(), x);
  const Matrix F = centres.features(x);
  linalg::multiply_transposed(-1, F, F, 1, out);
  return out;
}

TEST(Centres, AllPointsSayAllOfK) {
  const Points x = rows(test::random_matrix(150, 3, 1));
  const Kernel k = parse("1.5*matern(nu=1.5, ell=0.8)");
  const Centres all(k, x);
  ASSERT_EQ(all.size(), 150);
  test::expect_near(product(all.features(x)), gram(k, x), 1e-11);
}

TEST(Centres, FewAreBelowKAndExactAtThemselves) {
  const Points x = rows(test::random_matrix(300, 3, 2));
  const Kernel k = parse("rbf(ell=1) + 0.1*linear()");
  for (const CentresBy by : kWays) {
    const Centres few = choose_centres(k, x, {.count = 40, .by = by});
    EXPECT_EQ(few.size(), 40) << name_of(by);
    const Matrix R = left_by(few, x);
    EXPECT_GE(linalg::eigenvalues(R).front(), -1e-11) << name_of(by);
    double trace = 0, all = 0;
    for (Index i = 0; i < R.rows(); ++i) trace += R(i, i);
    for (const double value : diagonal(k, x)) all += value;
    EXPECT_NEAR(few.choice().trace_left_out, trace / all, 1e-9) << name_of(by);
    EXPECT_LT(few.choice().trace_left_out, 0.2) << name_of(by);
    const Matrix own = left_by(few, few.points());
    for (Index i = 0; i < own.rows(); ++i) EXPECT_NEAR(own(i, i), 0, 1e-10);
  }
}

// Twelve points on a line, every third a centre: log |F F' + 0.05 I|, what is left of the trace, and the bound of
// log |K + 0.05 I| that follows, from 40-digit arithmetic.
TEST(Centres, KnownDeterminant) {
  Matrix x(12, 1), z(4, 1);
  for (Index i = 0; i < 12; ++i) {
    x(i, 0) = (static_cast<double>(i) + 0.3 * std::sin(static_cast<double>(i))) / 4;
    if (i % 3 == 0) z(i / 3, 0) = x(i, 0);
  }
  const Centres few(parse("1.5*matern(nu=1.5, ell=0.8)"), rows(z));
  Matrix P = product(few.features(rows(x)));
  const Matrix R = left_by(few, rows(x));
  double left = 0, determinant = 0;
  for (Index i = 0; i < 12; ++i) {
    P(i, i) += 0.05;
    left += R(i, i);
  }
  for (const double value : linalg::eigenvalues(P)) determinant += std::log(value);
  EXPECT_NEAR(determinant, -19.766682258707, 1e-11);
  EXPECT_NEAR(left, 1.67299834243581, 1e-12);
  EXPECT_NEAR(determinant + 12 * std::log1p(left / (12 * 0.05)), -3.78357698596224, 1e-11);
}

TEST(Centres, AreDifferentPointsOfTheData) {
  Matrix values = test::random_matrix(200, 2, 3);
  for (Index i = 100; i < 200; ++i) std::copy_n(values.row(i - 100), 2, values.row(i));  // each twice
  const Points x = rows(values);
  for (const CentresBy by : kWays) {
    const Centres few = choose_centres(parse("rbf(ell=0.3)"), x, {.count = 60, .by = by, .seed = 5});
    ASSERT_EQ(few.size(), 60) << name_of(by);
    const Matrix K = gram(parse("linear()"), few.points());
    std::set<std::pair<double, double>> seen;
    const Matrix across = cross(parse("rbf(ell=1e-4)"), few.points(), x);
    for (Index i = 0; i < 60; ++i) {
      double found = 0;
      for (Index j = 0; j < 200; ++j) found += across(i, j);
      EXPECT_NEAR(found, 2, 1e-9) << name_of(by);  // one of the data, which are there twice
      for (Index j = 0; j < i; ++j) EXPECT_GT(K(i, i) + K(j, j) - 2 * K(i, j), 1e-12) << name_of(by);
    }
  }
}

TEST(Centres, EndWhereTheKernelHasNoMoreDirections) {
  const Points x = rows(test::random_matrix(500, 3, 4));
  const Centres few = choose_centres(linear(), x, {.count = 50});
  EXPECT_EQ(few.size(), 3);
  EXPECT_LT(few.choice().trace_left_out, 1e-12);
}

// Of those that grow each knows its own number, and not the most that there may be.
TEST(Centres, KnowHowManyWereWished) {
  const Points x = rows(test::random_matrix(60, 2, 6));
  centres::Growing growing(parse("rbf(ell=1)"), x, {.count = 40}, {});
  for (const Index count : {10, 25, 40}) EXPECT_EQ(growing.of(count).choice().wishes.count, count);
}

TEST(Centres, GivenTwiceAreTakenOnce) {
  const Matrix one = test::random_matrix(5, 2, 5);
  Matrix twice(10, 2);
  for (Index i = 0; i < 10; ++i) std::copy_n(one.row(i % 5), 2, twice.row(i));
  EXPECT_EQ(Centres(parse("rbf(ell=1)"), rows(twice)).size(), 5);
}

TEST(Centres, NearlyEqualOnesNeedAJitterThatIsSaid) {
  Matrix z(40, 1);
  for (Index i = 0; i < 40; ++i) z(i, 0) = 1 + 1e-9 * static_cast<double>(i);
  const Centres close(parse("rbf(ell=1)"), rows(z));
  EXPECT_GT(close.jitter(), 0);
  EXPECT_LT(close.jitter(), 1e-8);
  const Matrix F = close.features(rows(Matrix{{1.0}}));
  double square = 0;
  for (Index j = 0; j < F.cols(); ++j) square += F(0, j) * F(0, j);
  EXPECT_NEAR(square, 1, 1e-6);
  // In units of k: of a hundred times k it is a hundred times as much.
  EXPECT_NEAR(Centres(parse("100*rbf(ell=1)"), rows(z)).jitter(), 100 * close.jitter(), 1e-9 * close.jitter());
}

TEST(Centres, AFunctionOfFeaturesIsAnExpansionInTheKernel) {
  const Points x = rows(test::random_matrix(80, 2, 6)), fresh = rows(test::random_matrix(30, 2, 7));
  const Centres few = choose_centres(parse("matern(nu=2.5, ell=1)"), x, {.count = 20});
  const Matrix w = test::random_matrix(20, 2, 8);
  const Expansion f = few.expansion(w, {0.5, -1}, 80);
  const Matrix F = few.features(fresh), values = f(fresh);
  for (Index i = 0; i < 30; ++i) {
    for (Index c = 0; c < 2; ++c) {
      double expected = c == 0 ? 0.5 : -1;
      for (Index j = 0; j < 20; ++j) expected += w(j, c) * F(i, j);
      EXPECT_NEAR(values(i, c), expected, 1e-9);
    }
  }
  double square = 0;
  for (Index j = 0; j < 20; ++j) square += w(j, 0) * w(j, 0);
  EXPECT_NEAR(f.norms()[0], std::sqrt(square), 1e-12);
}

TEST(Centres, StandForTextsToo) {
  std::vector<std::string> texts;
  for (int i = 0; i < 60; ++i)
    texts.push_back(std::string(static_cast<std::size_t>(1 + i % 7), 'a') + std::to_string(i * i));
  const Points x = strings(texts);
  for (const CentresBy by : kWays) {
    const Centres few = choose_centres(parse("normalize(spectrum(k=2))"), x, {.count = 15, .by = by});
    EXPECT_LE(few.size(), 15);
    EXPECT_GE(linalg::eigenvalues(left_by(few, x)).front(), -1e-11);
  }
}

TEST(Centres, SameSeedSamePointsWhateverTheThreads) {
  const Points x = rows(test::random_matrix(12000, 2, 9));
  for (const CentresBy by : {CentresBy::rpcholesky, CentresBy::uniform, CentresBy::kmeanspp}) {
    const Centres one = choose_centres(parse("rbf(ell=0.5)"), x, {.count = 50, .by = by}, {.threads = 1});
    const Centres two = choose_centres(parse("rbf(ell=0.5)"), x, {.count = 50, .by = by}, {.threads = 2});
    EXPECT_EQ(one.features(x, {.threads = 1}), two.features(x, {.threads = 2})) << name_of(by);
    EXPECT_EQ(one.choice().looked_at, 10000);
    const Centres other = choose_centres(parse("rbf(ell=0.5)"), x, {.count = 50, .by = by, .seed = 2});
    EXPECT_FALSE(gram(one.kernel(), one.points()) == gram(other.kernel(), other.points())) << name_of(by);
  }
}

// Two clusters, one of them of a hundredth of the points: uniform centres seldom see it, the others always do.
TEST(Centres, FindSmallClusters) {
  Matrix values = test::random_matrix(2000, 2, 10, -1, 1);
  for (Index i = 0; i < 20; ++i) values(i, 0) += 100;
  for (const CentresBy by : {CentresBy::rpcholesky, CentresBy::kmeanspp}) {
    int found = 0;
    for (std::uint64_t seed = 1; seed <= 10; ++seed) {
      const Centres few = choose_centres(parse("rbf(ell=1)"), rows(values), {.count = 25, .by = by, .seed = seed});
      const Matrix to_it = cross(parse("rbf(ell=3)"), rows(Matrix{{100.0, 0.0}}), few.points());
      for (Index j = 0; j < to_it.cols(); ++j) {
        if (to_it(0, j) > 0.1) {
          ++found;
          break;
        }
      }
    }
    EXPECT_GE(found, 9) << name_of(by);
  }
}

TEST(Centres, RefuseWhatCannotBe) {
  const Points x = rows(test::random_matrix(10, 2, 11));
  const Kernel k = parse("rbf(ell=1)");
  test::expect_error([&] { choose_centres(k, x, {.count = 11}); }, "UsageError", {"11 of 10 points", "at most all"});
  test::expect_error([&] { choose_centres(k, x, {.count = 0}); }, "UsageError", {"at least one"});
  test::expect_error([&] { centres_by("best"); }, "UsageError", {"rpcholesky, uniform, kmeans++, thinning", "'best'"});
  for (const CentresBy by : kWays) EXPECT_EQ(centres_by(name_of(by)), by);
}

}  // namespace
}  // namespace mercer::centres_test
