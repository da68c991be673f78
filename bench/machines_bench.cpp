// Ridge regression and tuning: bench/machines.py brings the data and runs the peers.
#include <optional>
#include <string>
#include <vector>

#include "bench.hpp"
#include "linalg/cholesky.hpp"
#include "mercer/io.hpp"
#include "mercer/kernels.hpp"
#include "mercer/machines/ridge.hpp"
#include "mercer/tune.hpp"
#include "points/rep.hpp"
#include "timing.hpp"

namespace mercer::bench {
namespace {

double factor_alone(const Matrix& K, int rounds) {
  double out = 1e300;
  for (int r = 0; r < rounds; ++r) {
    Matrix a = K;
    out = std::min(out, seconds([&] {
                     if (linalg::cholesky(a) != 0) throw std::runtime_error("the matrix is not positive definite");
                   }));
  }
  return out;
}

Json ridge_case(const Words& words) {
  const Points x = rows(numbers(words.at(0)));
  const Vector y = column(words.at(1));
  const double ridge = std::stod(words.at(2));
  const Kernel k = rbf(std::stod(words.at(3)));
  double time = 1e300;
  {
    std::optional<Model> model;
    for (int r = 0; r < 3; ++r) {
      model.reset();
      time = std::min(time, seconds([&] { model = KernelRidge{.ridge = ridge}.fit(lazy(k, x), y); }));
    }
    const Expansion::Parts& f = model->expansion().parts();
    write_npy(words.at(4), f.alpha);
  }
  Matrix K = gram(k, x);
  for (Index i = 0; i < K.rows(); ++i) K(i, i) += ridge;
  return {{"ours", time}, {"factor", factor_alone(K, 2)}};
}

Json ridge_memory_case(const Words& words) {
  const Points x = rows(numbers(words.at(0)));
  const Vector y = column(words.at(1));
  KernelRidge{.ridge = std::stod(words.at(2))}.fit(lazy(rbf(std::stod(words.at(3))), x), y);
  return {{"megabytes", peak_megabytes()}};
}

Json path_case(const Words& words) {
  const Points x = rows(numbers(words.at(0)));
  const Vector y = column(words.at(1));
  const Kernel k = rbf(std::stod(words.at(2)));
  std::optional<Model> model;
  double time = 1e300;
  for (int r = 0; r < 2; ++r) {
    time = std::min(time, seconds([&] { model = KernelRidge{.ridge = std::nullopt}.fit(lazy(k, x), y); }));
  }
  const Report& report = model->report();
  return {{"ours", time},
          {"ridges", report.table("path")->rows.rows()},
          {"ridge", *report.figure("ridge")},
          {"leave_one_out_rmse", *report.figure("leave_one_out_rmse")}};
}

Json tune_case(const Words& words) {
  const Points x = rows(numbers(words.at(0)));
  const Labels labels = Labels::from(VectorView(column(words.at(1))));
  const std::vector<std::string> fold_of = [&] {
    const Labels folds = Labels::from(VectorView(column(words.at(2))));
    std::vector<std::string> out;
    for (const Index fold : folds.of) out.push_back(folds.classes[static_cast<std::size_t>(fold)]);
    return out;
  }();
  const Tuning tuning{.machine = "svc", .axes = parse_grid(words.at(3)), .folds = given_folds(fold_of)};
  std::optional<Tuned> tuned;
  double time = 1e300;
  for (int r = 0; r < 2; ++r) {
    time = std::min(time, seconds([&] { tuned = tune(tuning, {.K = lazy(rbf(1), x), .labels = labels}); }));
  }
  Json candidates = Json::array();
  for (const Candidate& candidate : tuned->candidates) {
    candidates.push_back({{"values", candidate.values}, {"mean", candidate.mean}, {"converged", candidate.converged}});
  }
  return {{"ours", time}, {"axes", tuned->axes}, {"candidates", candidates}, {"best", tuned->best}};
}

}  // namespace

Bench machines_bench() {
  return {"machines",
          "ridge regression and tuning",
          {{"ridge", "X.npy y.npy RIDGE ELL alpha.npy", "a fit, and the factor of its matrix alone", ridge_case},
           {"ridge_memory", "X.npy y.npy RIDGE ELL", "the most memory a fit has taken", ridge_memory_case},
           {"path", "X.npy y.npy ELL", "50 ridges with leave-one-out, and the fit", path_case},
           {"tune", "X.npy y.npy folds.npy GRID", "svc, an rbf kernel", tune_case}}};
}

}  // namespace mercer::bench
