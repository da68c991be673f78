#include "mercer/machines/gpc.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/at.hpp"
#include "base/fail.hpp"
#include "base/text.hpp"
#include "gram/assemble.hpp"
#include "machines/catalog_rows.hpp"
#include "machines/processes/class_effort.hpp"
#include "machines/processes/class_evaluation.hpp"
#include "machines/processes/classes_on_centres.hpp"
#include "machines/processes/process_options.hpp"
#include "machines/processes/scale.hpp"
#include "mercer/kernels.hpp"
#include "model/posterior/posterior.hpp"
#include "model/training.hpp"

namespace mercer {

namespace {

using detail::ClassesOnCentres;
using detail::ClassEvaluation;
using detail::Extra;
using detail::InducingPoints;
using By = detail::ClassLevel::By;
using detail::Mode;
using detail::Observations;

// The mean variance of f where learning starts: most probabilities between 0.02 and 0.98.
constexpr double kFirstVariance = 4;

// What Newton's steps may leave on the way, relative to 1 + |psi|: a tenth of what the search on some of the points can
// tell apart, and of that of all on centres.
constexpr double kRoughlyOfSome = 1e-6, kRoughlyOfAll = 1e-8;

// A matrix of this condition is positive definite in floating point, too.
constexpr double kSound = 1e10;

std::vector<Likelihood> likelihoods_of_classes() {
  std::vector<Likelihood> out = likelihoods();
  std::erase_if(out, [](Likelihood one) { return !one.of_classes(); });
  return out;
}

class Fit {
 public:
  Fit(const GaussianProcessClassifier& config, const Training& training)
      : config_(config),
        training_(training),
        rows_(detail::weighted_points(training)),
        K_(static_cast<Index>(rows_.size()) == training.K.size() ? training.K : select(training.K, rows_)),
        classes_(static_cast<Index>(training.labels.classes.size())) {
    for (const Index i : rows_) of_.push_back(training.labels.of[at(i)]);
    data_ = detail::observed(detail::likelihood_for(config.link, classes_), classes_, of_);
    data_.newton = config.newton;
    for (std::size_t r = 0; r < rows_.size() && !training.weights.empty(); ++r) {
      data_.weights[r] = training.weights[at(rows_[r])];
    }
    if (training.K.kernel() && training.K.points()) {
      detail::require_plain(training.K);
      kernel_ = training.K.kernel();
      x_ = training.K.points()->select(rows_);  // a copy: borrowed points may go before the model does
    }
  }

  Model run() {
    check();
    Report report;
    Extra signal = start();
    bool known = false;  // the mode there
    if (config_.learn) {
      const detail::Learnt learnt = learn(signal, report);
      if (kernel_) kernel_ = learnt.kernel;
      signal.value = learnt.extras.front();
      known = learnt.kept;
    }
    return model(signal.value, known, std::move(report));
  }

 private:
  void check() const {
    const Learnable& signal = config_.signal;
    if (signal.value && (!(*signal.value > 0) || std::isinf(*signal.value))) {
      fail(ErrorKind::usage, "gpc: the signal is a finite number above 0, not {}", *signal.value);
    }
    if (signal.value && (*signal.value < signal.lower || *signal.value > signal.upper)) {
      fail(ErrorKind::usage, "gpc: the signal {} is not in [{}, {}], where it may lie; start between the bounds",
           *signal.value, signal.lower, signal.upper);
    }
    if (!config_.learn && !config_.priors.empty()) {
      fail(ErrorKind::usage, "gpc: priors are for learning, and nothing is to be learnt; leave them out");
    }
    if (config_.starts < 1) fail(ErrorKind::usage, "gpc: starts must be at least 1, not {}", config_.starts);
    if (config_.max_iterations < 1) {
      fail(ErrorKind::usage, "gpc: max_iterations must be at least 1, not {}", config_.max_iterations);
    }
    if (!(config_.max_seconds >= 0)) {
      fail(ErrorKind::usage, "gpc: max_seconds must be 0 (no limit) or more, not {}", config_.max_seconds);
    }
    if (config_.inducing > 0) {
      detail::require_inducing_points("gpc", config_.inducing, data_.size(), kernel_.has_value());
    }
    if (config_.newton < 1) fail(ErrorKind::usage, "gpc: newton must be at least 1, not {}", config_.newton);
    if (!(config_.tolerance > 0)) fail(ErrorKind::usage, "gpc: tolerance must be above 0, not {}", config_.tolerance);
    Vector weight(at(classes_));
    for (std::size_t i = 0; i < of_.size(); ++i) weight[at(of_[i])] += data_.weights[i];
    for (std::size_t c = 0; c < weight.size(); ++c) {
      if (weight[c] > 0) continue;
      fail(ErrorKind::data, "gpc: class {} has no point of positive weight; leave the class out",
           quoted(training_.labels.classes[c]));
    }
    if (config_.inducing > 0) return;
    detail::require_matrices("gpc", training_, data_.size(),
                             detail::class_matrices(data_.likelihood.coupled(), classes_));
  }

