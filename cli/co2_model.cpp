#include "co2_model.hpp"

#include <cmath>

#include "base/at.hpp"
#include "base/fail.hpp"
#include "mercer/metrics.hpp"
#include "workflow/normal.hpp"
#include "workflow/uncertainty.hpp"

namespace mercer::cli {

const char* const kPartNames[kParts] = {"trend", "season", "medium", "short", "line"};

std::string co2_start() {
  return "2500*rbf(ell=50) + 4*rbf(ell=100)*periodic(period=fixed(1), ell=1) + 0.25*rq(ell=1, alpha=1) + "
         "0.01*rbf(ell=0.1)";
}

namespace {

Vector column_of(const Matrix& m) {
  Vector out;
  for (Index i = 0; i < m.rows(); ++i) out.push_back(m(i, 0));
  return out;
}

Vector roots(const Matrix& variance) {
  Vector out = column_of(variance);
  for (double& v : out) v = std::sqrt(v);
  return out;
}

}  // namespace

Model fit_co2(const Record& record, double end, const std::string& mean, const Execution& how) {
  Vector year;
  for (const double y : record.year) {
    if (y < end) year.push_back(y);
  }
  const Points x = years(year);
  Training training{.K = lazy(parse(co2_start()), x), .y = Matrix(x.size(), 1), .how = how};
  for (Index i = 0; i < x.size(); ++i) training.y(i, 0) = record.co2[at(i)];
  // The start is good; others would only cost time.
  return fit("gp", {{"noise", "0.01"}, {"mean", mean}, {"starts", "1"}}, training).with([&](Model::Parts& parts) {
    parts.inputs = Schema::of(x);
    parts.targets = {"CO2"};
  });
}

double parameter(const Model& model, const std::string& path) {
  const Params params = model.expansion().parts().kernel->params();
  return params[params.find(path)].value;
}

double amplitude(const Model& model, Part addend) {
  static constexpr const char* kScales[kLine] = {"rbf.scale", "rbf2.scale", "rq.scale", "rbf3.scale"};
  return std::sqrt(model.posterior().signal[0] * parameter(model, kScales[addend]));
}

Forecast forecast(const Model& model, const Vector& year, const Execution& how) {
  const Points x = years(year);
  const std::vector<Component> parts = components(model, x, how);
  const workflow::Beliefs f = workflow::beliefs(model, x, true, how);
  Forecast out{.year = year, .mean = column_of(f.mean), .std = column_of(f.deviation)};
  for (std::size_t p = 0; p < kParts; ++p) {
    out.part[p] = column_of(parts[p].mean);
    out.part_std[p] = roots(parts[p].variance);
  }
  return out;
}

Hindcast hindcast(const Model& model, const Record& record, double from, double to, const Execution& how) {
  Vector year, truth, variance;
  for (std::size_t i = 0; i < record.year.size(); ++i) {
    if (record.year[i] < from || record.year[i] >= to) continue;
    year.push_back(record.year[i]);
    truth.push_back(record.co2[i]);
  }
  const Points x = years(year);
  const workflow::Beliefs f = workflow::beliefs(model, x, true, how);
  const Vector mean = column_of(f.mean), std = column_of(f.deviation);
  Hindcast out{.from = from, .to = to, .months = x.size(), .rmse = rmse(truth, mean)};
  for (const double s : std) {
    variance.push_back(s * s);
    out.std += s / static_cast<double>(std.size());
  }
  const workflow::NormalMarks marks = workflow::normal_marks(truth, mean, variance);
  out.coverage = marks.coverage;
  out.log_density = marks.log_density;
  return out;
}

}  // namespace mercer::cli
