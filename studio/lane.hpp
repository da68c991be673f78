// One thread that does what it is given, in order. The server has three: a quick one for what is asked while typing and
// dragging, a patient one for learning and reports, one for files. So a long fit never makes the page wait.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <deque>
#include <functional>
#include <mutex>
#include <thread>

namespace mercer::studio {

class Lane {
 public:
  using Work = std::function<void()>;  // throws nothing

  explicit Lane(std::size_t most_waiting);
  ~Lane();  // waits for the work that has begun; what has not is dropped
  Lane(const Lane&) = delete;
  Lane& operator=(const Lane&) = delete;

  // False where too much waits already. `tag` is for withdraw(); 0: none.
  bool post(Work work, std::uint64_t tag = 0);
  bool withdraw(std::uint64_t tag);  // what has not begun yet; false: it has, or is done

 private:
  void run();

  struct Item {
    std::uint64_t tag;
    Work work;
  };
  std::mutex mutex_;
  std::condition_variable more_;
  std::deque<Item> waiting_;
  std::size_t most_waiting_;
  bool closing_ = false;
  std::thread thread_;
};

}  // namespace mercer::studio
