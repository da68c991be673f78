// How inputs are scaled where nobody says it.
#include "workflow/usual_scaling.hpp"

#include <gtest/gtest.h>

#include "mercer/kernel.hpp"
#include "mercer/points.hpp"

namespace mercer::usual_scaling_test {
namespace {

// Columns of 0 and `high`, the last `other` of them of 0 and `other_high`.
Points columns(Index count, double high, Index other = 0, double other_high = 0) {
  Matrix x(4, count);
  std::vector<std::string> names;
  for (Index k = 0; k < count; ++k) {
    names.push_back("c" + std::to_string(k));
    for (Index i = 0; i < 4; i += 2) x(i, k) = k < count - other ? high : other_high;
  }
  return named(rows(std::move(x)), names);
}

std::string remark(const Points& x) { return workflow::scaling_remark(workflow::usual_scaling(x), false, x); }

TEST(UsualScaling, WhatStandsBesideNumbersDoesNotMatter) {
  const auto beside_text = [](const Points& x) {
    return table({{"note", strings({"p", "q", "r", "s"})}, {"", x}, {"more", strings({"p", "q", "r", "s"})}});
  };
  EXPECT_EQ(workflow::usual_scaling(beside_text(columns(9, 0.5))), Scaling::Kind::standard);
  EXPECT_EQ(workflow::usual_scaling(beside_text(columns(8, 16))), Scaling::Kind::none);
  EXPECT_EQ(workflow::usual_scaling(table({{"a", strings({"p", "q"})}, {"b", strings({"p", "q"})}})),
            Scaling::Kind::none);
}

TEST(UsualScaling, ColumnsWithNamesAreStandardised) {
  EXPECT_EQ(workflow::usual_scaling(columns(9, 0.5)), Scaling::Kind::standard);
  EXPECT_EQ(remark(columns(9, 0.5)),
            "inputs scaled to mean 0 and standard deviation 1; `scale=none` leaves them alone");
}

TEST(UsualScaling, SomeColumnsStayAsTheyAre) {
  const Points x = table({{"", named(rows(Matrix{{1, 10}, {3, 20}}), {"a", "task"})},
                          {"text", strings({"u", "v"})},
                          {"", named(rows(Matrix{{5}, {9}}), {"b"})}});
  const Scaling s = Scaling::of(Scaling::Kind::minmax, x), kept = workflow::leaving({"task", "b", "text", "z"}, x, s);
  EXPECT_EQ(s.shift, (Vector{1, 10, 5}));
  EXPECT_EQ(kept.shift, (Vector{1, 0, 0}));
  EXPECT_EQ(kept.factor, (Vector{0.5, 1, 1}));
  EXPECT_EQ(kept.kind, Scaling::Kind::minmax);
  EXPECT_EQ(workflow::leaving({"a"}, x, Scaling()), Scaling());
}

TEST(UsualScaling, LabelColumnsAreThoseOfTheKernel) {
  const Points x = named(rows(Matrix{{0.5, 1, 2}, {1.5, 2, 1}}), {"t", "task", "other"});
  const std::string tasks = "coregion(a=[1, 2], v=[0, 1])";
  const auto of = [&](const std::string& k) { return workflow::label_columns(parse(k), x); };
  using Names = std::vector<std::string>;
  EXPECT_EQ(of("rbf(ell=1) + on(task, equal())"), Names());
  EXPECT_EQ(of("on(t, rbf(ell=1))*on(task, " + tasks + ")"), Names{"task"});
  EXPECT_EQ(of("on(2, " + tasks + ") + 3*normalize(on(other, " + tasks + "))"), (Names{"other", "task"}));
}

TEST(UsualScaling, WholeNumbersBetweenTheSameBoundsStay) {
  EXPECT_EQ(workflow::usual_scaling(columns(8, 16)), Scaling::Kind::none);
  EXPECT_EQ(remark(columns(8, 16)),
            "inputs as they are, whole numbers between the same bounds; `scale=standard` scales them");
  EXPECT_EQ(workflow::usual_scaling(columns(8, 16, 4, 5)), Scaling::Kind::none);        // half of them
  EXPECT_EQ(workflow::usual_scaling(columns(9, 16, 5, 5)), Scaling::Kind::none);        // five of nine, the others
  EXPECT_EQ(workflow::usual_scaling(columns(20, 16, 12, 0)), Scaling::Kind::none);      // constant ones do not count
  EXPECT_EQ(workflow::usual_scaling(columns(7, 16)), Scaling::Kind::standard);          // few: perhaps by chance
  EXPECT_EQ(workflow::usual_scaling(columns(9, 16, 1, 0.5)), Scaling::Kind::standard);  // a fraction
  // Yes and no beside metres, as in covtype.
  EXPECT_EQ(workflow::usual_scaling(columns(20, 1, 3, 3000)), Scaling::Kind::standard);
}

TEST(UsualScaling, DifferentBoundsAreDifferentScales) {
  Matrix x(2, 9);
  std::vector<std::string> names;
  for (Index k = 0; k < 9; ++k) {
    x(1, k) = static_cast<double>(k + 1);
    names.push_back("c" + std::to_string(k));
  }
  EXPECT_EQ(workflow::usual_scaling(named(rows(std::move(x)), names)), Scaling::Kind::standard);
}

TEST(UsualScaling, NumbersWithoutNamesStayWithoutAWord) {
  const Points x = rows(Matrix(3, 9));
  EXPECT_EQ(workflow::usual_scaling(x), Scaling::Kind::none);
  EXPECT_EQ(remark(x), "inputs as they are");
}

}  // namespace
}  // namespace mercer::usual_scaling_test
