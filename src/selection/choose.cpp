#include "mercer/choose.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/at.hpp"
#include "base/fail.hpp"
#include "base/text.hpp"
#include "gram/assemble.hpp"
#include "model/target_scale.hpp"
#include "model/training.hpp"
#include "selection/choice_record.hpp"
#include "selection/deciding.hpp"
#include "selection/first_kernel.hpp"
#include "selection/grid.hpp"
#include "selection/held_out.hpp"
#include "selection/search.hpp"
#include "selection/trials.hpp"

namespace mercer {

namespace {

using detail::ChoiceRecord;
using detail::Criterion;

// How many points are right is a coarse score, and the highest of many is so partly by luck: a candidate counts
// together with its neighbours on the grid, each half as much as itself. (Errors and likelihoods are fine enough, and
// fall off so steeply on one side of the best that neighbours would push it to the other.)
Vector with_neighbours(const Vector& scores, const std::vector<Axis>& axes) {
  constexpr double kShare = 0.5;
  Vector out(scores.size());
  for (std::size_t c = 0; c < scores.size(); ++c) {
    double sum = scores[c], weight = 1;
    std::size_t stride = 1;
    for (std::size_t a = axes.size(); a-- > 0;) {
      const std::size_t size = axes[a].values.size(), place = c / stride % size;
      for (const std::size_t other : {place > 0 ? c - stride : c, place + 1 < size ? c + stride : c}) {
        if (other == c || std::isnan(scores[other])) continue;
        sum += kShare * scores[other];
        weight += kShare;
      }
      stride *= size;
    }
    out[c] = sum / weight;
  }
  return out;
}

// Of the last trials of what will be fitted on centres: these, and points.
constexpr Index kCentres = 1000, kOnCentres = 20000;

// Whatever the row says: an option that is given is not settled by a trial, and trials are made with it.
Choosing without_given(Choosing plan, const Settings& given) {
  std::erase_if(plan.read, [&](const std::string& name) {
    if (given.contains(name)) plan.while_trying.erase(name);
    return given.contains(name);
  });
  return plan;
}

bool is_option(const Machine& machine, const std::string& name) {
  return std::any_of(machine.options.begin(), machine.options.end(),
                     [&](const MachineOption& one) { return one.name == name; });
}

// Without trials of what is given: an option, or a parameter of the kernel.
Choosing what_is_open(Choosing plan, const Machine& machine, const Settings& given, bool kernel_given,
                      const std::optional<Kernel>& kernel) {
  plan = without_given(std::move(plan), given);
  for (std::vector<Trial>& stage : plan.stages) {
    std::erase_if(stage, [&](const Trial& trial) {
      return is_option(machine, trial.name) ? given.contains(trial.name) : kernel_given || !kernel;
    });
  }
  std::erase_if(plan.stages, [](const std::vector<Trial>& stage) { return stage.empty(); });
  // Those that the evidence decides on are made for these points, whatever they are.
  const bool made = machine.by_evidence && !plan.figure.empty();
  const bool fits = kernel && (kernel->domain().kind == "reals" || made);
  if (kernel_given || !fits) plan.kernels.clear();
  if (plan.stages.empty() && !(plan.read.empty() && plan.kernels.empty())) plan.stages.emplace_back();
  return plan;
}

Settings settings_of_trials(const Choosing& plan, Settings settings) {
  for (const auto& [name, value] : plan.along) settings.emplace(name, value);
  for (const auto& [name, value] : plan.while_trying) settings[name] = value;
  return settings;
}

// As many points as wanted, or half as many, and so on, as find room with all that the machine may come to need; where
// too few do, trials say what is wrong.
Index that_fit(const Machine& machine, const Settings& trying, Extent extent, Index wanted) {
  constexpr Index kTooFew = 50;
  if (!machine.needs) return wanted;
  extent.centres = extent.rows_at_once = 0;
  for (Index points = wanted; points >= kTooFew; points /= 2) {
    extent.points = extent.weighted = std::min(points, extent.points);
    try {
      const Needs needs = machine.needs(trying, extent);
      if (needs.squares() * std::max(needs.least, needs.matrices) <= extent.room()) return points;
    } catch (const Error& error) {
      if (error.kind() != ErrorKind::usage) throw;
      return wanted;
    }
  }
  return wanted;
}

Choosing within_room(Choosing plan, const Machine& machine, const Settings& given, const Extent& extent) {
  const Settings trying = settings_of_trials(plan, given);
  plan.most = that_fit(machine, trying, extent, plan.most);
  if (plan.finals > 0) plan.finals = that_fit(machine, trying, extent, plan.finals);
  return plan;
}

// Whether what is fitted in the end has centres enough for the last trials to have them too.
bool tried_on_centres(Index centres) { return centres > kCentres; }
Index finals_of(const Choosing& plan, bool on_centres) {
  return on_centres && plan.finals > 0 ? kOnCentres : plan.finals;
}

constexpr std::string_view kEvidence = "log_marginal_likelihood";

class Chooser {
 public:
  Chooser(const Machine& machine, const Settings& given, bool kernel_given, const Training& training)
      : machine_(machine),
        kernel_given_(kernel_given),
        task_(machine.task_for(given)),
        settings_(given),
        kernel_(training.K.points() ? training.K.kernel() : std::nullopt),
        plan_(within_room(what_is_open(machine.choosing(given, &training), machine, given, kernel_given, kernel_),
                          machine, given, extent_of(training))),
        deciding_(training),
        sample_(deciding_.sample(plan_.most, machine.by_evidence && !plan_.figure.empty()
                                                 ? detail::Deciding::Drawn::along_lines
                                                 : detail::Deciding::Drawn::one_by_one)),
        first_(training.K.points() ? detail::first_kernel(machine, *training.K.points(), kernel_) : machine.kernel),
        record_(machine, plan_, first_),
        on_centres_(training.plan && tried_on_centres(training.plan->centres)),
        finals_(finals_of(plan_, on_centres_)) {
    for (const auto& [name, value] : plan_.along) settings_.emplace(name, value);
  }

