// Models that know how sure they are, by the command: predict --std and --components, score, sample, and bad input.
#include "mercer/machines/gp.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <cmath>
#include <thread>

#include "cli/command.hpp"
#include "mercer/model_file.hpp"
#include "paths.hpp"

namespace mercer::gp_test {
namespace {

using cli_test::has;
using cli_test::Json;
using cli_test::Outcome;
using io_test::content_of;

using Words = std::vector<std::string>;

class GpCliTest : public cli_test::CommandTest {
 protected:
  // y = sin(x) + x/4 with a deterministic wobble; columns x, y.
  std::string curve(int n = 30, double from = 0) {
    std::string content = "x,y\n";
    for (int i = 0; i < n; ++i) {
      const double x = from + 0.3 * i;
      content += std::to_string(x) + "," + std::to_string(std::sin(x) + x / 4 + 0.1 * std::sin(12.9 * i * i)) + "\n";
    }
    return files_.file("curve.csv", content);
  }
  std::string classes() {
    std::string content = "a,b,kind\n";
    for (int i = 0; i < 36; ++i) {
      const double a = std::sin(1.7 * i), b = std::cos(2.3 * i);
      content += std::to_string(a) + "," + std::to_string(b) + "," +
                 (a + 0.5 * std::sin(9.1 * i) > 0.4    ? "high"
                  : a + 0.5 * std::sin(9.1 * i) < -0.4 ? "low"
                                                       : "middle") +
                 "\n";
    }
    return files_.file("classes.csv", content);
  }
  std::string model(const std::string& name = "m.mercer") { return results_.path(name); }
  Outcome fit(Words words) {
    words.insert(words.begin(), "fit");
    words.insert(words.end(), {"-o", model()});
    return run(words);
  }
  // A model whose hyper-parameters are given: quick, and known.
  void fit_curve(const Words& more = {}) {
    Words words = {"gp", curve(), "--kernel", "2*rbf(ell=1) + 0.5*linear()", "--noise", "0.02", "--objective", "none"};
    words.insert(words.end(), more.begin(), more.end());
    const Outcome got = fit(words);
    ASSERT_EQ(got.code, 0) << got;
  }
  Dataset predicted(Words words) {
    words.insert(words.begin(), {"predict", model()});
    words.insert(words.end(), {"-o", results_.path("p.csv")});
    const Outcome got = run(words);
    EXPECT_EQ(got.code, 0) << got;
    return read_data(results_.path("p.csv"));
  }
  // `fit` fails in one line and leaves no file.
  void expect_fit_error(const Words& words, int code, const std::string& text) {
    expect_error(fit(words), code, text);
    EXPECT_TRUE(results_.list().empty());
  }
};

// ---- predict ----

TEST_F(GpCliTest, StandardDeviationsOfFAndOfObservations) {
  fit_curve();
  const Model m = load(model());
  const Points x = read_data(curve(), {.target = "y"}).points;
  const Matrix mean = m.scores(x), variance = m.variances(x);
  for (const bool noise : {false, true}) {
    const Dataset said = predicted(noise ? Words{curve(), "--std", "--noise"} : Words{curve(), "--std"});
    EXPECT_EQ(said.points.column_names(), (Words{"y", "y_std"}));
    const Matrix numbers = io_test::numbers(said.points);
    ASSERT_EQ(numbers.rows(), x.size());
    for (Index i = 0; i < numbers.rows(); ++i) {
      EXPECT_NEAR(numbers(i, 0), mean(i, 0), 1e-12);  // which share k(x, X) here
      EXPECT_DOUBLE_EQ(numbers(i, 1), std::sqrt(variance(i, 0) + (noise ? m.posterior().noise[0] : 0)));
    }
  }
  EXPECT_NEAR(m.posterior().noise[0], 0.02, 1e-12);
  const Json json = json_of({"predict", model(), curve(), "--std"});
  EXPECT_EQ(json["columns"], (Json{"y", "y_std"}));
  EXPECT_EQ(json["predictions"][3].size(), 2u);
  expect_error(run({"predict", model(), curve(), "--noise"}), 2, "--noise goes with --std");
  expect_error(run({"predict", model(), curve(), "--std", "--scores"}), 2, "not several");
}

TEST_F(GpCliTest, ComponentsAddUpToTheMean) {
  fit_curve();
  const Dataset said = predicted({curve(), "--components"});
  EXPECT_EQ(said.points.column_names(),
            (Words{"y", "y_std", "rbf", "rbf_std", "linear", "linear_std", "mean", "mean_std"}));
  const Matrix numbers = io_test::numbers(said.points);
  const Matrix with_std = io_test::numbers(predicted({curve(), "--std"}).points);
  for (Index i = 0; i < numbers.rows(); ++i) {
    EXPECT_NEAR(numbers(i, 2) + numbers(i, 4) + numbers(i, 6), numbers(i, 0), 1e-9);
    EXPECT_EQ(numbers(i, 0), with_std(i, 0));
    EXPECT_EQ(numbers(i, 1), with_std(i, 1));
    EXPECT_GT(numbers(i, 3), 0);
  }
  const Json json = json_of({"predict", model(), curve(), "--components"});
  EXPECT_EQ(json["components"], (Json{"2*rbf(ell=1)", "0.5*linear()", "mean"}));
}

TEST_F(GpCliTest, NamesOfComponents) {
  const std::string kernel =
      "rbf(ell=2) + 3*rbf(ell=1)*periodic(period=fixed(1), ell=1) + fixed(0.5)*rbf(ell=3) + "
      "on(x, matern(nu=1.5)) + 1";
  fit_curve({});
  const Outcome got = fit({"gp", curve(), "--kernel", kernel, "--noise", "0.1", "--objective", "none"});
  ASSERT_EQ(got.code, 0) << got;
  const Words names = predicted({curve(), "--components"}).points.column_names();
  Words means;
  for (std::size_t j = 0; j < names.size(); j += 2) means.push_back(names[j]);
  EXPECT_EQ(means, (Words{"y", "rbf", "rbf*periodic", "rbf2", "on(x, matern)", "const", "mean"}));
}

TEST_F(GpCliTest, AKernelThatIsNoSumHasOneComponent) {
  const Outcome got =
      fit({"gp", curve(), "--kernel", "2*rbf(ell=1)", "--noise", "0.1", "--mean", "zero", "--objective", "none"});
  ASSERT_EQ(got.code, 0) << got;
  const Dataset said = predicted({curve(), "--components"});
  EXPECT_EQ(said.points.column_names(), (Words{"y", "y_std", "rbf", "rbf_std"}));
  const Matrix numbers = io_test::numbers(said.points);
  for (Index i = 0; i < numbers.rows(); ++i) {
    EXPECT_NEAR(numbers(i, 0), numbers(i, 2), 1e-10);
    EXPECT_NEAR(numbers(i, 1), numbers(i, 3), 1e-7);
  }
}

TEST_F(GpCliTest, SeveralTargetsHaveColumnsEach) {
  const std::string data = files_.file("two.csv", "x,y,z\n0,1,5\n1,2,3\n2,0,4\n3,1,7\n4,3,2\n5,2,6\n");
  const Outcome got = fit(
      {"gp", data, "--target", "y,z", "--kernel", "rbf(ell=1) + linear()", "--noise", "0.1", "--objective", "none"});
  ASSERT_EQ(got.code, 0) << got;
  EXPECT_EQ(predicted({data, "--std"}).points.column_names(), (Words{"y", "y_std", "z", "z_std"}));
  const Words names = predicted({data, "--components"}).points.column_names();
  ASSERT_EQ(names.size(), 16u);
  EXPECT_EQ(names[2], "y:rbf");
  EXPECT_EQ(names[8], "z");
  EXPECT_EQ(names[13], "z:linear_std");
  // Of each target, what the terms and the mean say adds up to what the model says.
  const Matrix parts = io_test::numbers(predicted({data, "--components"}).points);
  for (Index i = 0; i < parts.rows(); ++i) {
    for (const Index first : {0, 8}) {
      EXPECT_NEAR(parts(i, first), parts(i, first + 2) + parts(i, first + 4) + parts(i, first + 6), 1e-9) << first;
    }
  }
  const Json score = json_of({"score", model(), data});
  EXPECT_TRUE(score.contains("mean_log_density(y)") && score.contains("coverage_95(z)")) << score;
  const Json draws = json_of({"sample", model(), data, "--draws", "2"});
  EXPECT_EQ(draws["draws"].size(), 4u);
  EXPECT_TRUE(draws["draws"].contains("z:draw2")) << draws;
  // Targets that have nothing to do with each other: neither do their draws.
  const Matrix bands = io_test::numbers(predicted({data, "--std"}).points);
  double farthest = 0;
  for (Index i = 0; i < bands.rows(); ++i) {
    const auto off = [&](const char* name, Index t) {
      return (draws["draws"][name][static_cast<std::size_t>(i)].get<double>() - bands(i, 2 * t)) / bands(i, 2 * t + 1);
    };
    farthest = std::max(farthest, std::abs(off("y:draw1", 0) - off("z:draw1", 1)));
  }
  EXPECT_GT(farthest, 0.1);
}

TEST_F(GpCliTest, ModelsThatAreNotSure) {
  ASSERT_EQ(fit({"ridge", curve()}).code, 0);
  expect_error(run({"predict", model(), curve(), "--std"}), 2,
               "a model of ridge does not know how sure it is; fit gp or rvm for that");
  expect_error(run({"predict", model(), curve(), "--components"}), 2, "a model of ridge");
  expect_error(run({"sample", model(), curve()}), 2, "a model of ridge");
  const Json score = json_of({"score", model(), curve()});
  EXPECT_FALSE(score.contains("coverage_95")) << score;
  // Nor is a process that was given the matrix only.
  write_npy(files_.path("K.npy"), Matrix{{1, 0.5, 0.2}, {0.5, 1, 0.5}, {0.2, 0.5, 1}});
  ASSERT_EQ(
      fit({"gp", files_.path("K.npy"), "--kernel", "precomputed", "--target", files_.file("y.csv", "y\n1\n2\n4\n")})
          .code,
      0);
  EXPECT_EQ(run({"predict", model(), files_.path("K.npy")}).code, 0);
  expect_error(run({"predict", model(), files_.path("K.npy"), "--std"}), 2, "fit it with a kernel expression");
}

// ---- score ----

TEST_F(GpCliTest, ScoreOfAModelThatKnowsItsBand) {
  fit_curve();
  const Model m = load(model());
  const Dataset data = read_data(curve(), {.target = "y"});
  const Matrix mean = m.scores(data.points), variance = m.variances(data.points);
  double density = 0, inside = 0;
  const auto n = static_cast<double>(data.target_numbers.size());
  for (Index i = 0; i < mean.rows(); ++i) {
    const double v = variance(i, 0) + m.posterior().noise[0];
    const double e = data.target_numbers[static_cast<std::size_t>(i)] - mean(i, 0);
    density += (-0.5 * std::log(2 * 3.14159265358979324 * v) - e * e / (2 * v)) / n;
    inside += (std::abs(e) <= 1.959963985 * std::sqrt(v)) / n;
  }
  const Json score = json_of({"score", model(), curve()});
  EXPECT_NEAR(score["mean_log_density"].get<double>(), density, 1e-9);
  EXPECT_NEAR(score["coverage_95"].get<double>(), inside, 1e-9);
  const Outcome text = run({"score", model(), curve()});
  EXPECT_TRUE(has(text.out, "mean_log_density") && has(text.out, "coverage_95")) << text;
}

TEST_F(GpCliTest, SparseBayesKnowsItsBandAndHasNoComponents) {
  ASSERT_EQ(fit({"rvm", curve(), "--kernel", "rbf(ell=0.5)"}).code, 0);
  EXPECT_EQ(predicted({curve(), "--std", "--noise"}).points.column_names(), (Words{"y", "y_std"}));
  const Json score = json_of({"score", model(), curve()});
  EXPECT_GT(score["coverage_95"].get<double>(), 0.7) << score;
  EXPECT_LT(score["rmse"].get<double>(), 0.2) << score;
  expect_error(run({"predict", model(), curve(), "--components"}), 2, "fit a gp");
  EXPECT_EQ(run({"sample", model(), "--grid", "0:9:10"}).code, 0);
}

TEST_F(GpCliTest, ClassifiersAverageOverWhatFMayBe) {
  const Outcome got = fit({"gpc", classes(), "--kernel", "4*rbf(ell=1)"});
  ASSERT_EQ(got.code, 0) << got;
  const Model m = load(model());
  const Points x = read_data(classes(), {.target = "kind"}).points;
  const Dataset said = predicted({classes(), "--proba"});
  EXPECT_EQ(said.points.column_names(), (Words{"high", "low", "middle"}));
  EXPECT_EQ(io_test::numbers(said.points), m.probabilities(x));
  const Json classes_said = json_of({"predict", model(), classes()})["predictions"];
  const std::vector<std::string> labels = m.predict_labels(x);
  ASSERT_EQ(classes_said.size(), labels.size());
  for (std::size_t i = 0; i < labels.size(); ++i) EXPECT_EQ(classes_said[i], labels[i]);
  const Json score = json_of({"score", model(), classes()});
  EXPECT_TRUE(score.contains("log_loss") && score.contains("brier")) << score;
  EXPECT_FALSE(score.contains("coverage_95")) << score;
  EXPECT_EQ(predicted({classes(), "--std"}).points.column_names().size(), 6u);
  expect_error(run({"predict", model(), classes(), "--std", "--noise"}), 2, "observes classes");
}

// ---- sample ----

TEST_F(GpCliTest, DrawsFromAKernel) {
  const Words words = {"sample", "2*matern(nu=1.5, ell=1)", "--grid", "0:10:21", "--draws", "3", "--seed", "7"};
  Words to_file = words;
  to_file.insert(to_file.end(), {"-o", results_.path("d.csv")});
  ASSERT_EQ(run(to_file).code, 0);
  const Dataset drawn = read_data(results_.path("d.csv"));
  EXPECT_EQ(drawn.points.column_names(), (Words{"x", "draw1", "draw2", "draw3"}));
  const Matrix numbers = io_test::numbers(drawn.points);
  ASSERT_EQ(numbers.rows(), 21);
  EXPECT_DOUBLE_EQ(numbers(1, 0), 0.5);
  EXPECT_EQ(numbers(20, 0), 10);
  Matrix grid(21, 1);
  for (Index i = 0; i < 21; ++i) grid(i, 0) = numbers(i, 0);
  const Matrix same = sample_prior(parse("2*matern(nu=1.5, ell=1)"), rows(grid.view()), {.draws = 3, .seed = 7});
  for (Index i = 0; i < 21; ++i) {
    for (Index d = 0; d < 3; ++d) EXPECT_NEAR(numbers(i, d + 1), same(i, d), 1e-12);
  }
  EXPECT_EQ(run(words).out, content_of(results_.path("d.csv")));
  const Json json = json_of(words);
  EXPECT_EQ(json["kernel"], "2*matern(nu=1.5, ell=1)");
  EXPECT_EQ(json["inputs"]["x"].size(), 21u);
  EXPECT_EQ(json["draws"]["draw3"].size(), 21u);
  Words other = words;
  other.back() = "8";
  EXPECT_NE(run(other).out, run(words).out);
}

TEST_F(GpCliTest, DrawsAtTheRowsOfAFile) {
  const std::string texts = files_.file("t.csv", "age,text,y\n1,abab,0\n2,\"cd,cd\",1\n3,abcd,0\n");
  const Outcome got =
      run({"sample", "on(age, rbf(ell=auto)) + on(text, spectrum(k=2))", texts, "--target", "y", "--draws", "1"});
  ASSERT_EQ(got.code, 0) << got;
  EXPECT_TRUE(got.out.starts_with("age,text,draw1\n1,abab,")) << got;
  EXPECT_TRUE(has(got.out, "\n2,\"cd,cd\",")) << got;
  EXPECT_TRUE(has(got.err, "auto is on(age, rbf(ell=")) << got;
  const Outcome sparse = run({"sample", "linear()", files_.file("s.svm", "1 1:1\n2 3:1\n"), "--draws", "2"});
  EXPECT_TRUE(sparse.out.starts_with("draw1,draw2\n")) << sparse;
}

TEST_F(GpCliTest, DrawsFromAModelPassThroughItsBand) {
  fit_curve();
  const Words base = {"sample", model(), "--grid", "0:9:10", "--draws", "400"};
  const Json band = json_of({"predict", model(), files_.file("g.csv", "x\n0\n1\n2\n3\n4\n5\n6\n7\n8\n9\n"), "--std"});
  for (const std::string way : {"", "--pathwise", "--noise"}) {
    Words words = base;
    if (!way.empty()) words.push_back(way);
    const Json got = json_of(words);
    EXPECT_EQ(got["inputs"]["x"][9], 9.0);
    for (std::size_t i = 0; i < 10; ++i) {
      double sum = 0, squares = 0;
      for (const auto& [name, values] : got["draws"].items()) {
        const double d = values[i].get<double>() - band["predictions"][i][0].get<double>();
        sum += d / 400;
        squares += d * d / 400;
      }
      const double sd = std::hypot(band["predictions"][i][1].get<double>(), way == "--noise" ? std::sqrt(0.02) : 0);
      EXPECT_LT(std::abs(sum), 5 * sd / 20) << way << i;
      EXPECT_NEAR(std::sqrt(squares) / sd, 1, 0.2) << way << i;
    }
  }
}

TEST_F(GpCliTest, SamplesThatMakeNoSense) {
  expect_error(run({"sample", "rbf(ell=1)"}), 2, "no points to draw at");
  expect_error(run({"sample", "rbf(ell=1)", curve(), "--grid", "0:1:3"}), 2, "two sets of points");
  expect_error(run({"sample", "rbf(ell=1)", "--grid", "0:1"}), 2, "--grid: \"0:1\" is not from:to:count");
  expect_error(run({"sample", "rbf(ell=1)", "--grid", "0:1:none"}), 2, "--grid");
  expect_error(run({"sample", "rbf(el=1)", "--grid", "0:1:3"}), 2, "did you mean ell?");
  expect_error(run({"sample", "none.mercer", "--grid", "0:1:3"}), 1, "none.mercer");
  expect_error(run({"sample", curve(), "--grid", "0:1:3"}), 1, "no Mercer model");
  expect_error(run({"sample", "rbf(ell=1)", "--grid", "0:1:3", "--noise"}), 2, "a kernel alone has none");
  expect_error(run({"sample", "rbf(ell=1)", "--grid", "0:1:3", "--pathwise"}), 2, "a kernel alone has no data");
  expect_error(run({"sample", "rbf(ell=1)", "--grid", "0:1:3", "--draws", "0"}), 2, "--draws");
  expect_error(run({"sample", "spectrum(k=2)", "--grid", "0:1:3"}), 1, "DomainError");
  expect_error(run({"sample", "rbf(ell=1)", "--grid", "0:1:3", "-o", results_.path("no/d.csv")}), 1, "folder");
  const std::string wide = files_.file("w.csv", "a,b,y\n1,2,3\n2,1,4\n0,0,1\n");
  ASSERT_EQ(fit({"gp", wide, "--kernel", "rbf(ell=1)", "--noise", "0.1", "--objective", "none"}).code, 0);
  expect_error(run({"sample", model(), "--grid", "0:1:3"}), 2, "the model takes reals(2)");
  EXPECT_EQ(run({"sample", model(), wide}).code, 0);
}

// ---- options as texts ----

TEST_F(GpCliTest, OptionsThatAreTexts) {
  const Json fitted = json_of({"fit", "gp", curve(), "--kernel", "rbf(ell=1)", "--noise", "fixed(0.1)", "--prior",
                               "rbf.ell=lognormal(0, 1)", "--starts", "1", "-o", model()});
  EXPECT_EQ(fitted["settings"]["noise"], "fixed(0.1)");
  EXPECT_EQ(fitted["settings"]["prior"], "rbf.ell=lognormal(0, 1)");
  EXPECT_NEAR(load(model()).posterior().noise[0], 0.1, 1e-12);
  const Outcome two = fit({"gp", curve(), "--kernel", "rbf(ell=1)", "--noise", "0.1 in [0.01, 1]", "--prior",
                           "rbf.ell=lognormal(0,1); noise=gamma(2, 0.1)", "--starts", "1"});
  EXPECT_EQ(two.code, 0) << two;
  const double noise = load(model()).posterior().noise[0];
  EXPECT_GE(noise, 0.01 * (1 - 1e-9));
  EXPECT_LE(noise, 1 * (1 + 1e-9));
}

TEST_F(GpCliTest, LearningSaysWhatItReached) {
  const Outcome got = fit({"gp", curve(), "--kernel", "rbf(ell=1)", "-v"});
  ASSERT_EQ(got.code, 0) << got;
  for (const std::string part :
       {"log_marginal_likelihood", "signal = ", "condition", "mercer: learnt: rbf(ell=", ", noise 0.0"}) {
    EXPECT_TRUE(has(got.err, part)) << part << "\n" << got;
  }
  const Json fitted = json_of({"fit", "gp", curve(), "--kernel", "rbf(ell=1)", "-o", model()});
  EXPECT_NE(fitted["kernel"], "rbf(ell=1)");
  EXPECT_FALSE(fitted["report"]["stopped"].get<std::string>().empty());
  // The band of a model with good parameters holds most of the points.
  EXPECT_GT(json_of({"score", model(), curve()})["coverage_95"].get<double>(), 0.8);
}

TEST_F(GpCliTest, CtrlCLeavesTheBestModelSoFar) {
  std::string content;
  for (int i = 0; i < 1500; ++i) {
    for (int j = 0; j < 4; ++j) content += std::to_string(std::sin(0.7 * (j + 1) * i * i)) + ",";
    content += std::to_string(std::sin(0.01 * i)) + "\n";
  }
  const pid_t child = start({MERCER_TEST_COMMAND, "fit", "gp", files_.file("big.csv", content), "--kernel",
                             "rbf(ell=[1, 1, 1, 1]) + rq(ell=1, alpha=1) + matern(nu=1.5, ell=1)", "--tolerance",
                             "1e-15", "--starts", "1", "-o", model()});
  std::this_thread::sleep_for(std::chrono::milliseconds(2500));
  kill(child, SIGINT);
  const Outcome got = finish(child);
  EXPECT_EQ(got.code, 1) << got;
  EXPECT_TRUE(has(got.err, "not converged: interrupted")) << got;
  EXPECT_EQ(load(model()).report().stopped, "interrupted");
  EXPECT_EQ(run({"predict", model(), files_.path("big.csv"), "--std"}).code, 0);
}

// Words of the library name arguments with underscores, options of the command have hyphens.
TEST_F(GpCliTest, ANoteNamesOptionsAsTheyAreSpelled) {
  std::string rows;
  for (int i = 0; i < 2600; ++i) {
    rows += std::to_string(i * 7919 % 2600) + "," + std::to_string(i * 31 % 53) + "," + std::to_string(i % 11) + "\n";
  }
  const Outcome got = fit({"gp", files_.file("many.csv", rows), "--kernel", "rbf(ell=1)", "--starts", "1", "--screen",
                           "50", "--max-iterations", "1"});
  EXPECT_TRUE(has(got.err, "--learn-on and --time decide otherwise")) << got;
  EXPECT_FALSE(has(got.err, "learn_on")) << got;
}

// All noise: what is bounded is its ratio to the signal.
TEST_F(GpCliTest, ABoundIsOfTheNumberThatIsBounded) {
  std::string rows;
  for (int i = 0; i < 60; ++i) rows += std::to_string(i / 2) + "," + std::to_string(i * 37 % 61 % 7 - 3) + "\n";
  const std::string data = files_.file("twice.csv", rows);
  const Outcome got = fit({"gp", data, "--kernel", "wendland(k=1, ell=3)", "--nearest", "20"});
  EXPECT_EQ(got.code, 0) << got;
  EXPECT_TRUE(has(got.err, "note: noise / signal = 1e+05 is at its upper bound")) << got;
  const Json shown = json_of({"show", model()});
  const Json& figures = shown["report"]["figures"];
  EXPECT_NEAR(figures["noise"].get<double>() / figures["signal"].get<double>(), 1e5, 1);
}

TEST_F(GpCliTest, AConstantTargetIsPredictedAndNoted) {
  const std::string flat = files_.file("flat.csv", "x,y\n0,4\n1,4\n2,4\n");
  const Outcome got = fit({"gp", flat, "--kernel", "rbf(ell=auto)"});
  EXPECT_EQ(got.code, 0) << got;
  EXPECT_NE(got.err.find("note: the target is constant"), std::string::npos) << got;
  const Matrix y = io_test::numbers(predicted({flat}).points);
  for (Index i = 0; i < y.rows(); ++i) EXPECT_NEAR(y(i, 0), 4, 1e-9);
}

// ---- several series ----

TEST_F(GpCliTest, SeriesShareAKernelAndNothingElse) {
  std::string content = "t,sensor,number,y\n", times = "t,y\n";
  for (int i = 0; i < 240; ++i) {
    const int which = i % 3;
    const std::string line = std::to_string(std::cos(which + 0.21 * i) + 0.1 * std::sin(12.9 * i * i)) + "\n";
    content += std::to_string(0.1 * i) + "," + std::string(1, static_cast<char>('a' + which)) + "," +
               std::to_string(which) + "," + line;
    times += std::to_string(0.1 * i) + "," + line;
  }
  const std::string table = files_.file("sensors.csv", content), flat = files_.file("flat.csv", times);
  const Words fixed = {"--noise", "0.02", "--objective", "none", "--scale", "none", "--target", "y"};
  expect_fit_error({"gp", table, "--series-by", "sensr"}, 1, "sensr");
  expect_fit_error({"gp", table, "--target", "y", "--drop", "sensor", "--series-by", "t"}, 1, "different in every row");
  expect_fit_error({"gp", table, "--target", "y", "--drop", "sensor", "--series-by", "sensor"}, 2,
                   "left out by --drop");
  expect_fit_error({"gp", table, "--target", "y", "--series-by", "y"}, 2, "is the target");
  expect_fit_error({"gp", flat, "--target", "y", "--series-by", "t"}, 1, "only input");
  expect_fit_error({"gp", table, "--target", "y", "--drop", "number", "--series-by", "sensor", "--kernel", "rbf(ell=1)",
                    "--solver", "state_space"},
                   2, "has no state space");

  const auto fitted = [&](Words words) {
    words.insert(words.end(), fixed.begin(), fixed.end());
    const Outcome got = fit(words);
    EXPECT_EQ(got.code, 0) << got;
    return load(model()).report();
  };
  const Report asked =
      fitted({"gp", table, "--drop", "number", "--series-by", "sensor", "--kernel", "matern(nu=1.5, ell=2)"});
  EXPECT_EQ(asked.figure("series"), 3);
  const Report written = fitted({"gp", table, "--drop", "number", "--kernel",
                                 "on(t, matern(nu=1.5, ell=2))*on(sensor, equal())", "--solver", "dense"});
  EXPECT_NEAR(*asked.figure("log_marginal_likelihood"), *written.figure("log_marginal_likelihood"), 1e-8);
  const Report numbered =
      fitted({"gp", table, "--drop", "sensor", "--series-by", "3", "--kernel", "matern(nu=1.5, ell=2)"});
  EXPECT_NEAR(*numbered.figure("log_marginal_likelihood"), *written.figure("log_marginal_likelihood"), 1e-8);

  const std::string one = files_.file("one_series.csv", "t,s,y\n1,a,2\n2,a,1\n3,a,0\n4,,3\n");
  const Outcome odd = fit({"gp", one, "--target", "y", "--series-by", "s", "--kernel", "matern(nu=1.5, ell=1)"});
  EXPECT_NE(odd.err.find("1 row without a value of s is taken for one series"), std::string::npos) << odd;

  // Without a kernel it is chosen among those along a line; a series that is new is said.
  const Outcome plain = fit({"gp", table, "--target", "y", "--drop", "number", "--series-by", "sensor"});
  EXPECT_EQ(plain.code, 0) << plain;
  EXPECT_NE(plain.err.find("on(sensor, equal())"), std::string::npos) << plain;
  EXPECT_NE(plain.err.find("tried"), std::string::npos) << plain;
  files_.file("new.csv", "t,sensor\n1,a\n1,z\n2,z\n");
  const Outcome said = run({"predict", model(), files_.path("new.csv"), "--std"});
  EXPECT_EQ(said.code, 0) << said;
  EXPECT_NE(said.err.find("2 rows are of series that the model has not seen"), std::string::npos) << said;
}

// ---- bad input ----

TEST_F(GpCliTest, BadInputIsOneLine) {
  const std::string twins = files_.file("twins.csv", "x,y\n0,1\n1,2\n1,3\n2,5\n");
  expect_fit_error({"gp", twins, "--kernel", "rbf(ell=1)", "--noise", "fixed(0)"}, 1,
                   "rows 2 and 3 have the same inputs");
  expect_fit_error({"gp", files_.file("one.csv", "x,y\n1,2\n"), "--kernel", "rbf(ell=1)"}, 1, "one point");
  expect_fit_error({"gp", files_.path("one.csv")}, 1, "one.csv: one row");
  expect_fit_error({"gp", curve(), "--noise", "5 in [0.01, 1]"}, 2, "noise");
  expect_fit_error({"gp", curve(), "--noise", "-1"}, 2, "noise");
  expect_fit_error({"gp", twins, "--kernel", "rbf(ell=1)", "--noise", "0"}, 1, "rows 2 and 3 have the same inputs");
  expect_fit_error({"gp", curve(), "--noise", "much"}, 2, "noise");
  expect_fit_error({"gp", curve(), "--kernel", "rbf(ell=20 in [1, 3])"}, 2, "");
  expect_fit_error({"gp", curve(), "--kernel", "spectrum(k=3)"}, 1, "DomainError");
  expect_fit_error({"gp", curve(), "--kernel", "rbf(ell=1)", "--prior", "rbf.el=lognormal(0, 1)"}, 2, "rbf.el");
  expect_fit_error({"gp", curve(), "--kernel", "rbf(ell=1)", "--prior", "matern.ell=lognormal(0, 1)"}, 2, "matern.ell");
  expect_fit_error({"gp", curve(), "--prior", "lognormal(0, 1)"}, 2, "names no parameter");
  expect_fit_error({"gp", curve(), "--kernel", "rbf(ell=1)", "--prior", "rbf.ell=normal(0, 1)"}, 2, "lognormal");
  expect_fit_error({"gp", curve(), "--mean", "quadratic"}, 2, "mean");
  fit_curve();
  // Of gaps every verb says how they were filled.
  files_.file("nan.csv", "x\n1\nNaN\n3\n");
  for (const char* const verb : {"predict", "sample"}) {
    const Outcome filled = run({verb, model(), files_.path("nan.csv")});
    EXPECT_EQ(filled.code, 0) << filled;
    EXPECT_NE(filled.err.find("1 gap filled from the training data, of numbers by the mean: 1 in x"), std::string::npos)
        << filled;
  }
  // The same through a format that can hold it.
  write_npy(files_.path("nan.npy"), Matrix{{1}, {std::nan("")}});
  const Outcome binary = run({"predict", model(), files_.path("nan.npy"), "--std"});
  expect_error(binary, 1, "nan");
}

}  // namespace
}  // namespace mercer::gp_test
