// How much memory can still be used, and how much is.
#pragma once

namespace mercer {

// Bytes that the system can give without swapping, within the limits of this process and its container; infinity where
// it does not tell.
double available_memory();
// Bytes that this process has in memory now; 0 where the system does not tell.
double used_memory();

}  // namespace mercer
