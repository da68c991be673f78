#include "studio/lane.hpp"

#include <algorithm>

namespace mercer::studio {

Lane::Lane(std::size_t most_waiting) : most_waiting_(most_waiting), thread_([this] { run(); }) {}

Lane::~Lane() {
  {
    const std::lock_guard lock(mutex_);
    closing_ = true;
    waiting_.clear();
  }
  more_.notify_all();
  thread_.join();
}

bool Lane::post(Work work, std::uint64_t tag) {
  {
    const std::lock_guard lock(mutex_);
    if (closing_ || waiting_.size() >= most_waiting_) return false;
    waiting_.push_back({tag, std::move(work)});
  }
  more_.notify_one();
  return true;
}

bool Lane::withdraw(std::uint64_t tag) {
  const std::lock_guard lock(mutex_);
  const auto found = std::find_if(waiting_.begin(), waiting_.end(), [&](const Item& item) { return item.tag == tag; });
  if (found == waiting_.end()) return false;
  waiting_.erase(found);
  return true;
}

void Lane::run() {
  std::unique_lock lock(mutex_);
  while (true) {
    more_.wait(lock, [&] { return closing_ || !waiting_.empty(); });
    if (closing_) return;
    {
      const Item item = std::move(waiting_.front());
      waiting_.pop_front();
      lock.unlock();
      item.work();
    }  // what the work held goes before the lock is taken again
    lock.lock();
  }
}

}  // namespace mercer::studio
