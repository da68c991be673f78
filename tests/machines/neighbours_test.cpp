// Machines that look at the points around: Nadaraya-Watson, densities, networks of basis functions.
#include "mercer/kernels.hpp"
#include "mercer/machines/kde.hpp"
#include "mercer/machines/nadaraya_watson.hpp"
#include "mercer/machines/rbf_network.hpp"
#include "mercer/machines/ridge.hpp"
#include "support.hpp"

namespace mercer::neighbours_test {
namespace {

using test::expect_error;
using test::expect_near;
using test::random_matrix;
using test::random_vector;

TEST(NadarayaWatson, IsTheWeightedMean) {
  const Points x = rows(random_matrix(15, 2, 1)), test = rows(random_matrix(6, 2, 3));
  const Matrix y = random_matrix(15, 2, 2);
  const Vector w = random_vector(15, 4, 0.1, 2);
  const Kernel k = rbf(0.8);
  const Model m = NadarayaWatson{}.fit({.K = lazy(k, x), .y = y, .weights = w});
  const Matrix f = m.predict_targets(test), K = cross(k, test, x);
  for (Index i = 0; i < 6; ++i) {
    for (Index j = 0; j < 2; ++j) {
      double above = 0, below = 0;
      for (Index c = 0; c < 15; ++c) {
        above += w[static_cast<std::size_t>(c)] * K(i, c) * y(c, j);
        below += w[static_cast<std::size_t>(c)] * K(i, c);
      }
      EXPECT_NEAR(f(i, j), above / below, 1e-12);
    }
  }
}

TEST(NadarayaWatson, LeaveOneOutEqualsRefits) {
  const Matrix x = random_matrix(12, 2, 1), y = random_matrix(12, 1, 2);
  Vector w = random_vector(12, 5, 0.1, 3);
  w[4] = 0;
  const Points all = rows(x.view());
  double total = 0, weight = 0;
  for (Index left = 0; left < 12; ++left) {
    Vector rest = w;
    rest[static_cast<std::size_t>(left)] = 0;
    const Model m = NadarayaWatson{}.fit({.K = lazy(rbf(1), all), .y = y, .weights = rest});
    const double residual = y(left, 0) - m.predict(all.slice({left, left + 1}))[0];
    total += w[static_cast<std::size_t>(left)] * residual * residual;
    weight += w[static_cast<std::size_t>(left)];
  }
  const Model m = NadarayaWatson{}.fit({.K = lazy(rbf(1), all), .y = y, .weights = w});
  EXPECT_NEAR(*m.report().figure("leave_one_out_rmse"), std::sqrt(total / weight), 1e-10);
}

TEST(NadarayaWatson, FarFromEverythingItIsTheMean) {
  const Model m = NadarayaWatson{}.fit(lazy(rbf(0.01), rows(Matrix{{0}, {1}, {2}})), Vector{1, 2, 6});
  const Vector f = m.predict(rows(Matrix{{1e6}, {1}}));
  EXPECT_NEAR(f[0], 3, 1e-12);
  EXPECT_NEAR(f[1], 2, 1e-12);
  // No point has a neighbour, so that each is predicted by the mean of the others: off by 3, 1.5 and 4.5.
  EXPECT_NEAR(*m.report().figure("leave_one_out_rmse"), std::sqrt(31.5 / 3), 1e-12);
  // Neighbours so faint that they vanish beside the point itself are neighbours all the same: off by 1, 1 and 4.
  const Model faint = NadarayaWatson{}.fit(lazy(rbf(0.1), rows(Matrix{{0}, {1}, {2.1}})), Vector{1, 2, 6});
  EXPECT_NEAR(*faint.report().figure("leave_one_out_rmse"), std::sqrt(18.0 / 3), 1e-4);
}

// k = 3e-16 beside 1 is lost in rounding: what the other point weighs is not known to a single digit.
// k(0, 8.45) = 3e-16: beside k(x, x) = 1 it is lost, by itself it is not, and each point is predicted by the other.
TEST(NadarayaWatson, NeighboursLostInRoundingAreAddedUpAnew) {
  const Model m = NadarayaWatson{}.fit(lazy(rbf(1), rows(Matrix{{0}, {8.45}})), Vector{1, 2});
  EXPECT_NEAR(m.report().figure("leave_one_out_rmse").value(), 1, 1e-12);
}

TEST(NadarayaWatson, RefusesKernelsThatTurnNegative) {
  expect_error(
      [] {
        NadarayaWatson{}.fit(lazy(linear(), rows(Matrix{{1}, {-1}})), Vector{1, 2});
      },
      "DomainError", {"row 1", "never negative"});
}

// The midpoint rule over a box.
double total_mass(const Model& m, Index d, double half, Index steps) {
  const double width = 2 * half / static_cast<double>(steps);
  const Index count = d == 1 ? steps : steps * steps;
  Matrix grid(count, d);
  for (Index i = 0; i < count; ++i) {
    grid(i, 0) = -half + (static_cast<double>(i % steps) + 0.5) * width;
    if (d == 2) grid(i, 1) = -half + (static_cast<double>(i / steps) + 0.5) * width;
  }
  double total = 0;
  for (const double density : m.predict(rows(std::move(grid)))) total += density;
  return total * std::pow(width, static_cast<double>(d));
}

TEST(KernelDensity, IntegratesToOne) {
  const Vector weights = random_vector(6, 9, 0.1, 3);
  for (const char* text : {"rbf(ell=0.5)", "laplace(ell=0.4)", "exponential(ell=0.4)", "matern(nu=0.5, ell=0.3)",
                           "matern(nu=1.5, ell=0.4)", "matern(nu=2.5, ell=0.5)",
                           "3*rbf(ell=0.3) + 0.5*exponential(ell=0.4)", "rq(ell=0.2, alpha=6)"}) {
    const Model line = KernelDensity{}.fit({.K = lazy(parse(text), rows(random_matrix(6, 1, 1))), .weights = weights});
    EXPECT_NEAR(total_mass(line, 1, 15, 20000), 1, 1e-4) << text;
    const Model plane = KernelDensity{}.fit(lazy(parse(text), rows(random_matrix(6, 2, 2))));
    EXPECT_NEAR(total_mass(plane, 2, 8, 400), 1, 2e-3) << text;
  }
  for (const char* text :
       {"rbf(ell=[0.5, 0.3])", "matern(nu=1.5, ell=[0.3, 0.6])", "2*on(1, rbf(ell=0.3))*on(2, laplace(ell=0.5))",
        "on(1, exponential(ell=0.4))*on(2, 2*rbf(ell=0.5) + matern(nu=2.5, ell=0.3))", "on([2, 1], rbf(ell=0.5))"}) {
    const Model plane = KernelDensity{}.fit(lazy(parse(text), rows(random_matrix(6, 2, 2))));
    EXPECT_NEAR(total_mass(plane, 2, 8, 400), 1, 2e-3) << text;
  }
}

TEST(KernelDensity, OfOnePointIsTheNormalDensity) {
  const Model m = KernelDensity{}.fit(lazy(rbf(2), rows(Matrix{{1}})));
  EXPECT_NEAR(m.predict(rows(Matrix{{4}}))[0], std::exp(-9.0 / 8) / (2 * std::sqrt(2 * std::acos(-1.0))), 1e-15);
}

TEST(KernelDensity, LeaveOneOutLikelihoodEqualsRefits) {
  const Points x = rows(random_matrix(10, 2, 1));
  double total = 0;
  for (Index left = 0; left < 10; ++left) {
    std::vector<Index> which;
    for (Index i = 0; i < 10; ++i) {
      if (i != left) which.push_back(i);
    }
    total += std::log(KernelDensity{}.fit(lazy(rbf(0.7), x.select(which))).predict(x.slice({left, left + 1}))[0]);
  }
  EXPECT_NEAR(*KernelDensity{}.fit(lazy(rbf(0.7), x)).report().figure("leave_one_out_log_likelihood"), total / 10,
              1e-10);
  const Model lonely = KernelDensity{}.fit(lazy(rbf(0.01), rows(Matrix{{0}, {5}})));
  EXPECT_EQ(lonely.report().figure("leave_one_out_log_likelihood"), std::nullopt);
  EXPECT_EQ(lonely.report().notes.size(), 1U);
}

TEST(KernelDensity, RefusesWhatHasNoIntegralAndSaysWhy) {
  const Points x = rows(random_matrix(5, 2, 1));
  const auto refuses = [&](const char* text, const char* why) {
    expect_error([&] { KernelDensity{}.fit(lazy(parse(text), x)); }, "KernelError", {"cannot be normalised", why});
  };
  refuses("linear()", "linear()");
  refuses("rbf(ell=1) + 1", "const()");
  refuses("periodic(period=1, ell=1)", "not finite");
  refuses("rq(ell=1, alpha=1)", "alpha > d/2 = 1");
  refuses("rbf(ell=1)*matern(nu=1.5, ell=1)", "share columns");
  refuses("on(1, rbf(ell=1))*on(1:2, rbf(ell=1))", "share columns");
  refuses("on(1, rbf(ell=1))", "leaves out a column");
  refuses("normalize(rbf(ell=1))", "not known");
  expect_error([&] { KernelDensity{}.fit(precomputed(Matrix{{1}})); }, "UsageError", {"kernel itself"});
  expect_error([&] { KernelDensity{}.fit(lazy(spectrum(2), strings({"abc"}))); }, "DomainError", {"strings"});
}

TEST(RbfNetwork, MinimisesItsObjective) {
  const Matrix x = random_matrix(30, 2, 1);
  const Matrix y = random_matrix(30, 2, 2);
  const Vector w = random_vector(30, 5, 0.2, 2);
  const RbfNetwork config{.centres = 6, .ridge = 0.1, .seed = 2};
  const Model m = config.fit({.K = lazy(rbf(1), rows(x.view())), .y = y, .weights = w});
  EXPECT_EQ(m.expansion().size(), 6);
  EXPECT_TRUE(m.support().empty());
  const auto& parts = m.expansion().parts();
  // The gradient at the solution: features' W r = ridge a, and 1' W r = 0.
  const Matrix features = cross(rbf(1), rows(x.view()), *parts.centres), f = m.predict_targets(rows(x.view()));
  for (Index j = 0; j < 2; ++j) {
    double bias = 0;
    for (Index i = 0; i < 30; ++i) bias += w[static_cast<std::size_t>(i)] * (y(i, j) - f(i, j));
    EXPECT_NEAR(bias, 0, 1e-10);
    for (Index c = 0; c < 6; ++c) {
      double inner = 0;
      for (Index i = 0; i < 30; ++i) inner += features(i, c) * w[static_cast<std::size_t>(i)] * (y(i, j) - f(i, j));
      EXPECT_NEAR(inner, 0.1 * parts.alpha(c, j), 1e-10);
    }
  }
}

TEST(RbfNetwork, FindsTheClusters) {
  Matrix x = random_matrix(60, 2, 1, -0.1, 0.1);
  for (Index i = 0; i < 60; ++i) x(i, 0) += 10.0 * static_cast<double>(i % 3);
  const Model m = RbfNetwork{.centres = 3}.fit(lazy(rbf(1), rows(x.view())), random_vector(60, 2));
  const Matrix K = gram(rbf(1), *m.expansion().parts().centres);
  for (Index a = 0; a < 3; ++a) {
    for (Index b = 0; b < a; ++b) EXPECT_LT(K(a, b), 1e-15);
  }
  EXPECT_LT(*m.report().figure("inertia"), 60 * 0.02);
}

TEST(RbfNetwork, IsDeterministicAndKeepsNames) {
  const Points x = table({{"u", rows(random_matrix(40, 2, 1))}, {"v", rows(random_matrix(40, 1, 2))}});
  const Vector y = random_vector(40, 3);
  const Gram K = lazy(on("u", rbf(1)) + on("v", rbf(2)), x);
  const RbfNetwork config{.centres = 8, .seed = 11};
  const Model m = config.fit(K, y);
  EXPECT_EQ(config.fit(K, y).predict(x), m.predict(x));
  RbfNetwork other = config;
  other.seed = 12;
  EXPECT_NE(other.fit(K, y).predict(x), m.predict(x));
  // The centres are means, made here, and on(NAME, ...) still finds its columns in them.
  EXPECT_EQ(m.expansion().parts().centres->column_names(), x.column_names());
  EXPECT_EQ(m.expansion().parts().centres->columns("u").domain().dimension, 2);
  EXPECT_EQ(m.parts().inputs, Schema::of(x));
}

TEST(RbfNetwork, DrawsPointsWhereThereAreNoMeans) {
  std::vector<std::string> text;
  for (int i = 0; i < 20; ++i)
    text.push_back(std::string(static_cast<std::size_t>(i % 5 + 2), 'a') + std::string(3, static_cast<char>('a' + i)));
  // Points are drawn from their contents in order; a matrix has its own order only.
  std::sort(text.begin(), text.end());
  const Points x = strings(text);
  const Vector y = random_vector(20, 1);
  const RbfNetwork config{.centres = 7, .ridge = 1e-3, .seed = 4};
  const Model m = config.fit(lazy(spectrum(2), x), y);
  EXPECT_EQ(m.support().size(), 7U);
  const Model numbers = config.fit(precomputed(gram(spectrum(2), x)), y);
  EXPECT_EQ(numbers.support(), m.support());
  const Matrix f = numbers.expansion().from_rows(gram(spectrum(2), x));
  expect_near(m.scores(x), f, 1e-10);
}

TEST(RbfNetwork, FewerDistinctPointsThanCentres) {
  const Model m = RbfNetwork{.centres = 10}.fit(lazy(rbf(1), rows(Matrix{{0}, {1}, {1}, {0}})), Vector{1, 2, 2, 1});
  EXPECT_EQ(m.expansion().size(), 2);
  ASSERT_EQ(m.report().notes.size(), 1U);
  expect_error([] { RbfNetwork{.centres = 0}.fit(lazy(rbf(1), rows(Matrix{{0}})), Vector{1}); }, "UsageError",
               {"centre"});
  expect_error([] { RbfNetwork{.ridge = 0}.fit(lazy(rbf(1), rows(Matrix{{0}})), Vector{1}); }, "UsageError", {"ridge"});
}

TEST(Neighbours, ByName) {
  const Training t{.K = lazy(rbf(1), rows(random_matrix(9, 2, 1))), .y = random_matrix(9, 1, 2)};
  EXPECT_EQ(fit("nadaraya_watson", {}, t).parts().reading, Reading::ratio);
  EXPECT_EQ(fit("kde", {}, {.K = t.K}).parts().reading, Reading::density);
  EXPECT_EQ(fit("rbf_network", {{"centres", "4"}}, t).expansion().size(), 4);
}

}  // namespace
}  // namespace mercer::neighbours_test
