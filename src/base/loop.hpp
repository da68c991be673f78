// Whether the calling thread is within the body of a parallel_for (base/parallel.hpp), which may run on any of them.
#pragma once

namespace mercer {

bool in_loop();

}  // namespace mercer