  Choice run() {
    if (plan_.stages.empty()) return {.settings = settings_, .kernel = kernel_};
    divide_sample(plan_.folds);
    if (plan_.figure.empty() && folds_.empty()) {
      failure_ = "there are too few points to hold some out";
    } else {
      for (const std::vector<Trial>& stage : plan_.stages) {
        if (!interrupted_ && failure_.empty()) search(stage);
      }
      if (finals_ > 0 && deciding_.all().different > plan_.most && !interrupted_ && failure_.empty()) finals();
    }
    Choice out{.settings = settings_, .kernel = kernel_, .interrupted = interrupted_};
    out.words = failure_.empty() && record_.any()
                    ? record_.words(settings_, kernel_given_ ? std::nullopt : kernel_, interrupted_)
                    : "nothing: " + (failure_.empty() ? "stopped before the first trial ended" : failure_) +
                          "; the textbook's values stand";
    out.others = record_.tables(criterion_name());
    out.tried = out.others.front();
    out.others.erase(out.others.begin());
    return out;
  }

 private:
  double unit_of(const Trial& trial) const {
    switch (trial.unit) {
      case Trial::Unit::one: return 1;
      case Trial::Unit::automatic: {
        const Params params = base_.kernel->params();
        return params[params.find(trial.name)].value;
      }
      case Trial::Unit::target: return target_unit();
      case Trial::Unit::per_target: return 1 / target_unit();
    }
    return 1;
  }

  double target_unit() const {
    if (const auto scaled = settings_.find("scale_target"); scaled != settings_.end() && scaled->second == "standard") {
      return 1;
    }
    double squares = 0;
    const auto scales = detail::target_scales(sample_.training.y, sample_.training.weights);
    for (const detail::TargetScale& scale : scales) squares += scale.deviation * scale.deviation;
    return std::sqrt(squares / static_cast<double>(scales.size()));
  }

