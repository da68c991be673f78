// Folds held out by algebra on one factorisation, against fits without them.
#include "selection/blocks_held_out.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "base/at.hpp"
#include "mercer/kernels.hpp"
#include "mercer/machines.hpp"
#include "selection/held_out.hpp"
#include "support.hpp"

namespace mercer::blocks_held_out_test {
namespace {

Training regression(Index n, bool weighted) {
  const Matrix x = test::random_matrix(n, 3, 1);
  Training out{.K = exact(rbf(1.5), rows(x)), .y = Matrix(n, 2)};
  const Vector noise = test::random_vector(n, 2, -0.2, 0.2);
  for (Index i = 0; i < n; ++i) {
    out.y(i, 0) = std::sin(2 * x(i, 0)) + x(i, 1) + noise[at(i)] + 3;
    out.y(i, 1) = x(i, 2) - noise[at(i)];
    if (weighted) out.weights.push_back(0.5 + static_cast<double>(i % 4));
  }
  return out;
}

struct Case {
  std::string machine;
  Settings settings;
};

class BlocksHeldOut : public ::testing::TestWithParam<Case> {};

TEST_P(BlocksHeldOut, EqualFitsWithoutTheFold) {
  const auto& [name, settings] = GetParam();
  constexpr Index n = 90;
  for (const bool weighted : {false, true}) {
    const Training all = regression(n, weighted);
    // Two rounds of six; in a third some points are in no fold.
    std::vector<Fold> folds = random_folds(n, 6, 3, 2);
    for (Index k = 0; k < 7; ++k) folds.push_back({k, 20 + k, 50 + 2 * k});
    const std::vector<Settings> one = {settings};
    const std::vector<HeldOut> found = machine(name).cross({all, one, folds});
    ASSERT_EQ(found.size(), folds.size());
    for (std::size_t f = 0; f < folds.size(); ++f) {
      const detail::Cut cut(all, folds[f]);
      const Model model = fit(name, settings, cut.rest());
      test::expect_near(found[f].values, cut.say(model, {}).values, 1e-9);
      test::expect_near(found[f].variances, cut.variances(model, {}), 1e-9);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(All, BlocksHeldOut,
                         ::testing::Values(Case{"ridge", {{"ridge", "0.1"}}}, Case{"ridge", {}},
                                           Case{"gp", {{"objective", "none"}, {"noise", "0.05"}, {"mean", "zero"}}},
                                           Case{"gp", {{"objective", "none"}, {"noise", "0.05"}, {"signal", "2"}}},
                                           Case{"gp", {{"objective", "none"}, {"noise", "0.05"}, {"mean", "linear"}}}),
                         [](const auto& info) { return info.param.machine + std::to_string(info.index); });

// Then the search fits fold by fold.
TEST(BlocksHeldOutNot, WhereFoldsDifferInMoreThanTheirPoints) {
  const Training all = regression(60, false);
  const std::vector<Fold> folds = random_folds(60, 6);
  const auto crossed = [&](const std::string& name, const Settings& settings, const Training& training,
                           const std::vector<Fold>& by) {
    const std::vector<Settings> one = {settings};
    return machine(name).cross({training, one, by}).size();
  };
  EXPECT_EQ(crossed("ridge", {}, all, folds), folds.size());
  EXPECT_EQ(crossed("ridge", {{"ridge", "auto"}}, all, folds), 0u);
  EXPECT_EQ(crossed("ridge", {{"ridge", "1e-15"}}, all, folds), 0u);  // few digits would be left
  EXPECT_EQ(crossed("ridge", {}, all, random_folds(60, 2)), 0u);      // two fits are less work
  EXPECT_EQ(crossed("ridge", {{"ridge", "-1"}}, all, folds), 0u);     // the fits will say so
  EXPECT_EQ(crossed("gp", {{"noise", "0.1"}}, all, folds), 0u);       // each fold learns its own
  EXPECT_EQ(crossed("gp", {{"objective", "none"}}, all, folds), 0u);  // no noise is given
  Training weighted = regression(60, true);
  weighted.weights[7] = 0;
  EXPECT_EQ(crossed("ridge", {}, weighted, folds), 0u);
}

// A point of no weight is in a fold and not in the system: the algebra, asked about it, would reach beyond its
// matrices.
TEST(BlocksHeldOutNot, WithAPointOfNoWeight) {
  static int asked;
  const detail::LinearWay way{[](const Settings&, const Training& ordered, std::span<const Range> folds) {
                                ++asked;
                                EXPECT_EQ(folds.back().end, ordered.K.size());
                                return std::vector<HeldOut>(folds.size());
                              },
                              [](const Settings&) { return true; }};
  const std::vector<Fold> folds = random_folds(60, 6);
  const std::vector<Settings> one = {{}};
  Training training = regression(60, true);
  asked = 0;
  EXPECT_EQ(detail::cross_linear({training, one, folds}, way).size(), folds.size());
  EXPECT_EQ(asked, 1);
  for (const Index i : {0, 7, 59}) {
    training = regression(60, true);
    training.weights[at(i)] = 0;
    EXPECT_TRUE(detail::cross_linear({training, one, folds}, way).empty());
    EXPECT_EQ(asked, 1) << "with weight 0 at point " << i;
  }
}

TEST(BlocksHeldOutSearch, TheNumberOfThreadsChangesNoBit) {
  Training all = regression(600, false);
  std::vector<Candidate> found;
  for (const int threads : {1, 2}) {
    all.how.threads = threads;
    found.push_back(cross_validate("ridge", {{"ridge", "0.01"}}, all, random_folds(600, 8)));
  }
  EXPECT_EQ(found[0].scores, found[1].scores);
}

}  // namespace
}  // namespace mercer::blocks_held_out_test
