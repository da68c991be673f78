#include "base/task_graph.hpp"

#include <condition_variable>
#include <mutex>
#include <queue>

#include "base/at.hpp"
#include "base/parallel.hpp"

namespace mercer {

Index TaskGraph::add(std::function<void()> work, const std::vector<Index>& after) {
  const auto number = static_cast<Index>(tasks_.size());
  Task task{std::move(work)};
  for (const Index before : after) {
    if (before == kNone) continue;
    tasks_[at(before)].unblocks.push_back(number);
    ++task.waits_for;
  }
  tasks_.push_back(std::move(task));
  return number;
}

// Each piece of the loop is a task, but which one shows only when its turn comes. While there are pieces to hand out
// there are tasks not begun, and as long as none of these can be begun one is at work: so whoever waits is woken.
void TaskGraph::run(int threads, const Monitor& monitor, std::string_view stage) {
  std::mutex mutex;
  std::condition_variable news;
  std::priority_queue<Index, std::vector<Index>, std::greater<>> ready;
  bool broken = false;
  for (std::size_t i = 0; i < tasks_.size(); ++i) {
    if (tasks_[i].waits_for == 0) ready.push(static_cast<Index>(i));
  }
  const auto take = [&] {
    std::unique_lock lock(mutex);
    news.wait(lock, [&] { return broken || !ready.empty(); });
    if (broken) return kNone;
    const Index task = ready.top();
    ready.pop();
    return task;
  };
  const auto finish = [&](Index task) {
    const std::lock_guard lock(mutex);
    for (const Index next : tasks_[at(task)].unblocks) {
      if (--tasks_[at(next)].waits_for > 0) continue;
      ready.push(next);
      news.notify_one();
    }
  };
  parallel_for(static_cast<Index>(tasks_.size()), threads, monitor, stage, [&](Index, int) {
    const Index task = take();
    if (task == kNone) return;
    try {
      tasks_[at(task)].work();
    } catch (...) {
      {
        const std::lock_guard lock(mutex);
        broken = true;
      }
      news.notify_all();
      throw;
    }
    finish(task);
  });
}

}  // namespace mercer
