// How much memory can still be used.
#pragma once

namespace mercer {

// Bytes that the system can give without swapping, within the limits of this process and its container; infinity where
// it does not tell.
double available_memory();

}  // namespace mercer
