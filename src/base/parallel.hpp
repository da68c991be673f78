// Loops over independent pieces of work on all cores.
#pragma once

#include <functional>

#include "mercer/matrix.hpp"
#include "mercer/monitor.hpp"

namespace mercer {

// `requested` if positive, else MERCER_NUM_THREADS, else one per core.
int thread_count(int requested);

// Runs body(i, thread) for i in [0, count), thread in [0, threads). Pieces are handed out in order as
// threads come free. An exception (or the monitor's wish to stop) ends the loop and is rethrown here.
void parallel_for(Index count, int threads, const Monitor& monitor, std::string_view stage,
                  const std::function<void(Index i, int thread)>& body);

}  // namespace mercer