  // The signal, and whether it is learnt.
  Extra start() const {
    const Learnable& given = config_.signal;
    const bool own_scale = kernel_ && detail::has_free_scale(*kernel_);
    const bool learns = config_.learn && !given.fixed && (given.value || !own_scale);
    double first = given.value.value_or(1);
    if (learns && !given.value) {
      const Vector diagonal = K_.diagonal();
      double mean = 0;
      for (const double d : diagonal) mean += d / static_cast<double>(diagonal.size());
      if (mean > 0) first = kFirstVariance / mean;
      first = std::clamp(first, std::max(given.lower, std::numeric_limits<double>::min()), given.upper);
    }
    return {"signal", first, given.lower, given.upper, !learns};
  }

  detail::Learnt learn(const Extra& signal, Report& report) {
    detail::LearnProgress progress(training_.how.monitor);
    Execution how = training_.how;
    how.monitor = progress.evaluating();
    // A matrix of numbers has only the signal to learn; any kernel without parameters stands for it.
    const Kernel first = kernel_.value_or(linear());
    struct Part {
      std::vector<Index> points;
      std::optional<InducingPoints> inducing = {};
      std::unique_ptr<detail::ClassEvidenceAt> evidence = {};
      const ClassesOnCentres* few = nullptr;  // the same, by inducing points
      bool begun = false;
    };
    std::vector<std::unique_ptr<Part>> parts;
    std::vector<detail::LearnLevel> levels;
    const auto at = [this](detail::ClassEvidenceAt& evidence, const Kernel& k, VectorView extras, Vector* gradient) {
      return evidence(kernel_ ? std::optional(k) : std::nullopt, extras[0], gradient);
    };
    const Index n = data_.size();
    for (const auto& [points, by] : detail::class_levels(config_, n, data_.likelihood.coupled(), kernel_.has_value())) {
      Part* const before = parts.empty() ? nullptr : parts.back().get();
      Part* const part = parts.emplace_back(std::make_unique<Part>()).get();
      part->points = detail::some_points(n, points, config_.seed);
      if (by == By::inducing) {
        part->inducing.emplace(points < n ? x_->select(part->points) : *x_, config_.inducing, config_.seed);
        auto few = by_inducing(part->points, *part->inducing, how);
        part->few = few.get();
        part->evidence = std::move(few);
      } else if (by == By::centres) {
        part->evidence = std::make_unique<ClassesOnCentres>(roughly(data_, kRoughlyOfAll), *x_,
                                                            detail::centres_for(n, classes_), config_.seed, how);
      } else {
        part->evidence = points < n ? of_some(part->points, how) : of_all(how);
      }
      double weight = 0;
      for (const Index i : part->points) weight += data_.weights[mercer::at(i)];
      levels.push_back(
          {weight, [this, part, before, by = by, at](const Kernel& k, VectorView extras, Vector* gradient) {
             // What the level before says of the mode, at first.
             if (!std::exchange(part->begun, true) && before != nullptr) {
               const bool same = by != By::inducing && before->points.size() == part->points.size();
               if (same) part->evidence->begin_with(*before->evidence);
               if (!same) {
                 part->evidence->begin_at(spread(before->evidence->mode().alpha, before->points, part->points));
               }
               if (by == By::inducing) before->evidence.reset();  // it took as much room
             }
             return last_ = at(*part->evidence, k, extras, gradient);
           }});
      if (by != By::pairs || points == n || before != nullptr) continue;
      levels.back().another = [this, &how, &these = part->points, at]() -> detail::LogEvidence {
        return [own = std::shared_ptr(of_some(these, how)), at](const Kernel& k, VectorView extras, Vector* gradient) {
          return at(*own, k, extras, gradient);
        };
      };
    }
    detail::LearnOptions options = detail::learn_options_of(config_);
    options.improved = [&] {
      const Part& all = *parts.back();
      best_ = {all.evidence->mode(), last_, all.few != nullptr ? std::optional(all.few->solution()) : std::nullopt};
    };
    return detail::learn("gpc", first, {signal}, levels, options, progress.learning(), report);
  }

