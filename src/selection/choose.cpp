#include "mercer/choose.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/at.hpp"
#include "base/fail.hpp"
#include "base/text.hpp"
#include "model/assemble.hpp"
#include "model/target_scale.hpp"
#include "model/training.hpp"
#include "selection/choice_record.hpp"
#include "selection/grid.hpp"
#include "selection/held_out.hpp"
#include "selection/search.hpp"

namespace mercer {

namespace {

using detail::ChoiceRecord;
using detail::Criterion;

constexpr Index kFolds = 5;
// Few points are divided several times: one division alone says little.
constexpr Index kWellDivided = 1000, kMostRepeats = 3;
constexpr std::uint64_t kSeed = 1;
// A sample is this many of the parts that the points are dealt into.
constexpr Index kParts = 20;

Index classes_in(const Labels& labels, const std::vector<Index>& which) {
  std::vector<bool> seen(labels.classes.size());
  for (const Index i : which) seen[at(labels.of[at(i)])] = true;
  return std::count(seen.begin(), seen.end(), true);
}

std::vector<Fold> dealt(const Training& training, Index k, Index repeats) {
  return training.labels.size() > 0 ? stratified_folds(training.labels, k, kSeed, repeats)
                                    : random_folds(training.K.size(), k, kSeed, repeats);
}

// The points that decide: those that count, or a sample of so many with its share of every class.
Training deciding(const Training& training, Index most) {
  const std::vector<Index> counting = detail::weighted_points(training);
  const auto n = static_cast<Index>(counting.size());
  if (n == training.K.size() && n <= most) return training;
  Training part = n == training.K.size() ? training : detail::part_of(training, counting);
  if (n > most) {
    const std::vector<Fold> parts = dealt(part, std::min(n, (kParts * n + most - 1) / most), 1);
    std::vector<Index> some;
    for (Index p = 0; p < kParts; ++p) some.insert(some.end(), parts[at(p)].begin(), parts[at(p)].end());
    std::sort(some.begin(), some.end());
    part = detail::part_of(part, some);
  }
  part.how = training.how;
  part.start.reset();
  return part;
}

// Folds without which there are still two classes.
std::vector<Fold> folds_of(const Training& training, Task task) {
  const Index n = training.K.size();
  if (n < 2) return {};
  std::vector<Fold> folds = dealt(training, std::min(kFolds, n), std::clamp(kWellDivided / n, Index{1}, kMostRepeats));
  if (task == Task::classification) {
    std::erase_if(folds, [&](const Fold& fold) { return classes_in(training.labels, detail::outside(fold, n)) < 2; });
  }
  return folds;
}

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

class Chooser {
 public:
  Chooser(const Machine& machine, const Settings& given, bool kernel_given, const Training& training)
      : machine_(machine),
        kernel_given_(kernel_given),
        task_(machine.task_for(given)),
        plan_(machine.choosing(given, &training)),
        settings_(given),
        kernel_(training.K.points() ? training.K.kernel() : std::nullopt),
        training_(deciding(training, plan_.most)),
        all_points_(training.K.size()),
        record_(machine, plan_) {
    for (const auto& [name, value] : plan_.along) settings_.emplace(name, value);
    for (std::vector<Trial>& stage : plan_.stages) {
      std::erase_if(stage, [&](const Trial& trial) { return !open(trial.name, given); });
    }
    std::erase_if(plan_.stages, [](const std::vector<Trial>& stage) { return stage.empty(); });
    if (plan_.stages.empty() && !plan_.read.empty()) plan_.stages.emplace_back();
  }

  Choice run() {
    if (plan_.stages.empty()) return {.settings = settings_, .kernel = kernel_};
    if (plan_.figure.empty()) folds_ = folds_of(training_, task_);
    if (plan_.figure.empty() && folds_.empty()) {
      failure_ = "there are too few points to hold some out";
    } else {
      for (const std::vector<Trial>& stage : plan_.stages) {
        if (!interrupted_ && failure_.empty()) search(stage);
      }
    }
    Choice out{.settings = settings_, .kernel = kernel_, .interrupted = interrupted_};
    out.words = failure_.empty() && record_.any()
                    ? record_.words(settings_, kernel_given_ ? std::nullopt : kernel_,
                                    detail::criterion_words(plan_, machine_, task_), {training_.K.size(), all_points_},
                                    interrupted_)
                    : "nothing: " + (failure_.empty() ? "stopped before the first trial ended" : failure_) +
                          "; the textbook's values stand";
    out.tried = record_.table(criterion_name());
    return out;
  }

 private:
  // An option that was not given, or a parameter of a kernel that was not.
  bool open(const std::string& name, const Settings& given) const {
    const bool option = std::any_of(machine_.options.begin(), machine_.options.end(),
                                    [&](const MachineOption& one) { return one.name == name; });
    return option ? !given.contains(name) : !kernel_given_ && kernel_.has_value();
  }