  std::vector<Axis> axes_of(const std::vector<Trial>& stage) const {
    std::vector<Axis> axes;
    for (const Trial& trial : stage) {
      Axis& axis = axes.emplace_back(Axis{.name = trial.name, .values = {}});
      const double unit = unit_of(trial);
      for (const double value : trial.values) axis.values.push_back(number(unit * value));
    }
    return axes;
  }

  struct Tried {
    std::vector<Candidate> all;
    Vector scores;  // NaN where there is none
  };

  void divide_sample(Index folds) {
    if (plan_.figure.empty()) folds_ = detail::folds_of(sample_, folds, task_);
    // Three different points are divided into three.
    const Index divided = folds == 1 ? 1 : std::min(folds, std::max<Index>(2, sample_.different));
    record_.begin({sample_.different, deciding_.all().different, deciding_.all().points},
                  detail::criterion_words(plan_, machine_, task_, divided));
  }

  // A grid, on each kernel as long as none is chosen.
  void search(const std::vector<Trial>& stage) {
    const bool first = !std::exchange(begun_, true);
    std::vector<Base> bases = {base_};
    if (first && kernel_) bases = all_bases();
    std::optional<Found> best;
    for (std::size_t k = 0; k < bases.size() && !interrupted_; ++k) {
      bar_ = {static_cast<double>(k), static_cast<double>(bases.size())};
      if (first) on(bases[k]);
      std::optional<Found> found = best_on(axes_of(stage));
      if (!found) continue;
      if (first) winners_.push_back(*found);
      if (!best || clearly_better(found->judged, best->judged)) best = std::move(found);
    }
    bar_ = {};
    if (!best) {
      if (first) on(bases.front());
      if (!interrupted_ && failure_.empty()) failure_ = "no trial has a score";
      return;
    }
    failure_.clear();
    take(*best);
    if (!first) remember(*best);
    if (plan_.refine && best->axes.size() == 1 && !interrupted_) refine(*best);
  }

  // A kernel later in the list must be worth it: the best of several grids is so partly by luck. By half the standard
  // error of a share of points that are right, or by 2 % of an error.
  bool clearly_better(double value, double than) const {
    constexpr double kOfDeviation = 0.5, kOfError = 0.02;
    if (plan_.figure == kEvidence) return value > than;  // which prices what a kernel could have said
    const double margin =
        counts() ? kOfDeviation * std::sqrt(std::max(0.0, than * (1 - than)) / static_cast<double>(sample_.different))
                 : kOfError * std::abs(than);
    return better(value, larger_is_better() ? than + margin : than - margin);
  }
  // Whether scores are shares of points that are right.
  bool counts() const { return task_ == Task::classification && larger_is_better() && plan_.figure.empty(); }

  // A kernel at its auto, and the words for it where there are several.
  struct Base {
    std::optional<Kernel> kernel = {};
    std::string words = {};
  };
  std::vector<Base> all_bases() const {
    if (plan_.kernels.empty()) return {{kernel_, ""}};
    std::vector<Base> out = {{kernel_, detail::kernel_words(first_)}};
    for (const std::string& text : plan_.kernels) {
      out.push_back({parse(text).resolve(*sample_.training.K.points()), detail::kernel_words(text)});
    }
    return out;
  }
  void on(const Base& base) {
    base_ = base;
    kernel_ = base.kernel;
  }

  // A candidate with its score, and with what it is compared by.
  struct Found {
    Candidate candidate;
    std::vector<Axis> axes;
    double score, judged;
    Base base;
    std::size_t place;  // on the grid
  };

  // What a later stage found better is part of what its kernel goes on with.
  void remember(const Found& found) {
    for (Found& winner : winners_) {
      if (winner.base.words != found.base.words) continue;
      for (std::size_t a = 0; a < winner.axes.size(); ++a) {
        for (std::size_t b = 0; b < found.axes.size(); ++b) {
          if (winner.axes[a].name == found.axes[b].name) winner.candidate.values[a] = found.candidate.values[b];
        }
      }
    }
  }

