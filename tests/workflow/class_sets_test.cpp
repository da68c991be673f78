// Sets of classes against refits and their definition by hand, what weights, ties and rare classes do, and how often
// the true class is in the set.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <sstream>

#include "cli/command.hpp"
#include "machines/gp_problem.hpp"
#include "mercer/auto.hpp"
#include "mercer/intervals.hpp"
#include "mercer/kernels.hpp"
#include "mercer/model_file.hpp"
#include "mercer/tune.hpp"

namespace mercer::class_sets_test {
namespace {

using test::expect_error;
using test::pos;
using test::random_matrix;
using test::random_vector;

struct Draw {
  Matrix x;
  std::vector<std::string> names;
};

// Three classes that overlap, of these shares.
Draw draw(Index n, unsigned seed, const Vector& shares) {
  Draw out{random_matrix(n, 2, seed, -1.5, 1.5), {}};
  const Vector u = random_vector(n, seed + 100000, 0, 1);
  for (Index i = 0; i < n; ++i) {
    const int c = u[pos(i)] < shares[0] ? 0 : u[pos(i)] < shares[0] + shares[1] ? 1 : 2;
    out.x(i, 0) += c == 1 ? 1 : 0;
    out.x(i, 1) += c == 2 ? 1 : 0;
    out.names.push_back(fmt::format("{}", "abc"[c]));
  }
  return out;
}

Training training_of(const Draw& all, Index n) {
  const Matrix x(all.x.view().block({0, n}, {0, 2}));
  return {.K = lazy(rbf(1.5), rows(x)),
          .labels = Labels::from(std::vector<std::string>(all.names.begin(), all.names.begin() + n))};
}

// A model that says it made these errors.
Model with_errors(const Model& model, const Matrix& table) {
  return model.with([&](Model::Parts& parts) {
    std::erase_if(parts.report.tables, [](const Report::Table& one) { return one.name == "held_out"; });
    parts.report.tables.push_back({"held_out", {"weight", "error(class)"}, table});
  });
}

Matrix table_of(const Vector& errors, const Vector& weights = {}) {
  Matrix out(static_cast<Index>(errors.size()), 2, 1.0);
  for (std::size_t i = 0; i < errors.size(); ++i) {
    if (!weights.empty()) out(static_cast<Index>(i), 0) = weights[i];
    out(static_cast<Index>(i), 1) = errors[i];
  }
  return out;
}

double mass_above(const Matrix& p, Index i, Index c) {
  double out = 0;
  for (Index d = 0; d < p.cols(); ++d) out += p(i, d) > p(i, c) + 1e-12 ? p(i, d) : 0;
  return out;
}

const Vector kShares = {0.5, 0.3, 0.2};

TEST(ClassSets, ErrorsHeldOutAreThoseOfRefits) {
  const Draw all = draw(40, 3, kShares);
  Training t = training_of(all, 40);
  for (Index i = 0; i < 40; ++i) t.weights.push_back(i == 7 ? 0 : 1 + 0.25 * static_cast<double>(i % 3));
  for (const std::string machine : {"logistic", "ridge_classifier"}) {
    SCOPED_TRACE(machine);
    const Model m = with_errors_held_out(fit(machine, {}, t), t);
    const Matrix& kept = m.report().table("held_out")->rows;
    ASSERT_EQ(kept.rows(), 39);
    Index row = 0;
    for (const Fold& fold : divide(t, 5).folds) {
      Training rest = t;
      for (const Index i : fold) rest.weights[pos(i)] = 0;
      const Model other = fit(machine, {}, rest);
      const Matrix f = other.scores(rows(all.x));
      for (const Index i : fold) {
        if (t.weights[pos(i)] == 0) continue;
        const Index truth = t.labels.of[pos(i)];
        const double below = *std::max_element(f.row(i), f.row(i) + 3) - f(i, truth);
        const double wanted =
            other.has_probabilities() ? mass_above(other.probabilities(rows(all.x)), i, truth) : below;
        EXPECT_EQ(kept(row, 0), t.weights[pos(i)]);
        EXPECT_NEAR(kept(row++, 1), wanted, 1e-6);
      }
    }
  }
}

TEST(ClassSets, HoldTheClassesBelowTheQuantile) {
  const Draw all = draw(60, 5, kShares);
  const Training t = training_of(all, 60);
  for (const std::string machine : {"logistic", "ridge_classifier"}) {
    SCOPED_TRACE(machine);
    const Model m = fit(machine, {}, t);
    const Matrix f = m.scores(rows(all.x)), p = m.has_probabilities() ? m.probabilities(rows(all.x)) : Matrix();
    const std::vector<Index> predicted = m.predict_classes(rows(all.x));
    // The 4th of 5 in 0.6 * 6 = 3.6, the 5th in 0.7 * 6 = 4.2.
    const Vector errors = {0.0, 0.1, 0.25, 0.55, 0.85};
    for (const auto& [coverage, most] : {std::pair(0.6, 0.55), std::pair(0.7, 0.85), std::pair(0.1, 0.0)}) {
      const auto sets = ClassSets(with_errors(m, table_of(errors)), coverage)(rows(all.x));
      for (Index i = 0; i < 60; ++i) {
        std::vector<Index> wanted, found = sets[pos(i)];
        for (Index c = 0; c < 3; ++c) {
          const double error = p.rows() > 0 ? mass_above(p, i, c) : *std::max_element(f.row(i), f.row(i) + 3) - f(i, c);
          if (error <= most) wanted.push_back(c);
        }
        ASSERT_FALSE(found.empty());
        EXPECT_EQ(found[0], predicted[pos(i)]);
        std::sort(found.begin(), found.end());
        EXPECT_EQ(found, wanted) << i;
      }
    }
  }
}

// Of 4 neighbours two of a and one each of b and c: b and c are in or out together.
TEST(ClassSets, ClassesThatAreEquallyLikelyAreInTogether) {
  const Matrix x = random_matrix(4, 1, 1, 0, 1);
  const Training t{.K = lazy(rbf(1), rows(x)), .labels = Labels::from(std::vector<std::string>{"a", "b", "c", "a"})};
  const Model m = fit("knn", {{"neighbours", "4"}}, t);
  const std::vector<Index> one = {0}, three = {0, 1, 2};
  const auto set_of = [&](double error) { return ClassSets(with_errors(m, table_of({error})), 0.5)(rows(x))[0]; };
  EXPECT_EQ(set_of(0), one);
  EXPECT_EQ(set_of(0.49), one);
  EXPECT_EQ(set_of(0.5), three);
  // What is likeliest beside another is in with it.
  const Training even{.K = lazy(rbf(1), rows(x)), .labels = Labels::from(std::vector<std::string>{"b", "b", "c", "c"})};
  EXPECT_EQ(ClassSets(with_errors(fit("knn", {{"neighbours", "4"}}, even), table_of({0})), 0.5)(rows(x))[0].size(), 2U);
}

TEST(ClassSets, WeightsCountPoints) {
  const Draw all = draw(50, 9, kShares);
  const Model m = fit("logistic", {}, training_of(all, 50));
  const Model weighted = with_errors(m, table_of({0, 0.2, 0.5, 0.7}, {3, 2, 1, 2}));
  const Model repeated = with_errors(m, table_of({0.7, 0, 0, 0.2, 0, 0.2, 0.5, 0.7}));
  for (const double coverage : {0.2, 0.4, 0.6, 0.7, 0.85, 0.95}) {
    EXPECT_EQ(ClassSets(weighted, coverage)(rows(all.x)), ClassSets(repeated, coverage)(rows(all.x))) << coverage;
  }
}

// ---- how often ----

constexpr int kDraws = 400;
double three_errors(double share) { return 3 * std::sqrt(share * (1 - share) / kDraws); }

// One new point of each draw: independent, so that the share has a standard error.
double share_inside(const std::string& machine, const Settings& settings, Index n, double coverage,
                    const Vector& shares) {
  int inside = 0;
  for (unsigned seed = 0; seed < kDraws; ++seed) {
    const Draw all = draw(n + 1, 11 * seed + 1, shares);
    const Training t = training_of(all, n);
    const Model m = with_errors_held_out(fit(machine, settings, t), t);
    const std::vector<Index> set = ClassSets(m, coverage)(rows(Matrix(all.x.view().block({n, n + 1}, {0, 2}))))[0];
    inside += std::any_of(set.begin(), set.end(), [&](Index c) { return m.classes()[pos(c)] == all.names.back(); });
  }
  return inside / static_cast<double>(kDraws);
}

TEST(ClassSets, HoldTheTruthAsOftenAsAskedFor) {
  for (const double coverage : {0.9, 0.8}) {
    SCOPED_TRACE(coverage);
    EXPECT_NEAR(share_inside("logistic", {}, 50, coverage, kShares), coverage, three_errors(coverage));
    EXPECT_NEAR(share_inside("svc", {}, 50, coverage, kShares), coverage, three_errors(coverage));
    EXPECT_NEAR(share_inside("logistic", {}, 50, coverage, {0.75, 0.15, 0.1}), coverage, three_errors(coverage));
    // Few values that errors can have: as many or more.
    EXPECT_GT(share_inside("knn", {{"neighbours", "5"}}, 50, coverage, kShares), coverage - three_errors(coverage));
    EXPECT_GT(share_inside("ridge_classifier", {}, 15, coverage, kShares), coverage - three_errors(coverage));
  }
}

// ---- what is rare, and what is refused ----

TEST(ClassSets, AClassThatAFoldCannotKnowIsAnErrorWithoutEnd) {
  const Matrix x = random_matrix(20, 2, 1);
  std::vector<std::string> names(20, "common");
  names[4] = "rare";
  const Training t{.K = lazy(rbf(1), rows(x)), .labels = Labels::from(names)};
  const Model m = with_errors_held_out(fit("svc", {}, t), t);
  const Matrix& kept = m.report().table("held_out")->rows;
  int without_end = 0;
  for (Index i = 0; i < 20; ++i) without_end += std::isinf(kept(i, 1)) ? 1 : 0;
  EXPECT_EQ(without_end, 1);
  for (const auto& set : ClassSets(m, 0.95)(rows(x))) EXPECT_EQ(set.size(), 2U);
  for (const auto& set : ClassSets(m, 0.5)(rows(x))) EXPECT_EQ(set.size(), 1U);
}

TEST(ClassSets, SayWhatIsNotPromised) {
  const Draw all = draw(20, 3, kShares);
  const Training t = training_of(all, 20);
  const Model m = fit("logistic", {}, t);
  const auto words = [&](const Vector& errors, double coverage) {
    return ClassSets(with_errors(m, table_of(errors)), coverage).words();
  };
  EXPECT_NE(words({0, 0.5, 0.6}, 0.7).find("about 70 % of new points like these have their class in the set, approx"),
            std::string::npos);
  EXPECT_NE(words({0, 0, 0.6}, 0.5).find("or more, because the predicted class alone was right as often"),
            std::string::npos);
  EXPECT_NE(words({0, 0.5, 0.6}, 0.8).find("ask for at most 75 %"), std::string::npos);
  for (const auto& set : ClassSets(with_errors(m, table_of({0, 0.5, 0.6})), 0.8)(rows(all.x))) {
    EXPECT_EQ(set.size(), 3U);
  }
}

TEST(ClassSets, AreTheSameAfterAFile) {
  const Draw all = draw(40, 3, kShares);
  const Training t = training_of(all, 40);
  for (const std::string machine : {"svc", "gpc", "knn"}) {
    SCOPED_TRACE(machine);
    const Model m = with_errors_held_out(fit(machine, {}, t), t);
    std::ostringstream file;
    save(file, m);
    const Model again = load_bytes(file.str(), "again");
    EXPECT_EQ(ClassSets(again, 0.9)(rows(all.x)), ClassSets(m, 0.9)(rows(all.x)));
  }
}

TEST(ClassSets, AreRefusedWithTheReason) {
  const Draw all = draw(30, 3, kShares);
  const Training t = training_of(all, 30);
  const Model svc = fit("svc", {}, t);
  const Training numbers{.K = t.K, .y = random_matrix(30, 1, 2)};
  expect_error([&] { ClassSets{svc}; }, "UsageError", {"svc", "fit it again with `intervals`"});
  expect_error([&] { ClassSets{fit("ridge", {}, numbers)}; }, "UsageError", {"ridge predicts no classes"});
  const Model fitted = with_errors_held_out(svc, t);
  for (const double coverage : {0.0, 1.0, -0.1, 90.0, std::nan("")}) {
    expect_error([&] { ClassSets(fitted, coverage); }, "UsageError", {"above 0 and below 1"});
  }
  const Model kmeans = fit("kmeans", {{"clusters", "2"}}, {.K = t.K});
  expect_error([&] { with_errors_held_out(kmeans, {.K = t.K}); }, "UsageError", {"no numbers and no classes"});
  // Tables that hold anything else are none.
  for (const double damaged : {-1.0, std::nan("")}) {
    EXPECT_FALSE(ClassSets::known(with_errors(svc, table_of({0.1, damaged}))));
    EXPECT_FALSE(ClassSets::known(with_errors(svc, table_of({0.1, 0.2}, {1, damaged}))));
  }
}

// ---- by the command ----

class ClassSetsCli : public cli_test::CommandTest {
 protected:
  std::string table(Index n, unsigned seed) {
    const Draw all = draw(n, seed, kShares);
    std::string out = "u,v,kind\n";
    for (Index i = 0; i < n; ++i) {
      out += fmt::format("{},{},{}\n", all.x(i, 0), all.x(i, 1), all.names[pos(i)] == "c" ? "c|d" : all.names[pos(i)]);
    }
    return files_.file(fmt::format("table{}.csv", seed), out);
  }
};

TEST_F(ClassSetsCli, StandBesideThePredictions) {
  const std::string data = table(80, 1), fresh = table(60, 2);
  for (const std::string machine : {"svc", "logistic", "knn"}) {
    SCOPED_TRACE(machine);
    const std::string model = results_.path(machine + ".mercer");
    ASSERT_EQ(run({"fit", machine, data, "--intervals", "-o", model}).code, 0);
    const auto got = run({"predict", model, fresh, "--interval", "90"});
    EXPECT_EQ(got.code, 0) << got;
    EXPECT_TRUE(got.out.starts_with("kind,kind_set\n")) << got;
    EXPECT_NE(got.err.find("sets of 90 %: errors of 80 points"), std::string::npos) << got;
    const auto json = Json::parse(run({"predict", model, fresh, "--interval", "90", "--json"}).out);
    ASSERT_EQ(json["sets"].size(), 60U);
    // The figures of `score`, counted by hand.
    const Draw all = draw(60, 2, kShares);
    double inside = 0, sizes = 0, of_c = 0, of_c_inside = 0;
    for (std::size_t i = 0; i < 60; ++i) {
      const std::vector<std::string> set = json["sets"][i].get<std::vector<std::string>>();
      EXPECT_EQ(set[0], json["predictions"][i].get<std::string>());
      const std::string truth = all.names[i] == "c" ? "c|d" : all.names[i];
      const bool in = std::find(set.begin(), set.end(), truth) != set.end();
      inside += in ? 1 : 0;
      sizes += static_cast<double>(set.size());
      of_c += truth == "c|d" ? 1 : 0;
      of_c_inside += truth == "c|d" && in ? 1 : 0;
    }
    const auto marks = Json::parse(run({"score", model, fresh, "--interval", "90", "--json"}).out);
    EXPECT_NEAR(marks["interval_90_coverage"].get<double>(), inside / 60, 1e-12);
    EXPECT_NEAR(marks["interval_90_size"].get<double>(), sizes / 60, 1e-12);
    EXPECT_NEAR(marks["interval_90_coverage(c|d)"].get<double>(), of_c_inside / of_c, 1e-12);
    const auto report = run({"report", model, fresh, "--json"});
    const auto metrics = Json::parse(report.out)["metrics"];
    bool found = false;
    for (const auto& metric : metrics) {
      if (metric["name"].get<std::string>() != "interval_90_size") continue;
      found = true;
      EXPECT_NEAR(metric["value"].get<double>(), sizes / 60, 1e-12);
      EXPECT_LE(metric["low"].get<double>(), sizes / 60);
      EXPECT_GE(metric["high"].get<double>(), sizes / 60);
    }
    EXPECT_TRUE(found);
  }
}

TEST_F(ClassSetsCli, SayOneLineOfWhatCannotBe) {
  const std::string data = table(80, 1), svc = results_.path("svc.mercer");
  ASSERT_EQ(run({"fit", "svc", data, "-o", svc}).code, 0);
  const auto expect_line = [&](std::vector<std::string> words, const std::string& piece) {
    const auto got = run(words);
    EXPECT_EQ(got.code, 2) << got;
    EXPECT_EQ(std::count(got.err.begin(), got.err.end(), '\n'), 1) << got;
    EXPECT_NE(got.err.find(piece), std::string::npos) << got;
    EXPECT_EQ(got.out, "") << got;
  };
  expect_line({"predict", svc, data, "--interval", "90"}, "fit it again with --intervals");
  expect_line({"score", svc, data, "--interval", "90"}, "fit it again with --intervals");
  expect_line({"predict", svc, data, "--interval", "90", "--adaptive"}, "sets of classes have none; leave it out");
}

TEST_F(ClassSetsCli, ComeWithTheBestOfARace) {
  const std::string model = results_.path("best.mercer");
  const auto got = run({"auto", table(40, 1), "--time", "20", "--intervals", "-o", model});
  EXPECT_EQ(got.code, 0) << got;
  EXPECT_TRUE(ClassSets::known(load(model)));
}

}  // namespace
}  // namespace mercer::class_sets_test
