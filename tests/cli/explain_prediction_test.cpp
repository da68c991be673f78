// mercer explain-prediction: contributions that add up to the score.
#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "base/random.hpp"
#include "cli/command.hpp"
#include "mercer/explain.hpp"
#include "mercer/graph.hpp"
#include "mercer/kernels.hpp"
#include "mercer/machines.hpp"
#include "mercer/machines/svm.hpp"
#include "mercer/model_file.hpp"
#include "points/rep.hpp"
#include "support.hpp"

namespace mercer::explain_prediction_test {
namespace {

Model model_of(const std::string& kernel) {
  const Points x = strings({"abcabc", "cabcab", "bcabca", "cbacba", "acbacb", "bacbac"});
  const std::vector<std::string> names = {"up", "up", "up", "down", "down", "down"};
  return Svc{.C = 10}.fit(lazy(parse(kernel), x), Labels::from(names));
}

double total(const Explanation& e, Index output = 0) {
  double sum = e.bias[static_cast<std::size_t>(output)];
  for (const Contribution& part : e.parts) {
    for (Index p = 0; p < part.values.rows(); ++p) sum += part.values(p, output);
  }
  return sum;
}

// Words of three classes, each with more of a letter of its own.
struct ThreeClasses {
  std::vector<std::string> words, names;

  ThreeClasses() {
    Random random(3);
    for (int i = 0; i < 45; ++i) {
      std::string word;
      for (int k = 0; k < 8; ++k) word += random.uniform() < 0.4 ? "ABC"[i % 3] : "ABC"[random.below(3)];
      words.push_back(word);
      names.emplace_back(1, "xyz"[i % 3]);
    }
  }
  Model fit(const std::string& machine, const Settings& settings = {}) const {
    const Training training{.K = lazy(parse("spectrum(k=1)"), strings(words)), .labels = Labels::from(names)};
    return mercer::fit(machine, settings, training);
  }
};

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

// Three classes one against one have three scores, and no score is a class's own.
TEST(ExplainPrediction, NamesAreThoseOfTheScores) {
  const ThreeClasses of;
  const Points x = strings(of.words);
  for (const char* const machine : {"svc", "ridge_classifier", "oneclass", "pca", "kmeans", "gpc"}) {
    const Model m = of.fit(machine, machine == std::string("kmeans") ? Settings{{"clusters", "3"}} : Settings{});
    for (Index i = 0; i < 12; ++i) {
      const Points one = x.slice({i, i + 1});
      const Explanation e = explain_prediction(m, one);
      EXPECT_EQ(e.names, m.score_names()) << machine;
      const Matrix scores = m.scores(one);
      for (Index j = 0; j < scores.cols(); ++j) {
        const double score = e.scores[static_cast<std::size_t>(j)];
        EXPECT_NEAR(score, scores(0, j), 1e-9 * (1 + std::abs(score))) << machine;
        EXPECT_NEAR(total(e, j), score, 1e-9 * (1 + std::abs(score))) << machine << " " << j;
      }
      if (m.parts().reading->gives == Reading::Gives::numbers) {
        EXPECT_EQ(e.deciding, 0) << machine;
        continue;
      }
      const std::string decides = e.names[static_cast<std::size_t>(e.deciding)], predicted = m.predict_labels(one)[0];
      EXPECT_TRUE(decides == predicted || decides.starts_with(predicted + " ") || decides.ends_with(" " + predicted))
          << machine << ": " << decides << " for a row predicted " << predicted;
    }
  }
}

// Where f is no score, its outputs are not called by the names of the scores.
TEST(ExplainPrediction, OutputsThatAreNoScoresHaveNamesOfTheirOwn) {
  const ThreeClasses of;
  const Points one = strings({"ABCA"});
  EXPECT_EQ(explain_prediction(of.fit("kfda"), one).names, (std::vector<std::string>{"component1", "component2"}));
  EXPECT_EQ(explain_prediction(of.fit("spectral", {{"neighbours", "0"}, {"clusters", "2"}}), one).names,
            (std::vector<std::string>{"likeness to 1", "likeness to 2"}));
  test::expect_error([&] { explain_prediction(of.fit("knn"), one); }, "UsageError",
                     {"knn", "no sum over its training points"});
}

class ExplainPredictionCommand : public cli_test::CommandTest {};

TEST_F(ExplainPredictionCommand, SaysThePairThatDecides) {
  const ThreeClasses of;
  std::string table = "word,class\n";
  for (std::size_t i = 0; i < of.words.size(); ++i) table += of.words[i] + "," + of.names[i] + "\n";
  const std::string data = files_.file("words.csv", table), model = results_.path("m.mercer");
  ASSERT_EQ(run({"fit", "svc", data, "--kernel", "spectrum(k=1)", "--C", "1", "-o", model}).code, 0);
  const Matrix scores = load(model).scores(strings(of.words));
  std::set<std::string> seen;
  for (Index row = 1; row <= 12; ++row) {
    const std::vector<std::string> words = {"explain-prediction", model, data, "--row", std::to_string(row)};
    const Json found = json_of(words);
    const std::string output = found["output"].text(), predicted = found["predicted"].text();
    const auto names = load(model).score_names();
    const auto which = std::ranges::find(names, output) - names.begin();
    ASSERT_LT(which, 3) << output;
    EXPECT_NEAR(found["score"].get<double>(), scores(row - 1, which), 1e-12);
    EXPECT_TRUE(cli_test::has(output, predicted)) << output << " for a row predicted " << predicted;
    EXPECT_EQ(run(words).out.rfind("predicted  " + predicted + "\n" + output + "  ", 0), 0u) << run(words);
    seen.insert(output);
  }
  EXPECT_GT(seen.size(), 1u) << "the same pair decided everywhere: the case says little";
  EXPECT_EQ(json_of({"explain-prediction", model, data, "--row", "2", "--output", "3"})["output"].text(),
            "y against z");
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