  std::optional<Found> best_on(const std::vector<Axis>& axes) {
    const Tried tried = try_all(axes);
    const Vector judged = counts() ? with_neighbours(tried.scores, axes) : tried.scores;
    const std::size_t best = best_of(tried, judged);
    if (best < tried.all.size()) {
      return Found{tried.all[best], axes, tried.scores[best], judged[best], base_, best};
    }
    for (const Candidate& candidate : tried.all) {
      if (failure_.empty()) failure_ = detail::words_of(candidate.failure);
    }
    return std::nullopt;
  }

  // ---- on more points ----

  // What is best on a small sample is too smooth for a large one: from the best of each kernel to shorter ell and
  // larger penalties, as long as points held out say so.
  void finals() {
    const std::optional<Kernel> chosen = kernel_;
    sample_ = deciding_.sample(finals_);
    in_final_form_ = on_centres_;
    divide_sample(1);
    if (plan_.figure.empty() && folds_.empty()) return;
    std::optional<Found> best;
    const auto try_values = [&](const Found& from, const std::string& name, double factor) {
      std::vector<Axis> axes;
      for (const Axis& axis : from.axes) {
        const double value = std::stod(from.candidate.values[axes.size()]) * (axis.name == name ? factor : 1);
        axes.push_back({.name = axis.name, .values = {number(value)}});
      }
      on(from.base);
      std::optional<Found> found = best_on(axes);
      if (!found || (best && !better(found->score, best->score))) return false;
      best = std::move(found);
      return true;
    };
    const std::vector<Found> winners = std::move(winners_);
    for (const Found& winner : winners) {
      if (!interrupted_) try_values(winner, "", 1);
    }
    for (const char* const name : {"ell", "C"}) {
      constexpr int kMostSteps = 4;
      const bool has = best && std::any_of(best->axes.begin(), best->axes.end(),
                                           [&](const Axis& axis) { return axis.name == name; });
      const double factor = std::string_view(name) == "ell" ? 0.5 : 4;
      bool moved = false;
      for (int step = 0; has && step < kMostSteps && !interrupted_ && try_values(*best, name, factor); ++step)
        moved = true;
      if (has && !moved && !interrupted_) try_values(*best, name, 1 / factor);
    }
    failure_.clear();
    if (best) {
      take(*best);
    } else {
      kernel_ = chosen;
    }
  }

  Tried try_all(const std::vector<Axis>& axes) {
    Settings trying = settings_;
    for (const auto& [name, value] : plan_.while_trying) trying[name] = value;
    std::vector<Candidate> all =
        detail::candidates({.machine = machine_.name, .settings = trying, .axes = axes}, machine_, kernel_);
    Vector scores(all.size(), std::numeric_limits<double>::quiet_NaN());
    try {
      for (std::size_t first = 0, end = 0; first < all.size(); first = end) {  // kernel by kernel
        while (end < all.size() && all[end].kernel == all[first].kernel) ++end;
        std::vector<Candidate> some(all.begin() + static_cast<Index>(first), all.begin() + static_cast<Index>(end));
        interrupted_ = !score(some, static_cast<double>(first) / static_cast<double>(all.size()),
                              static_cast<double>(end) / static_cast<double>(all.size()));
        for (std::size_t c = first; c < end; ++c) {
          all[c] = std::move(some[c - first]);
          scores[c] = all[c].mean;
          if (!interrupted_ || all[c].failure.empty()) record_.add(all[c], axes, base_.words);
        }
        if (interrupted_) break;
      }
    } catch (const Error& error) {
      if (error.kind() != ErrorKind::cancelled) throw;
      interrupted_ = true;
    }
    return {std::move(all), std::move(scores)};
  }

