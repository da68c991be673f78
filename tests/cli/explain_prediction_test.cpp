// mercer explain-prediction: contributions that add up to the score.
#include <gtest/gtest.h>

#include "mercer/explain.hpp"
#include "mercer/graph.hpp"
#include "mercer/kernels.hpp"
#include "mercer/machines/svm.hpp"
#include "points/rep.hpp"
#include "support.hpp"

namespace mercer::explain_prediction_test {
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

// Terms of numbers, products, ... beside counts: one number each, by brute force.
TEST(ExplainPrediction, OtherTermsContributeAsAWhole) {
  const Points x = table({{"text", strings({"abcabc", "cabcab", "bcabca", "cbacba", "acbacb", "bacbac"})},
                          {"dose", rows(Matrix{{1}, {2}, {4}, {3}, {5}, {7}})}});
  const std::vector<std::string> names = {"up", "up", "up", "down", "down", "down"};
  const Kernel k = parse(
      "normalize(on(text, spectrum(k=2)) + on(dose, rbf(ell=2)) + 0.5*on(text, equal())*on(dose, "
      "linear())) + 3*on(dose, rbf(ell=2))");
  const Model m = Svc{.C = 10}.fit(lazy(k, x), Labels::from(names));
  const Points one = table({{"text", strings({"abcxcba"})}, {"dose", rows(Matrix{{2.5}})}});
  const Explanation e = explain_prediction(m, one);
  EXPECT_NEAR(total(e), e.scores[0], 1e-12);
  EXPECT_NEAR(e.scores[0], m.scores(one)(0, 0), 1e-12);
  ASSERT_EQ(e.parts.size(), 4u);
  EXPECT_EQ(e.parts[0].column, "text");
  EXPECT_EQ(e.parts[0].places.size(), 7u);
  EXPECT_EQ(e.parts[1].column, "dose");
  EXPECT_EQ(e.parts[1].places, (std::vector<std::string>{"rbf(ell=2)"}));
  EXPECT_EQ(e.parts[2].column, "");
  // The last term, which is outside of the normalisation.
  const Expansion::Parts& f = m.expansion().parts();
  double share = 0;
  for (Index i = 0; i < f.alpha.rows(); ++i) {
    const double difference = dense_rows(f.centres->columns("dose")).values(i, 0) - 2.5;
    share += 3 * f.alpha(i, 0) * std::exp(-difference * difference / 8);
  }
  EXPECT_NEAR(e.parts[3].values(0, 0), share, 1e-12);
}

TEST(ExplainPrediction, NodesOfGraphs) {
  const auto ring = [](Index n, const std::string& label) {
    GraphParts parts{.nodes = n};
    for (Index i = 0; i < n; ++i) parts.edges.push_back({i, (i + 1) % n, 1});
    parts.node_labels.assign(static_cast<std::size_t>(n), "C");
    parts.node_labels[0] = label;
    return Graph(std::move(parts));
  };
  const Points x = graphs({ring(5, "N"), ring(6, "N"), ring(5, "O"), ring(6, "O")});
  const std::vector<std::string> names = {"n", "n", "o", "o"};
  const Model m = Svc{.C = 10}.fit(lazy(parse("normalize(wl(h=2) + label_histogram())"), x), Labels::from(names));
  const Explanation e = explain_prediction(m, graphs({ring(7, "O")}));
  EXPECT_EQ(e.parts[0].places, (std::vector<std::string>{"O", "C", "C", "C", "C", "C", "C"}));
  EXPECT_NEAR(total(e), e.scores[0], 1e-12);
  EXPECT_GT(e.parts[0].values(0, 0), 0.1);
  // Far from the oxygen nothing tells the classes apart.
  EXPECT_NEAR(e.parts[0].values(3, 0), 0, 1e-12);
}

TEST(ExplainPrediction, OtherKernelsSayWhyNot) {
  test::expect_error([] { explain_prediction(model_of("spectrum(k=2)^2"), strings({"abc"})); }, "UsageError",
                     {"no term of spectrum(k=2)^2 is an inner product of counts"});
  test::expect_error(
      [] {
        explain_prediction(model_of("spectrum(k=2)"), strings({"abc", "cba"}));
      },
      "UsageError", {"one point at a time"});
}

}  // namespace
}  // namespace mercer::explain_prediction_test
