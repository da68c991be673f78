#include "machines/svm/cross.hpp"

#include <algorithm>
#include <condition_variable>
#include <mutex>

#include "base/at.hpp"
#include "base/fail.hpp"
#include "model/tasks.hpp"
#include "model/training.hpp"
#include "selection/held_out.hpp"

namespace mercer::detail {

namespace {

bool differ_in_cost_alone(Settings a, Settings b) {
  a.erase("C");
  b.erase("C");
  return a == b;
}

struct Unit {
  const Fold* fold;
  std::size_t column;     // of the fold, in the results
  std::size_t next, end;  // settings
  bool busy = false;      // a thread is at it
  Walk walk = {};
};

// Hands out fits so that threads end together: the next one of the walk that has most before it.
class Units {
 public:
  Units(const Crossing& crossing) {
    const std::vector<Settings>& settings = crossing.settings;
    for (std::size_t begin = 0, end = 0; begin < settings.size(); begin = end) {
      while (end < settings.size() && differ_in_cost_alone(settings[begin], settings[end])) ++end;
      for (std::size_t f = 0; f < crossing.folds.size(); ++f) units_.push_back({&crossing.folds[f], f, begin, end});
    }
  }

  // There must be one left. Waits while another thread is at all that are left.
  Unit& take() {
    std::unique_lock lock(mutex_);
    for (;;) {
      Unit* most = nullptr;
      for (Unit& unit : units_) {
        const std::size_t left = unit.end - unit.next;
        if (!unit.busy && left > (most == nullptr ? 0 : most->end - most->next)) most = &unit;
      }
      if (most != nullptr) {
        most->busy = true;
        return *most;
      }
      given_back_.wait(lock);
    }
  }
  void give_back(Unit& unit) {
    const std::lock_guard lock(mutex_);
    unit.busy = false;
    if (++unit.next == unit.end) unit.walk = {};
    given_back_.notify_all();
  }

 private:
  std::mutex mutex_;
  std::condition_variable given_back_;
  std::vector<Unit> units_;
};

}  // namespace

Training weighing_nothing(const Training& all, const Fold& fold) {
  outside(fold, all.K.size());
  Training out = all;
  out.start.reset();
  out.weights = weights_of(all);
  for (const Index i : fold) out.weights[at(i)] = 0;
  return out;
}

std::shared_ptr<RowStore> store_for(const Training& all, std::span<const Index> segment) {
  // What K itself takes is part of the memory there is to use.
  const std::size_t taken = at(all.K.dense().rows() * all.K.dense().cols()) * sizeof(double);
  const std::size_t left = all.memory == 0 ? 0 : std::max<std::size_t>(1, all.memory - std::min(all.memory, taken));
  Execution how = all.how;
  if (how.monitor.listening()) {
    how.monitor = Monitor([&all](const Progress& p) {  // is no progress of fits
      all.how.monitor.report({p.stage, 0});
      return true;
    });
  }
  auto store = std::make_shared<RowStore>(all.K, segment, left, how);
  store->copy_all(how);
  return store;
}

std::vector<mercer::HeldOut> walk_all(const Crossing& crossing, const std::string& machine,
                                      const std::function<Walk(const Fold& fold)>& begin) {
  const std::size_t folds = crossing.folds.size();
  std::vector<mercer::HeldOut> out(crossing.settings.size() * folds);
  std::vector<char> done(out.size(), 0);
  Units units(crossing);
  const auto fit_next = [&](Unit& unit, const Execution& how) {
    how.monitor.report({machine, 0});  // once cancelled, nothing is begun
    const std::size_t place = unit.next * folds + unit.column;
    mercer::HeldOut& held = out[place];
    try {
      if (!unit.walk) unit.walk = begin(*unit.fold);
      held = unit.walk(crossing.settings[unit.next], how);
      how.monitor.report({machine, 0});  // what was cancelled on the way ended too early
    } catch (const Error& error) {
      if (error.kind() == ErrorKind::cancelled) throw;
      held.failure = error.what();
      held.cause = std::current_exception();
      unit.walk = {};
    }
    done[place] = 1;
  };
  const std::vector<double> equal(out.size(), 1.0);
  const bool finished = run_tasks(equal, crossing.training.how, machine, [&](Index, const Execution& how) {
    Unit& unit = units.take();
    struct GiveBack {
      Units& units;
      Unit& unit;
      ~GiveBack() { units.give_back(unit); }
    } give_back{units, unit};
    fit_next(unit, how);
  });
  if (finished) return out;
  const Error stopped(ErrorKind::cancelled, machine + ": stopped on request");
  for (std::size_t place = 0; place < out.size(); ++place) {
    if (done[place] != 0) continue;
    out[place] = {.failure = stopped.what(), .cause = std::make_exception_ptr(stopped)};
  }
  return out;
}

}  // namespace mercer::detail
