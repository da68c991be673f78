// The search: one Gram per kernel, and all options and folds on it.
#include "mercer/tune.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <mutex>

#include "base/at.hpp"
#include "base/fail.hpp"
#include "base/parallel.hpp"
#include "base/text.hpp"
#include "gram/assemble.hpp"
#include "selection/criterion.hpp"
#include "selection/grid.hpp"
#include "selection/held_out.hpp"
#include "selection/search.hpp"

namespace mercer {

namespace {

using detail::Criterion;
using detail::Cut;

constexpr std::string_view kStage = "tune";
// A fit to all points is judged once.
const std::vector<Fold> kWhole = {{}};

bool was_stopped(const std::exception_ptr& cause) {
  try {
    if (cause) std::rethrow_exception(cause);
  } catch (const Error& error) {
    return error.kind() == ErrorKind::cancelled;
  } catch (...) {
  }
  return false;
}

// Progress of the whole search; the fits inside only ask whether to go on.
class Course {
 public:
  Course(const Monitor& monitor, std::size_t fits) : monitor_(monitor), fits_(static_cast<double>(fits)) {}

  Monitor monitor() {
    if (!monitor_.listening()) return {};
    return Monitor([this](const Progress&) { return go_on(0, 0); });
  }
  // For so many fits at once.
  Monitor monitor(std::size_t fits) {
    if (!monitor_.listening()) return {};
    return Monitor([this, fits](const Progress& p) { return go_on(0, p.fraction * static_cast<double>(fits)); });
  }
  void done(std::size_t fits) {
    if (!go_on(fits, 0)) fail(ErrorKind::cancelled, "tune: stopped on request");
  }

 private:
  bool go_on(std::size_t fits, double coming) {
    const std::lock_guard lock(mutex_);
    done_ += static_cast<double>(fits);
    if (stopped_) return false;
    try {
      monitor_.report({kStage, (done_ + coming) / fits_});
    } catch (const Error&) {
      stopped_ = true;
    }
    return !stopped_;
  }

  const Monitor& monitor_;
  std::mutex mutex_;
  double fits_, done_ = 0;
  bool stopped_ = false;
};

// Candidates on one kernel that differ in one option only, ordered so that each is a good start for the next.
using Chain = std::vector<std::size_t>;

// The option along which a solution changes little by little: from loose to tight.
struct WarmOption {
  std::string name;
  double direction;
};
const std::vector<WarmOption> kWarmOptions = {{"C", 1}, {"ridge", -1}, {"lambda", -1}};

class Search {
 public:
  Search(const Machine& machine, const Criterion& criterion, const Training& training, const std::vector<Fold>& folds,
         std::vector<Candidate>& candidates)
      : machine_(machine),
        criterion_(criterion),
        training_(training),
        folds_(criterion.of_fit ? kWhole : folds),
        candidates_(candidates),
        course_(training.how.monitor, candidates.size() * folds_.size()),
        failures_(candidates.size() * folds_.size()),
        folds_done_(candidates.size()) {
    if (folds_.empty()) fail(ErrorKind::usage, "tune: no folds; make some with random_folds or stratified_folds");
    detail::require_plain(training.K);
    for (Candidate& candidate : candidates) candidate.scores.assign(folds_.size(), 0);
  }

  // False when the monitor stopped it and some candidates are done; when none is, the wish to stop goes on as it came.
  bool run() {
    std::exception_ptr stopped;
    try {
      for (const std::vector<std::size_t>& group : by_kernel()) try_kernel(group);
    } catch (const Error& error) {
      if (error.kind() != ErrorKind::cancelled) throw;
      stopped = std::current_exception();
    }
    for (std::size_t c = 0; c < candidates_.size(); ++c) {
      Candidate& candidate = candidates_[c];
      if (candidate.failure.empty() && folds_done_[c] < folds_.size()) candidate.failure = kStopped;
      summarise(candidate);
    }
    const bool any = std::any_of(candidates_.begin(), candidates_.end(),
                                 [](const Candidate& candidate) { return candidate.failure.empty(); });
    if (stopped && !any) std::rethrow_exception(stopped);
    return !stopped;
  }

  static constexpr const char* kStopped = "not done: the search was stopped";