  double unit_of(const Trial& trial) const {
    switch (trial.unit) {
      case Trial::Unit::one: return 1;
      case Trial::Unit::automatic: {
        const Params params = automatic_->params();
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
    const auto scales = detail::target_scales(training_.y, training_.weights);
    for (const detail::TargetScale& scale : scales) squares += scale.deviation * scale.deviation;
    return std::sqrt(squares / static_cast<double>(scales.size()));
  }

  std::vector<Axis> axes_of(const std::vector<Trial>& stage) const {
    std::vector<Axis> axes;
    for (const Trial& trial : stage) {
      Axis& axis = axes.emplace_back(Axis{.name = trial.name, .values = {}});
      const double unit = unit_of(trial);
      for (const double value : trial.values) axis.values.push_back(fmt::format("{:.4g}", unit * value));
    }
    return axes;
  }

  struct Tried {
    std::vector<Candidate> all;
    Vector scores;  // NaN where there is none
  };

  void search(const std::vector<Trial>& stage) {
    if (!automatic_) automatic_ = kernel_;
    const std::vector<Axis> axes = axes_of(stage);
    const Tried tried = try_all(axes);
    const bool counted = task_ == Task::classification && larger_is_better() && plan_.figure.empty();
    const std::size_t best = best_of(tried, counted ? with_neighbours(tried.scores, axes) : tried.scores);
    if (best < tried.all.size()) {
      take(tried.all[best], axes, tried.scores[best]);
      if (plan_.refine && axes.size() == 1 && !interrupted_) refine(axes.front(), best, tried.scores[best]);
    } else if (!interrupted_) {
      for (const Candidate& candidate : tried.all) {
        if (failure_.empty()) failure_ = candidate.failure;
      }
      if (failure_.empty()) failure_ = "no trial has a score";
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
          if (!interrupted_ || all[c].failure.empty()) record_.add(all[c], axes);
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

  void take(const Candidate& candidate, const std::vector<Axis>& axes, double score) {
    for (const Axis& axis : axes) {
      if (const auto value = candidate.settings.find(axis.name); value != candidate.settings.end()) {
        settings_[axis.name] = value->second;
      }
    }
    for (const std::string& name : plan_.read) settings_[name] = candidate.settings.at(name);
    kernel_ = candidate.kernel;
    record_.best(score);
  }

  // Golden sections of the logarithm, between the neighbours of the best.
  void refine(const Axis& axis, std::size_t best, double score) {
    constexpr double kSection = 0.381966, kClose = 0.01;  // 1 %
    const auto log_of = [&](std::size_t c) { return std::log(std::stod(axis.values[c])); };
    double middle = log_of(best), low = middle, high = middle;
    for (const std::size_t c : {best > 0 ? best - 1 : best, best + 1 < axis.values.size() ? best + 1 : best}) {
      low = std::min(low, log_of(c));
      high = std::max(high, log_of(c));
    }
    while (high - low > kClose && !interrupted_) {
      const bool above = high - middle > middle - low;
      const double next = middle + kSection * ((above ? high : low) - middle);
      const std::vector<Axis> axes = {{.name = axis.name, .values = {fmt::format("{:.4g}", std::exp(next))}}};
      const Tried tried = try_all(axes);
      if (std::isfinite(tried.scores.front()) && better(tried.scores.front(), score)) {
        score = tried.scores.front();
        take(tried.all.front(), axes, score);
        (above ? low : high) = middle;
        middle = next;
      } else {
        (above ? high : low) = next;
      }
    }
  }

  // False when it was asked to stop before all were done.
  bool score(std::vector<Candidate>& some, double from, double to) {
    Training training = training_;
    if (training_.how.monitor.listening()) {
      training.how.monitor = Monitor([this, from, to](const Progress& p) {
        training_.how.monitor.report({"choose", from + (to - from) * p.fraction});
        return true;
      });
    }
    if (plan_.figure.empty()) return detail::score_candidates(machine_, criterion(), training, folds_, some);
    if (some.front().kernel && training.K.kernel() != some.front().kernel) {
      training.K = lazy(*some.front().kernel, *training.K.points());
    }
    for (Candidate& candidate : some) score_by_figure(candidate, training);
    return true;
  }

  void score_by_figure(Candidate& candidate, const Training& training) const {
    candidate.mean = std::numeric_limits<double>::quiet_NaN();
    try {
      const Report report = fit(machine_.name, candidate.settings, training).report();
      training.how.monitor.report({"choose", 1});
      candidate.mean = report.figure(plan_.figure).value_or(candidate.mean);
      for (const std::string& name : plan_.read) {
        candidate.settings[name] = fmt::format("{:.6g}", report.figure(name).value());
      }
    } catch (const Error& error) {
      if (error.kind() == ErrorKind::cancelled) throw;
      candidate.failure = error.what();
    }
  }

  const Criterion& criterion() const { return detail::criterion(plan_.metric, machine_.name, task_); }
  bool larger_is_better() const { return plan_.figure.empty() ? criterion().larger_is_better : plan_.larger_is_better; }
  bool better(double a, double b) const { return larger_is_better() ? a > b : a < b; }
  std::string criterion_name() const { return plan_.figure.empty() ? criterion().name : plan_.figure; }
  const Machine& machine_;
  bool kernel_given_;
  Task task_;
  Choosing plan_;
  Settings settings_;
  std::optional<Kernel> kernel_, automatic_;  // as it is now, and as auto has it
  Training training_;
  Index all_points_;
  ChoiceRecord record_;
  std::vector<Fold> folds_;
  std::string failure_;  // why nothing can be chosen
  bool interrupted_ = false;
};

}  // namespace

Choice choose(const Machine& machine, const Settings& given, bool kernel_given, const Training& training) {
  if (!machine.choosing) return {.settings = given, .kernel = training.K.kernel()};
  const Threads threads = detail::check_training(machine.name, machine.task_for(given), training);
  detail::require_plain(training.K);
  return Chooser(machine, given, kernel_given, training).run();
}

Model fit_chosen(const Machine& machine, const Choice& choice, const Training& training) {
  Training all = training;
  if (choice.kernel && training.K.kernel() != choice.kernel) {
    all.K = lazy(*choice.kernel, *training.K.points());
  }
  return fit(machine.name, choice.settings, all).with([&](Model::Parts& parts) {
    parts.report.chosen = choice.words;
    if (choice.tried) parts.report.tables.push_back(*choice.tried);
  });
}

}  // namespace mercer
