#include "base/parallel.hpp"

#include <omp.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdlib>
#include <exception>
#include <mutex>

#include "base/fail.hpp"
#include "base/text.hpp"

namespace mercer {

int thread_count(int requested) {
  if (requested > 0) return requested;
  const char* text = std::getenv("MERCER_NUM_THREADS");
  if (text == nullptr) return omp_get_num_procs();
  const auto value = parse_number(text);
  if (!value || *value < 1 || *value > 4096 || *value != static_cast<int>(*value)) {
    fail(ErrorKind::usage, "MERCER_NUM_THREADS is \"{}\"; set it to a whole number from 1", text);
  }
  return static_cast<int>(*value);
}

namespace {

// How long the caller's own thread, the only one that may be asked to look for a signal, stays silent at most.
constexpr auto kSilence = std::chrono::milliseconds(100);

// While pieces run side by side, and also when one thread runs them all, BLAS stays on its caller's thread:
// how it cuts up a product would otherwise show in the last bits.
class OneBlasThread {
 public:
  OneBlasThread() { omp_set_num_threads(1); }
  ~OneBlasThread() { omp_set_num_threads(before_); }
  OneBlasThread(const OneBlasThread&) = delete;
  OneBlasThread& operator=(const OneBlasThread&) = delete;

 private:
  int before_ = omp_get_max_threads();
};

}  // namespace

void parallel_for(Index count, int threads, const Monitor& monitor, std::string_view stage,
                  const std::function<void(Index i, int thread)>& body) {
  std::atomic<bool> stopped = false;
  std::exception_ptr failure;
  std::mutex mutex;
  Index done = 0;
  int percent = -1;
  auto told = std::chrono::steady_clock::now();
  const auto piece = [&](Index i, int thread) {
    if (stopped) return;
    try {
      body(i, thread);
      if (!monitor.listening()) return;
      const std::lock_guard lock(mutex);
      const int now = static_cast<int>(100 * ++done / count);
      const bool due = thread == 0 && std::chrono::steady_clock::now() - told >= kSilence;
      if ((now != percent || due) && !stopped) {
        percent = now;
        if (thread == 0) told = std::chrono::steady_clock::now();
        monitor.report({stage, static_cast<double>(done) / static_cast<double>(count)});
      }
    } catch (...) {
      const std::lock_guard lock(mutex);
      if (!failure) failure = std::current_exception();
      stopped = true;
    }
  };
  // Waking the other threads costs more than a single piece of work is worth.
  const OneBlasThread one_blas_thread;
  const int workers = static_cast<int>(std::min<Index>(threads, count));
  if (workers <= 1) {
    for (Index i = 0; i < count; ++i) piece(i, 0);
  } else {
#pragma omp parallel for num_threads(workers) schedule(dynamic, 1)
    for (Index i = 0; i < count; ++i) piece(i, omp_get_thread_num());
  }
  if (failure) std::rethrow_exception(failure);
}

}  // namespace mercer