  std::unique_ptr<ClassEvaluation> of_all(const Execution& how) const {
    return std::make_unique<ClassEvaluation>(data_, K_, x_, how);
  }
  std::unique_ptr<ClassEvaluation> of_some(const std::vector<Index>& some, const Execution& how) const {
    return std::make_unique<ClassEvaluation>(roughly(data_.select(some), kRoughlyOfSome), select(K_, some),
                                             x_ ? std::optional(x_->select(some)) : std::nullopt, how);
  }

  std::unique_ptr<ClassesOnCentres> by_inducing(const std::vector<Index>& some, const InducingPoints& inducing,
                                                const Execution& how) const {
    if (static_cast<Index>(some.size()) == data_.size()) {
      return std::make_unique<ClassesOnCentres>(roughly(data_, kRoughlyOfAll), *x_, inducing, how);
    }
    return std::make_unique<ClassesOnCentres>(roughly(data_.select(some), kRoughlyOfSome), x_->select(some), inducing,
                                              how);
  }

  // What only leads to the place where all is evaluated needs no exact mode.
  static Observations roughly(Observations data, double enough) {
    data.enough = enough;
    return data;
  }

  // The rows of some points among those of more, zeros for the others. Both lists increase.
  static Matrix spread(const Matrix& alpha, const std::vector<Index>& some, const std::vector<Index>& more) {
    Matrix out(static_cast<Index>(more.size()), alpha.cols());
    for (Index i = 0, j = 0; j < alpha.rows() && i < out.rows(); ++i) {
      if (more[at(i)] == some[at(j)]) std::copy_n(alpha.row(j++), alpha.cols(), out.row(i));
    }
    return out;
  }

  Model model(double signal, bool known, Report report) const {
    const Execution& how = training_.how;
    // Who stops the search has no time for more: the mode is that of the best place it saw.
    const bool found = report.stopped == "interrupted" || (known && config_.inducing == 0);
    const auto [mode, evidence, few] = found ? best_ : find_mode(signal, how, report);
    if (std::isfinite(evidence)) report.add("log_evidence", evidence);
    if (!mode.converged) {
      report.converged = false;
      if (report.stopped.empty()) report.stopped = "Newton's method did not reach the mode";
    } else if (!config_.learn) {
      report.stopped = "mode found";
      report.iterations = mode.steps;
    }
    report.add("signal", signal);
    report.add("newton_steps", static_cast<double>(mode.steps));

    if (few) say(*few, report);

    Model::Parts parts = detail::parts_of("gpc", training_, few ? expansion(*few) : expansion(mode, signal),
                                          data_.likelihood.coupled() ? Reading::largest : Reading::binary);
    parts.classes = training_.labels.classes;
    if (few) {
      parts.posterior = few->posterior;
    } else if (kernel_) {
      parts.posterior = posterior(detail::laplace_system(data_)->curvature(mode.f), signal);
      if (report.stopped != "interrupted" && doubtful(signal)) prepare(parts, how, report);
    } else {
      report.notes.emplace_back(
          "fitted to a matrix of numbers: the classes are those of the mean of f, and there are no "
          "variances and probabilities");
    }
    parts.report = std::move(report);
    return Model(std::move(parts));
  }

  struct Found {
    Mode mode;
    double evidence;
    std::optional<ClassesOnCentres::Solution> few = {};  // with inducing points
  };

  Found find_mode(double signal, const Execution& how, Report& report) const {
    if (config_.inducing > 0) return find_by_inducing(signal, how, report);
    ClassEvaluation at(data_, K_, x_, how);
    double evidence = std::numeric_limits<double>::quiet_NaN();
    try {
      evidence = at(kernel_, signal, nullptr);
      require_finite(evidence, signal);
    } catch (const Error& error) {
      if (error.kind() != ErrorKind::cancelled || at.mode().alpha.rows() == 0) throw;
      report.stopped = "interrupted";
    }
    return {at.mode(), evidence};
  }

