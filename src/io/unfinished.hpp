// Files that are being written.
#pragma once

namespace mercer::detail {

// Removes the temporary files of all writes under way, for a process that is about to end without them. May be called
// by a signal handler.
void remove_unfinished_files() noexcept;

}  // namespace mercer::detail
