#include "machines/processes/regression/fit.hpp"

#include <algorithm>
#include <cmath>

#include "base/at.hpp"
#include "base/fail.hpp"
#include "gram/assemble.hpp"
#include "machines/processes/process_options.hpp"
#include "machines/processes/regression/checks.hpp"
#include "machines/processes/regression/levels.hpp"
#include "machines/processes/regression/targets.hpp"
#include "machines/processes/scale.hpp"
#include "mercer/kernels.hpp"
#include "model/posterior/posterior.hpp"
#include "model/training.hpp"
#include "selection/blocks_held_out.hpp"
#include "selection/equal_points.hpp"

namespace mercer::detail {

namespace {

// The noise, relative to the spread of the targets: where learning starts, and how little there may be.
constexpr double kFirstNoise = 0.1, kLeastNoise = 1e-8;
// How many times the variance of the targets the scale of a kernel may be, or the other way round, to be begun with.
constexpr double kOtherUnits = 1e3;

ProcessData data_of(const GaussianProcess& config, const Training& training, const std::vector<Index>& rows) {
  const bool all = static_cast<Index>(rows.size()) == training.K.size();
  ProcessData out{.K = all ? training.K : select(training.K, rows)};
  if (training.K.kernel()) {
    require_plain(training.K);
    (void)training.K.diagonal();                // names the row where k overflows, which learning passes over
    out.x = training.K.points()->select(rows);  // a copy: borrowed points may go before the model does
  }
  out.y = Matrix::uninitialized(static_cast<Index>(rows.size()), training.y.cols());
  for (Index i = 0; i < out.y.rows(); ++i) {
    const Index row = rows[at(i)];
    std::copy_n(training.y.row(row), out.y.cols(), out.y.row(i));
    out.shape.push_back(training.weights.empty() ? 1 : 1 / training.weights[at(row)]);
    if (!config.point_noise.empty()) out.known.push_back(config.point_noise.at(at(row)));
  }
  if (config.mean == Trend::linear && (!out.x || out.x->domain().kind != "reals")) {
    fail(ErrorKind::domain, "gp: mean=linear needs inputs that are real vectors; use mean=constant");
  }
  out.H = out.x ? trend_basis(config.mean, *out.x, trend_centre(config.mean, *out.x))
                : Matrix(out.y.rows(), config.mean == Trend::constant ? 1 : 0, 1.0);
  return out;
}

Threads threads_for(const GaussianProcess& config, const Training& training) {
  if (!config.point_noise.empty() && static_cast<Index>(config.point_noise.size()) != training.K.size()) {
    fail(ErrorKind::shape, "gp: {} variances of noise for {} points", config.point_noise.size(), training.K.size());
  }
  return check_training("gp", Task::regression, training);
}

}  // namespace

ProcessFit::ProcessFit(const GaussianProcess& config, const Training& training)
    : threads_(threads_for(config, training)),
      config_(config),
      training_(training),
      rows_(weighted_points(training)),
      data_(data_of(config, training, rows_)),
      telling_(telling_targets(data_.y, config.mean)) {}

Model ProcessFit::run() {
  require_fit(config_, training_, data_, rows_);
  plan();
  Report report;
  std::optional<Kernel> kernel = training_.K.kernel();
  Vector values;
  for (const Extra& extra : extras_) values.push_back(extra.value);
  if (learns()) {
    const Learnt learnt = learn(report);
    if (kernel) kernel = learnt.kernel;
    values = learnt.extras;
  } else if (wants_to_learn()) {
    report.stopped = "nothing to learn: the target is constant";
  }
  if (wants_to_learn()) note_constants(report);
  return model(kernel, values, std::move(report));
}

std::vector<HeldOut> ProcessFit::hold_out(std::span<const Range> folds) {
  if (method_for(config_, data_) != Method::dense) return {};  // each fold by itself is less work
  require_fit(config_, training_, data_, rows_);
  plan();
  const double noise = extras_[0].value, signal = extras_[1].value;
  solve::Equations equations{.K = data_.K};
  for (const double shape : data_.shape) equations.shift.push_back(noise / signal * shape);
  const solve::Made made = solve::system_for(equations, {.method = Method::dense}, training_.how);
  if (!made.system) return {};
  std::vector<HeldOut> out;
  const auto found = leave_blocks_out(std::move(*made.system), data_.y, data_.H, folds, training_.how.monitor);
  for (std::size_t f = 0; f < found.size(); ++f) {
    HeldOut held{.values = found[f].residual};
    const Index count = held.values.rows(), targets = held.values.cols();
    if (data_.x) held.variances = Matrix::uninitialized(count, targets);
    for (Index i = 0; i < count; ++i) {
      for (Index t = 0; t < targets; ++t) {
        held.values(i, t) = data_.y(folds[f].begin + i, t) - held.values(i, t);
        if (data_.x) held.variances(i, t) = signal * found[f].variance[at(i)];
      }
    }
    out.push_back(std::move(held));
  }
  return out;
}

Evidence ProcessFit::evidence_at_start(bool gradient) {
  require_fit(config_, training_, data_, rows_);
  plan();
  if (profiled_ || !training_.K.kernel()) {
    fail(ErrorKind::usage, "log_marginal_likelihood: a kernel and a value of the signal are needed");
  }
  GaussianProcess likelihood = config_;
  likelihood.objective = GaussianProcess::Objective::lml;
  const std::unique_ptr<Approach> approach = approach_for(likelihood, data_, training_.how);
  Vector all;
  Evidence out;
  out.value = evidence(*approach)(training_.K.kernel()->resolve(*data_.x), Vector{extras_[0].value, extras_[1].value},
                                  gradient ? &all : nullptr);
  if (!gradient) return out;
  out.by_kernel.assign(all.begin(), all.end() - 2);
  out.by_noise = all[all.size() - 2];
  out.by_signal = all.back();
  return out;
}

void ProcessFit::note_constants(Report& report) const {
  const auto constants = static_cast<std::size_t>(data_.y.cols()) - telling_.size();
  if (constants == 0) return;
  report.notes.push_back(
      fmt::format("the target is constant{}, which says nothing about length scales, noise and signal{}",
                  telling_.empty() ? "" : fmt::format(" in {} of {} columns", constants, data_.y.cols()),
                  telling_.empty() ? ": they are as given, or as for a target of variance 1" : ""));
}

// Which numbers are learnt beside the kernel's.
void ProcessFit::plan() {
  const bool learning = learns();
  const double spread = learning ? spread_of(columns_of(data_.y, telling_), config_.mean) : 1;
  const bool own_scale = training_.K.kernel() && data_.y.cols() == 1 && detail::has_free_scale(*training_.K.kernel());
  const Learnable &noise = config_.noise, &signal = config_.signal;
  const bool bounded = noise.lower > 0 || std::isfinite(noise.upper) || signal.lower > 0 || std::isfinite(signal.upper);
  const bool believed = config_.priors.contains("noise") || config_.priors.contains("signal");
  const bool learns_signal = learning && !own_scale && !signal.fixed;
  profiled_ = learns_signal && !signal.value && !noise.fixed && !bounded && !believed && data_.known.empty();
  if (profiled_) {
    extras_ = {{.name = "noise",
                .value = noise.value ? *noise.value / spread : kFirstNoise,
                .lower = kLeastNoise,
                .shown = "noise / signal"}};
    return;
  }
  const double first_signal = signal.value ? *signal.value : learns_signal ? spread : 1;
  extras_ = {{"noise", noise.value.value_or(kFirstNoise * spread), noise.lower > 0 ? noise.lower : kLeastNoise * spread,
              noise.upper, noise.fixed || !learning},
             {"signal", first_signal, signal.lower, signal.upper, !learns_signal}};
}

Approach::At ProcessFit::at_values(std::optional<Kernel> kernel, VectorView extras) const {
  if (!data_.x) kernel.reset();
  if (profiled_) return {std::move(kernel), extras[0], std::nullopt};
  return {std::move(kernel), extras[0] / extras[1], extras[1]};
}

LogEvidence ProcessFit::evidence(Approach& approach) {
  return [this, &approach](const Kernel& k, VectorView extras, Vector* gradient) {
    last_ = at_values(k, extras);
    const Approach::Value v = approach.evaluate(*last_, gradient != nullptr);
    if (gradient == nullptr) return v.objective;
    *gradient = v.by_kernel;
    if (profiled_) {
      gradient->push_back(v.by_noise);
    } else {
      const double noise = extras[0], signal = extras[1];
      gradient->push_back(v.by_noise / signal);
      gradient->push_back(v.by_signal - v.by_noise * (noise / signal) / signal);
    }
    return v.objective;
  };
}

Learnt ProcessFit::learn(Report& report) {
  LearnProgress progress(training_.how.monitor);
  Execution how = training_.how;
  how.monitor = progress.evaluating();
  ProcessData data = data_;
  data.y = columns_of(data_.y, telling_);
  // In units of their own, a power of two, targets of any size are learnt from in the same steps.
  const double unit = profiled_ ? std::exp2(std::ilogb(std::sqrt(spread_of(data.y, config_.mean)))) : 1;
  for (Index i = 0; i < data.y.rows() * data.y.cols(); ++i) data.y.data()[i] /= unit;
  // A matrix of numbers has nothing to learn in it; any kernel without parameters stands for it.
  const Kernel start = in_units_of(data.y, training_.K.kernel().value_or(linear()), report);
  std::vector<std::unique_ptr<ProcessData>> some;
  std::vector<std::unique_ptr<Approach>> approaches;
  std::vector<LearnLevel> levels;
  const Index n = data.y.rows();
  for (const LevelPlan& level : level_plans(config_, n)) {
    some.push_back(std::make_unique<ProcessData>(
        level.points == n ? data : data.select(some_points(n, level.points, config_.seed))));
    approaches.push_back(approach_for(level.config, *some.back(), how));
    levels.push_back({static_cast<double>(level.points), evidence(*approaches.back())});
  }
  const Index last = some.back()->y.rows();
  LearnOptions options = learn_options_of(config_);
  options.improved = [&] {
    best_ = approaches.back()->solution_so_far(*last_);
    if (last < n) best_.centres = some.back()->x;
    best_.multiply_targets(unit, last);
  };
  options.whole_decides = config_.inducing == 0;  // these have too little to say of short lengths
  Learnt out = detail::learn("gp", start, extras_, levels, options, progress.learning(), report);
  if (last < n) {
    const bool interrupted = report.stopped == "interrupted";
    report.notes.push_back(
        fmt::format("learnt from {} of the {} points; {}", last, n,
                    interrupted ? "the model is of these" : "mean, variance and evidence are of all"));
  }
  return out;
}

// Where the kernel has a scale of its own, the number given is where learning begins; of targets in units so far from
// it that no search would get there, it begins at their variance.
Kernel ProcessFit::in_units_of(const Matrix& y, const Kernel& k, Report& report) const {
  const bool own_scale = training_.K.kernel() && y.cols() == 1 && detail::has_free_scale(k);
  if (profiled_ || !own_scale || !config_.priors.empty()) return k;
  double mean = 0;
  const Vector diagonal = mercer::diagonal(k, *data_.x);
  for (const double d : diagonal) mean += d / static_cast<double>(diagonal.size());
  const double ratio = spread_of(y, config_.mean) / mean;
  if (!(mean > 0) || !(ratio > 0) || (ratio < kOtherUnits && ratio > 1 / kOtherUnits)) return k;
  const std::optional<Kernel> other = rescaled(k, std::exp2(std::ilogb(ratio)));
  if (!other) return k;
  report.notes.push_back(fmt::format(
      "the scale of the kernel was far from the variance of the target: learning began at {}", other->str()));
  return *other;
}

Model ProcessFit::model(const std::optional<Kernel>& kernel, const Vector& values, Report report) {
  // Who stops the search has no time for more: the solution is that of the best place it saw.
  const bool interrupted = report.stopped == "interrupted";
  Execution how = training_.how;
  // Of neighbours one pass more is as little as any step of the search was.
  const bool as_seen = interrupted && config_.nearest == 0;
  if (interrupted) how.monitor = {};
  const Approach::At where = at_values(kernel, values);
  Approach::Solution s = as_seen ? of_all_targets(best_, where) : approach_for(config_, data_, how)->solve(where);
  const Index targets = data_.y.cols();

  Expansion::Parts f;
  if (data_.x) {
    f.kernel = kernel;
    f.centres = s.centres ? s.centres : data_.x;
  } else {
    const Matrix product = data_.K.multiply(s.alpha.view());
    f.squared_norms.assign(at(targets), 0.0);
    for (Index i = 0; i < product.rows(); ++i) {
      for (Index t = 0; t < targets; ++t) f.squared_norms[at(t)] += s.alpha(i, t) * product(i, t);
    }
  }
  if (!s.centres) f.support = rows_;
  f.training_size = training_.K.size();
  f.bias.assign(at(targets), 0.0);
  if (s.b.rows() > 0) {
    f.bias = trend_bias(s.b, data_.x ? trend_centre(config_.mean, *data_.x) : Vector());
  }
  if (config_.mean == Trend::linear) f.slope = Matrix(s.b.view().block({1, s.b.rows()}, {0, targets}));
  f.alpha = std::move(s.alpha);

  report.add("log_marginal_likelihood", s.log_likelihood.low);
  if (!s.log_likelihood.exact() && std::isfinite(s.log_likelihood.high))
    report.add("log_marginal_likelihood_at_most", s.log_likelihood.high);
  Vector noise;
  for (Index t = 0; t < targets; ++t) {
    const std::string which = targets == 1 ? "" : fmt::format("[{}]", t + 1);
    noise.push_back(profiled_ ? where.noise * s.signal[at(t)] : values[0]);
    report.add("signal" + which, s.signal[at(t)]);
    report.add("noise" + which, noise.back());
  }
  for (const Report::Figure& figure : s.figures) report.add(figure.name, figure.value);
  const std::optional<double> neighbours = report.figure("neighbours");
  std::ranges::move(s.notes, std::back_inserter(report.notes));

  Model::Parts parts = parts_of("gp", training_, Expansion(std::move(f)), Reading::value);
  if (config_.solver == GaussianProcess::Solver::iterative) parts.settings["solver"] = "iterative";
  // Asked for more neighbours than there are points, it is a model of all of them.
  if (neighbours && *neighbours < static_cast<double>(config_.nearest)) {
    parts.settings["nearest"] = fmt::format("{:.0f}", std::max(*neighbours, 1.0));
  }
  if (s.posterior) {
    parts.posterior = std::move(s.posterior);
    parts.posterior->trend = config_.mean;
    parts.posterior->signal = s.signal;
    parts.posterior->noise = noise;
  }
  parts.report = std::move(report);
  Model m(std::move(parts));
  if (!config_.loo || interrupted) return m;
  const double density = leave_one_out(m, data_.y, how).log_density;
  const Counted counted = count_points(training_, first_equal(training_.K));
  return std::move(m).with([&](Model::Parts& p) {
    p.report.add("leave_one_out_log_density", density);
    if (counted.some_equal()) p.report.notes.push_back(left_out_together(counted));
  });
}

// From the targets that were learnt from: a constant one is its mean function.
Approach::Solution ProcessFit::of_all_targets(const Approach::Solution& s, const Approach::At& where) const {
  const Index targets = data_.y.cols();
  Approach::Solution out = s;
  out.alpha = Matrix(s.alpha.rows(), targets);
  out.b = Matrix(s.b.rows(), targets);
  out.signal.assign(at(targets), where.signal.value_or(std::numeric_limits<double>::min()));
  for (Index t = 0; t < targets && s.b.rows() > 0; ++t) out.b(0, t) = data_.y(0, t);
  for (std::size_t k = 0; k < telling_.size(); ++k) {
    const Index t = telling_[k], from = static_cast<Index>(k);
    for (Index i = 0; i < s.alpha.rows(); ++i) out.alpha(i, t) = s.alpha(i, from);
    for (Index i = 0; i < s.b.rows(); ++i) out.b(i, t) = s.b(i, from);
    out.signal[at(t)] = s.signal[k];
  }
  return out;
}

}  // namespace mercer::detail
