// Loops over independent pieces of work on all cores.
#pragma once

#include <functional>

#include "mercer/matrix.hpp"
#include "mercer/monitor.hpp"

namespace mercer {

// How many threads work may use: `requested` if positive, else what the nearest Threads says, else MERCER_NUM_THREADS,
// else one per processor that this process may use, but no more than OMP_NUM_THREADS; and one within a loop that runs
// on several.
int thread_count(int requested);

// While it lives, what its thread begins uses so many threads, wherever it is not told another number; 0 changes
// nothing. Stands where a caller says how many: that number so reaches reading and matrix algebra far below.
class [[nodiscard]] Threads {
 public:
  explicit Threads(int requested);
  ~Threads();
  Threads(const Threads&) = delete;
  Threads& operator=(const Threads&) = delete;

 private:
  int before_;
};

// Runs body(i, thread) for i in [0, count), thread in [0, threads). Pieces are handed out in order as
// threads come free. An exception (or the monitor's wish to stop) ends the loop and is rethrown here.
void parallel_for(Index count, int threads, const Monitor& monitor, std::string_view stage,
                  const std::function<void(Index i, int thread)>& body);

}  // namespace mercer