  // By inducing points drawn for what was learnt.
  Found find_by_inducing(double signal, const Execution& how, Report& report) const {
    try {
      const InducingPoints inducing(*x_, config_.inducing, config_.seed);
      ClassesOnCentres at(data_, *x_, inducing, how);
      at.begin_at(best_.mode.alpha);
      const double evidence = at(kernel_, signal, nullptr);
      require_finite(evidence, signal);
      return {at.mode(), evidence, at.solution()};
    } catch (const Error& error) {
      if (error.kind() != ErrorKind::cancelled || !best_.few) throw;
      report.converged = false;
      report.stopped = "interrupted";
      return best_;
    }
  }

  static void require_finite(double evidence, double signal) {
    if (std::isfinite(evidence)) return;
    fail(ErrorKind::numeric,
         "gpc: signal times kernel is too large for floating point (signal = {:.3g}); start from a smaller signal, or "
         "scale the inputs",
         signal);
  }

  void say(const ClassesOnCentres::Solution& few, Report& report) const {
    const Index m = few.centres.size(), n = data_.size();
    report.add("inducing", static_cast<double>(m));
    report.add("trace_left_out", few.trace_left_out);
    report.notes.push_back(
        fmt::format("approximated: {} inducing points of {} stand for all, and leave {:.2g} of the trace of K; the log "
                    "evidence is lower by {:.3g} nats for what these cannot explain",
                    m, n, few.trace_left_out, few.lost));
    if (few.lost > detail::kMuchLostOfAPoint * static_cast<double>(n)) {
      report.notes.emplace_back("more inducing points would help");
    }
  }

  Expansion expansion(const ClassesOnCentres::Solution& few) const {
    return Expansion(
        {.kernel = kernel_, .centres = few.centres, .alpha = few.alpha, .training_size = training_.K.size()});
  }

  // Whether rounding could leave the factors of the model without a root. The condition of I + D^1/2 K D^1/2 is at most
  // 1 + the trace of D K, that of sum_c E_c (softmax_factors.hpp) at most so many times the largest of weights over the
  // smallest.
  bool doubtful(double signal) const {
    const auto [least, most] = std::minmax_element(data_.weights.begin(), data_.weights.end());
    double trace = 0;
    for (const double d : mercer::diagonal(*kernel_, *x_)) trace += d;
    return !(*most / *least * (1 + signal * *most * trace) < kSound);
  }

  // The factors of what predictions need, here and not with the first of them, where it is not certain that they exist:
  // a model that has none is no answer.
  void prepare(const Model::Parts& parts, const Execution& how, Report& report) const {
    try {
      const double jitter = detail::factors_of(parts, how).jitter;
      if (jitter == 0) return;
      report.add("jitter", jitter);
      report.notes.push_back(fmt::format(
          "the matrix of the model was not positive definite in floating point; {:.1g} was added to its diagonal",
          jitter));
    } catch (const Error& error) {
      if (error.kind() != ErrorKind::cancelled) throw;
      report.converged = false;
      report.stopped = "interrupted";
    }
  }

  // All points stay centres, also those of alpha 0: the variance needs them.
  Expansion expansion(const Mode& mode, double signal) const {
    Expansion::Parts f;
    f.alpha = mode.alpha;
    for (Index i = 0; i < f.alpha.rows() * f.alpha.cols(); ++i) f.alpha.data()[i] *= signal;
    f.support = rows_;
    f.training_size = training_.K.size();
    if (kernel_) {
      f.kernel = kernel_;
      f.centres = x_;
    } else {
      f.squared_norms.assign(at(f.alpha.cols()), 0.0);
      for (Index i = 0; i < f.alpha.rows(); ++i) {
        for (Index c = 0; c < f.alpha.cols(); ++c) f.squared_norms[at(c)] += f.alpha(i, c) * mode.f(i, c);
      }
    }
    return Expansion(std::move(f));
  }