  std::size_t best() const {
    std::size_t best = candidates_.size();
    for (std::size_t c = 0; c < candidates_.size(); ++c) {
      if (std::isnan(candidates_[c].mean)) continue;
      const double sign = criterion_.larger_is_better ? 1 : -1;
      if (best == candidates_.size() || sign * candidates_[c].mean > sign * candidates_[best].mean) best = c;
    }
    if (best < candidates_.size()) return best;
    require_classes_left();
    for (const std::exception_ptr& failure : failures_) {
      if (failure) std::rethrow_exception(failure);
    }
    for (const Candidate& candidate : candidates_) {
      if (!candidate.failure.empty()) fail(ErrorKind::usage, "{}", detail::words_of(candidate.failure));
    }
    fail(ErrorKind::numeric, "tune: {} is not a number for any candidate; take another metric", criterion_.name);
  }

 private:
  // Where no candidate could be fitted without a fold, because it leaves points of one class, the fold is to blame. Of
  // one that holds what is no point, the candidates have been told.
  void require_classes_left() const {
    const Labels& labels = training_.labels;
    for (std::size_t f = 0; f < folds_.size() && labels.size() == training_.K.size(); ++f) {
      std::vector<double> left = training_.weights.empty() ? Vector(at(labels.size()), 1.0) : training_.weights;
      if (std::ranges::any_of(folds_[f], [&](Index i) { return i < 0 || i >= labels.size(); })) return;
      for (const Index i : folds_[f]) left[at(i)] = 0;
      std::vector<double> of_class(labels.classes.size(), 0);
      for (Index i = 0; i < labels.size(); ++i) of_class[at(labels.of[at(i)])] += left[at(i)];
      const auto present = [](double weight) { return weight > 0; };
      if (of_class.size() < 2 || std::ranges::count_if(of_class, present) != 1) continue;
      const auto only = std::ranges::find_if(of_class, present) - of_class.begin();
      fail(ErrorKind::data,
           "tune: without fold {} of {} all points are of class {}, and nothing can be told apart; take fewer `folds`, "
           "or "
           "add points of the other classes",
           f + 1, folds_.size(), quoted(labels.classes[at(only)]));
    }
  }

  std::vector<std::vector<std::size_t>> by_kernel() const {
    std::vector<std::vector<std::size_t>> groups;
    for (std::size_t c = 0; c < candidates_.size(); ++c) {
      const auto same = std::find_if(groups.begin(), groups.end(), [&](const auto& group) {
        return candidates_[group.front()].kernel == candidates_[c].kernel;
      });
      if (same == groups.end()) {
        groups.push_back({c});
      } else {
        same->push_back(c);
      }
    }
    return groups;
  }

  // A kernel whose matrix cannot be computed is a failure of its candidates, not of the search.
  void try_kernel(const std::vector<std::size_t>& group) {
    try {
      Training shared = training_;
      shared.K = gram_of(candidates_[group.front()]);
      const std::vector<Chain> chains = chains_of(group);
      if (!cross_at_once(shared, chains)) cross_one_by_one(shared, chains);
    } catch (const Error& error) {
      if (error.kind() != ErrorKind::numeric) throw;
      HeldOut none;
      none.failure = error.what();
      none.cause = std::current_exception();
      for (const std::size_t c : group) record(c, 0, none);
    }
  }

  double memory() const { return extent_of(training_).share(); }
  double gram_bytes() const {
    const double n = static_cast<double>(training_.K.size());
    return sizeof(double) * n * n;
  }

  Gram gram_of(const Candidate& candidate) {
    const Gram& K = training_.K;
    if (!candidate.kernel || (K.kernel() == candidate.kernel && !K.dense().empty())) return K;
    const Execution how{.threads = training_.how.threads, .monitor = course_.monitor()};
    return gram_for(*candidate.kernel, *K.points(), plan_to_share(extent_of(training_)), how);
  }

  std::vector<Chain> chains_of(const std::vector<std::size_t>& group) const {
    const WarmOption* along = nullptr;
    for (const WarmOption& option : kWarmOptions) {
      if (along == nullptr && machine_.warm_start && candidates_[group.front()].settings.contains(option.name)) {
        along = &option;
      }
    }
    std::vector<Chain> chains;
    std::vector<Settings> keys;
    for (const std::size_t c : group) {
      Settings key = candidates_[c].settings;
      if (along != nullptr) key.erase(along->name);
      const auto same = along == nullptr ? keys.end() : std::find(keys.begin(), keys.end(), key);
      if (same == keys.end()) {
        keys.push_back(std::move(key));
        chains.push_back({c});
      } else {
        chains[static_cast<std::size_t>(same - keys.begin())].push_back(c);
      }
    }
    if (along == nullptr) return chains;
    const auto place = [&](std::size_t c) {  // what is no number (auto) comes first
      return along->direction * parse_number(candidates_[c].settings.at(along->name)).value_or(0);
    };
    for (Chain& chain : chains) {
      std::stable_sort(chain.begin(), chain.end(), [&](std::size_t a, std::size_t b) { return place(a) < place(b); });
    }
    return chains;
  }

