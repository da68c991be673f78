// How a counterexample is shown, and where the points of a search lie.
#include "check/sets.hpp"
#include "check/suspect.hpp"
#include "support.hpp"

namespace mercer::shown_test {
namespace {

// Of c and -c, which prove the same, the reader gets the one that begins above 0.
TEST(CounterexampleShown, BeginsWithAWeightAboveZero) {
  for (const char* text : {"1/(1+x*y)", "x*y - x^2*y^2", "sin(x+y)", "(x-y)^2", "cos(x-y) - 0.5"}) {
    const CheckResult result = check(Formula::parse(text));
    ASSERT_TRUE(result.counterexample.has_value()) << text;
    if (result.counterexample->kind != Counterexample::Kind::indefinite) continue;
    EXPECT_GT(result.counterexample->weights.front(), 0) << text;
  }
}

TEST(MovedInto, TheUnitBallIsOpenAndTheHalfLineClosed) {
  for (const Matrix& points : {Matrix{{1}}, Matrix{{0.6, 0.8}, {0.1, 0}}, Matrix{{3, 4}, {-0.5, 0}}, Matrix{{0.5}}}) {
    const Matrix moved = checking::moved_into(Inputs::unit_ball, points);
    for (Index i = 0; i < moved.rows(); ++i) {
      EXPECT_TRUE(checking::inside(Inputs::unit_ball, checking::row(moved, i))) << moved(i, 0);
    }
  }
  EXPECT_EQ(checking::moved_into(Inputs::unit_ball, Matrix{{0.5}}), (Matrix{{0.5}}));  // no farther than needed
  EXPECT_EQ(checking::moved_into(Inputs::nonnegative, Matrix{{-2, 3}}), (Matrix{{2, 3}}));
  EXPECT_TRUE(checking::inside(Inputs::nonnegative, Vector{0, 1}));
  EXPECT_FALSE(checking::inside(Inputs::nonnegative, Vector{1, -1e-300}));
}

// 1/(x + y) has a value at each of these points, and none at 1 and -1 together.
TEST(FinitePart, LeavesOutWhatHasNoValueWithAnEarlierPoint) {
  const checking::Suspect k{.value = [](VectorView x, VectorView y) { return 1 / (x[0] + y[0]); }, .precise = {}};
  EXPECT_EQ(checking::finite_part(k, Matrix{{1}, {-1}, {0}, {2}}), (Matrix{{1}, {2}}));
}

}  // namespace
}  // namespace mercer::shown_test
