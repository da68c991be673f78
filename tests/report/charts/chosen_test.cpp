// What was tried and what was chosen; which score an explanation is of; what a band is.
#include <gtest/gtest.h>

#include "base/random.hpp"
#include "mercer/mercer.hpp"
#include "report/charts.hpp"
#include "report/parts.hpp"
#include "report/subjects.hpp"
#include "support.hpp"

namespace mercer::report::chosen_test {
namespace {

Report::Table tried(std::initializer_list<std::initializer_list<double>> rows) {
  return {"choice", {"ell", "C", "accuracy"}, Matrix(rows)};
}

// The highest score and the choice are two things where a candidate counts together with its neighbours.
TEST(ChosenPicture, NamesTheOneThatTheModelHasAndTheRule) {
  Subject subject = test::classes();  // rbf(ell=1), C=1
  const auto with = [&](const Report::Table& table) {
    subject.model = subject.model.with([&](Model::Parts& parts) { parts.report.tables = {table}; });
    return tuning_picture(subject);
  };
  const Exhibit other = with(tried({{1, 0.1, 0.8}, {1, 1, 0.9}, {1, 10, 0.7}, {2, 1, 0.95}}));
  EXPECT_EQ(other.data["best"], 1);
  EXPECT_EQ(other.data["chosen"], true);
  EXPECT_EQ(
      other.finding,
      "Of 4 candidates the one chosen is ell=1, C=1, with accuracy 0.9; the highest score is that of ell=2, C=1, "
      "with accuracy 0.95. The highest of many scores is so partly by luck, so a candidate is judged together with "
      "its neighbours on the grid.");
  const Exhibit same = with(tried({{1, 0.1, 0.8}, {1, 1, 0.9}, {2, 1, 0.9}}));
  EXPECT_EQ(same.finding, "Of 3 candidates the one chosen is ell=1, C=1, with accuracy 0.9.");
  // What was refined since is among none of them.
  const Exhibit gone = with(tried({{3, 0.1, 0.8}, {4, 1, 0.9}}));
  EXPECT_EQ(gone.data["chosen"], false);
  EXPECT_EQ(gone.finding, "Of 2 candidates the best is ell=4, C=1, with accuracy 0.9.");
}

// A path that was gone by GCV on centres has no errors of points left out: its picture is of what there is, and nothing
// is fitted to all points for it.
TEST(PathPicture, IsOfTheErrorThatThereIs) {
  const Matrix x = mercer::test::random_matrix(200, 2, 1);
  Training training{.K = lazy(parse("rbf(ell=1)"), rows(x)), .y = Matrix(200, 1)};
  for (Index i = 0; i < 200; ++i) training.y(i, 0) = std::sin(3 * x(i, 0)) + x(i, 1);
  training.centres = choose_centres(parse("rbf(ell=1)"), rows(x), {.count = 20});
  const auto picture = [&](const Settings& settings) {
    Subject subject = test::classes();
    subject.training.reset();
    subject.model = fit("ridge", settings, training);
    EXPECT_TRUE(path_applies(subject));
    return path_picture(subject);
  };
  const Exhibit left_out = picture({{"ridge", "auto"}}), gcv = picture({{"ridge", "auto"}, {"criterion", "gcv"}});
  EXPECT_NE(left_out.finding.find("has the least leave-one-out error, "), std::string::npos) << left_out.finding;
  EXPECT_NE(gcv.finding.find("has the least error by generalised cross-validation, "), std::string::npos)
      << gcv.finding;
  EXPECT_EQ(gcv.data["panels"][1], left_out.data["panels"][1]);
  const double best = *fit("ridge", {{"ridge", "auto"}, {"criterion", "gcv"}}, training).report().figure("gcv");
  double least = std::numeric_limits<double>::infinity();
  for (const Json& one : gcv.data["panels"][0]["lines"][0]["y"]) least = std::min(least, one.get<double>());
  EXPECT_NEAR(least, std::sqrt(best), 1e-6 * least);
}

// Three classes of strings whose probabilities and votes disagree somewhere.
TEST(Explanations, AreOfTheClassThatIsPredicted) {
  std::vector<std::string> words, names;
  Random random(3);
  for (int i = 0; i < 90; ++i) {
    const int c = i % 3;
    std::string word;
    for (int k = 0; k < 8; ++k) word += random.uniform() < 0.45 ? "ABC"[c] : "ABC"[random.below(3)];
    words.push_back(word);
    names.emplace_back(1, "xyz"[c]);
  }
  const Labels labels = Labels::from(names);
  const Points x = strings(words);
  const Training training{.K = lazy(parse("spectrum(k=1)"), x), .labels = labels};
  // Calibrated so that the first class of a pair is likelier than its votes say.
  const Model model = fit("svc", {{"C", "1"}, {"probability", "true"}}, training).with([](Model::Parts& parts) {
    for (Sigmoid& sigmoid : parts.calibration.sigmoids) sigmoid.offset -= 1;
  });
  const std::vector<Index> classes = model.predict_classes(x);
  // Rows at which the votes say something else than the probabilities come first.
  std::vector<Index> order, rest;
  const Model plain = model.with([](Model::Parts& parts) { parts.calibration = {}; });
  const std::vector<Index> by_votes = plain.predict_classes(x);
  for (Index i = 0; i < x.size(); ++i) {
    const auto at = static_cast<std::size_t>(i);
    (classes[at] != by_votes[at] ? order : rest).push_back(i);
  }
  ASSERT_FALSE(order.empty()) << "votes and probabilities agree everywhere: the case says nothing";
  order.insert(order.end(), rest.begin(), rest.end());
  const Subject subject{.model = model, .x = x.select(order)};
  const Json shown = strings_picture(subject).data["strings"];
  ASSERT_GE(shown.size(), 2u);
  for (const Json& one : shown) {
    const std::string of = one["of"].text(), predicted = one["predicted"].text();
    EXPECT_NE(of.find(predicted), std::string::npos) << of << " for a row predicted " << predicted;
  }
}

TEST(PartialPicture, DrawsABandOnlyWhereTheModelHasOne) {
  Subject svc = test::classes();
  const Exhibit without = partial_picture(svc);
  for (const Json& panel : without.data["panels"]) EXPECT_FALSE(panel["curve"].contains("bands"));
  EXPECT_NE(without.finding.find("this machine does not say"), std::string::npos);

  // Of a process it is that of the mean of f over the rows: the mean of all covariances.
  Matrix x = mercer::test::random_matrix(30, 2, 9), y(30, 1);
  for (Index i = 0; i < 30; ++i) y(i, 0) = std::sin(3 * x(i, 0));
  const Points points = rows(Matrix(x));
  const Settings known = {{"objective", "none"}, {"noise", "fixed(0.1)"}, {"signal", "fixed(1)"}};
  const Subject gp{.model = fit("gp", known, {.K = lazy(rbf(1), points), .y = y}), .x = points, .y = y};
  const Exhibit made = partial_picture(gp);
  EXPECT_NE(made.finding.find("95 %"), std::string::npos);
  const Json& curve = made.data["panels"][0]["curve"];
  ASSERT_TRUE(curve.contains("bands"));
  const Index column = curve["x"]["label"] == "x1" ? 0 : 1;
  for (Index i = 0; i < 30; ++i) x(i, column) = curve["at"][7].get<double>();
  const Matrix covariance = gp.model.covariance(rows(std::move(x)));
  double mean = 0;
  for (Index i = 0; i < 900; ++i) mean += covariance.data()[i] / 900;
  const double width = curve["bands"][0]["high"][7].get<double>() - curve["bands"][0]["low"][7].get<double>();
  EXPECT_NEAR(width, 2 * 1.959964 * std::sqrt(mean), 1e-4 * width);
}

}  // namespace
}  // namespace mercer::report::chosen_test
