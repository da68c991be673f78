// Which one is taken where several are equally good.
#include "machines/svm_data.hpp"
#include "mercer/kernels.hpp"
#include "mercer/machines/ridge.hpp"
#include "mercer/tune.hpp"

namespace mercer::ties_test {
namespace {

// A target of zeros is predicted without error whatever the ridge; the largest gives the simplest f.
TEST(Ties, OfEqualRidgesTheLargestIsTaken) {
  const test::Sample s = test::blobs(12, 3, 1);
  for (const auto criterion : {KernelRidge::Criterion::loo, KernelRidge::Criterion::gcv}) {
    const KernelRidge config{.ridge = std::nullopt, .criterion = criterion, .path = {0.3, 4, 0.01, 1}};
    const Model m = config.fit(lazy(rbf(1), s.points()), Vector(12, 0.0));
    EXPECT_EQ(m.report().figure("ridge"), 4);
    EXPECT_EQ(m.report().figure("leave_one_out_rmse"), 0);
  }
}

TEST(Ties, OfEqualCandidatesTheFirstIsTaken) {
  const test::Sample s = test::blobs(60, 3, 0.1);  // far apart: every C gets all of them right
  const Training training{.K = lazy(rbf(1), s.points()), .labels = s.labels()};
  for (const char* grid : {"C=1,10,100", "C=100,10,1"}) {
    const Tuned got =
        tune({.machine = "svc", .axes = parse_grid(grid), .folds = stratified_folds(training.labels, 3)}, training);
    ASSERT_EQ(got.candidates.size(), 3u);
    for (const Candidate& c : got.candidates) EXPECT_EQ(c.mean, 1);
    EXPECT_EQ(got.best, 0u) << grid;
  }
  // The same where less is better: a target of zeros has no error either way.
  Training zeros{.K = training.K, .y = Matrix(60, 1)};
  const Tuned got = tune({.machine = "ridge", .axes = parse_grid("ridge=1,10"), .folds = random_folds(60, 3)}, zeros);
  ASSERT_EQ(got.candidates.size(), 2u);
  EXPECT_EQ(got.candidates[0].mean, got.candidates[1].mean);
  EXPECT_EQ(got.best, 0u);
}

}  // namespace
}  // namespace mercer::ties_test
