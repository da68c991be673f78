// Work whose pieces wait for each other.
#pragma once

#include <functional>
#include <string_view>
#include <vector>

#include "mercer/matrix.hpp"
#include "mercer/monitor.hpp"

namespace mercer {

// Tasks and what each waits for. run() does them side by side; of those that can be begun it begins the one that was
// added first, so that the order of adding says what matters most. Who finds none to begin sleeps until there is one.
//
//     TaskGraph graph;
//     const Index a = graph.add([&] { ... });
//     const Index b = graph.add([&] { ... }, {a});
//     graph.run(thread_count(0), monitor, "solve");
//
// What tasks compute does not depend on the number of threads when each reads only what those have written that it
// waits for, directly or not. Adding is for one thread.
class TaskGraph {
 public:
  static constexpr Index kNone = -1;

  // `after` are numbers of tasks added before; kNone among them is nothing to wait for. Returns the task's number.
  Index add(std::function<void()> work, const std::vector<Index>& after = {});

  // Does every task once. An exception (or the monitor's wish to stop, which is heard after each task) ends it, and is
  // rethrown here when what has begun is done. May be called once.
  void run(int threads, const Monitor& monitor, std::string_view stage);

 private:
  struct Task {
    std::function<void()> work;
    Index waits_for = 0;
    std::vector<Index> unblocks = {};
  };
  std::vector<Task> tasks_;
};

}  // namespace mercer