  // False where the machine has no such way, or not for these settings.
  bool cross_at_once(const Training& shared, const std::vector<Chain>& chains) {
    if (!machine_.cross || criterion_.of_fit || shared.centres) return false;
    std::vector<std::size_t> order;
    std::vector<Settings> settings;
    for (const Chain& chain : chains) {
      for (const std::size_t c : chain) {
        order.push_back(c);
        settings.push_back(candidates_[c].settings);
      }
    }
    Training quiet = shared;
    quiet.how.monitor = course_.monitor(settings.size() * folds_.size());
    const std::vector<HeldOut> all = machine_.cross({quiet, settings, folds_});
    if (all.empty()) return false;
    for (std::size_t s = 0; s < order.size(); ++s) {
      for (std::size_t f = 0; f < folds_.size(); ++f) record(order[s], f, all[s * folds_.size() + f]);
    }
    course_.done(all.size());
    return true;
  }

  void cross_one_by_one(const Training& shared, const std::vector<Chain>& chains) {
    // Each fit may hold its part of K and a factor of it.
    const double room = shared.K.dense().empty() ? 64 : (memory() - gram_bytes()) / (2 * gram_bytes());
    const int workers = std::min(thread_count(training_.how.threads), static_cast<int>(std::clamp(room, 1.0, 4096.0)));
    const auto units = static_cast<Index>(chains.size() * folds_.size());
    parallel_for(units, workers, {}, kStage, [&](Index unit, int) {
      const Chain& chain = chains[at(unit) / folds_.size()];
      criterion_.of_fit ? judge(shared, chain) : walk(shared, chain, at(unit) % folds_.size());
    });
  }

  void walk(const Training& shared, const Chain& chain, std::size_t fold) {
    const Cut cut(shared, folds_[fold]);
    Training rest = cut.rest();
    rest.how = {.threads = 1, .monitor = course_.monitor()};
    for (const std::size_t c : chain) {
      HeldOut held;
      try {
        const Model model = fit(machine_.name, candidates_[c].settings, rest);
        course_.done(1);
        held = cut.say(model, {.threads = 1});
        if (criterion_.needs_variances) held.variances = cut.variances(model, {.threads = 1});
        if (machine_.warm_start) rest.start = model;
      } catch (const Error& error) {
        if (error.kind() == ErrorKind::cancelled) throw;
        held.failure = error.what();
        held.cause = std::current_exception();
        rest.start.reset();
      }
      const std::lock_guard lock(mutex_);
      record(c, fold, held);
    }
  }

  // Fits to all points, and what every criterion of the task says of them.
  void judge(const Training& shared, const Chain& chain) {
    Training all = shared;
    all.how = {.threads = 1, .monitor = course_.monitor()};
    for (const std::size_t c : chain) {
      HeldOut none;
      Candidate judged = candidates_[c];
      try {
        const Model model = fit(machine_.name, judged.settings, all);
        judged.converged = model.report().converged;
        const detail::WholeFit whole{machine_, judged.settings, model, all};
        judged.scores[0] = criterion_.of_fit(whole);
        for (const Criterion* const other : detail::criteria(criterion_.task)) {
          if (other != &criterion_) judged.others.push_back({other->name, figure_of(*other, whole)});
        }
        course_.done(1);
      } catch (const Error& error) {
        if (error.kind() == ErrorKind::cancelled) throw;
        none.failure = error.what();
        none.cause = std::current_exception();
      }
      const std::lock_guard lock(mutex_);
      candidates_[c] = std::move(judged);
      ++folds_done_[c];
      failures_[c] = none.cause;
      candidates_[c].failure = none.failure;
    }
  }

  // No number where a criterion does not apply: a reference distribution for strings, for example.
  static double figure_of(const Criterion& criterion, const detail::WholeFit& whole) {
    try {
      return criterion.of_fit(whole);
    } catch (const Error& error) {
      if (error.kind() == ErrorKind::cancelled) throw;
      return std::numeric_limits<double>::quiet_NaN();
    }
  }

