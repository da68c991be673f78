// How much memory can still be used.
#pragma once

namespace mercer {

// Bytes that the system can give without swapping; infinity where it does not tell.
double available_memory();

}  // namespace mercer