  Posterior posterior(Matrix curvature, double signal) const {
    Posterior p{.likelihood = data_.likelihood};
    const Index n = data_.size();
    p.scale.resize(at(n));
    if (data_.likelihood.coupled()) {
      p.kind = Posterior::Kind::softmax;
      for (Index i = 0; i < n; ++i) p.scale[at(i)] = std::sqrt(signal * data_.weights[at(i)]);
      p.probabilities = std::move(curvature);
    } else {
      for (Index i = 0; i < n; ++i) p.scale[at(i)] = std::sqrt(signal * curvature(i, 0));
      p.shift.assign(at(n), 1.0);
    }
    p.signal.assign(at(data_.outputs), signal);
    p.noise.assign(at(data_.outputs), 0.0);
    p.factors = std::make_shared<detail::Factors>();
    return p;
  }

  const GaussianProcessClassifier& config_;
  const Training& training_;
  std::vector<Index> rows_;  // points of positive weight
  Gram K_;                   // of those
  Index classes_;
  std::vector<Index> of_;  // their classes
  Observations data_{Likelihood::none, 1, {}, {}};
  std::optional<Kernel> kernel_;
  std::optional<Points> x_;
  Found best_{};     // of learning so far
  double last_ = 0;  // the last evidence
};

}  // namespace

Model GaussianProcessClassifier::fit(const Training& training) const {
  const Threads threads = detail::check_training("gpc", Task::classification, training);
  return Fit(*this, training).run();
}

ClassEvidence log_evidence(const Kernel& k, const Points& x, const Labels& labels, Likelihood link, bool gradient,
                           const Execution& how) {
  const Kernel resolved = k.resolve(x);
  const Gram K = lazy(resolved, x);
  const Threads threads =
      detail::check_training("log_evidence", Task::classification, {.K = K, .labels = labels, .how = how});
  const auto classes = static_cast<Index>(labels.classes.size());
  Observations data = detail::observed(detail::likelihood_for(link, classes), classes, labels.of);
  ClassEvidence out;
  out.value = ClassEvaluation(std::move(data), K, x, how)(resolved, 1, gradient ? &out.by_kernel : nullptr);
  if (gradient && !out.by_kernel.empty()) out.by_kernel.pop_back();  // by the signal
  return out;
}

std::vector<Machine> detail::gpc_rows() {
  Machine row;
  row.name = "gpc";
  row.purpose = "Gaussian process classification: averaged probabilities, and hyper-parameters learnt from the data";
  row.problem =
      "maximise log p(y) for p(y_i | f(x_i))^w_i logistic, probit or softmax, f ~ GP(0, signal k), by Laplace";
  row.task = Task::classification;
  row.iterative = true;
  row.kernel = "rbf(ell=[auto])";  // a length scale for each column: they are learnt
  row.options = {
      {"link", "auto", "logistic or probit for two classes, softmax for any; auto: logistic for two, softmax for more"},
      {"signal", "auto",
       "What multiplies the kernel: auto, a start, fixed(v), or v in [a, b]; auto: 1 where the kernel "
       "has a free scale itself"},
      {"objective", "lml", "What learning maximises: lml (the log evidence), none (nothing learnt)"},
      {"newton", "100", "Most factorisations on the way of Newton's method to the mode of f"},
      {"inducing", "0",
       "Points that stand for all, chosen again as the kernel is learnt: an approximation; 0: all points"},
  };
  std::ranges::move(learn_options(), std::back_inserter(row.options));
  const auto config_from = [row](const Settings& settings) {
    const SettingsReader read(row, settings);
    GaussianProcessClassifier config;
    const std::vector<Likelihood> of_classes = likelihoods_of_classes();
    std::vector<std::string> names = {"auto"};
    for (const Likelihood one : of_classes) names.emplace_back(one->name);
    const std::size_t chosen = read.choice("link", names);
    if (chosen > 0) config.link = of_classes[chosen - 1];
    config.signal = Learnable::parse("signal", read.text("signal"));
    config.learn = read.choice("objective", {"lml", "none"}) == 0;
    config.newton = read.whole("newton", 1);
    config.inducing = read.whole("inducing", 0);
    read_learn_options(read, "gpc", config);
    return config;
  };
  row.fit = [config_from](const Settings& settings, const Training& training) {
    return config_from(settings).fit(training);
  };
  row.needs = [config_from](const Settings& settings, const Extent& extent) {
    return class_needs(config_from(settings), extent);
  };
  row.shortcut = [config_from](const Settings& given, const Extent& extent, const Wishes& wishes) {
    return class_shortcut(config_from(given), given, extent, wishes);
  };
  row.without_learning = {{"objective", "none"}};
  row.posterior = true;
  return {row};
}

}  // namespace mercer
