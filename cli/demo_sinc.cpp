// mercer demo sinc: four regressions of one noisy curve.
#include <algorithm>
#include <cmath>

#include "base/at.hpp"
#include "base/fail.hpp"
#include "base/text.hpp"
#include "chart.hpp"
#include "demo.hpp"
#include "io/embedded_data.hpp"
#include "mercer/metrics.hpp"
#include "mercer/tune.hpp"
#include "output.hpp"
#include "watch.hpp"
#include "workflow/normal.hpp"
#include "workflow/uncertainty.hpp"

namespace mercer::cli {

namespace {

constexpr Index kTestPoints = 1000;
constexpr double kReach = 10;

double truth(double x) { return x == 0 ? 1 : std::sin(x) / x; }

struct Result {
  std::string machine, how;
  Model model;
  double rmse = 0;                      // against the curve without noise
  std::optional<double> coverage = {};  // of the curve by the 95 % band of f
};

Points line(Index count) {
  Matrix out(count, 1);
  for (Index i = 0; i < count; ++i) {
    out(i, 0) = kReach * (2 * static_cast<double>(i) / static_cast<double>(count - 1) - 1);
  }
  return named(rows(std::move(out)), {"x"});
}

Result judged(Result result, const Points& x, const Vector& curve) {
  const Vector mean = result.model.predict(x);
  result.rmse = rmse(curve, mean);
  if (!result.model.has_posterior()) return result;
  const Matrix variances = result.model.variances(x);
  Vector variance;
  for (Index i = 0; i < x.size(); ++i) variance.push_back(variances(i, 0));
  result.coverage = workflow::normal_marks(curve, mean, variance).coverage;
  return result;
}

std::string picture(const Model& gp, const Matrix& data) {
  constexpr Index kWidth = 84, kHeight = 14;
  Chart chart(kWidth, kHeight, {-kReach, kReach}, {-0.6, 1.3});
  const Points x = line(2 * kWidth);
  const auto [mean, deviation] = workflow::beliefs(gp, x, true, {});
  for (Index i = 0; i < x.size(); ++i) {
    const double place = kReach * (2 * static_cast<double>(i) / static_cast<double>(x.size() - 1) - 1);
    const double half = workflow::kBand95 * deviation(i, 0);
    chart.shade(place, {mean(i, 0) - half, mean(i, 0) + half});
    chart.dot(place, mean(i, 0));
  }
  for (Index i = 0; i < data.rows(); ++i) chart.dot(data(i, 0), data(i, 1));
  return chart.str();
}

}  // namespace

void demo_sinc(const DemoWords& words) {
  const Matrix data = numbers_in(data::sinc());
  const Index n = data.rows();
  const Points x = named(rows(Matrix(data.view().block({0, n}, {0, 1}))), {"x"});
  Watch watch;
  watch.gently();
  const Matrix y(data.view().block({0, n}, {1, 2}));
  const auto training_with = [&](const Kernel& k) {
    return Training{.K = exact(k, x), .y = y, .how = {.monitor = watch.monitor()}};
  };
  const Points test = line(kTestPoints);
  Vector curve;
  for (Index i = 0; i < test.size(); ++i) {
    curve.push_back(truth(kReach * (2 * static_cast<double>(i) / static_cast<double>(kTestPoints - 1) - 1)));
  }

  // The Gaussian process learns the length scale; the others are given it, and choose the rest.
  const Model gp = fit("gp", {}, training_with(parse("rbf(ell=1)")));
  watch.stop_if_asked();
  const Kernel kernel = gp.expansion().parts().kernel.value();
  const double ell = kernel.params()[kernel.params().find("ell")].value;
  const Training training = training_with(parse(fmt::format("rbf(ell={})", number(ell))));
  const Tuned svr =
      tune({.machine = "svr", .axes = parse_grid("C=0.1:10, epsilon=0.02:0.3"), .folds = random_folds(n, 5)}, training);
  std::vector<Result> results;
  const auto add = [&](const std::string& machine, const std::string& how, const Model& model) {
    results.push_back(judged({machine, how, model}, test, curve));
    watch.stop_if_asked();
  };
  add("ridge", "ridge by leave-one-out", fit("ridge", {{"ridge", "auto"}}, training));
  add("svr", "C, epsilon by cross-validation", svr.model);
  add("gp", "noise, ell by marginal likelihood", gp);
  add("rvm", "noise, relevance by marginal likelihood", fit("rvm", {}, training));
  watch.done();
  const double noise = std::sqrt(gp.posterior().noise[0]);

  if (words.as_json) {
    Json out{{"demo", "sinc"}, {"points", n}, {"kernel", kernel.str()}, {"noise_std", noise}};
    for (const Result& result : results) {
      Json one{{"machine", result.machine}, {"rmse", result.rmse}, {"centres", result.model.expansion().size()}};
      if (result.coverage) one["coverage_95"] = *result.coverage;
      out["machines"].push_back(std::move(one));
    }
    return put_json(out);
  }
  std::string out = fmt::format(
      "{} points of y = sin(x)/x with noise of standard deviation 0.1. The Gaussian process learns\n"
      "ell = {:.2f} and noise {:.3f}; the others take its rbf(ell={:.2f}) and choose the rest themselves.\n\n",
      n, ell, noise, ell);
  std::vector<std::vector<std::string>> rows = {{"machine", "chosen", "RMSE", "centres", "curve in its 95 % band"}};
  for (const Result& result : results) {
    rows.push_back({result.machine, result.how, fmt::format("{:.4f}", result.rmse),
                    fmt::format("{} of {}", result.model.expansion().size(), n),
                    result.coverage ? fmt::format("{:.1f} %", 100 * *result.coverage) : "has none"});
  }
  out += table(rows, 2);
  out += fmt::format(
      "\nRMSE is against the curve without noise, at {} points. The mean of gp, its 95 % band for\n"
      "observations (shaded) and the data:\n",
      kTestPoints);
  out += picture(gp, data);
  out +=
      "\nTry next:\n"
      "  mercer fit gp data/toys/sinc.csv --scale none -o sinc.mercer -v\n"
      "  mercer predict sinc.mercer data/toys/sinc.csv --std\n"
      "  mercer sample sinc.mercer --grid -15:15:61 --draws 2\n";
  put(out);
}

}  // namespace mercer::cli