  // The first of the best, or their number where nothing can be said.
  std::size_t best_of(const Tried& tried, const Vector& judged) const {
    std::size_t best = judged.size();
    for (std::size_t c = 0; c < judged.size(); ++c) {
      if (!std::isfinite(judged[c]) || !std::isfinite(tried.scores[c])) continue;
      if (best == judged.size() || better(judged[c], judged[best])) best = c;
    }
    return best;
  }

  void take(const Found& found) {
    for (const Axis& axis : found.axes) {
      if (const auto value = found.candidate.settings.find(axis.name); value != found.candidate.settings.end()) {
        settings_[axis.name] = value->second;
      }
    }
    for (const std::string& name : plan_.read) settings_[name] = found.candidate.settings.at(name);
    base_ = found.base;
    kernel_ = found.candidate.kernel;
    record_.best(found.score, base_.words);
  }

  // Golden sections of the logarithm, between the neighbours of the best.
  void refine(const Found& found) {
    constexpr double kSection = 0.381966, kClose = 0.01;  // 1 %
    const Axis& axis = found.axes.front();
    const std::size_t best = found.place;
    double score = found.score;
    const auto log_of = [&](std::size_t c) { return std::log(std::stod(axis.values[c])); };
    double middle = log_of(best), low = middle, high = middle;
    for (const std::size_t c : {best > 0 ? best - 1 : best, best + 1 < axis.values.size() ? best + 1 : best}) {
      low = std::min(low, log_of(c));
      high = std::max(high, log_of(c));
    }
    while (high - low > kClose && !interrupted_) {
      const bool above = high - middle > middle - low;
      const double next = middle + kSection * ((above ? high : low) - middle);
      const std::optional<Found> tried = best_on({{.name = axis.name, .values = {number(std::exp(next))}}});
      if (tried && better(tried->score, score)) {
        score = tried->score;
        take(*tried);
        (above ? low : high) = middle;
        middle = next;
      } else {
        (above ? high : low) = next;
      }
    }
    failure_.clear();
  }

  // False when it was asked to stop before all were done.
  bool score(std::vector<Candidate>& some, double from, double to) {
    Training training = sample_.training;
    if (training.how.monitor.listening()) {
      training.how.monitor = Monitor([this, from, to](const Progress& p) {
        const double done = from + (to - from) * p.fraction;
        sample_.training.how.monitor.report({"choose", (bar_.done + done) / bar_.parts});
        return true;
      });
    }
    if (some.front().kernel && training.K.kernel() != some.front().kernel) {
      training.K = gram_for(*some.front().kernel, *training.K.points(), {});
    }
    if (in_final_form_) {
      training.centres = choose_centres(*some.front().kernel, *training.K.points(), {.count = kCentres}, training.how);
    }
    if (plan_.figure.empty()) return detail::score_candidates(machine_, criterion(), training, folds_, some);
    for (Candidate& candidate : some) {
      candidate.mean = std::numeric_limits<double>::quiet_NaN();
      candidate.failure = "stopped on request";  // until it is done
    }
    return std::all_of(some.begin(), some.end(), [&](Candidate& c) { return score_by_figure(c, training); });
  }

  // False when it was asked to stop before it was done.
  bool score_by_figure(Candidate& candidate, const Training& training) const {
    try {
      const Report report = fit(machine_.name, candidate.settings, training).report();
      training.how.monitor.report({"choose", 1});
      candidate.failure.clear();
      candidate.mean = report.figure(plan_.figure).value_or(candidate.mean);
      for (const std::string& name : plan_.read) {
        candidate.settings[name] = number(report.figure(name).value());
      }
    } catch (const Error& error) {
      candidate.failure = error.what();
      return error.kind() != ErrorKind::cancelled;
    }
    return true;
  }