  void record(std::size_t c, std::size_t fold, const HeldOut& held) {
    if (was_stopped(held.cause)) return;
    Candidate& candidate = candidates_[c];
    ++folds_done_[c];
    candidate.converged = candidate.converged && held.converged;
    failures_[c * folds_.size() + fold] = held.cause;
    std::string failure = held.failure;
    if (failure.empty()) {
      try {
        candidate.scores[fold] = criterion_.of(held, training_, folds_[fold]);
      } catch (const Error& error) {  // auc of a fold with one class
        failure = error.what();
      }
    }
    // The same words whichever thread came first.
    if (!failure.empty() && (candidate.failure.empty() || failure < candidate.failure)) candidate.failure = failure;
  }

  static void summarise(Candidate& candidate) {
    if (!candidate.failure.empty()) {
      candidate.scores.clear();
      candidate.mean = candidate.sd = std::numeric_limits<double>::quiet_NaN();
      return;
    }
    const double n = static_cast<double>(candidate.scores.size());
    double sum = 0, squares = 0;
    for (const double score : candidate.scores) sum += score;
    candidate.mean = sum / n;
    for (const double score : candidate.scores) squares += (score - candidate.mean) * (score - candidate.mean);
    candidate.sd = n > 1 ? std::sqrt(squares / (n - 1)) : 0;
  }

  const Machine& machine_;
  const Criterion& criterion_;
  const Training& training_;
  const std::vector<Fold>& folds_;
  std::vector<Candidate>& candidates_;
  Course course_;
  std::mutex mutex_;
  std::vector<std::exception_ptr> failures_;  // candidates x folds
  std::vector<std::size_t> folds_done_;       // of each candidate
};

std::optional<Kernel> kernel_of(const Training& training) {
  return training.K.points() ? training.K.kernel() : std::nullopt;
}

}  // namespace

bool detail::score_candidates(const Machine& machine, const Criterion& criterion, const Training& training,
                              const std::vector<Fold>& folds, std::vector<Candidate>& candidates) {
  return Search(machine, criterion, training, folds, candidates).run();
}

std::string detail::words_of(const std::string& failure) {
  const std::size_t kind = failure.find("Error: ");
  return kind == std::string::npos || failure.find(' ') < kind ? failure : failure.substr(failure.find(' ') + 1);
}

bool needs_folds(const Tuning& tuning) {
  const Machine& row = machine(tuning.machine);
  return detail::criterion(tuning.metric, row.name, row.task_for(tuning.settings)).of_fit == nullptr;
}

Tuned tune(const Tuning& tuning, const Training& training) {
  const Machine& row = machine(tuning.machine);
  const Criterion& by = detail::criterion(tuning.metric, row.name, row.task_for(tuning.settings));
  std::vector<Candidate> candidates = detail::candidates(tuning, row, kernel_of(training));
  Search search(row, by, training, tuning.folds, candidates);
  const bool finished = search.run();
  std::vector<std::string> names;
  for (const Axis& axis : tuning.axes) names.push_back(axis.name);
  const std::size_t best = search.best();
  SearchTable table{by.name, by.larger_is_better, std::move(names), std::move(candidates), best};
  if (!finished) throw SearchStopped(std::move(table));

  Training all = training;
  if (const auto& kernel = table.candidates[best].kernel; kernel && training.K.kernel() != kernel) {
    all.K = gram_for(*kernel, *training.K.points(), {});
  }
  try {
    Model model = fit(row.name, table.candidates[best].settings, all);
    return {std::move(table), std::move(model)};
  } catch (const Error& error) {
    if (error.kind() != ErrorKind::cancelled) throw;
    throw SearchStopped(std::move(table));
  }
}

SearchStopped::SearchStopped(SearchTable found)
    : Error(ErrorKind::cancelled, "tune: stopped on request"), table(std::move(found)) {}

Candidate cross_validate(const std::string& machine_name, const Settings& settings, const Training& training,
                         const std::vector<Fold>& folds, const std::string& metric) {
  const Machine& row = machine(machine_name);
  std::vector<Candidate> one = {{.values = {}, .settings = settings, .kernel = kernel_of(training)}};
  Search search(row, detail::criterion(metric, row.name, row.task_for(settings)), training, folds, one);
  search.run();
  search.best();  // throws what went wrong
  return one.front();
}

}  // namespace mercer
