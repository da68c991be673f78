#include "mercer/machines/gp.hpp"

#include <algorithm>
#include <cmath>

#include "base/at.hpp"
#include "base/fail.hpp"
#include "base/text.hpp"
#include "centres/pass.hpp"
#include "gram/assemble.hpp"
#include "machines/catalog_rows.hpp"
#include "machines/processes/approach.hpp"
#include "machines/processes/line_kernels.hpp"
#include "machines/processes/process_options.hpp"
#include "machines/processes/scale.hpp"
#include "mercer/kernels.hpp"
#include "model/needs.hpp"
#include "model/posterior/posterior.hpp"
#include "model/training.hpp"
#include "points/distinct.hpp"
#include "selection/blocks_held_out.hpp"
#include "selection/equal_points.hpp"
#include "selection/first_kernel.hpp"
#include "state_space/line.hpp"

namespace mercer {

namespace {

using detail::Approach;
using detail::Extra;
using detail::LogEvidence;
using detail::ProcessData;

// The noise, relative to the spread of the targets: where learning starts, and how little there may be.
constexpr double kFirstNoise = 0.1, kLeastNoise = 1e-8;
// Beyond so many points learning from all of them takes long, and a part of them tells nearly as much.
constexpr Index kLearntFrom = 2500;
// With inducing points, starts are compared and followed on all pairs of so many points.
constexpr Index kAllPairs = 1600;
// How many times the variance of the targets the scale of a kernel may be, or the other way round, to be begun with.
constexpr double kOtherUnits = 1e3;
// Neighbours that may be asked for.
constexpr Index kMostNearest = 500;

// Of n x n numbers: A, which becomes its factor and its inverse; leave-one-out takes a product of it beside, and half
// of one more where points are equal.
constexpr int kEqualLeftOut = 3;
int matrices_of(const GaussianProcess& config) { return config.objective == GaussianProcess::Objective::loo ? 2 : 1; }

// As a rule: evaluations of all points, and of some from each start; and with inducing points.
constexpr double kEvaluations = 40, kScreened = 25, kInducingEvaluations = 40;
// Of n m^2 flops: an evaluation with its derivatives, and what a fit ends with.
constexpr double kOfAnEvaluation = 5, kOfTheEnd = 4;

Needs needs_by_inducing(const GaussianProcess& config, const Extent& extent) {
  const bool learns = config.objective != GaussianProcess::Objective::none;
  const auto n = static_cast<double>(extent.weighted), m = static_cast<double>(config.inducing);
  const double evaluations = learns ? kInducingEvaluations : 0;
  const auto looked_at = static_cast<double>(std::min(extent.weighted, most_looked_at(config.inducing)));
  const auto some = static_cast<double>(learns ? std::min(extent.weighted, kAllPairs) : 0);
  const auto numbers_of_a_row = static_cast<double>(6 * extent.outputs + 2 * extent.dimension + 8);
  return {.form = Form::lazy,
          .solver = learns ? "inducing points at each step of learning" : "inducing points",
          .size = extent.weighted,
          .beside = {{"what inducing points know", sizeof(double) * 16 * m * (m + static_cast<double>(centres::kTall))},
                     {"choosing them", sizeof(double) * m * (looked_at + m)},
                     {"some points, all pairs of them", sizeof(double) * some * some},
                     {"vectors", sizeof(double) * numbers_of_a_row * n}},
          .pairs = (4 * evaluations + 5) * n * m + m * looked_at,
          .flops = (kOfAnEvaluation * evaluations + kOfTheEnd) * n * m * m + 3 * m * m * looked_at +
                   kEvaluations * some * some * some,
          .why = fmt::format("{} inducing points stand for all", config.inducing),
          .approximates =
              fmt::format("K by what {} inducing points say of it, K(X, Z) K(Z, Z)^-1 K(Z, X)", config.inducing)};
}

// Neighbours in 32 bits each, and what is known of each point: its conditional mean and variance.
Needs needs_of_nearest(const GaussianProcess& config, const Extent& extent) {
  const double n = static_cast<double>(extent.weighted),
               K = static_cast<double>(std::min(config.nearest, extent.weighted));
  const double evaluations = config.objective == GaussianProcess::Objective::none ? 2 : 80;
  Needs out;
  out.solver = fmt::format("{} nearest neighbours of each point{}", config.nearest,
                           evaluations > 2 ? " at each step of learning" : "");
  out.beside = {{"neighbours", n * 12 * K},
                {"conditional means and variances", n * 8 * static_cast<double>(4 * extent.outputs + 8)}};
  out.pairs = 3 * evaluations * n * K * K;  // twice for the value, and derivatives
  out.flops = evaluations * n * K * K * K;
  return out;
}

// Gains and covariances of the filter, and a few vectors beside them; flops as measured.
Needs along_the_line(const GaussianProcess& config, const Extent& extent) {
  const auto n = static_cast<double>(extent.weighted), states = static_cast<double>(extent.states);
  const double evaluations = config.objective == GaussianProcess::Objective::none ? 1 : 40;
  return {.form = Form::lazy,
          .solver = fmt::format("a Kalman filter of {} states", extent.states),
          .size = extent.weighted,
          .beside = {{"what the filter keeps of each point", sizeof(double) * n * (2 * states + 30)}},
          .flops = evaluations * n * (1e3 + 100 * states * states),
          .why = "k has a state space on one column: time and memory grow as n"};
}

Needs needs_of(const GaussianProcess& config, const Extent& extent) {
  const Index n = extent.weighted;
  if (config.inducing > 0) return needs_by_inducing(config, extent);
  if (config.nearest > 0) return needs_of_nearest(config, extent);
  if (detail::method_of(config, n, extent.states) == Method::state_space) return along_the_line(config, extent);
  if (config.objective == GaussianProcess::Objective::none) {
    return detail::by_all_pairs(n, matrices_of(config), "Cholesky", 1.0 / 3);
  }
  const Index learnt_from = config.learn_on > 0 ? std::min(n, config.learn_on) : n;
  const auto some = static_cast<double>(std::min(n, config.screen)), starts = static_cast<double>(config.starts);
  const bool leaves_out = config.objective == GaussianProcess::Objective::loo;
  Needs out = detail::by_all_pairs(n, leaves_out ? kEqualLeftOut : matrices_of(config),
                                   "Cholesky at each step of learning", kEvaluations);
  out.least = matrices_of(config);
  out.pairs *= 2 * kEvaluations;  // derivatives cost as much as values
  if (learnt_from < n) {
    const double share = static_cast<double>(learnt_from) / static_cast<double>(n), all = static_cast<double>(n);
    out.pairs = out.pairs * share * share + all * (all + 1) / 2;
    out.flops = out.flops * share * share * share + all * all * all / 3;
    out.solver = "Cholesky, at each step of learning for some of the points";
    out.approximates = fmt::format("what is learnt, from {} of the points", learnt_from);
  }
  if (config.starts > 1) out.flops += starts * kScreened * some * some * some;
  return out;
}

// The mean over the targets of their variance, or of their square where the mean function is zero.
double spread_of(const Matrix& y, Trend mean) {
  double total = 0;
  for (Index t = 0; t < y.cols(); ++t) {
    double sum = 0, squares = 0;
    for (Index i = 0; i < y.rows(); ++i) sum += y(i, t);
    const double centre = mean == Trend::none ? 0 : sum / static_cast<double>(y.rows());
    for (Index i = 0; i < y.rows(); ++i) squares += (y(i, t) - centre) * (y(i, t) - centre);
    total += squares / static_cast<double>(y.rows() * y.cols());
  }
  return total;
}

void require_something_to_learn(const Matrix& y) {
  if (y.rows() > 1) return;
  fail(ErrorKind::data,
       "gp: one point says nothing about length scales and noise; give more points, or fix the noise and use "
       "objective=none");
}

// The targets that the mean function alone does not explain: only these tell of length scales, noise and signal.
std::vector<Index> telling_targets(const Matrix& y, Trend mean) {
  std::vector<Index> out;
  for (Index t = 0; t < y.cols(); ++t) {
    const double level = mean == Trend::none ? 0 : y(0, t);
    bool constant = true;
    for (Index i = 0; i < y.rows() && constant; ++i) constant = y(i, t) == level;
    if (!constant) out.push_back(t);
  }
  return out;
}

Matrix columns_of(const Matrix& m, const std::vector<Index>& which) {
  Matrix out = Matrix::uninitialized(m.rows(), static_cast<Index>(which.size()));
  for (Index i = 0; i < m.rows(); ++i) {
    for (Index t = 0; t < out.cols(); ++t) out(i, t) = m(i, which[at(t)]);
  }
  return out;
}

[[noreturn]] void fail_two_values(Index row, Index other, double y, double z) {
  fail(ErrorKind::data,
       "gp: rows {} and {} have the same inputs and the targets {} and {}: without noise no function passes "
       "through both; give a noise above 0, or leave one of the rows out",
       row + 1, other + 1, y, z);
}

// Points of the same content, where not all pairs are looked at.
void require_one_value_per_point(const ProcessData& data, const std::vector<Index>& rows) {
  const std::vector<Index> equal_to = first_equal(*data.x);
  for (Index i = 0; i < data.y.rows(); ++i) {
    const Index j = equal_to[at(i)];
    const bool noiseless = data.known.empty() || (data.known[at(i)] == 0 && data.known[at(j)] == 0);
    for (Index t = 0; t < data.y.cols() && noiseless; ++t) {
      if (data.y(i, t) != data.y(j, t)) fail_two_values(rows[at(j)], rows[at(i)], data.y(j, t), data.y(i, t));
    }
  }
}

// Without noise, two targets at one place contradict each other: what the kernel cannot tell apart is one place.
void require_one_value_per_place(const ProcessData& data, const std::vector<Index>& rows, const Execution& how) {
  Matrix K = Matrix::uninitialized(data.y.rows(), data.y.rows());
  data.K.fill(K, how);
  for (Index i = 0; i < K.rows(); ++i) {
    for (Index j = 0; j < i; ++j) {
      const bool noiseless = data.known.empty() || (data.known[at(i)] == 0 && data.known[at(j)] == 0);
      if (!noiseless || K(i, i) + K(j, j) - 2 * K(i, j) > 1e-14 * (K(i, i) + K(j, j))) continue;
      for (Index t = 0; t < data.y.cols(); ++t) {
        if (data.y(i, t) == data.y(j, t)) continue;
        fail_two_values(rows[at(j)], rows[at(i)], data.y(j, t), data.y(i, t));
      }
    }
  }
}

class Fit {
 public:
  Fit(const GaussianProcess& config, const Training& training)
      : config_(config),
        training_(training),
        rows_(detail::weighted_points(training)),
        data_(data()),
        telling_(telling_targets(data_.y, config.mean)) {}

