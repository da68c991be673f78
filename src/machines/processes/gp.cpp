#include "mercer/machines/gp.hpp"

#include <cmath>
#include <numbers>

#include "base/at.hpp"
#include "base/fail.hpp"
#include "machines/processes/process_options.hpp"
#include "machines/processes/regression/fit.hpp"
#include "machines/processes/scale.hpp"
#include "model/training.hpp"
#include "state_space/filters.hpp"
#include "state_space/line.hpp"

namespace mercer {

Model GaussianProcess::fit(const Training& training) const { return detail::ProcessFit(*this, training).run(); }

Model GaussianProcess::fit(const Gram& K, VectorView y) const { return fit(detail::training_on(K, y)); }

Evidence log_marginal_likelihood(const Kernel& k, const Points& x, VectorView y, double noise, bool gradient,
                                 const Execution& how) {
  const Threads threads(how.threads);
  if (static_cast<Index>(y.size()) != x.size()) {
    fail(ErrorKind::shape, "log_marginal_likelihood: {} targets for {} points", y.size(), x.size());
  }
  const Kernel resolved = k.resolve(x);
  if (const auto lines = gradient ? std::nullopt : state_space::shorter_way(resolved, x)) {
    const std::shared_ptr<const state_space::Placed> places = state_space::placed(*lines, x);
    std::vector<state_space::Series> series;
    for (const Range& line : places->lines) {
      series.push_back(
          {.times = Vector(places->times.begin() + line.begin, places->times.begin() + line.end), .shift = {noise}});
    }
    Vector ordered(y.size());
    for (std::size_t p = 0; p < y.size(); ++p) ordered[p] = y[at(places->order[p])];
    const double constant = 0.5 * static_cast<double>(y.size()) * std::log(2 * std::numbers::pi);
    return {.value = state_space::log_density(lines->model, series, ordered) - constant};
  }
  const detail::ProcessData data{.K = lazy(resolved, x),
                                 .x = x,
                                 .y = Matrix(MatrixView(y.data(), x.size(), 1)),
                                 .H = Matrix(x.size(), 0),
                                 .shape = Vector(y.size(), 1.0)};
  const detail::Approach::Value v = detail::approach_for({}, data, how)->evaluate({resolved, noise, 1.0}, gradient);
  return {v.objective, v.by_kernel, v.by_noise};
}

Evidence log_marginal_likelihood(const GaussianProcess& gp, const Training& training, bool gradient) {
  return detail::ProcessFit(gp, training).evidence_at_start(gradient);
}

bool has_free_scale(const Kernel& k) { return detail::has_free_scale(k); }

GaussianProcess GaussianProcess::from(const Settings& settings) {
  const detail::SettingsReader read(machine("gp"), settings);
  GaussianProcess config{.noise = Learnable::parse("noise", read.text("noise")),
                         .signal = Learnable::parse("signal", read.text("signal"))};
  config.mean = static_cast<Trend>(read.choice("mean", {"zero", "constant", "linear"}));
  config.objective = static_cast<Objective>(read.choice("objective", {"lml", "loo", "none"}));
  config.nearest = read.whole("nearest", 0);
  config.solver = static_cast<Solver>(read.choice("solver", {"auto", "dense", "state_space", "iterative"}));
  config.loo = read.flag("loo");
  config.inducing = read.whole("inducing", 0);
  config.fitc = read.flag("fitc");
  config.learn_on = read.whole("learn_on", 0);
  if (config.fitc && config.inducing == 0) {
    fail(ErrorKind::usage, "gp: fitc is a way with inducing points; say how many by `inducing`");
  }
  if ((config.inducing > 0) + (config.nearest > 0) + (config.solver != Solver::automatic) > 1) {
    fail(ErrorKind::usage, "gp: `solver`, `inducing` and `nearest` are three ways; choose one of them");
  }
  if (config.learn_on == 1)
    fail(ErrorKind::usage, "gp: one point tells nothing to learn from; learn_on is 0 or more points");
  detail::read_learn_options(read, "gp", config);
  return config;
}

}  // namespace mercer
