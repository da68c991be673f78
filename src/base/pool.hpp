// The threads of the process: one pool for every loop that runs on several.
#pragma once

#include <functional>

#include "mercer/matrix.hpp"

namespace mercer {

// Runs piece(i, thread) once for every i in [0, count), handed out in order; thread is in [0, threads), and no two run
// with the same one at a time. The caller is thread 0 and takes pieces like the others, who join as they come free, or
// never: the loop ends when its pieces are done, so a thread that gets no processor delays the piece it holds and
// nothing else. When there is nothing left to do but wait for such a piece, calls `waiting` ten times a second.
//
// Neither function may throw. May be called from several threads at once, which then share the pool, from within a
// piece, and in a forked child, which gets a pool of its own. Where the system gives no further threads, works with
// those there are.
void run_pieces(Index count, int threads, const std::function<void(Index i, int thread)>& piece,
                const std::function<void()>& waiting);

}  // namespace mercer
