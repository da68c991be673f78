#include "model/tasks.hpp"

#include <algorithm>
#include <chrono>
#include <mutex>
#include <numeric>
#include <vector>

#include "base/at.hpp"
#include "base/parallel.hpp"
#include "mercer/error.hpp"

namespace mercer::detail {

namespace {

// Adds up what the tasks report, and passes it on from one thread at a time.
class Progresses {
 public:
  Progresses(std::span<const double> size, const Monitor& monitor, std::string_view stage)
      : size_(size.begin(), size.end()),
        fraction_(size.size()),
        monitor_(monitor),
        stage_(stage),
        total_(std::accumulate(size.begin(), size.end(), 0.0)) {}

  bool cancelled() const { return cancelled_; }
  bool report(Index task, double fraction) {
    const std::lock_guard lock(mutex_);
    if (cancelled_) return false;
    fraction_[at(task)] = std::max(fraction_[at(task)], std::clamp(fraction, 0.0, 1.0));
    double done = 0;
    for (std::size_t i = 0; i < size_.size(); ++i) done += size_[i] * fraction_[i];
    const double shown = total_ > 0 ? done / total_ : 0;
    // Many tasks report more often than anyone wants to hear: pass on what shows, and what keeps Ctrl-C quick.
    const auto now = std::chrono::steady_clock::now();
    if (shown - last_shown_ < 0.01 && now - last_time_ < std::chrono::milliseconds(50)) return true;
    last_shown_ = shown;
    last_time_ = now;
    try {
      monitor_.report({stage_, shown});
    } catch (const Error& error) {
      if (error.kind() != ErrorKind::cancelled) throw;
      cancelled_ = true;
    }
    return !cancelled_;
  }

 private:
  std::vector<double> size_, fraction_;
  const Monitor& monitor_;
  std::string_view stage_;
  double total_;
  std::mutex mutex_;
  bool cancelled_ = false;
  double last_shown_ = -1;
  std::chrono::steady_clock::time_point last_time_ = {};
};

}  // namespace

int side_by_side(std::size_t tasks, const Execution& how) {
  const int threads = thread_count(how.threads);
  return threads > 1 && tasks >= static_cast<std::size_t>(threads) ? threads : 1;
}

bool run_tasks(std::span<const double> size, const Execution& how, std::string_view stage,
               const std::function<void(Index i, const Execution& how)>& body) {
  const auto count = static_cast<Index>(size.size());
  std::vector<Index> order(at(count));
  std::iota(order.begin(), order.end(), Index{0});
  std::stable_sort(order.begin(), order.end(), [&](Index a, Index b) { return size[at(a)] > size[at(b)]; });
  Progresses progresses(size, how.monitor, stage);
  const auto run = [&](Index i, int threads) {
    Execution inner = how;
    inner.threads = threads;
    if (how.monitor.listening()) {
      inner.monitor = Monitor([&progresses, i](const Progress& p) { return progresses.report(i, p.fraction); });
    }
    body(i, inner);
    progresses.report(i, 1);
  };
  const int threads = thread_count(how.threads);
  if (side_by_side(size.size(), how) > 1) {
    parallel_for(count, threads, {}, stage, [&](Index i, int) { run(order[at(i)], 1); });
  } else {
    for (const Index i : order) run(i, threads);
  }
  return !progresses.cancelled();
}

}  // namespace mercer::detail
