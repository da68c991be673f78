// Leaving one out where points are equal: every machine that does so in closed form, against refits without all of
// them.
#include <numbers>

#include "machines/processes/evidence.hpp"
#include "mercer/kernels.hpp"
#include "mercer/machines/gp.hpp"
#include "mercer/machines/kde.hpp"
#include "mercer/machines/knn.hpp"
#include "mercer/machines/nadaraya_watson.hpp"
#include "mercer/machines/ridge.hpp"
#include "points/distinct.hpp"
#include "support.hpp"

namespace mercer::equal_rows_test {
namespace {

using test::random_matrix;
using test::random_vector;

std::size_t pos(Index i) { return static_cast<std::size_t>(i); }

// Fourteen places, some of them with two or three points whose targets differ; one point has no weight.
struct Twins {
  Matrix x{24, 2}, y = random_matrix(24, 2, 5);
  Vector weights = random_vector(24, 6, 0.5, 3);
  Kernel k = rbf(1.1);

  Twins() {
    const Matrix places = random_matrix(14, 2, 4);
    for (Index i = 0; i < 24; ++i) {
      for (Index c = 0; c < 2; ++c) x(i, c) = places(i < 14 ? i : (i * 5) % 7, c);
    }
    weights[3] = 0;
    weights[20] = 0;
  }
  bool equal(Index i, Index j) const { return x(i, 0) == x(j, 0) && x(i, 1) == x(j, 1); }
  Training training(const std::vector<Index>& which, bool weighted) const {
    Matrix some(static_cast<Index>(which.size()), 2), targets = some;
    Vector w;
    for (std::size_t r = 0; r < which.size(); ++r) {
      const auto to = static_cast<Index>(r);
      std::copy_n(x.row(which[r]), 2, some.row(to));
      std::copy_n(y.row(which[r]), 2, targets.row(to));
      if (weighted) w.push_back(weights[pos(which[r])]);
    }
    return {.K = lazy(k, rows(some)), .y = targets, .weights = w};
  }
  Training all(bool weighted) const { return training(without(-1), weighted); }
  // All points but those equal to one.
  std::vector<Index> without(Index i) const {
    std::vector<Index> out;
    for (Index j = 0; j < 24; ++j) {
      if (i < 0 || !equal(i, j)) out.push_back(j);
    }
    return out;
  }
  Points at(Index i) const { return rows(x).slice({i, i + 1}); }
};

// sum w r^2 / sum w of points predicted by refits.
double brute_error(const Twins& p, bool weighted, const std::function<Model(const Training&)>& fit,
                   const std::function<void(Index, Index, double)>& each = {}) {
  double total = 0, weight = 0;
  for (Index i = 0; i < 24; ++i) {
    const Matrix f = fit(p.training(p.without(i), weighted)).predict_targets(p.at(i));
    const double w = weighted ? p.weights[pos(i)] : 1;
    for (Index t = 0; t < 2; ++t) {
      total += w * (p.y(i, t) - f(0, t)) * (p.y(i, t) - f(0, t));
      if (each) each(i, t, p.y(i, t) - f(0, t));
    }
    weight += w;
  }
  return total / weight;
}

bool says_together(const Model& m) {
  return std::any_of(m.report().notes.begin(), m.report().notes.end(), [](const std::string& note) {
    return note.find("equal ones are left out together") != std::string::npos;
  });
}

TEST(EqualRows, RidgeLeavesThemOutTogether) {
  const Twins p;
  for (const bool weighted : {false, true}) {
    const KernelRidge config{.ridge = 0.1, .loo = true};
    const Matrix found = leave_one_out(config, p.all(weighted));
    const double expected = brute_error(
        p, weighted, [&](const Training& t) { return config.fit(t); },
        [&](Index i, Index t, double residual) { EXPECT_NEAR(found(i, t), residual, 1e-9) << i; });
    const Model m = config.fit(p.all(weighted));
    EXPECT_NEAR(*m.report().figure("leave_one_out_rmse"), std::sqrt(expected), 1e-9);
    EXPECT_TRUE(says_together(m));
    // The fit itself is that of all points.
    const Matrix K = gram(p.k, rows(p.x));
    const Matrix& alpha = m.expansion().parts().alpha;
    const std::vector<Index>& support = m.support();
    for (Index i = 0; i < 24; ++i) {  // what equal points have together is ridge^-1 times their residuals
      for (Index t = 0; t < 2; ++t) {
        double f = 0, found_here = 0, expected_here = 0;
        for (std::size_t b = 0; b < support.size(); ++b) {
          f += K(i, support[b]) * alpha(static_cast<Index>(b), t);
          if (p.equal(i, support[b])) found_here += 0.1 * alpha(static_cast<Index>(b), t);
        }
        for (Index j = 0; j < 24; ++j) {
          if (p.equal(i, j)) expected_here += (weighted ? p.weights[pos(j)] : 1) * (p.y(j, t) - f);
        }
        EXPECT_NEAR(found_here, expected_here, 1e-9);
      }
    }
  }
}

// Coefficients that cancel would be 1e40 here, and what they predict noise.
TEST(EqualRows, RidgeOfNothingGoesThroughTheMeans) {
  const Model m = KernelRidge{.ridge = 1e-40}.fit(lazy(rbf(0.5), rows(Matrix{{0.0}, {1.0}, {0.0}, {2.0}, {1.0}})),
                                                  Vector{1, 2, 4, 3, 3});
  const Vector f = m.predict(rows(Matrix{{0.0}, {1.0}, {2.0}}));
  EXPECT_NEAR(f[0], 2.5, 1e-12);
  EXPECT_NEAR(f[1], 2.5, 1e-12);
  EXPECT_NEAR(f[2], 3, 1e-12);
}

TEST(EqualRows, RidgeIsChosenAsWithoutTheCopies) {
  const Twins p;
  for (const auto criterion : {KernelRidge::Criterion::loo, KernelRidge::Criterion::gcv}) {
    const KernelRidge automatic{.ridge = std::nullopt, .criterion = criterion};
    std::vector<Index> once, thrice;
    for (Index i = 0; i < 14; ++i) once.push_back(i);
    for (int times = 0; times < 3; ++times) thrice.insert(thrice.end(), once.begin(), once.end());
    Training weighted = p.training(once, false);
    weighted.weights.assign(14, 3);
    const Report a = automatic.fit(weighted).report(), b = automatic.fit(p.training(thrice, false)).report();
    test::expect_near(a.table("path")->rows, b.table("path")->rows, 1e-9);
    EXPECT_EQ(*a.figure("ridge"), *b.figure("ridge"));
  }
}

TEST(EqualRows, RidgeBySmallFactorsToo) {
  Twins p;
  p.k = linear();
  const KernelRidge config{.ridge = 0.5, .loo = true};
  const double expected = brute_error(p, true, [&](const Training& t) { return config.fit(t); });
  EXPECT_NEAR(*config.fit(p.all(true)).report().figure("leave_one_out_rmse"), std::sqrt(expected), 1e-9);
}

TEST(EqualRows, GaussianProcessLeavesThemOutTogether) {
  const Twins p;
  for (const Trend trend : {Trend::none, Trend::constant, Trend::linear}) {
    const GaussianProcess config{.noise = {.value = 0.2},
                                 .signal = {.value = 1.5},
                                 .mean = trend,
                                 .objective = GaussianProcess::Objective::none,
                                 .loo = true};
    const Model whole = config.fit(p.all(false));
    const LeaveOneOut found = leave_one_out(whole, p.y);
    double density = 0;
    for (Index i = 0; i < 24; ++i) {
      const Model m = config.fit(p.training(p.without(i), false));
      const Matrix mean = m.predict_targets(p.at(i)), variance = m.variances(p.at(i));
      for (Index t = 0; t < 2; ++t) {
        const double v = variance(0, t) + 0.2, error = p.y(i, t) - mean(0, t);
        EXPECT_NEAR(found.mean(i, t), mean(0, t), 1e-8);
        EXPECT_NEAR(found.variance(i, t), v, 1e-8);
        density -= 0.5 * (error * error / v + std::log(2 * std::numbers::pi * v));
      }
    }
    EXPECT_NEAR(found.log_density, density, 1e-7);
    EXPECT_NEAR(*whole.report().figure("leave_one_out_log_density"), density, 1e-7);
    EXPECT_TRUE(says_together(whole));
  }
}

// What learning maximises is the same density, and its slopes are those of differences.
TEST(EqualRows, GaussianProcessLearnsFromThePointsLeftOutTogether) {
  const Twins p;
  const Kernel k = parse("rbf(ell=0.9)");
  detail::ProcessData data{.K = lazy(k, rows(p.x)), .x = rows(p.x), .y = p.y, .H = Matrix(24, 1, 1.0), .shape = {}};
  for (Index i = 0; i < 24; ++i) data.shape.push_back(1 / (1 + 0.1 * static_cast<double>(i)));
  const auto value = [&](double ell, double noise, double signal) {
    return detail::ProcessSystem(data, GaussianProcess::Objective::loo, {})
        .evaluate({k.with("rbf.ell", ell), noise, signal}, false)
        .objective;
  };
  const auto found = detail::ProcessSystem(data, GaussianProcess::Objective::loo, {}).evaluate({k, 0.2, 1.3}, true);
  const double h = 1e-5;
  EXPECT_NEAR(found.by_kernel[0], (value(0.9 + h, 0.2, 1.3) - value(0.9 - h, 0.2, 1.3)) / (2 * h), 1e-5);
  EXPECT_NEAR(found.by_noise, (value(0.9, 0.2 + h, 1.3) - value(0.9, 0.2 - h, 1.3)) / (2 * h), 1e-4);
  EXPECT_NEAR(found.by_signal, (value(0.9, 0.2, 1.3 + h) - value(0.9, 0.2, 1.3 - h)) / (2 * h), 1e-5);

  const Model m = GaussianProcess{.noise = {.value = 0.3, .fixed = true},
                                  .signal = {.value = 1, .fixed = true},
                                  .mean = Trend::none,
                                  .objective = GaussianProcess::Objective::none}
                      .fit({.K = lazy(parse("rbf(ell=0.9)"), rows(p.x)), .y = p.y});
  detail::ProcessData plain{
      .K = lazy(k, rows(p.x)), .x = rows(p.x), .y = p.y, .H = Matrix(24, 0), .shape = Vector(24, 1.0)};
  EXPECT_NEAR(
      detail::ProcessSystem(plain, GaussianProcess::Objective::loo, {}).evaluate({k, 0.3, 1.0}, false).objective,
      leave_one_out(m, p.y).log_density, 1e-8);
}

TEST(EqualRows, DensityLeavesThemOutTogether) {
  const Twins p;
  for (const bool weighted : {false, true}) {
    double expected = 0, weight = 0;
    for (Index i = 0; i < 24; ++i) {
      Training rest = p.training(p.without(i), weighted);
      rest.y = {};
      const double w = weighted ? p.weights[pos(i)] : 1;
      expected += w * std::log(KernelDensity{}.fit(rest).scores(p.at(i))(0, 0));
      weight += w;
    }
    Training all = p.all(weighted);
    all.y = {};
    const Model m = KernelDensity{}.fit(all);
    EXPECT_NEAR(*m.report().figure("leave_one_out_log_likelihood"), expected / weight, 1e-10);
    EXPECT_TRUE(says_together(m));
  }
}

TEST(EqualRows, LocalMeansLeaveThemOutTogether) {
  const Twins p;
  for (const bool weighted : {false, true}) {
    const double expected = brute_error(p, weighted, [](const Training& t) { return NadarayaWatson{}.fit(t); });
    const Model m = NadarayaWatson{}.fit(p.all(weighted));
    EXPECT_NEAR(*m.report().figure("leave_one_out_rmse"), std::sqrt(expected / 2), 1e-10);
    EXPECT_TRUE(says_together(m));
  }
}

TEST(EqualRows, NeighboursAreOtherPoints) {
  const Twins p;
  for (const bool by_distance : {false, true}) {
    for (const bool weighted : {false, true}) {
      const double expected = brute_error(p, weighted, [&](const Training& t) {
        return KernelKnn{.neighbours = 3, .by_distance = by_distance}.fit(t);
      });
      Training all = p.all(weighted);
      const KernelKnn config{.neighbours = 3, .by_distance = by_distance, .loo = true};
      const Model m = config.fit(all);
      EXPECT_NEAR(*m.report().figure("leave_one_out_rmse"), std::sqrt(expected / 2), 1e-10);
      EXPECT_TRUE(says_together(m));
      all.K = precomputed(gram(p.k, rows(p.x)));
      EXPECT_NEAR(*config.fit(all).report().figure("leave_one_out_rmse"), std::sqrt(expected / 2), 1e-10);
    }
  }
  // Of one place there is nothing to leave out.
  const Model same = KernelKnn{.neighbours = 2, .loo = true}.fit(
      {.K = lazy(linear(), rows(Matrix(5, 1, 2.0))), .y = random_matrix(5, 1, 1)});
  EXPECT_FALSE(same.report().figure("leave_one_out_rmse").has_value());
}

}  // namespace
}  // namespace mercer::equal_rows_test
