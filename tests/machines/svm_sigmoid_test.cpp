// The sigmoid of a support vector machine's held-out scores.
#include "machines/svm/calibrate.hpp"
#include "machines/svm/folds.hpp"
#include "support.hpp"

namespace mercer::svm_sigmoid_test {
namespace {

// The rows are points 6, 1, 4, 0 and 3 of seven; point 4 is not held out.
TEST(SvmSigmoid, WeighsEachScoreByItsPoint) {
  const detail::FoldScores scores{{0, 1, -1, 0, 1}, {1, -1, 1, -1, 1}, {2.0, -1.0, 50.0, 0.5, -0.2}};
  const Vector weights = {3, 0.5, 100, 2, 100, 100, 1};
  const std::vector<Index> points = {6, 1, 4, 0, 3};
  const Sigmoid expected =
      detail::fit_sigmoid(Vector{2.0, -1.0, 0.5, -0.2}, Vector{1, -1, -1, 1}, Vector{1, 0.5, 3, 2});
  EXPECT_EQ(detail::sigmoid_of(scores, weights, points), expected);
  EXPECT_FALSE(detail::sigmoid_of(scores, Vector(7, 1.0), points) == expected);
}

}  // namespace
}  // namespace mercer::svm_sigmoid_test
