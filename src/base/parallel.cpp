#include "base/parallel.hpp"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cmath>
#include <cstdlib>
#include <exception>
#include <limits>
#include <mutex>

#include "base/cpus.hpp"
#include "base/fail.hpp"
#include "base/loop.hpp"
#include "base/pool.hpp"
#include "base/text.hpp"

namespace mercer {

namespace {

// What this thread's own work may use; 0: nobody has said.
thread_local int limit = 0;
// One of several pieces that run side by side has no threads to give to others.
thread_local bool in_piece = false;
// And one that runs alone, on the caller's thread, is told apart from what the caller does between loops.
thread_local bool in_body = false;

}  // namespace

Threads::Threads(int requested) : before_(limit) {
  if (requested > 0) limit = requested;
}

Threads::~Threads() { limit = before_; }

namespace {

// joblib and batch systems tell the processes that they start their share of the machine by OpenMP's variable, "4" or
// "4,2"; what it says there is not ours to judge.
int share_of_machine() {
  const char* text = std::getenv("OMP_NUM_THREADS");
  const int share = text == nullptr ? 0 : std::atoi(text);
  return share > 0 ? share : std::numeric_limits<int>::max();
}

}  // namespace

int thread_count(int requested) {
  if (in_piece) return 1;
  if (requested > 0) return requested;
  if (limit > 0) return limit;
  const char* text = std::getenv("MERCER_NUM_THREADS");
  if (text == nullptr) return std::min(usable_cpus(), share_of_machine());
  const auto value = parse_number(text);
  if (!value || *value < 1 || *value > 4096 || *value != std::trunc(*value)) {
    fail(ErrorKind::usage, "MERCER_NUM_THREADS is \"{}\"; set it to a whole number from 1", text);
  }
  return static_cast<int>(*value);
}

namespace {

// How long the caller's own thread, the only one that may be asked to look for a signal, stays silent at most.
constexpr auto kSilence = std::chrono::milliseconds(100);

// While it lives, the flag is set.
class Within {
 public:
  explicit Within(bool& flag) : flag_(flag), before_(flag) { flag = true; }
  ~Within() { flag_ = before_; }
  Within(const Within&) = delete;
  Within& operator=(const Within&) = delete;

 private:
  bool& flag_;
  bool before_;
};

}  // namespace

bool in_loop() { return in_body; }

void parallel_for(Index count, int threads, const Monitor& monitor, std::string_view stage,
                  const std::function<void(Index i, int thread)>& body) {
  std::atomic<bool> stopped = false;
  std::exception_ptr failure;
  std::mutex mutex;
  Index done = 0;
  int percent = -1;
  auto told = std::chrono::steady_clock::now();
  const auto guarded = [&](const auto& step) {
    try {
      step();
    } catch (...) {
      const std::lock_guard lock(mutex);
      if (!failure) failure = std::current_exception();
      stopped = true;
    }
  };
  // A further `pieces` are done, says `thread`.
  const auto tell = [&](Index pieces, int thread) {
    if (!monitor.listening()) return;
    const std::lock_guard lock(mutex);
    done += pieces;
    const int now = static_cast<int>(100 * done / count);
    const bool due = thread == 0 && std::chrono::steady_clock::now() - told >= kSilence;
    if ((now == percent && !due) || stopped) return;
    percent = now;
    if (thread == 0) told = std::chrono::steady_clock::now();
    try {
      monitor.report({stage, static_cast<double>(done) / static_cast<double>(count)});
    } catch (...) {
      stopped = true;  // before another thread can ask again
      throw;
    }
  };
  const auto piece = [&](Index i, int thread) {
    if (stopped) return;
    guarded([&] {
      {
        const Within body_of_a_loop(in_body);
        body(i, thread);
      }
      tell(1, thread);
    });
  };
  if (threads <= 1 || count <= 1) {
    const Threads same(threads);  // also for what a piece begins
    for (Index i = 0; i < count; ++i) piece(i, 0);
  } else {
    const auto among_others = [&](Index i, int thread) {
      const Within own(in_piece);
      piece(i, thread);
    };
    run_pieces(count, threads, among_others, [&] { guarded([&] { tell(0, 0); }); });
  }
  if (failure) std::rethrow_exception(failure);
}

}  // namespace mercer