  Model run() {
    check();
    plan();
    Report report;
    std::optional<Kernel> kernel = training_.K.kernel();
    Vector values;
    for (const Extra& extra : extras_) values.push_back(extra.value);
    if (learns()) {
      const detail::Learnt learnt = learn(report);
      if (kernel) kernel = learnt.kernel;
      values = learnt.extras;
    } else if (wants_to_learn()) {
      report.stopped = "nothing to learn: the target is constant";
    }
    if (wants_to_learn()) note_constants(report);
    return model(kernel, values, std::move(report));
  }

  // Where nothing is learnt and no point has weight 0: each range of points predicted from all others.
  std::vector<HeldOut> hold_out(std::span<const Range> folds) {
    if (detail::method_for(config_, data_) == Method::state_space) return {};  // each fold by itself is less work
    check();
    plan();
    const double noise = extras_[0].value, signal = extras_[1].value;
    solve::Equations equations{.K = data_.K};
    for (const double shape : data_.shape) equations.shift.push_back(noise / signal * shape);
    const solve::Made made = solve::system_for(equations, {.method = Method::dense}, training_.how);
    if (!made.system) return {};
    std::vector<HeldOut> out;
    const auto found =
        detail::leave_blocks_out(std::move(*made.system), data_.y, data_.H, folds, training_.how.monitor);
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

  Evidence evidence_at_start(bool gradient) {
    check();
    plan();
    if (profiled_ || !training_.K.kernel()) {
      fail(ErrorKind::usage, "log_marginal_likelihood: a kernel and a value of the signal are needed");
    }
    GaussianProcess likelihood = config_;
    likelihood.objective = GaussianProcess::Objective::lml;
    const std::unique_ptr<Approach> approach = detail::approach_for(likelihood, data_, training_.how);
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

 private:
  ProcessData data() const {
    const bool all = static_cast<Index>(rows_.size()) == training_.K.size();
    ProcessData out{.K = all ? training_.K : select(training_.K, rows_)};
    if (training_.K.kernel()) {
      detail::require_plain(training_.K);
      (void)training_.K.diagonal();                 // names the row where k overflows, which learning passes over
      out.x = training_.K.points()->select(rows_);  // a copy: borrowed points may go before the model does
    }
    out.y = Matrix::uninitialized(static_cast<Index>(rows_.size()), training_.y.cols());
    for (Index i = 0; i < out.y.rows(); ++i) {
      const Index row = rows_[at(i)];
      std::copy_n(training_.y.row(row), out.y.cols(), out.y.row(i));
      out.shape.push_back(training_.weights.empty() ? 1 : 1 / training_.weights[at(row)]);
      if (!config_.point_noise.empty()) out.known.push_back(config_.point_noise.at(at(row)));
    }
    if (config_.mean == Trend::linear && (!out.x || out.x->domain().kind != "reals")) {
      fail(ErrorKind::domain, "gp: mean=linear needs inputs that are real vectors; use mean=constant");
    }
    out.H = out.x ? detail::trend_basis(config_.mean, *out.x, detail::trend_centre(config_.mean, *out.x))
                  : Matrix(out.y.rows(), config_.mean == Trend::constant ? 1 : 0, 1.0);
    return out;
  }

  void note_constants(Report& report) const {
    const auto constants = static_cast<std::size_t>(data_.y.cols()) - telling_.size();
    if (constants == 0) return;
    report.notes.push_back(
        fmt::format("the target is constant{}, which says nothing about length scales, noise and signal{}",
                    telling_.empty() ? "" : fmt::format(" in {} of {} columns", constants, data_.y.cols()),
                    telling_.empty() ? ": they are as given, or as for a target of variance 1" : ""));
  }

  detail::Counted count_equals() const { return detail::count_points(training_, detail::first_equal(training_.K)); }

  bool wants_to_learn() const { return config_.objective != GaussianProcess::Objective::none; }
  bool learns() const { return wants_to_learn() && !telling_.empty(); }

  void check() const {
    if (config_.solver == GaussianProcess::Solver::state_space) require_state_space();
    if (config_.inducing > 0) {
      check_inducing();
    } else if (config_.nearest > 0) {
      check_nearest();
    } else if (by_pairs()) {
      check_memory();
    }
    check_values();
  }

  bool by_pairs() const {
    return config_.inducing == 0 && config_.nearest == 0 && detail::method_for(config_, data_) == Method::dense;
  }

  void check_nearest() const {
    if (config_.nearest > kMostNearest) {
      fail(ErrorKind::usage, "gp: nearest={}; more than {} neighbours of each point take longer than the exact process",
           config_.nearest, kMostNearest);
    }
    if (!data_.x) {
      fail(ErrorKind::usage, "gp: nearest={} needs points and a kernel, not a matrix of numbers; leave it away",
           config_.nearest);
    }
    if (config_.objective == GaussianProcess::Objective::loo || config_.loo) {
      fail(ErrorKind::usage,
           "gp: with nearest={} the leave-one-out density is not computed; use objective=lml without loo",
           config_.nearest);
    }
  }

  void check_memory() const {
    const bool some_equal = matrices_of(config_) > 1 && count_equals().some_equal();
    detail::require_matrices("gp", training_, static_cast<Index>(rows_.size()),
                             some_equal ? kEqualLeftOut : matrices_of(config_));
  }

  void check_values() const {
    const bool learning = wants_to_learn();
    if (!config_.point_noise.empty()) {
      for (const double v : config_.point_noise) {
        if (!(v >= 0) || std::isinf(v)) fail(ErrorKind::data, "gp: the noise of a point is {}; it must be >= 0", v);
      }
    }
    const std::optional<double> noise = config_.noise.value;
    if (noise && (!(*noise >= 0) || std::isinf(*noise))) {
      fail(ErrorKind::usage, "gp: the noise is a variance, 0 or more, not {}", *noise);
    }
    if (learning && noise && *noise == 0 && !config_.noise.fixed) {
      fail(ErrorKind::usage,
           "gp: noise=0 is no place to start from; write noise=fixed(0) for none at all, or a start above 0");
    }
    if (!learning && !noise) fail(ErrorKind::usage, "gp: with objective=none nothing is learnt, so give the noise");
    if (config_.signal.value && !(*config_.signal.value > 0)) {
      fail(ErrorKind::usage, "gp: the signal is a variance above 0, not {}", *config_.signal.value);
    }
    if (learning) require_something_to_learn(data_.y);
    if (noise && *noise == 0 && by_pairs()) {
      require_one_value_per_place(data_, rows_, training_.how);
    } else if (noise && *noise == 0 && data_.x) {
      require_one_value_per_point(data_, rows_);
    }
  }

  void check_inducing() const {
    if (!data_.x) {
      fail(ErrorKind::usage, "gp: inducing points need a kernel, and K was given as numbers; fit without `inducing`");
    }
    if (config_.inducing > data_.y.rows()) {
      fail(ErrorKind::usage, "gp: {} inducing points of {} that count; choose at most all", config_.inducing,
           data_.y.rows());
    }
    if (config_.objective == GaussianProcess::Objective::loo || config_.loo) {
      fail(ErrorKind::usage,
           "gp: inducing points know no leave-one-out density; fit without `inducing`, or without it");
    }
    const bool noiseless = config_.noise.value && *config_.noise.value == 0;
    if (noiseless && (data_.known.empty() || *std::min_element(data_.known.begin(), data_.known.end()) <= 0)) {
      fail(ErrorKind::usage,
           "gp: inducing points need noise, and it is 0; give a noise above 0, or fit without `inducing`");
    }
  }

  void require_state_space() const {
    if (config_.objective == GaussianProcess::Objective::loo) {
      fail(ErrorKind::usage, "gp: objective=loo is learnt by all pairs; use solver=dense, or objective=lml");
    }
    solve::require_state_space(data_.K);
  }

  // Which numbers are learnt beside the kernel's.
  void plan() {
    const bool learning = learns();
    const double spread = learning ? spread_of(columns_of(data_.y, telling_), config_.mean) : 1;
    const bool own_scale = training_.K.kernel() && data_.y.cols() == 1 && detail::has_free_scale(*training_.K.kernel());
    const Learnable &noise = config_.noise, &signal = config_.signal;
    const bool bounded =
        noise.lower > 0 || std::isfinite(noise.upper) || signal.lower > 0 || std::isfinite(signal.upper);
    const bool believed = config_.priors.contains("noise") || config_.priors.contains("signal");
    const bool learns_signal = learning && !own_scale && !signal.fixed;
    profiled_ = learns_signal && !signal.value && !noise.fixed && !bounded && !believed && data_.known.empty();
    if (profiled_) {
      extras_ = {{"noise", noise.value ? *noise.value / spread : kFirstNoise, kLeastNoise}};
      return;
    }
    const double first_signal = signal.value ? *signal.value : learns_signal ? spread : 1;
    extras_ = {{"noise", noise.value.value_or(kFirstNoise * spread),
                noise.lower > 0 ? noise.lower : kLeastNoise * spread, noise.upper, noise.fixed || !learning},
               {"signal", first_signal, signal.lower, signal.upper, !learns_signal}};
  }

  Approach::At at_values(std::optional<Kernel> kernel, VectorView extras) const {
    if (!data_.x) kernel.reset();
    if (profiled_) return {std::move(kernel), extras[0], std::nullopt};
    return {std::move(kernel), extras[0] / extras[1], extras[1]};
  }

  LogEvidence evidence(Approach& approach) {
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

  detail::Learnt learn(Report& report) {
    detail::LearnProgress progress(training_.how.monitor);
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
    std::vector<detail::LearnLevel> levels;
    const Index n = data.y.rows();
    for (const LevelPlan& level : level_plans(n)) {
      some.push_back(std::make_unique<ProcessData>(
          level.points == n ? data : data.select(detail::some_points(n, level.points, config_.seed))));
      approaches.push_back(detail::approach_for(level.config, *some.back(), how));
      levels.push_back({static_cast<double>(level.points), evidence(*approaches.back())});
    }
    const Index last = some.back()->y.rows();
    detail::LearnOptions options = detail::learn_options_of(config_);
    options.improved = [&] {
      best_ = approaches.back()->solution_so_far(*last_);
      if (last < n) best_.centres = some.back()->x;
      best_.multiply_targets(unit, last);
    };
    options.whole_decides = config_.inducing == 0;  // these have too little to say of short lengths
    detail::Learnt out = detail::learn("gp", start, extras_, levels, options, progress.learning(), report);
    if (last < n) {
      const bool interrupted = report.stopped == "interrupted";
      report.notes.push_back(
          fmt::format("learnt from {} of the {} points; {}", last, n,
                      interrupted ? "the model is of these" : "mean, variance and evidence are of all"));
    }
    return out;
  }

  // From few points to as many as are learnt from. With inducing points: all pairs of some points, then these for a
  // part of the points and for all, chosen again for what was learnt.
  struct LevelPlan {
    Index points;
    GaussianProcess config;
  };
  std::vector<LevelPlan> level_plans(Index n) const {
    GaussianProcess all_pairs = config_;
    all_pairs.inducing = 0;
    const bool inducing = config_.inducing > 0;
    const Index most = inducing ? std::min(n, kAllPairs) : config_.learn_on > 0 ? std::min(n, config_.learn_on) : n;
    std::vector<LevelPlan> out;
    if (!inducing || config_.starts > 1) {
      for (const Index points : detail::level_sizes(most, config_.starts == 1 ? most : config_.screen)) {
        // Few points have their exact evidence for less than that of neighbours.
        if (points < most && points <= config_.screen) all_pairs.nearest = 0;
        out.push_back({points, all_pairs});
        all_pairs.nearest = config_.nearest;
      }
    }
    // All points again, with the neighbours of what was found.
    if (config_.nearest > 0 && out.size() > 1) out.push_back({out.back().points, config_});
    if (!inducing) return out;
    constexpr Index kPart = 4;
    if (config_.starts > 1 && n / kPart > 2 * std::max(kAllPairs, config_.inducing))
      out.push_back({n / kPart, config_});
    out.push_back({n, config_});
    if (config_.inducing < n) out.push_back({n, config_});
    return out;
  }

  // Where the kernel has a scale of its own, the number given is where learning begins; of targets in units so far from
  // it that no search would get there, it begins at their variance.
  Kernel in_units_of(const Matrix& y, const Kernel& k, Report& report) const {
    const bool own_scale = training_.K.kernel() && y.cols() == 1 && detail::has_free_scale(k);
    if (profiled_ || !own_scale || !config_.priors.empty()) return k;
    double mean = 0;
    const Vector diagonal = mercer::diagonal(k, *data_.x);
    for (const double d : diagonal) mean += d / static_cast<double>(diagonal.size());
    const double ratio = spread_of(y, config_.mean) / mean;
    if (!(mean > 0) || !(ratio > 0) || (ratio < kOtherUnits && ratio > 1 / kOtherUnits)) return k;
    const std::optional<Kernel> other = detail::rescaled(k, std::exp2(std::ilogb(ratio)));
    if (!other) return k;
    report.notes.push_back(fmt::format(
        "the scale of the kernel was far from the variance of the target: learning began at {}", other->str()));
    return *other;
  }

  Model model(const std::optional<Kernel>& kernel, const Vector& values, Report report) {
    // Who stops the search has no time for more: the solution is that of the best place it saw.
    const bool interrupted = report.stopped == "interrupted";
    Execution how = training_.how;
    // Of neighbours one pass more is as little as any step of the search was.
    const bool as_seen = interrupted && config_.nearest == 0;
    if (interrupted) how.monitor = {};
    const Approach::At where = at_values(kernel, values);
    Approach::Solution s =
        as_seen ? of_all_targets(best_, where) : detail::approach_for(config_, data_, how)->solve(where);
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
      f.bias = detail::trend_bias(s.b, data_.x ? detail::trend_centre(config_.mean, *data_.x) : Vector());
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
    std::ranges::move(s.notes, std::back_inserter(report.notes));

    Model::Parts parts = detail::parts_of("gp", training_, Expansion(std::move(f)), Reading::value);
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
    const detail::Counted counted = count_equals();
    return std::move(m).with([&](Model::Parts& p) {
      p.report.add("leave_one_out_log_density", density);
      if (counted.some_equal()) p.report.notes.push_back(detail::left_out_together(counted));
    });
  }

  // From the targets that were learnt from: a constant one is its mean function.
  Approach::Solution of_all_targets(const Approach::Solution& s, const Approach::At& where) const {
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

  const GaussianProcess& config_;
  const Training& training_;
  std::vector<Index> rows_;  // points of positive weight
  ProcessData data_;
  std::vector<Index> telling_;  // targets that there is something to learn from
  std::vector<Extra> extras_;
  bool profiled_ = false;             // the signal is at its best value given the rest
  std::optional<Approach::At> last_;  // evaluated
  Approach::Solution best_{};         // of learning so far
};

Threads check_training(const GaussianProcess& gp, const Training& training) {
  if (!gp.point_noise.empty() && static_cast<Index>(gp.point_noise.size()) != training.K.size()) {
    fail(ErrorKind::shape, "gp: {} variances of noise for {} points", gp.point_noise.size(), training.K.size());
  }
  return detail::check_training("gp", Task::regression, training);
}

}  // namespace

Model GaussianProcess::fit(const Training& training) const {
  const Threads threads = check_training(*this, training);
  return Fit(*this, training).run();
}

Model GaussianProcess::fit(const Gram& K, VectorView y) const { return fit(detail::training_on(K, y)); }

Evidence log_marginal_likelihood(const Kernel& k, const Points& x, VectorView y, double noise, bool gradient,
                                 const Execution& how) {
  const Threads threads(how.threads);
  if (static_cast<Index>(y.size()) != x.size()) {
    fail(ErrorKind::shape, "log_marginal_likelihood: {} targets for {} points", y.size(), x.size());
  }
  const Kernel resolved = k.resolve(x);
  const ProcessData data{.K = lazy(resolved, x),
                         .x = x,
                         .y = Matrix(MatrixView(y.data(), x.size(), 1)),
                         .H = Matrix(x.size(), 0),
                         .shape = Vector(y.size(), 1.0)};
  const Approach::Value v = detail::approach_for({}, data, how)->evaluate({resolved, noise, 1.0}, gradient);
  return {v.objective, v.by_kernel, v.by_noise};
}

Evidence log_marginal_likelihood(const GaussianProcess& gp, const Training& training, bool gradient) {
  const Threads threads = check_training(gp, training);
  return Fit(gp, training).evidence_at_start(gradient);
}

bool has_free_scale(const Kernel& k) { return detail::has_free_scale(k); }

GaussianProcess GaussianProcess::from(const Settings& settings) {
  const detail::SettingsReader read(machine("gp"), settings);
  GaussianProcess config{.noise = Learnable::parse("noise", read.text("noise")),
                         .signal = Learnable::parse("signal", read.text("signal"))};
  config.mean = static_cast<Trend>(read.choice("mean", {"zero", "constant", "linear"}));
  config.objective = static_cast<Objective>(read.choice("objective", {"lml", "loo", "none"}));
  config.nearest = read.whole("nearest", 0);
  config.solver = static_cast<Solver>(read.choice("solver", {"auto", "dense", "state_space"}));
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

namespace {

// One length scale or one for each column: more of them fit any training set better, and the evidence of noisy columns
// too; points held out tell.
Choosing choosing(const Settings& given, const Training* training) {
  const bool one_column = training != nullptr && training->K.points() && training->K.points()->domain().dimension == 1;
  if (given.contains("objective") || given.contains("prior")) return {};
  if (one_column) {
    const bool in_order = !given.contains("inducing") && !given.contains("nearest") && !given.contains("solver");
    return in_order && detail::is_long_line(*training->K.points()) ? detail::kernels_along_a_line(*training) : Choosing{};
  }
  Choosing plan{.metric = "rmse", .kernels = {"rbf(ell=auto)"}, .folds = 1, .most = 600};
  plan.while_trying = {{"inducing", "0"}, {"fitc", "false"}, {"nearest", "0"}};  // of few points there is no need
  if (!given.contains("starts")) plan.while_trying["starts"] = "4";
  return plan;
}

bool learns_nothing(const Settings& settings) {
  const auto given = settings.find("objective");
  return given != settings.end() && given->second == "none";
}

bool is_given(const Settings& settings, const char* option) {
  const auto given = settings.find(option);
  return given != settings.end() && given->second != "0";
}

// Where nothing is learnt, points are held out in closed form, if it is one of all pairs.
bool solves_all_pairs(const Settings& settings) {
  return learns_nothing(settings) && !is_given(settings, "inducing") && !is_given(settings, "nearest");
}

constexpr double kGuessedShare = 0.05;  // of the targets' variance, taken for noise

// Where nothing is learnt, the noise has to be told.
Settings guesses(const Settings& given, const Training& training) {
  if (!learns_nothing(given) || given.contains("noise")) return {};
  const Matrix& y = training.y;
  double mean = 0, squares = 0;
  for (Index i = 0; i < y.rows(); ++i) mean += y(i, 0) / static_cast<double>(y.rows());
  for (Index i = 0; i < y.rows(); ++i) squares += (y(i, 0) - mean) * (y(i, 0) - mean);
  const double variance = y.rows() > 0 && squares > 0 ? squares / static_cast<double>(y.rows()) : 1;
  Settings out = {{"noise", fmt::format("{:.3g}", kGuessedShare * variance)}};
  if (!given.contains("signal")) out["signal"] = fmt::format("{:.3g}", variance);
  return out;
}

// Points of weight 0 are not in the model, which then does not say who the others are.
std::optional<HeldOut> each_left_out(const Model& model, const Training& training) {
  const bool of_all_pairs = model.has_posterior() && model.posterior().kind == Posterior::Kind::process;
  if (!of_all_pairs || model.expansion().size() != training.y.rows()) return std::nullopt;
  LeaveOneOut found = leave_one_out(model, training.y, training.how);
  return HeldOut{.values = std::move(found.mean), .variances = std::move(found.variance)};
}

std::vector<Report::Figure> learnt(const Model& model) {
  const auto fixed = [&](const char* name) {
    const auto given = model.parts().settings.find(name);
    return given != model.parts().settings.end() && given->second.starts_with("fixed");
  };
  std::vector<Report::Figure> out;
  const std::optional<double> noise = model.report().figure("noise"), signal = model.report().figure("signal");
  if (noise && *noise > 0 && !fixed("noise")) out.push_back({"noise", *noise});
  const auto& kernel = model.expansion().parts().kernel;
  if (signal && !fixed("signal") && !(kernel && has_free_scale(*kernel))) out.push_back({"signal", *signal});
  return out;
}

double log_evidence(const Model& model, const std::vector<Report::Figure>& changed, const Training& training) {
  GaussianProcess gp = GaussianProcess::from(model.parts().settings);
  gp.noise = Learnable::fixed_at(model.report().figure("noise").value());
  gp.signal = Learnable::fixed_at(model.report().figure("signal").value());
  for (const Report::Figure& one : changed) {
    (one.name == "noise" ? gp.noise : gp.signal) = Learnable::fixed_at(one.value);
  }
  return log_marginal_likelihood(gp, training, false).value;
}

std::vector<HeldOut> hold_out(const Settings& settings, const Training& ordered, std::span<const Range> folds) {
  const GaussianProcess config = GaussianProcess::from(settings);
  const Threads threads = check_training(config, ordered);
  return Fit(config, ordered).hold_out(folds);
}

std::string about(double seconds) {
  return seconds < 120 ? fmt::format("{:.0f} s", std::ceil(seconds))
                       : fmt::format("{:.0f} min", std::ceil(seconds / 60));
}

// So many points, or what they say, in the time that is allowed; a multiple of 100.
Index rounded(double points, Index least, Index most) {
  return std::clamp(static_cast<Index>(points / 100) * 100, least, most);
}

// All that a plain fit gives up for time, in this order: nothing up to 2,500 points; then learning from all of them;
// and, where their matrix finds no room or takes too long to be factored once, the matrix. A kernel whose learning is
// cheap, or that has nothing to be learnt, is fitted as it is asked for.
std::optional<Shortcut> shortcut(const Settings& given, const Extent& extent, const Wishes& wishes) {
  const Index n = extent.weighted;
  if (n <= kLearntFrom || !extent.plain || extent.numbers || extent.in_memory) return std::nullopt;
  for (const char* const way : {"inducing", "nearest", "learn_on", "solver"}) {
    if (given.contains(way)) return std::nullopt;
  }
  const GaussianProcess config = GaussianProcess::from(given);
  if (detail::method_of(config, n, extent.states) == Method::state_space) return std::nullopt;
  if (config.loo || config.objective == GaussianProcess::Objective::loo) return std::nullopt;
  const bool learns = config.objective != GaussianProcess::Objective::none;
  const auto all = static_cast<double>(n);
  const double matrix = sizeof(double) * all * all, once = all * all * all / 3 / wishes.rates.flops;
  const double whole = (kEvaluations * 3 * once), for_end = wishes.seconds / 2;
  const bool fits = matrix <= extent.share();
  if (fits && once <= for_end) {
    const double each = kEvaluations / wishes.rates.flops;  // of learning, by the cube of the points
    // By default as many as learn in seconds; a time that is given is used.
    const double most = wishes.rates.flops == Rates{}.flops ? static_cast<double>(kLearntFrom)
                                                            : std::cbrt((wishes.seconds - once) / 2 / each);
    const Index some = rounded(most, kLearntFrom, n);
    if (!learns || some == n) return std::nullopt;
    return Shortcut{{{"learn_on", std::to_string(some)}},
                    fmt::format("{} of {} points are learnt from, because all would take about {}; mean, variance and "
                                "evidence are of all points; `learn_on` and `time` decide otherwise",
                                some, n, about(whole))};
  }
  constexpr Index kLeast = 100, kMost = 2000;
  const double evaluations = learns ? kInducingEvaluations : 1;
  const double affordable =
      std::sqrt(wishes.seconds * wishes.rates.flops / ((kOfAnEvaluation * evaluations + kOfTheEnd) * all));
  const Index m = rounded(affordable, kLeast, std::min(kMost, n));
  return Shortcut{
      {{"inducing", std::to_string(m)}},
      fmt::format("{} inducing points stand for all {}, because {}; `inducing` and `time` decide otherwise", m, n,
                  fits ? fmt::format("one factorisation for all would take about {}", about(once))
                       : fmt::format("the numbers of all pairs would need {}", detail::in_bytes(matrix)))};
}

}  // namespace

std::vector<Machine> detail::gp_rows() {
  Machine row;
  row.name = "gp";
  row.purpose = "Gaussian process regression: a mean, how sure it is, and hyper-parameters learnt from the data";
  row.problem = "maximise log p(y) for y = h(x)'b + f(x) + e, f ~ GP(0, signal k), e ~ N(0, noise / w)";
  row.task = Task::regression;
  row.iterative = true;
  row.exceptions = {{Exception::Law::weights,
                     "a weight divides the noise of its point, which is the same only where the noise is given"}};
  row.kernel = "rbf(ell=[auto])";  // a length scale for each column: they are learnt
  row.options = {
      {"noise", "auto", "The variance of the noise: auto, a start, fixed(v), or v in [a, b]"},
      {"signal", "auto", "What multiplies the kernel, likewise; auto: 1 where the kernel has a free scale itself"},
      {"mean", "constant", "The mean function: zero, constant or linear"},
      {"objective", "lml", "What learning maximises: lml, loo (leave-one-out log density), none (nothing learnt)"},
      {"nearest", "0", "Neighbours that stand for all points (Vecchia): 0 for none, exact, or K, 20 to 60"},
      {"solver", "auto",
       "How, exactly: auto, dense (all pairs), state_space (along one column, in time that grows as n)"},
      {"loo", "false", "Also report the leave-one-out log density", true},
      {"inducing", "0",
       "Points that stand for all, chosen again as the kernel is learnt: an approximation, with bounds of the "
       "evidence; "
       "0: all points"},
      {"fitc", "false", "With inducing points: each point has its own variance (FITC), and there is no bound", true},
      {"learn_on", "0", "Points to learn from, when there are more; mean and variance are of all points. 0: all"},
  };
  std::ranges::move(learn_options(), std::back_inserter(row.options));
  row.fit = [](const Settings& settings, const Training& training) {
    return GaussianProcess::from(settings).fit(training);
  };
  row.cross = [](const Crossing& crossing) { return cross_linear(crossing, {hold_out, solves_all_pairs}); };
  row.choosing = choosing;
  row.guesses = guesses;
  row.needs = [](const Settings& settings, const Extent& extent) {
    return needs_of(GaussianProcess::from(settings), extent);
  };
  row.shortcut = shortcut;
  row.posterior = true;
  row.leave_one_out = each_left_out;
  row.by_evidence = {.learnt = learnt, .log_evidence = log_evidence};
  return {row};
}

}  // namespace mercer
