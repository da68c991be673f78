#include "mercer/machines/rvm.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "base/at.hpp"
#include "base/fail.hpp"
#include "base/text.hpp"
#include "gram/assemble.hpp"
#include "machines/catalog_rows.hpp"
#include "machines/sparse_bayes/rvm_solver.hpp"
#include "model/settings.hpp"
#include "model/tasks.hpp"
#include "model/training.hpp"

namespace mercer {

namespace {

using detail::RvmBasis;
using detail::RvmLimits;
using detail::RvmSolution;

template <class Config>
void check_limits(const char* machine, const Config& c) {
  if (!(c.tolerance > 0)) fail(ErrorKind::usage, "{}: tolerance must be above 0, not {}", machine, c.tolerance);
  if (c.max_iterations < 1) {
    fail(ErrorKind::usage, "{}: max_iterations must be at least 1, not {}", machine, c.max_iterations);
  }
}

void check_noise(const Learnable& noise) {
  if (noise.value && (!(*noise.value > 0) || std::isinf(*noise.value))) {
    fail(ErrorKind::usage, "rvm: noise must be a finite number above 0, not {}; a small one does for exact data",
         number(*noise.value));
  }
  if (noise.value && (*noise.value < noise.lower || *noise.value > noise.upper)) {
    fail(ErrorKind::usage, "rvm: noise: the start {} lies outside its bounds [{}, {}]", number(*noise.value),
         number(noise.lower), number(noise.upper));
  }
}

Vector weights_of(const RvmBasis& basis, const Training& training) {
  const Vector all = detail::weights_of(training);
  Vector out;
  for (Index i = 0; i < basis.points(); ++i) out.push_back(all[at(basis.training_point(i))]);
  return out;
}

// A target without spread has no noise to learn, nor a scale for one: it is taken for all but exact.
Learnable noise_for(const Learnable& given, const Vector& y) {
  constexpr double exact = 1e-8;
  if (given.value || std::ranges::any_of(y, [&](double v) { return v != y[0]; })) return given;
  return Learnable::fixed_at(exact * (y[0] == 0 ? 1 : y[0] * y[0]));
}

Expansion expansion_of(const Training& training, const RvmBasis& basis, const std::vector<RvmSolution>& found) {
  Matrix alpha(training.K.size(), static_cast<Index>(found.size()));
  Vector bias(found.size());
  for (std::size_t o = 0; o < found.size(); ++o) {
    for (std::size_t m = 0; m < found[o].columns.size(); ++m) {
      const Index column = found[o].columns[m];
      (basis.is_bias(column) ? bias[o] : alpha(basis.training_point(column), static_cast<Index>(o))) = found[o].mean[m];
    }
  }
  return training.K.expansion(alpha, std::move(bias), training.how);
}

// The covariance of each output's weights in the order of the model's centres, the bias last; 0 for those not in it.
Matrix covariance_of(const Expansion& f, const RvmBasis& basis, const std::vector<RvmSolution>& found) {
  const Index size = f.size() + 1;
  const std::vector<Index>& support = f.parts().support;
  const auto place = [&](Index column) {
    if (basis.is_bias(column)) return size - 1;
    return std::lower_bound(support.begin(), support.end(), basis.training_point(column)) - support.begin();
  };
  Matrix out(size * f.outputs(), size);
  for (Index o = 0; o < f.outputs(); ++o) {
    const RvmSolution& one = found[at(o)];
    for (std::size_t i = 0; i < one.columns.size(); ++i) {
      for (std::size_t j = 0; j < one.columns.size(); ++j) {
        out(o * size + place(one.columns[i]), place(one.columns[j])) =
            one.covariance(static_cast<Index>(i), static_cast<Index>(j));
      }
    }
  }
  return out;
}

// Sums over the outputs, and why the first that did not get there stopped.
Report report_of(const std::vector<RvmSolution>& found, const RvmBasis& basis, const Expansion& f) {
  Report report;
  double evidence = 0;
  for (const RvmSolution& one : found) {
    if (report.converged) report.stopped = one.stopped;
    report.converged = report.converged && one.converged;
    report.iterations += one.iterations;
    evidence += one.log_evidence;
  }
  report.add("log_marginal_likelihood", evidence);
  report.add("relevance_vectors", static_cast<double>(f.size()));
  if (f.size() == 0) report.notes.emplace_back("no point is relevant: f is constant");
  if (std::ranges::any_of(found, &RvmSolution::noise_at_least)) {
    report.notes.emplace_back(
        "the noise is as small as it is let: the data show none, or the kernel is so narrow that each point explains "
        "itself, and then the variances mean nothing; look at held-out points (mercer score, tune)");
  }
  Index barred = 0;
  for (const RvmSolution& one : found) barred += one.barred;
  if (barred > 0) {
    report.notes.push_back(
        fmt::format("{} functions were left as they are: rounding errors hide what they would gain", barred));
  }
  if (!basis.in_memory()) report.notes.emplace_back("K did not fit into memory and was computed again where needed");
  if (found.size() > 1) return report;
  Report::Table course{"course", {"steps", "log_marginal_likelihood", "functions", "noise"}, {}};
  const auto& rows = found[0].course;
  course.columns.resize(rows.front().size());
  course.rows = Matrix(static_cast<Index>(rows.size()), static_cast<Index>(rows.front().size()));
  for (std::size_t r = 0; r < rows.size(); ++r) {
    std::copy(rows[r].begin(), rows[r].end(), course.rows.row(static_cast<Index>(r)));
  }
  report.tables.push_back(std::move(course));
  return report;
}

// Squares of targets of 1e99 are out of reach of what is done with them: such targets are solved for in units of their
// own, a power of two so that nothing is rounded. Others are left as they are.
double unit_of(const Vector& y) {
  double largest = 0;
  for (const double v : y) largest = std::max(largest, std::abs(v));
  const bool ordinary = largest == 0 || (largest > 1e-30 && largest < 1e30);
  return ordinary ? 1 : std::exp2(std::ilogb(largest));
}

Learnable in_units(Learnable noise, double unit) {
  if (noise.value) *noise.value /= unit * unit;
  noise.lower /= unit * unit;
  noise.upper /= unit * unit;
  return noise;
}

// The solution for y / unit as one for y.
void back_from_units(RvmSolution& found, double unit, const Vector& weights) {
  if (unit == 1) return;
  const double shift = std::log(unit) * std::accumulate(weights.begin(), weights.end(), 0.0);
  for (double& w : found.mean) w *= unit;
  for (Index i = 0; i < found.covariance.rows(); ++i) {
    for (Index j = 0; j < found.covariance.cols(); ++j) found.covariance(i, j) *= unit * unit;
  }
  found.noise *= unit * unit;
  found.log_evidence -= shift;
  for (auto& row : found.course) {
    row[1] -= shift;
    row[3] *= unit * unit;
  }
}

}  // namespace

Model Rvm::fit(const Training& training) const {
  check_limits("rvm", *this);
  check_noise(noise);
  const Threads threads = detail::check_training("rvm", Task::regression, training);
  detail::require_plain(training.K);
  const Stopwatch watch;
  const RvmBasis basis(training, bias);
  const Vector weights = weights_of(basis, training);
  std::vector<RvmSolution> found;
  Index constants = 0;  // targets that say nothing about the noise
  for (Index t = 0; t < training.y.cols(); ++t) {
    Vector y;
    for (Index i = 0; i < basis.points(); ++i) y.push_back(training.y(basis.training_point(i), t));
    const Learnable assumed = noise_for(noise, y);
    constants += assumed.fixed && !noise.value ? 1 : 0;
    const double unit = unit_of(y);
    for (double& v : y) v /= unit;
    found.push_back(detail::solve_rvm(basis, y, weights, in_units(assumed, unit), {tolerance, max_iterations},
                                      training.how.monitor));
    back_from_units(found.back(), unit, weights);
  }

  Expansion f = expansion_of(training, basis, found);
  Posterior posterior{.kind = Posterior::Kind::weights};
  posterior.covariance = covariance_of(f, basis, found);
  Report report = report_of(found, basis, f);
  for (std::size_t t = 0; t < found.size(); ++t) {
    posterior.noise.push_back(found[t].noise);
    report.add(found.size() == 1 ? "noise" : fmt::format("noise[{}]", t + 1), found[t].noise);
  }
  if (constants > 0) {
    report.notes.push_back(
        fmt::format("the target is constant{}, which says nothing about the noise: it is taken for exact",
                    found.size() == 1 ? "" : fmt::format(" in {} columns", constants)));
  }
  report.seconds = watch.seconds();
  Model::Parts parts = detail::parts_of("rvm", training, std::move(f), Reading::value);
  if (parts.f.parts().kernel) parts.posterior = std::move(posterior);  // there is nothing to evaluate it with otherwise
  parts.report = std::move(report);
  return Model(std::move(parts));
}

Model Rvm::fit(const Gram& K, VectorView y) const { return fit(detail::training_on(K, y)); }

Model Rvc::fit(const Training& training) const {
  check_limits("rvc", *this);
  const Threads threads = detail::check_training("rvc", Task::classification, training);
  detail::require_plain(training.K);
  const Stopwatch watch;
  const RvmBasis basis(training, bias);
  const Vector weights = weights_of(basis, training);
  const auto classes = static_cast<Index>(training.labels.classes.size());
  const Index first = classes == 2 ? 1 : 0;
  std::vector<std::vector<bool>> positive;
  for (Index c = first; c < classes; ++c) {
    std::vector<bool> of_class;
    for (Index i = 0; i < basis.points(); ++i) {
      of_class.push_back(training.labels.of[at(basis.training_point(i))] == c);
    }
    if (std::count(of_class.begin(), of_class.end(), of_class.front()) == basis.points()) {
      fail(ErrorKind::data, "rvc: class {} has {} of positive weight; leave the class out",
           quoted(training.labels.classes[at(c)]), of_class.front() ? "all points" : "no point");
    }
    positive.push_back(std::move(of_class));
  }
  std::vector<RvmSolution> found(positive.size());
  detail::run_tasks(Vector(positive.size(), 1.0), training.how, "rvc", [&](Index o, const Execution& how) {
    const RvmLimits limits{tolerance, max_iterations};
    found[at(o)] = detail::solve_rvc(basis, positive[at(o)], weights, limits, how.monitor);
  });

  Expansion f = expansion_of(training, basis, found);
  Report report = report_of(found, basis, f);
  report.seconds = watch.seconds();
  Model::Parts parts =
      detail::parts_of("rvc", training, std::move(f), classes == 2 ? Reading::binary : Reading::largest);
  parts.classes = training.labels.classes;
  parts.calibration = {Calibration::Kind::sigmoids, std::vector<Sigmoid>(found.size())};
  parts.report = std::move(report);
  return Model(std::move(parts));
}

namespace detail {

std::vector<Machine> rvm_rows() {
  const std::vector<MachineOption> shared = {
      {"no_bias", "false", "Leave out b", true},
      {"tolerance", "0.0001", "How much one more function must add to the log evidence"},
      {"max_iterations", "20000", "Functions added at most"},
  };
  Machine regression;
  regression.name = "rvm";
  regression.purpose =
      "sparse regression with error bars, by Bayes' rule; they are too narrow far from all points, where kernels "
      "vanish: use gp where that matters";
  regression.problem = "maximise p(y | alpha, noise) for y = sum_j w_j k(x_j, x) + b + e, w_j ~ N(0, 1/alpha_j)";
  regression.task = Task::regression;
  regression.iterative = true;
  regression.options = shared;
  regression.options.insert(regression.options.begin(),
                            {"noise", "auto", "Variance of e: auto, a start, fixed(0.1) or 0.3 in [0.01, 10]"});
  regression.fit = [regression](const Settings& settings, const Training& training) {
    const SettingsReader read(regression, settings);
    return Rvm{.noise = Learnable::parse("rvm: noise", read.text("noise")),
               .bias = !read.flag("no_bias"),
               .tolerance = read.positive("tolerance"),
               .max_iterations = read.whole("max_iterations", 1)}
        .fit(training);
  };

  Machine classification;
  classification.name = "rvc";
  classification.purpose =
      "sparse classification with probabilities, by Bayes' rule, of the most likely f: use gpc for averages over f";
  classification.problem = "maximise p(y | alpha) for P(+1 | x) = 1 / (1 + exp(-f(x))), f as of rvm, by Laplace";
  classification.task = Task::classification;
  classification.iterative = true;
  classification.options = shared;
  classification.fit = [classification](const Settings& settings, const Training& training) {
    const SettingsReader read(classification, settings);
    return Rvc{.bias = !read.flag("no_bias"),
               .tolerance = read.positive("tolerance"),
               .max_iterations = read.whole("max_iterations", 1)}
        .fit(training);
  };
  // By what is held out and not by the evidence: that of narrow kernels is highest where each point explains itself.
  // Of each trial only the first functions: narrow kernels, which have many, show early that they are too narrow.
  const auto by_folds = [](const char* metric, const char* functions) {
    return [=](const Settings&, const Training*) {
      return Choosing{.stages = {{{"ell", {8, 4, 2, 1, 0.5, 0.25}, Trial::Unit::automatic}}},
                      .while_trying = {{"tolerance", "0.01"}, {"max_iterations", functions}},
                      .metric = metric,
                      .most = 300};
    };
  };
  regression.needs =
      classification.needs = [](const Settings&, const Extent& extent) { return needs_of_basis(extent); };
  regression.posterior = true;
  regression.choosing = by_folds("log_density", "60");
  classification.choosing = by_folds("log_loss", "40");
  return {regression, classification};
}

}  // namespace detail

}  // namespace mercer
