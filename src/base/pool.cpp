#include "base/pool.hpp"

#include <pthread.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <csignal>
#include <list>
#include <memory>
#include <mutex>
#include <system_error>
#include <thread>

namespace mercer {

namespace {

using Clock = std::chrono::steady_clock;

// Going to sleep and being woken costs some 50 us. Who waits stays awake for about as long, in case the next loop
// follows at once: so waiting costs at most twice what it has to, and a busy machine is not kept busier by it.
constexpr auto kAwake = std::chrono::microseconds(50);
constexpr auto kLook = std::chrono::milliseconds(100);

void pause() {
#if defined(__x86_64__) || defined(__i386__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  __asm__ volatile("yield");
#endif
}

template <class Condition>
bool awake_until(const Condition& condition) {
  constexpr int kLooksPerGlance = 16;  // at the clock
  for (const auto end = Clock::now() + kAwake; !condition();) {
    for (int i = 0; i < kLooksPerGlance; ++i) pause();
    if (Clock::now() >= end) return condition();
  }
  return true;
}

// A loop that runs. Whoever comes late finds no piece left; `piece` is alive as long as one is not done, and only then
// called. So nobody has to wait for latecomers: they share ownership.
class Loop {
 public:
  Loop(Index count, int threads, const std::function<void(Index, int)>& piece)
      : count_(count), threads_(threads), piece_(piece) {}

  // Whether another thread may come in, and if so as which; asked under the lock of the pool.
  bool open() const { return joined_ < threads_ && next_.load(std::memory_order_relaxed) < count_; }
  int join() { return joined_++; }

  void work(int thread) {
    for (Index i = 0; (i = next_.fetch_add(1, std::memory_order_relaxed)) < count_;) {
      piece_(i, thread);
      if (done_.fetch_add(1, std::memory_order_acq_rel) + 1 == count_ && thread != 0) {
        const std::lock_guard lock(mutex_);
        finished_.notify_one();
      }
    }
  }

  void wait(const std::function<void()>& waiting) {
    const auto all_done = [this] { return done_.load(std::memory_order_acquire) == count_; };
    if (awake_until(all_done)) return;
    std::unique_lock lock(mutex_);
    while (!finished_.wait_for(lock, kLook, all_done)) {
      lock.unlock();
      waiting();
      lock.lock();
    }
  }

 private:
  const Index count_;
  const int threads_;
  const std::function<void(Index, int)>& piece_;
  std::atomic<Index> next_ = 0, done_ = 0;
  int joined_ = 1;  // the caller
  std::mutex mutex_;
  std::condition_variable finished_;
};

class Pool {
 public:
  void run(const std::shared_ptr<Loop>& loop, int helpers, const std::function<void()>& waiting) {
    int asleep = 0;
    std::list<std::shared_ptr<Loop>>::iterator place;
    {
      const std::lock_guard lock(mutex_);
      while (workers_ < helpers && add_worker()) {
      }
      place = open_.insert(open_.end(), loop);
      ++posted_;
      asleep = std::min(asleep_, helpers);
    }
    for (int i = 0; i < asleep; ++i) wake_.notify_one();
    loop->work(0);
    {
      const std::lock_guard lock(mutex_);
      open_.erase(place);
    }
    loop->wait(waiting);
  }

 private:
  // A worker lives as long as the process. False: the system gives no more threads.
  bool add_worker() {
    // Signals are for the threads of the program; those that report a fault of a thread itself come anyway.
    sigset_t all, before;
    sigfillset(&all);
    for (const int fault : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGABRT, SIGPROF}) sigdelset(&all, fault);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    bool added = true;
    try {
      std::thread worker([this] { serve(); });
      pthread_setname_np(worker.native_handle(), "mercer");
      worker.detach();
      ++workers_;
    } catch (const std::system_error&) {
      added = false;
    }
    pthread_sigmask(SIG_SETMASK, &before, nullptr);
    return added;
  }

  [[noreturn]] void serve() {
    std::unique_lock lock(mutex_);
    for (;;) {
      const auto found = std::find_if(open_.begin(), open_.end(), [](const auto& loop) { return loop->open(); });
      if (found != open_.end()) {
        const std::shared_ptr<Loop> loop = *found;
        const int thread = loop->join();
        lock.unlock();
        loop->work(thread);
      } else {
        const unsigned seen = posted_;
        const auto news = [&] { return posted_.load(std::memory_order_relaxed) != seen; };
        lock.unlock();
        if (!awake_until(news)) {
          lock.lock();
          ++asleep_;
          wake_.wait(lock, news);
          --asleep_;
          continue;
        }
      }
      lock.lock();
    }
  }

  std::mutex mutex_;
  std::condition_variable wake_;
  std::list<std::shared_ptr<Loop>> open_;  // in the order in which they were begun
  std::atomic<unsigned> posted_ = 0;       // how many there have been
  int workers_ = 0, asleep_ = 0;
};

// Never destroyed: at the end of the process its workers may still sleep in it.
std::atomic<Pool*> shared_pool = nullptr;

Pool& pool() {
  if (Pool* there = shared_pool.load(std::memory_order_acquire)) return *there;
  // A fork takes along the thread that calls it and no other; whatever the pool's lock was, the child starts anew.
  static const int registered = pthread_atfork(nullptr, nullptr, [] { shared_pool = nullptr; });
  static_cast<void>(registered);
  auto made = std::make_unique<Pool>();
  Pool* expected = nullptr;
  return *(shared_pool.compare_exchange_strong(expected, made.get()) ? made.release() : expected);
}

}  // namespace

void run_pieces(Index count, int threads, const std::function<void(Index i, int thread)>& piece,
                const std::function<void()>& waiting) {
  threads = static_cast<int>(std::min<Index>(threads, count));
  const auto loop = std::make_shared<Loop>(count, threads, piece);
  if (threads <= 1) return loop->work(0);
  pool().run(loop, threads - 1, waiting);
}

}  // namespace mercer
