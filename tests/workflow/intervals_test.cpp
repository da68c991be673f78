// Intervals against refits without each point, values from NumPy, what weights and twins mean, and how often the truth
// lies inside.
#include "mercer/intervals.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <sstream>

#include "cli/command.hpp"
#include "machines/gp_problem.hpp"
#include "mercer/kernels.hpp"
#include "mercer/machines/gp.hpp"
#include "mercer/machines/ridge.hpp"
#include "mercer/machines/svm.hpp"
#include "mercer/model_file.hpp"
#include "mercer/tune.hpp"

namespace mercer::intervals_test {
namespace {

using test::expect_error;
using test::expect_near;
using test::pos;
using test::Problem;
using test::random_matrix;
using test::random_vector;

Band band_of(const Model& model, const Points& x, const IntervalOptions& options) {
  return Intervals(model, options)(x, model.predict_targets(x));
}

void expect_band(const Band& a, const Band& b, double tolerance) {
  expect_near(a.low, b.low, tolerance);
  expect_near(a.high, b.high, tolerance);
}

// ---- numbers from outside ----

// numpy.random.RandomState(0): X = sort(4 rand(8)), Y = sin(X) + 0.1 randn(8); rbf of ell 1, ridge 0.1; eight refits.
TEST(Intervals, EqualNumPysRefits) {
  const Vector x = {1.6946191973556188, 1.75034884505077,   2.1795327319875875, 2.195254015709299,
                    2.4110535042865755, 2.5835764522666245, 2.860757465489678,  3.567092003128319};
  const Vector y = {0.9820218529038913, 1.0249835569426666, 0.8347755927624295,  0.9567076556705744,
                    0.7433750708352455, 0.5416718718745128, 0.32154453742653166, -0.37940822435188737};
  const Model m = KernelRidge{.ridge = 0.1}.fit(lazy(rbf(1), rows(MatrixView(x.data(), 8, 1))), y);
  const Vector at = {1.234, 5.0};
  const Points fresh = rows(MatrixView(at.data(), 2, 1));
  const Band wide = band_of(m, fresh, {.coverage = 0.8});
  EXPECT_NEAR(wide.low(0, 0), 0.4940532426575155, 1e-12);
  EXPECT_NEAR(wide.high(0, 0), 1.1916439237720247, 1e-12);
  EXPECT_NEAR(wide.low(1, 0), -0.38777495924951966, 1e-12);
  EXPECT_NEAR(wide.high(1, 0), 0.3098157218649895, 1e-12);
  const Band half = band_of(m, fresh, {.coverage = 0.5});  // the 4th and the 5th: the 4.5th, rounded outwards
  EXPECT_NEAR(half.low(0, 0), 0.7632714476862288, 1e-12);
  EXPECT_NEAR(half.high(0, 0), 0.8546562139997107, 1e-12);
}

// ---- against refits ----

Matrix without_row(const Matrix& m, Index row) {
  Matrix out(m.rows() - 1, m.cols());
  for (Index i = 0; i < out.rows(); ++i) std::copy_n(m.row(i < row ? i : i + 1), m.cols(), out.row(i));
  return out;
}

Matrix one_row(const Matrix& m, Index row) { return Matrix(m.view().block({row, row + 1}, {0, m.cols()})); }

// The refits' own ends; `scale` is what widths are measured in: of fit i at its point (first row), and at the others.
struct Refit {
  Matrix error, at_fresh, own_scale, scale;  // 1 x targets, fresh x targets
};

Band by_refits(const std::vector<Refit>& fits, double coverage) {
  const Index m = fits[0].at_fresh.rows(), targets = fits[0].at_fresh.cols();
  const double all = static_cast<double>(fits.size()) + 1;
  Band out{Matrix(m, targets), Matrix(m, targets)};
  for (Index j = 0; j < m; ++j) {
    for (Index t = 0; t < targets; ++t) {
      Vector low, high;
      for (const Refit& one : fits) {
        const double width = std::abs(one.error(0, t)) / one.own_scale(0, t) * one.scale(j, t);
        low.push_back(one.at_fresh(j, t) - width);
        high.push_back(one.at_fresh(j, t) + width);
      }
      std::sort(low.begin(), low.end());
      std::sort(high.begin(), high.end());
      out.low(j, t) = low[static_cast<std::size_t>(std::floor((1 - coverage) * all + 1e-9)) - 1];
      out.high(j, t) = high[static_cast<std::size_t>(std::ceil(coverage * all - 1e-9)) - 1];
    }
  }
  return out;
}

TEST(Intervals, OfProcessesAreThoseOfRefits) {
  for (const Trend trend : test::kTrends) {
    for (const bool adaptive : {false, true}) {
      SCOPED_TRACE(std::string(name_of(trend)) + (adaptive ? " adaptive" : ""));
      Problem p;
      p.trend = trend;
      std::vector<Refit> fits;
      for (Index i = 0; i < p.x.rows(); ++i) {
        const Matrix x = without_row(p.x, i), own = one_row(p.x, i);
        Vector weights = p.weights;
        weights.erase(weights.begin() + i);
        const Model m = p.machine().fit({.K = lazy(p.k, rows(x)), .y = without_row(p.y, i), .weights = weights});
        Refit fit{one_row(p.y, i), m.scores(rows(p.fresh)), Matrix(1, 2, 1), Matrix(p.fresh.rows(), 2, 1)};
        const Matrix said = m.scores(rows(own));
        for (Index t = 0; t < 2; ++t) fit.error(0, t) -= said(0, t);
        if (adaptive) {
          const Matrix there = m.variances(rows(own)), fresh = m.variances(rows(p.fresh));
          for (Index t = 0; t < 2; ++t) {
            fit.own_scale(0, t) = std::sqrt(there(0, t) + p.noise / p.weights[pos(i)]);
            for (Index j = 0; j < fresh.rows(); ++j) fit.scale(j, t) = std::sqrt(fresh(j, t) + p.noise);
          }
        }
        fits.push_back(std::move(fit));
      }
      for (const double coverage : {0.9, 0.6}) {
        expect_band(band_of(p.fit(), rows(p.fresh), {.coverage = coverage, .adaptive = adaptive}),
                    by_refits(fits, coverage), 1e-8);
      }
    }
  }
}

// Twins of different targets: each is left out by itself, as the theorem has it.
TEST(Intervals, OfRidgeAreThoseOfRefitsWithTwinsAmongThePoints) {
  Matrix x = random_matrix(26, 2, 1);
  const Matrix y = random_matrix(26, 2, 2), fresh = random_matrix(9, 2, 3);
  for (const Index twin : {5, 6, 19}) std::copy_n(x.row(2), 2, x.row(twin));
  const KernelRidge ridge{.ridge = 0.07};
  const Kernel k = rbf(0.9);
  std::vector<Refit> fits;
  for (Index i = 0; i < x.rows(); ++i) {
    const Matrix rest = without_row(x, i), own = one_row(x, i);
    const Model m = ridge.fit({.K = lazy(k, rows(rest)), .y = without_row(y, i)});
    Refit fit{one_row(y, i), m.scores(rows(fresh)), Matrix(1, 2, 1), Matrix(fresh.rows(), 2, 1)};
    for (Index t = 0; t < 2; ++t) fit.error(0, t) -= m.scores(rows(own))(0, t);
    fits.push_back(std::move(fit));
  }
  const Model m = ridge.fit({.K = lazy(k, rows(x)), .y = y});
  for (const double coverage : {0.9, 0.5})
    expect_band(band_of(m, rows(fresh), {coverage}), by_refits(fits, coverage), 1e-9);
  // A kernel of few features, solved in these.
  const Model linear = ridge.fit({.K = lazy(parse("linear() + 1"), rows(x)), .y = y});
  EXPECT_EQ(linear.report().table("residuals")->rows.rows(), 26);
  EXPECT_TRUE(std::isfinite(band_of(linear, rows(fresh), {0.9}).low(0, 0)));
}

TEST(Intervals, AWeightOfRidgeCountsPoints) {
  const Matrix x = random_matrix(20, 2, 1), y = random_matrix(20, 1, 2), fresh = random_matrix(9, 2, 3);
  Vector weights(20, 1.0);
  weights[3] = 2;
  weights[11] = 3;
  weights[15] = 0;
  Matrix twice(22, 2), y_twice(22, 1);
  Index to = 0;
  for (Index i = 0; i < 20; ++i) {
    for (int c = 0; c < static_cast<int>(weights[pos(i)]); ++c, ++to) {
      std::copy_n(x.row(i), 2, twice.row(to));
      y_twice(to, 0) = y(i, 0);
    }
  }
  ASSERT_EQ(to, 22);
  const KernelRidge ridge{.ridge = 0.2};
  const Model weighted = ridge.fit({.K = lazy(rbf(1), rows(x)), .y = y, .weights = weights});
  const Model repeated = ridge.fit({.K = lazy(rbf(1), rows(twice)), .y = y_twice});
  for (const double coverage : {0.9, 0.7, 0.3}) {
    expect_band(band_of(weighted, rows(fresh), {coverage}), band_of(repeated, rows(fresh), {coverage}), 1e-10);
  }
}

// ---- how often ----

struct Draw {
  Matrix x, y;
};
Draw draw(Index n, unsigned seed) {
  Draw out{random_matrix(n, 1, seed, 0, 6), Matrix(n, 1)};
  const Vector a = random_vector(n, seed + 100000, 0, 1), b = random_vector(n, seed + 200000, 0, 1);
  for (Index i = 0; i < n; ++i) {  // noise with a long tail on one side, wider to the right
    const double noise = -std::log(1 - a[pos(i)]) - (b[pos(i)] < 0.1 ? 3 : 0);
    out.y(i, 0) = std::sin(out.x(i, 0)) + 0.1 * (1 + out.x(i, 0)) * noise;
  }
  return out;
}

// One new point of each of 500 draws of 50: independent, so that the share has a standard error.
double share_inside(const std::function<Model(const Training&)>& fit, const IntervalOptions& options) {
  int inside = 0;
  for (unsigned seed = 0; seed < 500; ++seed) {
    const Draw all = draw(51, 7 * seed + 1);
    const Matrix x(all.x.view().block({0, 50}, {0, 1})), fresh(all.x.view().block({50, 51}, {0, 1}));
    const Training t{.K = lazy(rbf(0.8), rows(x)), .y = Matrix(all.y.view().block({0, 50}, {0, 1}))};
    const Band band = band_of(fit(t), rows(fresh), options);
    inside += all.y(50, 0) >= band.low(0, 0) && all.y(50, 0) <= band.high(0, 0) ? 1 : 0;
  }
  return inside / 500.0;
}

double three_errors(double share) { return 3 * std::sqrt(share * (1 - share) / 500); }

TEST(Intervals, HoldAsManyNewPointsAsAskedFor) {
  for (const double coverage : {0.9, 0.6}) {
    SCOPED_TRACE(coverage);
    const auto ridge = [](const Training& t) { return KernelRidge{.ridge = 0.3}.fit(t); };
    EXPECT_NEAR(share_inside(ridge, {coverage}), coverage, three_errors(coverage));
    const auto gp = [](const Training& t) {
      return GaussianProcess{.noise = Learnable::fixed_at(0.3),
                             .signal = Learnable::fixed_at(1),
                             .objective = GaussianProcess::Objective::none}
          .fit(t);
    };
    EXPECT_NEAR(share_inside(gp, {coverage, true}), coverage, three_errors(coverage));
    const auto knn = [](const Training& t) { return with_errors_held_out(fit("knn_regression", {}, t), t); };
    EXPECT_NEAR(share_inside(knn, {coverage}), coverage, three_errors(coverage));
  }
}

// Of a point held out: its weight, and its distance from a model of the others.
TEST(Intervals, ErrorsHeldOutHaveTheWeightsOfTheirPoints) {
  const Matrix x = random_matrix(20, 2, 1), y = random_matrix(20, 1, 2);
  Training t{.K = lazy(rbf(1), rows(x)), .y = y};
  for (Index i = 0; i < 20; ++i) t.weights.push_back(i == 7 ? 0 : 1 + 0.25 * static_cast<double>(i));
  const Model m = with_errors_held_out(fit("nadaraya_watson", {}, t), t);
  const Matrix& errors = m.report().table("held_out")->rows;
  ASSERT_EQ(errors.rows(), 19);
  Index row = 0;
  for (const Fold& fold : divide(t, 5).folds) {
    Training rest = t;
    for (const Index i : fold) rest.weights[pos(i)] = 0;
    const Matrix said = fit("nadaraya_watson", {}, rest).predict_targets(rows(x));
    for (const Index i : fold) {
      if (t.weights[pos(i)] == 0) continue;
      EXPECT_EQ(errors(row, 0), t.weights[pos(i)]);
      EXPECT_NEAR(errors(row++, 1), y(i, 0) - said(i, 0), 1e-12);
    }
  }
}

// ---- what does not hold, and what is refused ----

TEST(Intervals, SayWhenSoFewPointsTellNoEnd) {
  const Matrix x = random_matrix(8, 1, 1), y = random_matrix(8, 1, 2);
  const Model m = KernelRidge{.ridge = 0.1}.fit({.K = lazy(rbf(1), rows(x)), .y = y});
  const Band band = band_of(m, rows(x), {.coverage = 0.9});
  EXPECT_EQ(band.low(0, 0), -std::numeric_limits<double>::infinity());
  EXPECT_EQ(band.high(0, 0), std::numeric_limits<double>::infinity());
  EXPECT_NE(Intervals(m, {.coverage = 0.9}).words().find("at most 88.89 %"), std::string::npos);
  EXPECT_TRUE(std::isfinite(band_of(m, rows(x), {.coverage = 8.0 / 9}).low(0, 0)));
  EXPECT_EQ(Intervals(m, {.coverage = 8.0 / 9}).words().find("no end"), std::string::npos);
}

TEST(Intervals, AreApproximateWhereTheDataChose) {
  const Matrix x = random_matrix(30, 1, 1), y = random_matrix(30, 1, 2);
  const Training t{.K = lazy(rbf(1), rows(x)), .y = y};
  const auto words = [&](const std::string& machine, const Settings& settings) {
    return Intervals(fit(machine, settings, t)).words();
  };
  EXPECT_NE(words("ridge", {{"ridge", "0.1"}}).find("at least 80 % for certain"), std::string::npos);
  EXPECT_NE(words("ridge", {{"ridge", "auto"}}).find("approximate, because ridge comes"), std::string::npos);
  EXPECT_NE(words("gp", {}).find("approximate, because what was learnt comes"), std::string::npos);
}

TEST(Intervals, AreTheSameBitsAfterAFile) {
  Problem p;
  Matrix x = p.x;
  std::copy_n(x.row(0), 2, x.row(9));
  const Training t{.K = lazy(p.k, rows(x)), .y = p.y, .weights = p.weights};
  const Training positive{.K = lazy(rbf(1), rows(x)), .y = p.y, .weights = p.weights};
  for (const Model& m :
       {fit("ridge", {}, t), with_errors_held_out(fit("nadaraya_watson", {}, positive), positive), p.fit()}) {
    std::ostringstream file;
    save(file, m);
    const Model again = load_bytes(file.str(), "again");
    const Band before = band_of(m, rows(p.fresh), {0.8}), after = band_of(again, rows(p.fresh), {0.8});
    expect_band(before, after, 0);
  }
}

TEST(Intervals, AreRefusedWithTheReason) {
  const Matrix x = random_matrix(30, 2, 1), y = random_matrix(30, 1, 2);
  std::vector<std::string> names;
  for (Index i = 0; i < 30; ++i) names.push_back(y(i, 0) > 0 ? "a" : "b");
  const Training t{.K = lazy(rbf(1), rows(x)), .y = y};
  const Training classes{.K = t.K, .labels = Labels::from(names)};
  const Model ridge = fit("ridge", {}, t), svr = fit("svr", {}, t);
  for (const double coverage : {0.0, 1.0, -0.1, 90.0, std::nan("")}) {
    expect_error([&] { Intervals(ridge, {coverage}); }, "UsageError", {"above 0 and below 1"});
  }
  expect_error([&] { Intervals(ridge, {0.9, true}); }, "UsageError", {"only a process", "`adaptive`"});
  expect_error([&] { Intervals{svr}; }, "UsageError", {"svr", "fit it again with `intervals`"});
  expect_error([&] { Intervals(with_errors_held_out(svr, t), {0.9, true}); }, "UsageError", {"`adaptive`"});
  expect_error([&] { Intervals{fit("svc", {}, classes)}; }, "UsageError", {"svc predicts no numbers"});
  expect_error([&] { Intervals{fit("ridge_classifier", {}, classes)}; }, "UsageError", {"predicts no numbers"});
  expect_error(
      [&] {
        Intervals{fit("kmeans", {{"clusters", "2"}}, {.K = t.K})};
      },
      "UsageError", {"predicts no numbers"});
  Training few = t;
  few.centres = choose_centres(rbf(1), rows(x), {.count = 5});
  expect_error([&] { Intervals{fit("ridge", {}, few)}; }, "UsageError", {"cannot leave its training points out"});
  expect_error([&] { Intervals{fit("gp", {{"inducing", "5"}}, t)}; }, "UsageError", {"cannot leave"});
  const Training numbers{.K = precomputed(gram(rbf(1), rows(x))), .y = y};
  expect_error([&] { Intervals{fit("ridge", {}, numbers)}; }, "UsageError", {"cannot leave"});
  // Which all have errors of points held out instead.
  EXPECT_TRUE(Intervals(with_errors_held_out(fit("ridge", {}, few), few)).same_everywhere());
  EXPECT_TRUE(Intervals(with_errors_held_out(fit("ridge", {}, numbers), numbers)).same_everywhere());
}

// ---- by the command ----

class IntervalsCli : public cli_test::CommandTest {
 protected:
  std::string table(int n) {
    std::string out = "x,y,side\n";
    for (int i = 0; i < n; ++i) {
      const double x = 0.2 * i;
      out += fmt::format("{},{},{}\n", x, std::sin(x) + 0.1 * std::cos(37.0 * i), i % 3 == 0 ? "l" : "r");
    }
    return files_.file(fmt::format("table{}.csv", n), out);
  }
  std::string fitted(const std::string& machine, const std::vector<std::string>& more = {}) {
    const std::string out = results_.path(machine + ".mercer");
    std::vector<std::string> words = {"fit", machine, table(40), "--target", "y", "--drop", "side", "-o", out};
    words.insert(words.end(), more.begin(), more.end());
    const auto got = run(words);
    EXPECT_EQ(got.code, 0) << got;
    return out;
  }
};

TEST_F(IntervalsCli, StandBesideThePredictions) {
  for (const auto& [machine, more] : std::vector<std::pair<std::string, std::vector<std::string>>>{
           {"ridge", {}}, {"gp", {"--plain"}}, {"svr", {"--intervals"}}, {"knn_regression", {"--intervals"}}}) {
    SCOPED_TRACE(machine);
    const std::string model = fitted(machine, more), data = table(40);
    const auto got = run({"predict", model, data, "--interval", "90"});
    EXPECT_EQ(got.code, 0) << got;
    EXPECT_TRUE(got.out.starts_with("y,y_low,y_high\n")) << got;
    EXPECT_NE(got.err.find("intervals of 90 %: "), std::string::npos) << got;
    const auto plain = run({"predict", model, data});
    const Dataset with = read_data(files_.file("with.csv", got.out)),
                  without = read_data(files_.file("p.csv", plain.out));
    const auto json = Json::parse(run({"predict", model, data, "--interval", "90", "--json"}).out);
    EXPECT_EQ(json["predictions"].size(), 40U);
    EXPECT_EQ(json["columns"].size(), 3U);
    const auto marks = Json::parse(run({"score", model, data, "--interval", "90", "--json"}).out);
    EXPECT_GT(marks["interval_90_coverage"].get<double>(), 0.8);
    EXPECT_GT(marks["interval_90_width"].get<double>(), 0);
    EXPECT_NE(marks["remarks"].dump().find("intervals of 90"), std::string::npos);
  }
}

TEST_F(IntervalsCli, SayOneLineOfWhatCannotBe) {
  const std::string ridge = fitted("ridge"), svr = fitted("svr"), data = table(40);
  const auto expect_line = [&](std::vector<std::string> words, int code, const std::string& piece) {
    const auto got = run(words);
    EXPECT_EQ(got.code, code) << got;
    EXPECT_EQ(std::count(got.err.begin(), got.err.end(), '\n'), 1) << got;
    EXPECT_NE(got.err.find(piece), std::string::npos) << got;
    EXPECT_EQ(got.out, "") << got;
  };
  for (const std::string word : {"0", "100", "-5", "many", "nan", "90%"}) {
    expect_line({"predict", ridge, data, "--interval", word}, 2, "--interval: per cent");
    expect_line({"score", ridge, data, "--interval", word}, 2, "--interval: per cent");
  }
  expect_line({"predict", svr, data, "--interval", "90"}, 2, "fit it again with --intervals");
  expect_line({"score", svr, data, "--interval", "90"}, 2, "fit it again with --intervals");
  expect_line({"predict", ridge, data, "--interval", "90", "--adaptive"}, 2, "leave --adaptive out");
  expect_line({"predict", ridge, data, "--adaptive"}, 2, "--adaptive goes with --interval");
  expect_line({"predict", ridge, data, "--interval", "90", "--scores"}, 2, "not several");
  const std::string svc = results_.path("svc.mercer");
  ASSERT_EQ(run({"fit", "svc", data, "--target", "side", "-o", svc}).code, 0);
  expect_line({"fit", "kmeans", data, "--intervals", "-o", svc}, 2, "--intervals");
  // Of few points the ends are infinite, and JSON has null for that.
  const std::string few = results_.path("few.mercer");
  ASSERT_EQ(run({"fit", "ridge", table(6), "--target", "y", "--drop", "side", "--plain", "-o", few}).code, 0);
  const auto got = run({"predict", few, data, "--interval", "90", "--json"});
  EXPECT_NE(got.err.find("so few points tell no end"), std::string::npos) << got;
  EXPECT_TRUE(Json::parse(got.out)["predictions"][0][1].is_null()) << got;
}

}  // namespace
}  // namespace mercer::intervals_test
