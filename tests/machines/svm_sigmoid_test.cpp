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

// Points 0, 3 and 5 are equal, as 2 and 4 are; 6 takes no part. Equal points are held out together, whatever their
// sides.
TEST(SvmSigmoid, EqualPointsAreHeldOutTogether) {
  const detail::BinaryProblem problem{.sign = {1, -1, 1, 1, 1, -1, 1, -1}, .cost = {1, 1, 1, 1, 1, 1, 0, 1}};
  const std::vector<Index> equal_to = {0, 1, 2, 0, 2, 0, 6, 7};
  EXPECT_EQ(detail::hold_out(problem, equal_to).fold, (std::vector<Index>{0, 0, 1, 0, 1, 0, -1, 1}));
}

}  // namespace
}  // namespace mercer::svm_sigmoid_test
