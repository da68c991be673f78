// Steps that leave out what is held at a bound end where steps on everything do.
#include "machines/svm/tile_solver.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "base/at.hpp"
#include "base/random.hpp"
#include "mercer/gram.hpp"
#include "mercer/kernels.hpp"
#include "support.hpp"

namespace mercer::tile_solver_test {
namespace {

using detail::solve_tile;
using detail::TileProblem;

enum class Sums { none, one, two };

std::string name_of(Sums sums) { return sums == Sums::none ? "none" : sums == Sums::one ? "one" : "two"; }

// Two classes in the plane that overlap: at this C most alphas are 0 or C.
template <class T>
class Tile {
 public:
  static constexpr Index kSize = 300;
  static constexpr double kC = 2;

  explicit Tile(Sums sums) : sums_(sums) {
    Random random(7);
    Matrix x(kSize, 2);
    for (Index i = 0; i < kSize; ++i) {
      const double sign = i < kSize / 2 ? 1 : -1;
      sign_.push_back(sign);
      x(i, 0) = 0.8 * sign + random.normal();
      x(i, 1) = random.normal();
    }
    const Gram gram = exact(rbf(1.5), rows(x));
    for (Index i = 0; i < kSize; ++i) {
      for (Index j = 0; j < kSize; ++j) K_.push_back(static_cast<T>(gram.dense()(i, j)));
    }
  }

  // From 0, but for two sums, which begin at 0.7 of what they may be.
  TileProblem<T> problem() {
    TileProblem<T> out;
    out.K = K_.data();
    out.stride = kSize;
    for (const double sign : sign_) {
      out.b.push_back(sums_ == Sums::two ? 0.7 * sign * kC : 0);
      out.lower.push_back(std::min(0.0, sign * kC));
      out.upper.push_back(std::max(0.0, sign * kC));
      out.diagonal.push_back(1);
    }
    for (const double slope : gradient(out.b)) out.g.push_back(static_cast<T>(slope));
    if (sums_ == Sums::one) out.group_ends = {kSize};
    if (sums_ == Sums::two) out.group_ends = {kSize / 2, kSize};
    return out;
  }

  Vector gradient(const Vector& b) const {
    Vector out;
    for (Index i = 0; i < kSize; ++i) {
      double sum = sums_ == Sums::two ? 0 : -sign_[at(i)];
      for (Index j = 0; j < kSize; ++j) sum += static_cast<double>(K_[at(i * kSize + j)]) * b[at(j)];
      out.push_back(sum);
    }
    return out;
  }

  // The largest violation of the conditions, from the definition.
  double gap(const TileProblem<T>& at_end) const {
    const Vector g = gradient(at_end.b);
    double worst = 0;
    std::vector<Index> ends = at_end.group_ends;
    if (ends.empty()) ends = {kSize};
    Index begin = 0;
    for (const Index end : ends) {
      double up = at_end.group_ends.empty() ? 0 : -1e300, low = up;
      for (Index k = begin; k < end; ++k) {
        const double b = at_end.b[at(k)];
        if (b < at_end.upper[at(k)]) up = std::max(up, -g[at(k)]);
        if (b > at_end.lower[at(k)]) low = std::max(low, g[at(k)]);
      }
      worst = std::max(worst, at_end.group_ends.empty() ? std::max(up, low) : up + low);
      begin = end;
    }
    return worst;
  }

  double objective(const Vector& b) const {
    const Vector g = gradient(b);
    double out = 0;
    for (std::size_t k = 0; k < b.size(); ++k) out += b[k] * (g[k] - (sums_ == Sums::two ? 0 : sign_[k])) / 2;
    return out;
  }

 private:
  Sums sums_;
  std::vector<T> K_;
  Vector sign_;
};

template <class T>
class TileSolver : public ::testing::Test {};
using Precisions = ::testing::Types<float, double>;
TYPED_TEST_SUITE(TileSolver, Precisions);

TYPED_TEST(TileSolver, EndsAtTheSamePlaceWithRoomForPartsAndWithout) {
  using T = TypeParam;
  const double tolerance = std::is_same_v<T, float> ? 1e-4 : 1e-9;
  const double rounding = std::is_same_v<T, float> ? 1e-5 : 1e-13;
  for (const Sums sums : {Sums::none, Sums::one, Sums::two}) {
    SCOPED_TRACE(name_of(sums));
    Tile<T> tile(sums);
    TileProblem<T> alone = tile.problem(), parted = tile.problem();
    std::vector<T> room(at(2 * Tile<T>::kSize * Tile<T>::kSize), T{-1});
    parted.room = room;
    solve_tile<T>(alone, tolerance, 1'000'000, [] { return true; });
    solve_tile<T>(parted, tolerance, 1'000'000, [] { return true; });
    ASSERT_NE(room.front(), T{-1}) << "nothing was left out";
    EXPECT_LT(tile.gap(alone), tolerance + rounding);
    EXPECT_LT(tile.gap(parted), tolerance + rounding);
    EXPECT_NEAR(tile.objective(parted.b), tile.objective(alone.b), 300 * tolerance);
    double before = 0, after = 0;
    for (const double b : tile.problem().b) before += b;
    for (const double b : parted.b) after += b;
    if (sums != Sums::none) {
      EXPECT_NEAR(before, after, 1e-9);
    }
    for (std::size_t k = 0; k < parted.b.size(); ++k) {
      ASSERT_GE(parted.b[k], parted.lower[k]);
      ASSERT_LE(parted.b[k], parted.upper[k]);
    }
    const Vector g = tile.gradient(parted.b);
    for (std::size_t k = 0; k < g.size(); ++k) ASSERT_NEAR(static_cast<double>(parted.g[k]), g[k], 30 * rounding);
  }
}

// Of a part that was being solved as well.
TYPED_TEST(TileSolver, StopsAfterTheStepsThatItMayTake) {
  using T = TypeParam;
  Tile<T> tile(Sums::one);
  TileProblem<T> whole = tile.problem();
  std::vector<T> room(at(Tile<T>::kSize * Tile<T>::kSize));
  whole.room = room;
  const Index all = solve_tile<T>(whole, 1e-6, 1'000'000, [] { return true; });
  for (Index most = 1; most < all; most += 1 + all / 50) {
    TileProblem<T> part = tile.problem();
    part.room = room;
    EXPECT_EQ(solve_tile<T>(part, 1e-6, most, [] { return true; }), most);
    const Vector g = tile.gradient(part.b);
    for (std::size_t k = 0; k < g.size(); ++k) ASSERT_NEAR(static_cast<double>(part.g[k]), g[k], 1e-3);
  }
}

// As many steps as without: room that is too small changes nothing.
TYPED_TEST(TileSolver, LittleRoomIsNotUsed) {
  using T = TypeParam;
  Tile<T> tile(Sums::one);
  TileProblem<T> alone = tile.problem(), cramped = tile.problem();
  std::vector<T> room(9, T{-1});
  cramped.room = room;
  solve_tile<T>(alone, 1e-3, 1'000'000, [] { return true; });
  solve_tile<T>(cramped, 1e-3, 1'000'000, [] { return true; });
  EXPECT_EQ(alone.b, cramped.b);
  EXPECT_EQ(room, std::vector<T>(9, T{-1}));
}

}  // namespace
}  // namespace mercer::tile_solver_test
