// Work that is done when it is first asked for, by whoever asks first, while others wait. Work that throws was not
// done: the next one to ask tries again. std::call_once promises the same, but waits for ever then where pthread_once
// knows no exceptions: under the thread sanitizer, with some C libraries.
#pragma once

#include <atomic>
#include <mutex>

namespace mercer {

class Once {
 public:
  template <class Work>
  void operator()(const Work& work) {
    if (done_.load(std::memory_order_acquire)) return;
    const std::lock_guard lock(mutex_);
    if (done_.load(std::memory_order_relaxed)) return;
    work();
    done_.store(true, std::memory_order_release);
  }

 private:
  std::atomic<bool> done_ = false;
  std::mutex mutex_;
};

}  // namespace mercer
