// mercer explain-prediction: contributions that add up to the score.
#include <gtest/gtest.h>

#include "mercer/explain.hpp"
#include "mercer/kernels.hpp"
#include "mercer/machines/svm.hpp"
#include "support.hpp"

namespace mercer {
namespace {

Model model_of(const std::string& kernel) {
  const Points x = strings({"abcabc", "cabcab", "bcabca", "cbacba", "acbacb", "bacbac"});
  const std::vector<std::string> names = {"up", "up", "up", "down", "down", "down"};
  return Svc{.C = 10}.fit(lazy(parse(kernel), x), Labels::from(names));
}

double total(const Explanation& e) {
  double sum = e.bias[0];
  for (const Contribution& part : e.parts) {
    for (Index p = 0; p < part.values.rows(); ++p) sum += part.values(p, 0);
  }
  return sum;
}

TEST(ExplainPrediction, ContributionsAddUpToTheScore) {
  for (const char* k : {"spectrum(k=2)", "normalize(spectrum(k=2))", "normalize(spectrum(k=1) + 2*spectrum(k=3))"}) {
    const Explanation e = explain_prediction(model_of(k), strings({"abcxcba"}));
    ASSERT_EQ(e.parts.size(), 1u);
    EXPECT_EQ(e.parts[0].places, (std::vector<std::string>{"a", "b", "c", "x", "c", "b", "a"}));
    EXPECT_NEAR(total(e), e.scores[0], 1e-12) << k;
    // The middle letter occurs in no training string.
    EXPECT_EQ(e.parts[0].values(3, 0), 0) << k;
    // What speaks for one class stands left of it, what speaks for the other right.
    EXPECT_GT(std::abs(e.parts[0].values(1, 0)), 0) << k;
    EXPECT_LT(e.parts[0].values(1, 0) * e.parts[0].values(5, 0), 0) << k;
  }
}

TEST(ExplainPrediction, OtherKernelsSayWhyNot) {
  test::expect_error([] { explain_prediction(model_of("spectrum(k=2)^2"), strings({"abc"})); }, "UsageError",
                     {"no inner product of counts"});
  test::expect_error(
      [] {
        explain_prediction(model_of("spectrum(k=2)"), strings({"abc", "cba"}));
      },
      "UsageError", {"one point at a time"});
}

}  // namespace
}  // namespace mercer
