// The two-sample test: values, level, power, and what must not matter.
#include "mercer/statistics/two_sample.hpp"

#include <gtest/gtest.h>

#include <numeric>

#include "base/at.hpp"
#include "base/random.hpp"
#include "mercer/kernels.hpp"
#include "points/join.hpp"
#include "statistics/resampling.hpp"
#include "support.hpp"

namespace mercer::two_sample_test {
namespace {

using test::expect_error;
using Null = TwoSampleTest::Null;

Matrix normal(Index n, Index d, std::uint64_t seed, double shift = 0) {
  Random random(seed);
  Matrix out(n, d);
  for (Index i = 0; i < n * d; ++i) out.data()[i] = shift + random.normal();
  return out;
}

Matrix reversed(const Matrix& x) {
  Matrix out(x.rows(), x.cols());
  for (Index i = 0; i < x.rows(); ++i) std::copy_n(x.row(x.rows() - 1 - i), x.cols(), out.row(i));
  return out;
}

const Points kX = rows(Matrix{{-1}, {0}, {0.5}, {2}}), kY = rows(Matrix{{0}, {1}, {1.5}, {3}, {-0.5}});

TEST(TwoSample, GoldenValues) {
  EXPECT_NEAR(mmd2(rbf(1), kX, kY, Estimate::biased), 0.046928334278848, 1e-14);
  EXPECT_NEAR(mmd2(rbf(1), kX, kY, Estimate::unbiased), -0.235283654933222, 1e-14);
}

// E k for normal distributions is known: N(0,1) and N(1,1), N(0,1) and N(0,4).
TEST(TwoSample, EstimatesThePopulationsValue) {
  const Matrix x = normal(3000, 1, 1);
  Matrix wide = normal(3000, 1, 3);
  for (Index i = 0; i < wide.rows(); ++i) wide(i, 0) *= 2;
  EXPECT_NEAR(mmd2(rbf(1), rows(x), rows(normal(3000, 1, 2, 1))), 0.1772676349, 0.02);
  EXPECT_NEAR(mmd2(rbf(1), rows(x), rows(wide)), 0.0941870216, 0.015);
}

// The statistic that the test reports is the one computed for itself, kept or lazily, whatever the resamples.
TEST(TwoSample, TheTestReportsTheStatistic) {
  const Points a = rows(normal(30, 2, 1)), b = rows(normal(20, 2, 2));
  for (const Estimate estimate : {Estimate::biased, Estimate::unbiased}) {
    const TwoSampleTest test{.resampling = {.resamples = 99}, .estimate = estimate};
    EXPECT_NEAR(test.run(rbf(1), a, b).statistic, mmd2(rbf(1), a, b, estimate), 1e-14);
  }
}

// Every division of five points, by hand.
TEST(TwoSample, ResamplesAreDivisionsOfTheSamePoints) {
  const Matrix all{{0}, {1}, {3}, {4}, {9}};
  const double own = mmd2(rbf(2), rows(all.view().block({0, 2}, {0, 1})), rows(all.view().block({2, 5}, {0, 1})));
  int reached = 0, divisions = 0;
  for (Index i = 0; i < 5; ++i) {
    for (Index j = 0; j < i; ++j) {
      Matrix x{{all(i, 0)}, {all(j, 0)}}, y(3, 1);
      Index k = 0;
      for (Index other = 0; other < 5; ++other) {
        if (other != i && other != j) y(k++, 0) = all(other, 0);
      }
      reached += mmd2(rbf(2), rows(x.view()), rows(y.view())) >= own - 1e-12;
      ++divisions;
    }
  }
  const TwoSampleTest test{.resampling = {.resamples = 20000}};
  const TestResult got =
      test.run(rbf(2), rows(all.view().block({0, 2}, {0, 1})), rows(all.view().block({2, 5}, {0, 1})));
  EXPECT_NEAR(got.p, static_cast<double>(reached) / divisions, 0.015);
  ASSERT_EQ(got.remarks.size(), 1u);
  EXPECT_NE(got.remarks[0].find("cannot give a p below 0.1"), std::string::npos) << got.remarks[0];
}

// Four pairs: their statistic and the share of the sixteen ways to flip them that reach it, by hand for each pairing.
TEST(TwoSample, SignFlipsAreThoseOfSomePairing) {
  const Matrix x{{0.1}, {0.9}, {2.3}, {4.0}}, y{{0.6}, {1.8}, {3.1}, {7.0}};
  const auto k = [](double a, double b) { return std::exp(-(a - b) * (a - b) / 2); };
  for (const Estimate estimate : {Estimate::biased, Estimate::unbiased}) {
    const bool unbiased = estimate == Estimate::unbiased;
    const TwoSampleTest test{
        .resampling = {.resamples = 20000}, .estimate = estimate, .null = TwoSampleTest::Null::sign_flips};
    const TestResult got = test.run(rbf(1), rows(x), rows(y));
    std::vector<Index> partner = {0, 1, 2, 3};
    bool found = false;
    do {
      const auto statistic = [&](int flipped) {
        double sum = 0;
        for (Index i = 0; i < 4; ++i) {
          for (Index j = 0; j < 4; ++j) {
            if (unbiased && i == j) continue;
            const double xi = x(i, 0), xj = x(j, 0), yi = y(partner[at(i)], 0), yj = y(partner[at(j)], 0);
            const int sign = ((flipped >> i) ^ (flipped >> j)) & 1 ? -1 : 1;
            sum += sign * (k(xi, xj) + k(yi, yj) - k(xi, yj) - k(yi, xj));
          }
        }
        return sum / (unbiased ? 12 : 16);
      };
      int reached = 0;
      for (int flipped = 0; flipped < 16; ++flipped) reached += statistic(flipped) >= statistic(0) - 1e-12;
      found = found || (std::abs(statistic(0) - got.statistic) < 1e-13 && std::abs(reached / 16.0 - got.p) < 0.015);
    } while (std::next_permutation(partner.begin(), partner.end()));
    EXPECT_TRUE(found) << "statistic " << got.statistic << ", p " << got.p;
  }
}

// Where one sample is one place, the pairs are the same to the statistic however they are drawn; rows of K are read
// by 64.
TEST(TwoSample, SignFlipsLeaveOutAllPairs) {
  for (const Index n : {63, 64, 65, 130}) {
    const Matrix x = normal(n, 1, 4), y(n, 1, 0.5);
    double within = 0, across = 0;
    for (Index i = 0; i < n; ++i) {
      across += std::exp(-(x(i, 0) - 0.5) * (x(i, 0) - 0.5) / 2);
      for (Index j = 0; j < n; ++j) {
        within += i == j ? 0 : std::exp(-(x(i, 0) - x(j, 0)) * (x(i, 0) - x(j, 0)) / 2);
      }
    }
    const auto size = static_cast<double>(n), pairs = size * (size - 1);
    const TwoSampleTest test{.resampling = {.resamples = 19}, .null = TwoSampleTest::Null::sign_flips};
    const double expected = (within + pairs - 2 * (size - 1) * across) / pairs;
    EXPECT_NEAR(test.run(rbf(1), rows(x), rows(y)).statistic, expected, 1e-13);
    EXPECT_NEAR(test.run(rbf(1), rows(y), rows(x)).statistic, expected, 1e-13);
  }
}

// Of n pairs, flipping all signs says the same: 2^(n - 1) ways, and p is at least one of them.
TEST(TwoSample, SaysWhatSoFewPointsCannotGive) {
  const TwoSampleTest test{.resampling = {.resamples = 99}, .null = TwoSampleTest::Null::sign_flips};
  const auto remarks = [&](Index n) { return test.run(rbf(1), rows(normal(n, 1, 4)), rows(normal(n, 1, 5))).remarks; };
  ASSERT_EQ(remarks(5).size(), 1u);
  EXPECT_NE(remarks(5)[0].find("a p below 0.062"), std::string::npos) << remarks(5)[0];
  EXPECT_TRUE(remarks(6).empty());  // 1/32
}

TEST(TwoSample, NeitherTheOrderNorWhichSampleIsFirstMatters) {
  const Matrix x = normal(40, 2, 1), y = normal(30, 2, 2, 0.4);
  const TwoSampleTest test{.resampling = {.resamples = 499}};
  const TestResult got = test.run(rows(x), rows(y)), turned = test.run(rows(reversed(x)), rows(y)),
                   exchanged = test.run(rows(y), rows(x));
  EXPECT_EQ(turned.p, got.p);
  EXPECT_EQ(exchanged.p, got.p);
  for (std::size_t k = 0; k < got.parts.size(); ++k) {
    EXPECT_NEAR(turned.parts[k].statistic, got.parts[k].statistic, 1e-13);
    EXPECT_NEAR(exchanged.parts[k].statistic, got.parts[k].statistic, 1e-13);
  }
  EXPECT_EQ(test.run(rows(x.view()), rows(y.view()), {.threads = 1}).p, got.p);
}

TEST(TwoSample, ThreadsChangeNoBitAndTheSeedIsTheSeed) {
  const Points a = rows(normal(300, 3, 1)), b = rows(normal(200, 3, 2));
  const auto statistics = [&](int threads, std::uint64_t seed) {
    std::vector<Gram> K = {lazy(rbf(1), join(a, b)), exact(laplace(2), join(a, b))};
    const Matrix v = test::random_matrix(700, 500, static_cast<unsigned>(seed));
    return detail::quadratic_forms(K, v, {.threads = threads});
  };
  EXPECT_EQ(statistics(1, 5), statistics(4, 5));
  const auto p = [&](std::uint64_t seed, int threads) {
    return TwoSampleTest{.resampling = {.resamples = 200, .seed = seed}}.run(rbf(1), a, b, {.threads = threads}).p;
  };
  EXPECT_EQ(p(3, 1), p(3, 2));
  EXPECT_NE(p(3, 1), p(4, 1));
}

// However many there are, a few at a time are there, to the bits of all at once, and it may be stopped between them.
TEST(TwoSample, ResamplesAreLookedAtInBlocks) {
  constexpr Index kVectors = 2500, kSize = 60;
  const std::vector<Gram> K = {lazy(rbf(1), rows(normal(kSize, 2, 1)))};
  const Matrix v = test::random_matrix(kVectors, kSize, 2);
  Index most = 0, seen = 0;
  const auto next = [&](Range which, MatrixRef some) {
    EXPECT_EQ(which.begin, seen);
    seen = which.end;
    most = std::max(most, some.rows());
    for (Index b = 0; b < some.rows(); ++b) std::copy_n(v.row(which.begin + b), kSize, some.row(b));
  };
  EXPECT_EQ(detail::quadratic_forms(K, kVectors, next, {}), detail::quadratic_forms(K, v, {}));
  EXPECT_EQ(seen, kVectors);
  EXPECT_EQ(most, detail::kResamplesAtOnce);
  double done = 0;
  const Execution stopping{.monitor = Monitor([&](const Progress& p) { return (done = p.fraction) < 0.4; })};
  seen = 0;
  test::expect_error([&] { detail::quadratic_forms(K, kVectors, next, stopping); }, "Cancelled", {});
  EXPECT_LE(seen, detail::kResamplesAtOnce);
}

TEST(TwoSample, QuadraticFormsAreThose) {
  const Points x = rows(normal(450, 2, 1));
  const Matrix v = test::random_matrix(530, 450, 2);
  const Gram K = exact(rbf(1), x);
  const Matrix got = detail::quadratic_forms(std::vector<Gram>{K, lazy(rbf(1), x)}, v, {});
  for (Index b = 0; b < v.rows(); ++b) {
    const Vector row(v.row(b), v.row(b) + 450), product = K.multiply(row);
    double wanted = 0;
    for (std::size_t i = 0; i < row.size(); ++i) wanted += row[i] * product[i];
    EXPECT_NEAR(got(0, b), wanted, 1e-9 * (1 + std::abs(wanted)));
    EXPECT_NEAR(got(1, b), wanted, 1e-9 * (1 + std::abs(wanted)));
  }
}

// As published: the largest u, by bisection, for which the share of resamples with a statistic above its 1 - u w
// quantile for some kernel is at most alpha; reject when the data exceed theirs.
bool rejects_by_bisection(const Matrix& m, double alpha) {
  const Index count = m.cols(), kernels = m.rows();
  const double weight = 1.0 / static_cast<double>(kernels);
  std::vector<Vector> sorted;
  for (Index k = 0; k < kernels; ++k) {
    sorted.emplace_back(m.row(k), m.row(k) + count);
    std::sort(sorted.back().begin(), sorted.back().end());
  }
  const auto exceeds = [&](Index b, double u) {
    for (Index k = 0; k < kernels; ++k) {
      const double place = std::ceil(static_cast<double>(count) * (1 - u * weight) - 1e-9);
      if (place >= 1 && m(k, b) > sorted[static_cast<std::size_t>(k)][static_cast<std::size_t>(place) - 1]) return true;
    }
    return false;
  };
  double low = 0, high = static_cast<double>(kernels);
  for (int i = 0; i < 50; ++i) {
    const double u = (low + high) / 2;
    Index above = 0;
    for (Index b = 0; b < count; ++b) above += exceeds(b, u);
    (static_cast<double>(above) <= alpha * static_cast<double>(count) ? low : high) = u;
  }
  return exceeds(0, low);
}

TEST(TwoSample, AggregationDecidesAsTheBisectionDoes) {
  int rejected = 0;
  for (unsigned seed = 1; seed <= 60; ++seed) {
    Matrix m = test::random_matrix(4, 200, seed, 0, 1);
    for (Index b = 0; b < m.cols(); ++b) m(1, b) = m(0, b) + 0.1 * m(1, b);  // kernels that agree
    m(2, 0) = 0.9 + 0.002 * seed;
    const bool ours = detail::judged(m, Vector(4, 0.0), {.alpha = 0.1}, "").rejected();
    EXPECT_EQ(ours, rejects_by_bisection(m, 0.1)) << seed;
    rejected += ours;
  }
  EXPECT_GT(rejected, 10);
  EXPECT_LT(rejected, 50);
}

double share_rejected(const TwoSampleTest& given, int seeds, Index n, Index m, double shift, bool aggregated) {
  int rejected = 0;
  for (int s = 1; s <= seeds; ++s) {
    const Execution how{.threads = 1};
    TwoSampleTest test = given;
    test.resampling.seed = static_cast<std::uint64_t>(s);
    const Points a = rows(normal(n, 2, 1000 + static_cast<std::uint64_t>(s))),
                 b = rows(normal(m, 2, 9000 + static_cast<std::uint64_t>(s), shift));
    rejected += (aggregated ? test.run(a, b, how) : test.run(rbf(1), a, b, how)).rejected();
  }
  return static_cast<double>(rejected) / seeds;
}

double three_errors(int seeds) { return 3 * std::sqrt(0.05 * 0.95 / seeds); }

TEST(TwoSample, TheLevelHolds) {
  const Resampling few{.resamples = 99};
  EXPECT_LE(share_rejected({.resampling = few}, 100, 15, 12, 0, true), 0.05 + three_errors(100));
  for (const Null null : {Null::permutations, Null::sign_flips}) {
    EXPECT_LE(share_rejected({.resampling = few, .null = null}, 500, 20, 20, 0, false), 0.05 + three_errors(500));
  }
  EXPECT_LE(share_rejected({.null = Null::normal}, 500, 400, 400, 0, false), 0.05 + three_errors(500));
}

TEST(TwoSample, AShiftIsFound) {
  const Resampling few{.resamples = 199};
  EXPECT_GE(share_rejected({.resampling = few}, 20, 50, 60, 0.8, true), 0.95);
  EXPECT_GE(share_rejected({.resampling = few}, 20, 50, 60, 0.8, false), 0.95);
  EXPECT_GE(share_rejected({.resampling = few, .null = Null::sign_flips}, 20, 50, 50, 0.8, false), 0.95);
  EXPECT_GE(share_rejected({.null = Null::normal}, 20, 2000, 2000, 0.8, false), 0.95);
}

// A difference that no bandwidth near the median sees: many narrow bumps against a flat density.
TEST(TwoSample, AggregationSeesWhatOneBandwidthDoesNot) {
  Random random(1);
  Matrix flat(200, 1), bumps(200, 1);
  for (Index i = 0; i < 200; ++i) flat(i, 0) = random.uniform();
  for (Index i = 0; i < 200; ++i) bumps(i, 0) = (static_cast<double>(random.below(10)) + 0.5 * random.uniform()) / 10;
  const TwoSampleTest test{.resampling = {.resamples = 499}};
  EXPECT_GT(test.run(parse("rbf(ell=auto)"), rows(flat.view()), rows(bumps.view())).p, 0.05);
  EXPECT_LE(test.run(rows(flat.view()), rows(bumps.view())).p, 0.01);
}

TEST(TwoSample, LinearTimeIsTheMeanOverQuadruples) {
  const TwoSampleTest test{.null = Null::normal};
  const TestResult got = test.run(rbf(1), rows(normal(4000, 1, 1)), rows(normal(5000, 1, 2, 1)));
  EXPECT_NEAR(got.statistic, 0.1772676349, 0.03);
  EXPECT_LT(got.p, 1e-6);
  EXPECT_GT(got.p, 0);
  EXPECT_EQ(got.resamples, 0);
  const TestResult apart = test.run(rbf(0.1), rows(Matrix(50, 1, 0.0)), rows(Matrix(50, 1, 1.0)));
  EXPECT_GT(apart.p, 0);
  EXPECT_TRUE(apart.rejected());
  EXPECT_FALSE(test.run(rbf(1), rows(Matrix(50, 1, 1.0)), rows(Matrix(50, 1, 1.0))).rejected());
  // Of two places every quadruple says the same, however many of them are taken at a time.
  for (const Index pairs : {1023, 1024, 1025, 2049}) {
    const Points a = rows(Matrix(2 * pairs, 1, 0.0)), b = rows(Matrix(2 * pairs, 1, 1.0));
    EXPECT_NEAR(test.run(rbf(1), a, b).statistic, 2 - 2 * std::exp(-0.5), 1e-12) << pairs;
  }
}

TEST(TwoSample, EqualSamplesAreNotRejected) {
  const Points a = rows(normal(20, 2, 1));
  const TwoSampleTest test{.resampling = {.resamples = 199}};
  EXPECT_GT(test.run(a, a).p, 0.5);
  EXPECT_EQ(mmd2(rbf(1), a, a, Estimate::biased), 0);
}

// Points that are equal make many divisions with the same statistic; rounding must not tell them apart.
TEST(TwoSample, TiesCountAsReached) {
  const Matrix x{{0}, {0}, {0}, {1}}, y{{0}, {0}, {0}, {1}};
  for (const std::uint64_t seed : {1, 2, 3}) {
    const TwoSampleTest test{.resampling = {.resamples = 99, .seed = seed}, .estimate = Estimate::biased};
    EXPECT_EQ(test.run(rbf(1), rows(x.view()), rows(y.view())).p, 1);
  }
}

TEST(TwoSample, AnyKernelOnAnyData) {
  const Points a = strings({"abab", "baba", "abba", "aabb", "abab", "bbaa"}),
               b = strings({"cdcd", "dcdc", "ccdd", "cdcc", "ddcc", "dccd"});
  const TwoSampleTest test{.resampling = {.resamples = 499}};
  EXPECT_LT(test.run(parse("normalize(spectrum(k=2))"), a, b).p, 0.02);
  const std::vector<Kernel> several = {parse("normalize(spectrum(k=1))"), parse("normalize(spectrum(k=2))")};
  EXPECT_LT(test.run(several, a, b).p, 0.02);
  const Points t = table({{"x", rows(normal(6, 1, 1))}, {"word", a}}),
               u = table({{"x", rows(normal(6, 1, 2))}, {"word", b}});
  EXPECT_LT(test.run(parse("on(x, rbf(ell=auto)) + on(word, spectrum(k=2))"), t, u).p, 0.02);
  expect_error([&] { test.run(a, b); }, "DomainError", {"give a kernel"});
}

TEST(TwoSample, ColumnsMeetByName) {
  const Matrix x = normal(30, 2, 1), y = normal(30, 2, 2);
  Matrix turned(30, 2);
  for (Index i = 0; i < 30; ++i) turned(i, 0) = y(i, 1), turned(i, 1) = y(i, 0);
  const Points a = named(rows(x), {"u", "v"});
  const double wanted = mmd2(rbf(1), a, named(rows(y), {"u", "v"}));
  EXPECT_EQ(mmd2(rbf(1), a, named(rows(turned), {"v", "u"})), wanted);
  expect_error([&] { mmd2(rbf(1), a, named(rows(y), {"u", "w"})); }, "DomainError", {"v missing, w too many"});
  expect_error([&] { mmd2(rbf(1), a, rows(Matrix(3, 1))); }, "DomainError", {"reals(2) and reals(1)"});
}

TEST(TwoSample, OneScaleForBothSamples) {
  Matrix x = normal(50, 2, 1), y = normal(50, 2, 2, 0.7);
  const TwoSampleTest test{.resampling = {.resamples = 199}, .scale = Scaling::Kind::standard};
  const TestResult before = test.run(rows(x), rows(y));
  for (Matrix* m : {&x, &y}) {
    for (Index i = 0; i < 50; ++i) (*m)(i, 0) = 1e4 * (*m)(i, 0) + 7;
  }
  const TestResult after = test.run(rows(x), rows(y));
  EXPECT_EQ(after.p, before.p);
  EXPECT_NEAR(after.statistic, before.statistic, 1e-9);
}

TEST(TwoSample, BandwidthsFollowTheUnits) {
  const Matrix x = normal(60, 2, 1);
  Matrix large = x;
  for (Index i = 0; i < 120; ++i) large.data()[i] *= 1024;
  const std::vector<Kernel> a = bandwidths(rows(x.view())), b = bandwidths(rows(large.view()));
  ASSERT_EQ(a.size(), 20u);
  for (std::size_t k = 0; k < a.size(); ++k) EXPECT_NEAR(b[k].params()[0].value / a[k].params()[0].value, 1024, 1e-8);
}

TEST(TwoSample, BadInput) {
  const TwoSampleTest test;
  const Points some = rows(normal(5, 1, 1)), one = rows(Matrix{{1}});
  expect_error([&] { test.run(rbf(1), one, some); }, "DataError", {"first sample has 1 point; each needs 2"});
  expect_error([&] { test.run(rbf(1), some, one); }, "DataError", {"second sample has 1 point"});
  expect_error([&] { test.run(rows(Matrix(3, 2, 1.0)), rows(Matrix(4, 2, 1.0))); }, "DataError",
               {"all points", "equal"});
  expect_error([&] { test.run(rows(Matrix{{1}, {NAN}}), some); }, "DataError", {"row 2", "nan"});
  expect_error([&] { TwoSampleTest{.resampling = {.resamples = 10}}.run(some, some); }, "UsageError",
               {"10 resamples", "0.0909", "at least 19"});
  expect_error([&] { TwoSampleTest{.resampling = {.alpha = 0}}.run(some, some); }, "UsageError", {"between 0 and 1"});
  expect_error([&] { TwoSampleTest{.null = Null::sign_flips}.run(rbf(1), some, rows(normal(6, 1, 2))); }, "DataError",
               {"5 and 6", "permutations"});
  expect_error([&] { TwoSampleTest{.null = Null::normal}.run(rbf(1), rows(Matrix(3, 1)), some); }, "DataError",
               {"four points"});
}

// Of four points of each sample there are two quadruples: whoever is paired with whom, the statistic is the mean of two
// numbers h, and its error |h_1 - h_2| / 2.
TEST(TwoSample, InLinearTimeByAllPairings) {
  const Matrix a{{-1}, {0}, {0.5}, {2}}, b{{0.2}, {1}, {1.5}, {3}};
  const auto k = [](double x, double y) { return std::exp(-(x - y) * (x - y) / 2); };
  const TestResult found = TwoSampleTest{.null = Null::normal}.run(rbf(1), rows(a.view()), rows(b.view()));
  bool met = false;
  std::vector<Index> p = {0, 1, 2, 3};
  do {
    std::vector<Index> q = {0, 1, 2, 3};
    do {
      double h[2];
      for (int i = 0; i < 2; ++i) {
        const double x = a(p[at(i)], 0), x2 = a(p[at(i + 2)], 0), y = b(q[at(i)], 0), y2 = b(q[at(i + 2)], 0);
        h[i] = k(x, x2) + k(y, y2) - k(x, y2) - k(x2, y);
      }
      const double mean = (h[0] + h[1]) / 2, z = mean / (std::abs(h[0] - h[1]) / 2);
      met = met ||
            (std::abs(found.statistic - mean) < 1e-14 && std::abs(found.p - std::erfc(z / std::sqrt(2.0)) / 2) < 1e-12);
    } while (std::next_permutation(q.begin(), q.end()));
  } while (std::next_permutation(p.begin(), p.end()));
  EXPECT_TRUE(met) << found.statistic << " " << found.p;
}

}  // namespace
}  // namespace mercer::two_sample_test