  const Criterion& criterion() const { return detail::criterion(plan_.metric, machine_.name, task_); }
  bool larger_is_better() const { return plan_.figure.empty() ? criterion().larger_is_better : plan_.larger_is_better; }
  bool better(double a, double b) const { return larger_is_better() ? a > b : a < b; }
  std::string criterion_name() const { return plan_.figure.empty() ? criterion().name : plan_.figure; }
  const Machine& machine_;
  bool kernel_given_;
  Task task_;
  Settings settings_;
  std::optional<Kernel> kernel_;  // as it is now
  Choosing plan_;
  Base base_;  // as auto has it
  bool begun_ = false;
  const detail::Deciding deciding_;
  detail::Deciding::Sample sample_;
  const std::string first_;  // the kernel where none is given
  ChoiceRecord record_;
  std::vector<Found> winners_;  // of the first stage, one for each kernel
  struct {
    double done = 0, parts = 1;
  } bar_;  // of progress: one kernel of so many
  // What is fitted in the end has centres: then so have the last trials, on more points.
  const bool on_centres_;
  const Index finals_;
  bool in_final_form_ = false;
  std::vector<Fold> folds_;
  std::string failure_;  // why nothing can be chosen
  bool interrupted_ = false;
};

}  // namespace

void detail::Trials::add(const Machine& machine, const Settings& settings, const Extent& extent, double times,
                         double beside) {
  const Plan one = plan_for(machine, settings, extent, {});
  bytes += one.bytes + beside;
  pairs += times * one.pairs;
  flops += times * one.flops;
}

detail::Trials detail::trials_of(const Machine& machine, const Settings& given, bool kernel_given,
                                 const std::optional<Kernel>& kernel, const Extent& extent) {
  // Of the last trials: the best of each kernel, and steps from the best of these.
  constexpr double kStepsOfFinals = 4;
  Trials out;
  if (!machine.choosing) return out;
  const Choosing plan = within_room(
      what_is_open(machine.choosing(given, nullptr), machine, given, kernel_given, kernel), machine, given, extent);
  const Settings trying = settings_of_trials(plan, given);
  const bool in_folds = plan.figure.empty(), on_centres = tried_on_centres(extent.centres);
  Extent some = extent;
  some.centres = 0;
  const auto try_on = [&](Index points, double times) {
    some.points = some.weighted = std::min(points, extent.points);
    const auto n = static_cast<double>(some.points);
    // Folds read one K.
    out.add(machine, trying, some, in_folds ? static_cast<double>(plan.folds) * times : times,
            in_folds ? sizeof(double) * n * n : 0);
  };
  const auto kernels = static_cast<double>(1 + plan.kernels.size());
  for (const std::vector<Trial>& stage : plan.stages) {
    double grid = kernels;
    for (const Trial& trial : stage) grid *= static_cast<double>(trial.values.size());
    try_on(plan.most, grid);
  }
  if (plan.stages.empty() || plan.finals == 0 || extent.points <= plan.most) return out;
  if (on_centres) some.centres = kCentres;
  try_on(finals_of(plan, on_centres), kernels + kStepsOfFinals);
  return out;
}

Choice choose(const Machine& machine, const Settings& given, bool kernel_given, const Training& training) {
  if (!machine.choosing) return {.settings = given, .kernel = training.K.kernel()};
  const Threads threads = detail::check_training(machine.name, machine.task_for(given), training);
  detail::require_plain(training.K);
  return Chooser(machine, given, kernel_given, training).run();
}

Model fit_chosen(const Machine& machine, const Choice& choice, const Training& training) {
  Training all = training;
  if (choice.kernel && training.K.kernel() != choice.kernel) {
    all.K = gram_for(*choice.kernel, *training.K.points(), training.plan.value_or(Plan{}), training.how);
  }
  return fit(machine.name, choice.settings, all).with([&](Model::Parts& parts) {
    parts.report.chosen = choice.words;
    if (choice.tried) parts.report.tables.push_back(*choice.tried);
    parts.report.tables.insert(parts.report.tables.end(), choice.others.begin(), choice.others.end());
  });
}

}  // namespace mercer
