// Models: labels, schemas, how scores are read, probabilities, and the doors of the catalog.
#include "mercer/model.hpp"

#include "mercer/kernels.hpp"
#include "mercer/machines.hpp"
#include "mercer/machines/ridge.hpp"
#include "model/probabilities.hpp"
#include "support.hpp"

namespace mercer::model_test {
namespace {

using test::expect_error;
using Strings = std::vector<std::string>;

// A model whose scores are given by hand.
Model reading(Reading reading, Index outputs, Strings classes = {}, Calibration calibration = {}) {
  return Model({.machine = "made",
                .f = Expansion({.alpha = Matrix(1, outputs, 1.0), .support = {0}, .training_size = 1}),
                .reading = reading,
                .classes = std::move(classes),
                .calibration = std::move(calibration)});
}

Calibration sigmoids(std::vector<Sigmoid> list) { return {Calibration::Kind::sigmoids, std::move(list)}; }

TEST(Labels, NumbersAreOrderedAsNumbersAndTextByBytes) {
  const Labels numbers = Labels::from(Strings{"10", "9", "-1", "9", "2.5"});
  EXPECT_EQ(numbers.classes, (Strings{"-1", "2.5", "9", "10"}));
  EXPECT_EQ(numbers.of, (std::vector<Index>{3, 2, 0, 2, 1}));
  EXPECT_EQ(Labels::from(Strings{"b", "10", "9", "B"}).classes, (Strings{"10", "9", "B", "b"}));
  EXPECT_EQ(Labels::from(Strings{"1.0", "1", "0"}).classes, (Strings{"0", "1", "1.0"}));
  EXPECT_EQ(Labels::from(Strings{"nan", "2", "10"}).classes, (Strings{"10", "2", "nan"}));
}

TEST(Labels, FromNumbersNamesThemShortly) {
  const Labels labels = Labels::from(VectorView(Vector{1, -1, 0.1, -0.0, 0, 1}));
  EXPECT_EQ(labels.classes, (Strings{"-1", "0", "0.1", "1"}));
  EXPECT_EQ(labels.of, (std::vector<Index>{3, 0, 2, 1, 1, 3}));
  expect_error([] { Labels::from(VectorView(Vector{1, std::nan("")})); }, "DataError", {"row 2"});
}

TEST(Schema, RefusesOtherInputsByName) {
  const auto points = [](Strings names) { return named(rows(Matrix(1, static_cast<Index>(names.size()))), names); };
  const Schema schema = Schema::of(points({"age", "dose", "weight"}));
  schema.require(points({"age", "dose", "weight"}));
  schema.require(rows(Matrix(2, 3)));  // nothing named: only counted
  expect_error([&] { schema.require(points({"age", "weight"})); }, "DomainError", {"\"dose\" is missing"});
  expect_error([&] { schema.require(points({"age", "dose", "weight", "id"})); }, "DomainError", {"\"id\""});
  expect_error(
      [&] {
        schema.require(points({"dose", "age", "weight"}));
      },
      "DomainError", {"column 1 is \"dose\"", "order", "age, dose, weight"});
  expect_error([&] { schema.require(rows(Matrix(1, 2))); }, "DomainError", {"2 columns", "3"});
  expect_error([&] { schema.require(strings({"a"})); }, "DomainError", {"reals(3)", "strings"});
  Schema{}.require(strings({"a"}));
}

TEST(Schema, OfATable) {
  const Points x = table({{"n", rows(Matrix{{1}})}, {"doc", strings({"a"})}});
  const Schema schema = Schema::of(x);
  schema.require(x);
  expect_error([&] { schema.require(named(rows(Matrix{{1}}), {"n"})); }, "DomainError", {"\"doc\" is missing"});
}

TEST(Model, ReadsScores) {
  EXPECT_EQ(reading(Reading::value, 2).targets_of(Matrix{{1, 2}}), (Matrix{{1, 2}}));
  EXPECT_EQ(reading(Reading::ratio, 3).targets_of(Matrix{{6, 9, 3}}), (Matrix{{2, 3}}));
  EXPECT_EQ(reading(Reading::novelty, 1).targets_of(Matrix{{0}, {-1e-9}, {4}}), (Matrix{{1}, {-1}, {1}}));
  EXPECT_EQ(reading(Reading::density, 1).targets_of(Matrix{{0.25}}), (Matrix{{0.25}}));
  const Model binary = reading(Reading::binary, 1, {"no", "yes"});
  EXPECT_EQ(binary.classes_of(Matrix{{-1}, {0}, {1e-300}}), (std::vector<Index>{0, 0, 1}));
  const Model largest = reading(Reading::largest, 3, {"a", "b", "c"});
  EXPECT_EQ(largest.classes_of(Matrix{{1, 3, 2}, {2, 2, 1}, {0, 1, 1}}), (std::vector<Index>{1, 0, 1}));
  EXPECT_EQ(largest.targets_of(Matrix{{0, 0, 5}}), (Matrix{{2}}));
  // Pairs (0,1) (0,2) (1,2).
  const Model votes = reading(Reading::votes, 3, {"a", "b", "c"});
  EXPECT_EQ(votes.classes_of(Matrix{{1, 1, 1}, {-1, 1, 1}, {1, -1, -1}, {1, -1, 1}}), (std::vector<Index>{0, 1, 2, 0}));
  expect_error([] { reading(Reading::value, 1).classes_of(Matrix{{1}}); }, "UsageError", {"no classes"});
  expect_error([] { reading(Reading::value, 1).probabilities_of(Matrix{{1}}); }, "UsageError", {"no probabilities"});
  expect_error([&] { binary.probabilities_of(Matrix{{1}}); }, "UsageError", {"without probabilities"});
}

TEST(Model, RefusesPartsThatDoNotFit) {
  expect_error([] { reading(Reading::value, 0); }, "ShapeError", {"no output"});
  expect_error([] { reading(Reading::binary, 1, {"a", "b", "c"}); }, "ShapeError", {"binary"});
  expect_error([] { reading(Reading::votes, 2, {"a", "b", "c"}); }, "ShapeError", {"2 outputs"});
  expect_error([] { reading(Reading::largest, 2, {"a", "b", "c"}); }, "ShapeError", {"2 outputs"});
  expect_error([] { reading(Reading::ratio, 1); }, "ShapeError", {"ratio"});
  expect_error([] { reading(Reading::binary, 1, {"a", "b"}, sigmoids({{}, {}})); }, "ShapeError", {"calibration"});
  expect_error([] { reading(Reading::value, 1, {}, sigmoids({{}})); }, "ShapeError", {"calibration"});
  expect_error([] { reading(Reading::binary, 1, {"a", "b"}, {Calibration::Kind::softmax, {}}); }, "ShapeError", {});
  EXPECT_EQ(reading_named("votes"), Reading::votes);
  for (const Reading one : readings()) EXPECT_EQ(reading_named(name_of(one)), one);
  expect_error([] { reading_named("guess"); }, "DataError", {"guess"});
}

TEST(Probabilities, SigmoidsNeverOverflow) {
  const Sigmoid s{-2, 0.5};
  EXPECT_NEAR(detail::sigmoid(s, 0.7), 1 / (1 + std::exp(-0.9)), 1e-15);
  EXPECT_EQ(detail::sigmoid(s, 1e308), 1);
  EXPECT_EQ(detail::sigmoid(s, -1e308), 0);
  EXPECT_NEAR(detail::log_sigmoid(s, -1000), -2000.5, 1e-9);
  EXPECT_NEAR(detail::log_sigmoid(s, 0.7), std::log(detail::sigmoid(s, 0.7)), 1e-15);
}

// Pairs that come from probabilities give them back.
TEST(Probabilities, CouplingRecoversConsistentPairs) {
  const Vector p = {0.5, 0.2, 0.05, 0.25};
  Matrix r(4, 4);
  for (Index a = 0; a < 4; ++a) {
    for (Index b = 0; b < 4; ++b) {
      r(a, b) = p[static_cast<std::size_t>(a)] / (p[static_cast<std::size_t>(a)] + p[static_cast<std::size_t>(b)]);
    }
  }
  const Vector q = detail::couple(r);
  for (std::size_t c = 0; c < 4; ++c) EXPECT_NEAR(q[c], p[c], 1e-12);
}

// Of inconsistent pairs the coupling minimises its objective: no step within the simplex does better.
TEST(Probabilities, CouplingMinimisesItsObjective) {
  Matrix r(5, 5);
  const Matrix random = test::random_matrix(5, 5, 3, 0.02, 0.98);
  for (Index a = 0; a < 5; ++a) {
    for (Index b = a + 1; b < 5; ++b) {
      r(a, b) = random(a, b);
      r(b, a) = 1 - r(a, b);
    }
  }
  const auto objective = [&](const Vector& p) {
    double total = 0;
    for (Index a = 0; a < 5; ++a) {
      for (Index b = 0; b < 5; ++b) {
        if (a != b)
          total += std::pow(r(b, a) * p[static_cast<std::size_t>(a)] - r(a, b) * p[static_cast<std::size_t>(b)], 2);
      }
    }
    return total;
  };
  const Vector p = detail::couple(r);
  double sum = 0;
  for (const double value : p) {
    EXPECT_GE(value, 0);
    sum += value;
  }
  EXPECT_NEAR(sum, 1, 1e-14);
  for (std::size_t a = 0; a < 5; ++a) {
    for (std::size_t b = 0; b < 5; ++b) {
      Vector moved = p;
      moved[a] += 1e-4;
      moved[b] -= 1e-4;
      if (a == b) continue;
      EXPECT_GT(objective(moved), objective(p));
    }
  }
}

TEST(Probabilities, CouplingOfCertainPairs) {
  Matrix r(3, 3);
  r(0, 1) = r(0, 2) = r(1, 2) = 1;
  const Vector p = detail::couple(r);
  EXPECT_GT(p[0], 1 - 1e-5);
  for (const double value : p) EXPECT_TRUE(value >= 0 && std::isfinite(value));
}

// However certain the pairs are, and whether they agree or not, no class is impossible: a logarithm is taken of each.
TEST(Probabilities, CouplingLeavesEveryClassAChance) {
  for (int pattern = 0; pattern < 729; ++pattern) {  // each of six pairs 0, 1/2 or 1
    Matrix r(4, 4);
    int rest = pattern;
    for (Index a = 0; a < 4; ++a) {
      for (Index b = a + 1; b < 4; ++b, rest /= 3) {
        r(a, b) = 0.5 * (rest % 3);
        r(b, a) = 1 - r(a, b);
      }
    }
    double sum = 0;
    for (const double value : detail::couple(r)) {
      EXPECT_GT(value, 1e-9) << pattern;
      sum += value;
    }
    EXPECT_NEAR(sum, 1, 1e-14);
  }
}

TEST(Probabilities, ThePredictedClassIsTheLikeliest) {
  const Matrix scores = test::random_matrix(200, 6, 5);
  const std::vector<Sigmoid> six = {{-1, 0.3}, {-2, -1}, {-0.5, 0}, {-3, 1}, {-1, 0}, {-1.5, 0.2}};
  const Model votes = reading(Reading::votes, 6, {"a", "b", "c", "d"}, sigmoids(six));
  const Model largest = reading(Reading::largest, 6, {"a", "b", "c", "d", "e", "f"}, sigmoids(six));
  const Model softmax = reading(Reading::largest, 6, {"a", "b", "c", "d", "e", "f"}, {Calibration::Kind::softmax, {}});
  for (const Model& m : {votes, largest, softmax}) {
    const Matrix p = m.probabilities_of(scores);
    const std::vector<Index> classes = m.classes_of(scores);
    for (Index i = 0; i < 200; ++i) {
      double sum = 0;
      for (Index c = 0; c < p.cols(); ++c) {
        sum += p(i, c);
        EXPECT_LE(p(i, c), p(i, classes[static_cast<std::size_t>(i)]));
      }
      EXPECT_NEAR(sum, 1, 1e-12);
    }
  }
  // Softmax agrees with the scores themselves; an offset moves the border of a binary machine.
  EXPECT_EQ(softmax.classes_of(scores), reading(Reading::largest, 6, largest.classes()).classes_of(scores));
  const Model binary = reading(Reading::binary, 1, {"no", "yes"}, sigmoids({{-2, 1}}));
  EXPECT_EQ(binary.classes_of(Matrix{{0.4}, {0.6}}), (std::vector<Index>{0, 1}));
  EXPECT_NEAR(binary.probabilities_of(Matrix{{0.6}})(0, 1), 1 / (1 + std::exp(-0.2)), 1e-15);
}

TEST(Probabilities, FarScoresStayProbabilities) {
  const Model largest = reading(Reading::largest, 3, {"a", "b", "c"}, sigmoids({{-1, 0}, {-1, 0}, {-1, 0}}));
  const Matrix p = largest.probabilities_of(Matrix{{-2000, -2001, -3000}, {1e300, -1e300, 0}});
  EXPECT_NEAR(p(0, 0), 1 / (1 + std::exp(-1.0)), 1e-12);
  EXPECT_EQ(p(0, 2), 0);
  for (Index c = 0; c < 3; ++c) EXPECT_TRUE(std::isfinite(p(1, c)));
}

TEST(Model, PartsAreCopiedOnlyForAModelThatGoesOn) {
  const auto numbers = [](const Model& m) { return m.expansion().parts().alpha.data(); };
  const auto name = [](Model::Parts& parts) { parts.machine = "other"; };
  Model first = reading(Reading::value, 1);
  const double* const made = numbers(first);
  const Model second = first.with(name);
  EXPECT_NE(numbers(second), made);
  EXPECT_EQ(first.parts().machine, "made");
  const Model third = std::move(first).with(name);
  EXPECT_EQ(numbers(third), made);
  EXPECT_EQ(third.parts().machine, "other");
  Model shared = third;
  EXPECT_NE(numbers(std::move(shared).with(name)), made);
  EXPECT_EQ(numbers(third), made);
}

TEST(Model, AFitCopiesNoParts) {
  const double* made = nullptr;
  const Machine& ridge = machine("ridge");
  Machine mine = ridge;
  mine.fit = [&](const Settings& settings, const Training& training) {
    Model model = ridge.fit(settings, training);
    made = model.expansion().parts().alpha.data();
    return model;
  };
  const Training training{.K = lazy(parse("rbf(ell=1)"), rows(Matrix{{0}, {1}, {2}})), .y = Matrix{{1}, {0}, {2}}};
  EXPECT_EQ(fit(mine, {}, training).expansion().parts().alpha.data(), made);
}

TEST(Model, AppliesItsScalingAndSchema) {
  const Points raw = named(rows(test::random_matrix(20, 2, 1, 100, 300)), {"a", "b"});
  const Vector y = test::random_vector(20, 2);
  const Scaling scaling = Scaling::of(Scaling::Kind::standard, raw);
  const Model plain = KernelRidge{}.fit(lazy(rbf(1), scaling.apply(raw)), y);
  const Model m = plain.with([&](Model::Parts& parts) {
    parts.scaling = scaling;
    parts.targets = {"yield"};
  });
  EXPECT_EQ(m.predict(raw), plain.predict(scaling.apply(raw)));
  EXPECT_EQ(m.parts().inputs.columns, (Strings{"a", "b"}));
  expect_error([&] { m.predict(named(rows(Matrix{{1, 2}}), {"b", "a"})); }, "DomainError", {"order"});
  EXPECT_FALSE(m.is_classifier());
  expect_error([&] { m.predict_labels(raw); }, "UsageError", {"no classes"});
}

// Variances and covariances are of inputs in the model's own units, as f is.
TEST(Model, ItsPosteriorAppliesItsScaling) {
  const Points raw = rows(test::random_matrix(15, 2, 1, 100, 300)), z = rows(test::random_matrix(4, 2, 3, 100, 300));
  const Scaling scaling = Scaling::of(Scaling::Kind::standard, raw);
  const Training training{.K = lazy(rbf(1), scaling.apply(raw)), .y = test::random_matrix(15, 2, 2)};
  for (const char* const name : {"gp", "rvm"}) {
    const Model plain = fit(name, {}, training);
    const Model m = plain.with([&](Model::Parts& parts) { parts.scaling = scaling; });
    const Points scaled = scaling.apply(z);
    EXPECT_EQ(m.variances(z), plain.variances(scaled)) << name;
    for (const Index output : {0, 1}) {
      const Matrix covariance = m.covariance(z, output);
      EXPECT_EQ(covariance, plain.covariance(scaled, output)) << name;
      for (Index i = 0; i < 4; ++i) EXPECT_NEAR(covariance(i, i), m.variances(z)(i, output), 1e-12) << name;
    }
  }
}

TEST(Machines, AreListedWithTheirProblems) {
  for (const Machine& row : machines()) {
    EXPECT_FALSE(row.name.empty() || row.purpose.empty() || row.problem.empty()) << row.name;
    EXPECT_EQ(&machine(row.name), &row);
    for (const MachineOption& option : row.options) {
      EXPECT_FALSE(option.help.empty()) << row.name << " " << option.name;
      EXPECT_TRUE(!option.flag || option.fallback == "true" || option.fallback == "false") << option.name;
    }
  }
}

TEST(Machines, FitRefusesBadTraining) {
  const Gram K = lazy(rbf(1), rows(test::random_matrix(4, 2, 1)));
  expect_error([&] { fit("ridge", {}, {.K = K}); }, "UsageError", {"ridge", "targets"});
  expect_error(
      [&] {
        fit("ridge", {}, {.K = K, .y = Matrix(4, 1), .weights = {1, 1, 1, std::nan("")}});
      },
      "DataError", {"row 4", "nan"});
  expect_error([&] { fit("kde", {{"seed", "1"}}, {.K = K}); }, "UsageError", {"seed", "it has none"});
  expect_error(
      [&] {
        fit("gd", {{"patience", "1.5"}}, {.K = K, .y = Matrix(4, 1)});
      },
      "UsageError", {"patience", "whole"});
  expect_error([&] { fit("ridge", {{"loo", "yes"}}, {.K = K, .y = Matrix(4, 1)}); }, "UsageError", {"true or false"});
  expect_error(
      [&] {
        fit("ridge", {{"criterion", "lo"}}, {.K = K, .y = Matrix(4, 1)});
      },
      "UsageError", {"loo, gcv", "did you mean loo"});
}

TEST(Report, FindsAndPrints) {
  Report report;
  report.add("ridge", 0.5);
  report.converged = false;
  report.stopped = "time limit";
  report.notes.push_back("K is singular");
  report.tables.push_back({"path", {"ridge", "rmse"}, Matrix{{1, 2}}});
  EXPECT_EQ(report.figure("ridge"), 0.5);
  EXPECT_EQ(report.figure("rigde"), std::nullopt);
  EXPECT_EQ(report.table("path")->rows(0, 1), 2);
  EXPECT_EQ(report.table("other"), nullptr);
  const std::string text = report.str();
  for (const char* piece : {"not converged: time limit", "ridge = 0.5", "K is singular", "path"}) {
    EXPECT_NE(text.find(piece), std::string::npos) << text;
  }
}

}  // namespace
}  // namespace mercer::model_test
