// linear() far from 0: what takes the mean of the features out finds the same wherever the inputs are.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>

#include "mercer/kernels.hpp"
#include "mercer/machines.hpp"
#include "mercer/machines/gmm.hpp"
#include "mercer/machines/kcca.hpp"
#include "mercer/machines/kfda.hpp"
#include "mercer/machines/kmeans.hpp"
#include "mercer/machines/mds.hpp"
#include "mercer/machines/pca.hpp"
#include "mercer/statistics/alignment.hpp"
#include "mercer/statistics/independence.hpp"
#include "mercer/statistics/two_sample.hpp"
#include "model/gaussians.hpp"
#include "support.hpp"

namespace mercer::origin_test {
namespace {

using test::expect_near;

// With few digits, so that moving by a whole number is exact.
Matrix some(Index n, unsigned seed) {
  Matrix out = test::random_matrix(n, 3, seed);
  for (Index i = 0; i < n * 3; ++i) out.data()[i] = std::round(std::ldexp(out.data()[i], 16)) / std::ldexp(1, 16);
  return out;
}

Matrix moved(const Matrix& x, double by) {
  Matrix out = x;
  for (Index i = 0; i < x.rows() * x.cols(); ++i) out.data()[i] += by;
  return out;
}

constexpr double kPlaces[] = {100, 1e4, 1e6, 1e7};
// linear(), however it is written.
constexpr const char* kInnerProducts[] = {"linear()", "poly(degree=1)", "linear()*const(c=2)",
                                          "polynomial([1, 2], linear()^1)", "2*const(c=0.5)*poly(degree=1)"};

// Nor does a point without weight, wherever it is, decide what is far.
TEST(Origin, IsThatOfThePointsThatCount) {
  const Matrix x = moved(some(40, 1), 1e6);
  Training training{.K = lazy(linear(), rows(x.view()))};
  Matrix more(41, 3, -1e15);
  for (Index i = 0; i < 40; ++i) std::copy_n(x.row(i), 3, more.row(i < 7 ? i : i + 1));
  Training with_stranger{.K = lazy(linear(), rows(more.view())), .weights = Vector(41, 1.0)};
  with_stranger.weights[7] = 0;
  const Points at = rows(moved(some(9, 2), 1e6));
  for (const char* const machine : {"pca", "mds"}) {
    const Matrix expected = fit(machine, {{"components", "2"}}, training).predict_targets(at);
    expect_near(fit(machine, {{"components", "2"}}, with_stranger).predict_targets(at), expected, 1e-7);
  }
}

TEST(Origin, ThereAreAsManyDirectionsAsColumns) {
  const Matrix x = some(40, 1), others = some(9, 2);
  for (const double by : kPlaces) {
    const Points here = rows(x), there = rows(moved(x, by));
    const Model pca = KernelPca{.components = INFINITY}.fit(lazy(linear(), there));
    const Model at_home = KernelPca{.components = INFINITY}.fit(lazy(linear(), here));
    ASSERT_EQ(pca.parts().fitted.cols(), 3) << by;
    expect_near(pca.parts().fitted, at_home.parts().fitted, 1e-9);
    const Matrix coordinates = pca.predict_targets(rows(moved(others, by)));
    expect_near(coordinates, at_home.predict_targets(rows(others)), 1e-9);
    const Vector errors = reconstruction_errors(pca, rows(moved(others, by)));
    for (const double error : errors) EXPECT_NEAR(error, 0, 1e-9) << by;
    EXPECT_EQ(ClassicalMds{.components = INFINITY}.fit(lazy(linear(), there)).parts().fitted.cols(), 3) << by;
    // In memory, and of a sum.
    EXPECT_EQ(KernelPca{.components = INFINITY}.fit(exact(2 * linear(), there)).parts().fitted.cols(), 3) << by;
    expect_near(KernelPca{}.fit(lazy(linear() + rbf(1), there)).parts().fitted,
                KernelPca{}.fit(lazy(linear() + rbf(1), here)).parts().fitted, 1e-9);
  }
}

// Of sparse rows, which cannot be moved, and of numbers directions that are rounding are not counted.
TEST(Origin, RoundingIsNoDirection) {
  const Matrix x = moved(some(40, 1), 1e4);
  EXPECT_EQ(KernelPca{.components = INFINITY}.fit(precomputed(gram(linear(), rows(x)))).parts().fitted.cols(), 3);
  const Points sparse = rows(test::to_sparse(x));
  EXPECT_EQ(KernelPca{.components = INFINITY}.fit(lazy(linear(), sparse)).parts().fitted.cols(), 3);
}

TEST(Origin, MixturesDiscriminantsMeansAndCorrelations) {
  const Matrix x = some(60, 3), others = some(9, 4);
  Labels labels{{"a", "b"}, {}};
  for (Index i = 0; i < 60; ++i) labels.of.push_back(x(i, 0) + 0.3 * x(i, 1) > 0 ? 1 : 0);
  Matrix y(60, 2);
  for (Index i = 0; i < 60; ++i) {
    y(i, 0) = x(i, 0) + x(i, 2);
    y(i, 1) = x(i, 1);
  }
  for (const char* const text : kInnerProducts)
    for (const double by : kPlaces) {
      SCOPED_TRACE(fmt::format("{} at {}", text, by));
      const Kernel k = parse(text);
      const Points here = rows(x), there = rows(moved(x, by)), near = rows(others), far = rows(moved(others, by));
      const KernelGaussianMixture two{.components = 2};
      const Model mixture = two.fit(lazy(k, there)), at_home = two.fit(lazy(k, here));
      EXPECT_EQ(mixture.report().figure("dimension"), 3);
      EXPECT_NEAR(*mixture.report().figure("log_likelihood"), *at_home.report().figure("log_likelihood"), 1e-6);
      expect_near(mixture.scores(far), at_home.scores(near), 1e-6);
      const KernelFda fda;
      expect_near(fda.fit(lazy(k, there), labels).probabilities(far),
                  fda.fit(lazy(k, here), labels).probabilities(near), 1e-7);
      const KernelKMeans means{.clusters = 3};
      expect_near(means.fit(lazy(k, there)).scores(far), means.fit(lazy(k, here)).scores(near), 1e-8);
      const KernelCca cca{.components = 2};
      const auto one = cca.fit_both(lazy(k, there), lazy(k, rows(moved(y, -by))));
      const auto other = cca.fit_both(lazy(k, here), lazy(k, rows(y)));
      expect_near(one.x.predict_targets(far), other.x.predict_targets(near), 1e-8);
      expect_near(one.y.predict_targets(rows(moved(y, -by))), other.y.predict_targets(rows(y)), 1e-8);
    }
}

// MMD^2 of linear() is the squared distance of the means, HSIC the sum of squared covariances.
TEST(Origin, Statistics) {
  const Matrix a = some(30, 5), b = some(30, 6);
  double distance = 0, covariances = 0;
  const auto mean = [](const Matrix& m, Index c) {
    double sum = 0;
    for (Index i = 0; i < 30; ++i) sum += m(i, c) / 30;
    return sum;
  };
  for (Index c = 0; c < 3; ++c) {
    distance += std::pow(mean(a, c) - mean(b, c), 2);
    for (Index d = 0; d < 3; ++d) {
      double sum = 0;
      for (Index i = 0; i < 30; ++i) sum += (a(i, c) - mean(a, c)) * (b(i, d) - mean(b, d)) / 30;
      covariances += sum * sum;
    }
  }
  const double alignment_here = alignment(lazy(linear(), rows(a)), lazy(linear(), rows(b)));
  const double p_here = TwoSampleTest{}.run(linear(), rows(a), rows(b)).p;
  for (const char* const text : kInnerProducts)
    for (const double by : {1e4, 1e6, 1e8}) {
      SCOPED_TRACE(fmt::format("{} at {}", text, by));
      const Kernel k = parse(text);
      const Matrix two = gram(k, rows(Matrix{{0, 0, 0}, {1, 0, 0}}));
      const double scale = two(1, 1) - two(0, 0);
      const Points x = rows(moved(a, by)), y = rows(moved(b, by));
      EXPECT_NEAR(mmd2(k, x, y, Estimate::biased), scale * distance, 1e-6 * distance);
      EXPECT_NEAR(hsic(lazy(k, x), lazy(k, y), Estimate::biased), scale * scale * covariances, 1e-6 * covariances);
      EXPECT_NEAR(alignment(lazy(k, x), lazy(k, y)), alignment_here, 1e-6);
      EXPECT_EQ(TwoSampleTest{}.run(k, x, y).p, p_here);
    }
}

// Where columns are as wide as another is far, and the kernel looks at the narrow one.
TEST(Origin, OneFarColumnIsEnough) {
  Matrix x = some(40, 9);
  for (Index i = 0; i < 40; ++i) x(i, 1) *= 1e9;
  const Kernel k = parse("on(1, linear()) + on(2:3, rbf(ell=1e9))");
  Matrix there = x;
  for (Index i = 0; i < 40; ++i) there(i, 0) += 1e7;
  expect_near(KernelPca{}.fit(lazy(k, rows(there))).parts().fitted, KernelPca{}.fit(lazy(k, rows(x))).parts().fitted,
              1e-9);
}

// Machines that cannot take the mean out say that little is left beside it; those with a bias of their own need not.
TEST(Origin, WhoHasNoBiasSaysSo) {
  const Matrix x = some(60, 3);
  Labels labels{{"a", "b"}, {}};
  Matrix y(60, 1);
  for (Index i = 0; i < 60; ++i) {
    labels.of.push_back(x(i, 0) + 0.3 * x(i, 1) > 0 ? 1 : 0);
    y(i, 0) = x(i, 0);
  }
  const auto says = [&](const char* machine, const char* kernel, double by) {
    const Training training{.K = lazy(parse(kernel), rows(moved(x, by))), .y = y, .labels = labels};
    const std::vector<std::string> notes = fit(machine, {}, training).report().notes;
    return std::ranges::any_of(notes, [](const std::string& note) { return note.find("away from 0") != note.npos; });
  };
  for (const char* const machine : {"ridge", "ridge_classifier", "gpc", "rvm", "rvc", "perceptron"}) {
    SCOPED_TRACE(machine);
    EXPECT_TRUE(says(machine, "linear()", 1e4));
    EXPECT_FALSE(says(machine, "linear()", 0));
    EXPECT_FALSE(says(machine, "rbf(ell=1)", 1e4));
  }
  EXPECT_FALSE(says("svc", "linear()", 1e4));
}

TEST(Origin, ScalingsFollowEachOther) {
  const Matrix x = moved(some(20, 7), 5);
  const Scaling first = Scaling::of(Scaling::Kind::minmax, rows(x));
  const Points scaled = first.apply(rows(x));
  const Scaling second = Scaling::of(Scaling::Kind::centred, scaled);
  const Kernel k = linear();
  expect_near(gram(k, first.then(second).apply(rows(x))), gram(k, second.apply(scaled)), 1e-12);
  EXPECT_EQ(Scaling{}.then(second), second);
  EXPECT_EQ(first.then({}), first);
}

// A column in other units is the same column: the floor of the variances is by the measure of each direction.
TEST(Origin, UnitsChangeNothingInAMixture) {
  Matrix x = some(90, 8), in_other_units(90, 3);
  for (Index i = 0; i < 90; ++i) x(i, 0) += i % 3 == 0 ? 8 : 0;
  for (Index i = 0; i < 90; ++i) {
    in_other_units(i, 0) = x(i, 0);
    in_other_units(i, 1) = 1e-4 * x(i, 1);
    in_other_units(i, 2) = x(i, 2);
  }
  const KernelGaussianMixture two{.components = 2, .tolerance = 1e-10};
  const Model one = two.fit(lazy(linear(), rows(x))), other = two.fit(lazy(linear(), rows(in_other_units)));
  EXPECT_NEAR(*other.report().figure("log_likelihood"), *one.report().figure("log_likelihood") + 90 * std::log(1e4),
              1e-3);
  expect_near(one.probabilities(rows(x)), other.probabilities(rows(in_other_units)), 1e-3);
}

// linear() times anything sees the origin: no part of such a kernel may be moved.
TEST(Origin, WhatSeesItStaysWhereItIs) {
  for (const char* const text :
       {"linear()*rbf(ell=1) + linear()", "linear()^2 + linear()", "poly(degree=2) + linear()"}) {
    const Points x = rows(moved(some(12, 4), 20));
    const Kernel k = parse(text);
    expect_near(KernelPca{.components = 3}.fit(lazy(k, x)).parts().fitted,
                KernelPca{.components = 3}.fit(precomputed(gram(k, x))).parts().fitted, 1e-6);
  }
}

}  // namespace
}  // namespace mercer::origin_test
