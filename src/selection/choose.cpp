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
#include "selection/judge.hpp"
#include "selection/open_trials.hpp"
#include "selection/search.hpp"

namespace mercer {

namespace {

using detail::ChoiceRecord;

class Chooser {
 public:
  Chooser(const Machine& machine, const Settings& given, bool kernel_given, const Training& training)
      : machine_(machine),
        kernel_given_(kernel_given),
        task_(machine.task_for(given)),
        settings_(given),
        kernel_(training.K.points() ? training.K.kernel() : std::nullopt),
        plan_(open_plan(machine, given, kernel_given, training)),
        judge_(machine, plan_, task_),
        deciding_(training),
        sample_(deciding_.sample(plan_.most, machine.by_evidence && !plan_.figure.empty()
                                                 ? detail::Deciding::Drawn::along_lines
                                                 : detail::Deciding::Drawn::one_by_one)),
        first_(training.K.points() ? detail::first_kernel(machine, *training.K.points(), kernel_) : machine.kernel),
        record_(machine, plan_, first_),
        on_centres_(training.plan && detail::tried_on_centres(training.plan->centres)),
        finals_(detail::finals_of(plan_, on_centres_)) {
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
    out.others = record_.tables(judge_.name());
    out.tried = out.others.front();
    out.others.erase(out.others.begin());
    return out;
  }

 private:
  Choosing open_plan(const Machine& machine, const Settings& given, bool kernel_given, const Training& training) const {
    Choosing plan = machine.choosing(given, &training);
    plan = detail::what_is_open(std::move(plan), machine, given, kernel_given, kernel_);
    return detail::within_room(std::move(plan), machine, given, extent_of(training));
  }

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
      if (!best || judge_.clearly_better(found->judged, best->judged, sample_.different)) best = std::move(found);
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
    const Vector judged = judge_.judged(tried.scores, axes);
    const std::size_t best = judge_.best_of(tried.scores, judged);
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
      if (!found || (best && !judge_.better(found->score, best->score))) return false;
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
      if (tried && judge_.better(tried->score, score)) {
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
      training.centres =
          choose_centres(*some.front().kernel, *training.K.points(), {.count = detail::kCentresOfTrials}, training.how);
    }
    if (plan_.figure.empty()) {
      const detail::Criterion& criterion = detail::criterion(plan_.metric, machine_.name, task_);
      return detail::score_candidates(machine_, criterion, training, folds_, some);
    }
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

  const Machine& machine_;
  bool kernel_given_;
  Task task_;
  Settings settings_;
  std::optional<Kernel> kernel_;  // as it is now
  const Choosing plan_;
  const detail::Judge judge_;
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
