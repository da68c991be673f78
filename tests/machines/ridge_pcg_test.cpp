// Ridge regression by conjugate gradients, beside Cholesky factors.
#include <algorithm>
#include <cmath>

#include "mercer/kernels.hpp"
#include "mercer/machines/ridge.hpp"
#include "mercer/plan.hpp"
#include "support.hpp"

namespace mercer::ridge_pcg_test {
namespace {

using test::expect_error;
using test::expect_near;
using test::random_matrix;

constexpr Index kPoints = 260;

struct Problem {
  Points x = rows(random_matrix(kPoints, 3, 1));
  Training training{.K = lazy(parse("rbf(ell=0.6)"), x), .y = random_matrix(kPoints, 2, 2)};
  Points others = rows(random_matrix(40, 3, 3));
};

Matrix values(const KernelRidge& config, const Problem& p) { return config.fit(p.training).expansion()(p.others); }

TEST(RidgePcg, AgreesWithCholesky) {
  Problem p;
  for (int with_weights = 0; with_weights < 2; ++with_weights) {
    for (Index i = 0; with_weights == 1 && i < kPoints; ++i) p.training.weights.push_back(static_cast<double>(i % 4));
    for (const double ridge : {1.0, 1e-2}) {
      const KernelRidge direct{.ridge = ridge, .solver = KernelRidge::Solver::cholesky};
      KernelRidge steps{.ridge = ridge, .solver = KernelRidge::Solver::pcg, .tolerance = 1e-10};
      expect_near(values(steps, p), values(direct, p), 1e-7);
      steps.tolerance = 1e-3;
      const Model rough = steps.fit(p.training);
      EXPECT_TRUE(rough.report().converged);
      EXPECT_EQ(rough.report().stopped, "optimal to the tolerance");
      EXPECT_LE(*rough.report().figure("residual"), 1e-3);
      EXPECT_GT(*rough.report().figure("residual"), 1e-9);
      EXPECT_GT(rough.report().iterations, 0);
      EXPECT_GT(*rough.report().figure("preconditioner_rank"), 0);
    }
  }
}

// Neither the units of the targets nor those of the kernel change what is enough.
TEST(RidgePcg, StopsByWhatIsLeftRelativeToTheTargets) {
  Problem p;
  const KernelRidge config{.ridge = 0.1, .solver = KernelRidge::Solver::pcg, .tolerance = 1e-6};
  const Model plain = config.fit(p.training);
  for (const double factor : {0x1p-60, 0x1p60}) {
    Training scaled = p.training;
    for (Index i = 0; i < scaled.y.rows() * scaled.y.cols(); ++i) scaled.y.data()[i] *= factor;
    const Model found = config.fit(scaled);
    EXPECT_EQ(found.report().iterations, plain.report().iterations);
    Matrix f = found.expansion()(p.others);
    for (Index i = 0; i < f.rows() * f.cols(); ++i) f.data()[i] /= factor;
    expect_near(f, plain.expansion()(p.others), 0);
  }
}

TEST(RidgePcg, ATargetOfZerosIsFittedByZero) {
  Problem p;
  p.training.y = Matrix(kPoints, 1);
  const Model found = KernelRidge{.ridge = 0.1, .solver = KernelRidge::Solver::pcg}.fit(p.training);
  EXPECT_TRUE(found.report().converged);
  expect_near(found.expansion()(p.others), Matrix(40, 1), 0);
}

TEST(RidgePcg, SaysWhereStepsDoNotSuffice) {
  const Problem p;
  const Model found =
      KernelRidge{.ridge = 1e-7, .solver = KernelRidge::Solver::pcg, .rank = 2, .max_iterations = 4}.fit(p.training);
  EXPECT_FALSE(found.report().converged);
  EXPECT_EQ(found.report().stopped, "limit of steps");
  EXPECT_EQ(found.report().iterations, 4);
  ASSERT_EQ(found.report().notes.size(), 1u);
  EXPECT_NE(found.report().notes[0].find("larger ridge"), std::string::npos);
}

TEST(RidgePcg, SaysWhereRoundingAllowsNoMore) {
  const Problem p;
  const Model found =
      KernelRidge{.ridge = 1e-3, .solver = KernelRidge::Solver::pcg, .tolerance = 1e-300, .max_iterations = 1'000'000}
          .fit(p.training);
  EXPECT_FALSE(found.report().converged);
  EXPECT_EQ(found.report().stopped, "nothing to gain beyond rounding");
  EXPECT_LT(found.report().iterations, 1'000'000);
  ASSERT_EQ(found.report().notes.size(), 1u);
  EXPECT_NE(found.report().notes[0].find("rounding allows no less"), std::string::npos);
  EXPECT_EQ(found.report().notes[0].find("more rank or steps"), std::string::npos);
}

TEST(RidgePcg, InterruptedItReturnsWhatItHas) {
  Problem p;
  int heard = 0;
  p.training.how.monitor = Monitor([&](const Progress& at) {
    heard += at.stage == "solve" ? 1 : 0;
    return heard < 6;
  });
  const Model found = KernelRidge{.ridge = 1e-6, .solver = KernelRidge::Solver::pcg, .rank = 2}.fit(p.training);
  EXPECT_FALSE(found.report().converged);
  EXPECT_EQ(found.report().stopped, "interrupted");
}

TEST(RidgePcg, LeavingOutTakesAllPairsWhateverTheSolver) {
  const Problem p;
  const KernelRidge direct{.ridge = 0.1, .loo = true, .solver = KernelRidge::Solver::cholesky};
  KernelRidge steps = direct;
  steps.solver = KernelRidge::Solver::pcg;
  EXPECT_EQ(*steps.fit(p.training).report().figure("leave_one_out_rmse"),
            *direct.fit(p.training).report().figure("leave_one_out_rmse"));
  steps.ridge.reset();
  steps.loo = false;
  EXPECT_TRUE(steps.fit(p.training).report().figure("leave_one_out_rmse"));
}

TEST(RidgePcg, IsPlannedWithoutAMatrixBeyondManyPoints) {
  const auto plan = [](Index n, const Settings& settings, std::size_t memory = std::size_t{200} << 30) {
    return plan_for(machine("ridge"), settings, {.points = n, .weighted = n, .dimension = 9, .stored = 9},
                    {.memory = memory});
  };
  const Settings given{{"ridge", "0.1"}};
  EXPECT_EQ(plan(20000, given).form, Form::exact);
  const Plan many = plan(20001, given);
  EXPECT_EQ(many.form, Form::cached);
  EXPECT_NE(many.solver.find("conjugate gradients"), std::string::npos);
  EXPECT_LT(many.bytes, 0.4 * 8 * 20001.0 * 20001.0);  // half of the pairs, as floats
  // In less memory less of K is kept, and what has to be computed is counted the same: who decides by it does not
  // depend on the memory that happens to be free.
  const Plan less = plan(20001, given, std::size_t{1} << 30);
  EXPECT_LT(less.bytes, 1.1e9);
  EXPECT_EQ(less.pairs, many.pairs);
  EXPECT_EQ(less.flops, many.flops);
  EXPECT_LT(plan(100'000, given).bytes, 8e9 + 8 * 100'000 * 2300.0);
  EXPECT_EQ(plan(20001, {{"ridge", "0.1"}, {"solver", "cholesky"}}).form, Form::exact);
  EXPECT_EQ(plan(20001, {{"ridge", "auto"}}).form, Form::exact);
  EXPECT_EQ(plan(500, {{"ridge", "0.1"}, {"solver", "pcg"}}).form, Form::cached);
}

// The smaller the ridge, the more steps, up to their limit; below the rounding of single precision each computes K.
TEST(RidgePcg, IsPlannedByItsRidge) {
  const auto plan = [](const std::string& ridge, double diagonal, bool approximate) {
    return plan_for(machine("ridge"), {{"ridge", ridge}},
                    {.points = 50'000, .weighted = 50'000, .dimension = 9, .stored = 9, .diagonal = diagonal},
                    {.memory = std::size_t{64} << 30, .approximate = approximate});
  };
  const Plan large = plan("1", 1, true), small = plan("0.02", 1, true), tiny = plan("1e-8", 1, false);
  EXPECT_EQ(large.centres, 0);
  EXPECT_GT(small.flops, 2 * large.flops);
  EXPECT_EQ(small.form, Form::cached);
  EXPECT_EQ(tiny.form, Form::lazy);
  EXPECT_NEAR(tiny.pairs, 1003 * 50'000.0 * 50'001.0 / 2, 1e9) << "the limit of steps, and what is checked";
  EXPECT_NE(tiny.why.find("a ridge of 1e-08 is below the rounding"), std::string::npos) << tiny.why;
  // So long that centres stand for all points, where they may.
  EXPECT_GT(plan("1e-8", 1, true).centres, 0);
  // In units of k(x, x).
  EXPECT_EQ(plan("100", 100, true).flops, large.flops);
  EXPECT_EQ(plan("1e-6", 100, false).form, Form::lazy);
  Training training{.K = lazy(parse("100*rbf(ell=1)"), rows(Matrix(5, 2)))};
  EXPECT_NEAR(extent_of(training).diagonal, 100, 1e-9);
}

// Centres stand for many points where they may; not against a solver that was named.
TEST(RidgePcg, ASolverOfAllPointsKeepsCentresAway) {
  const auto plan = [](const Settings& settings) {
    return plan_for(machine("ridge"), settings, {.points = 400'000, .weighted = 400'000, .dimension = 9, .stored = 9},
                    {.memory = std::size_t{64} << 30, .approximate = true});
  };
  EXPECT_GT(plan({{"ridge", "0.1"}}).centres, 0);
  const Plan all = plan({{"ridge", "0.1"}, {"solver", "pcg"}});
  EXPECT_EQ(all.centres, 0);
  EXPECT_EQ(all.approximates, "");
  EXPECT_EQ(all.form, Form::cached);
}

TEST(RidgePcg, RefusesWhatCannotBe) {
  const Problem p;
  expect_error([&] { KernelRidge{.tolerance = 0}.fit(p.training); }, "UsageError", {"tolerance"});
  expect_error([&] { KernelRidge{.tolerance = 1}.fit(p.training); }, "UsageError", {"tolerance"});
  expect_error([&] { KernelRidge{.max_iterations = 0}.fit(p.training); }, "UsageError", {"step"});
  Training little = p.training;
  little.memory = 100'000;
  const KernelRidge large{.ridge = 0.1, .solver = KernelRidge::Solver::pcg, .rank = 200};
  expect_error([&] { large.fit(little); }, "UsageError", {"rank 200 for 260 points needs 728 KB", "100 KB"});
  expect_error(
      [&] {
        plan_for(machine("ridge"), {{"ridge", "0.1"}, {"solver", "pcg"}, {"rank", "200"}}, extent_of(little));
      },
      "UsageError", {"rank 200"});
  KernelRidge fitting = large;
  fitting.rank = 0;  // as many as there is room for
  EXPECT_TRUE(fitting.fit(little).report().converged);
  fitting.rank = 99999;
  const auto says = [](const Report& report) {
    return std::ranges::any_of(report.notes,
                               [](const std::string& note) { return note.starts_with("`rank`: 99999 "); });
  };
  EXPECT_TRUE(says(fitting.fit(p.training).report())) << "it cannot have";
  fitting.rank = 260;
  EXPECT_FALSE(says(fitting.fit(p.training).report()));
  expect_error([&] { KernelRidge{.rank = -1}.fit(p.training); }, "UsageError", {"rank"});
}

}  // namespace
}  // namespace mercer::ridge_pcg_test
