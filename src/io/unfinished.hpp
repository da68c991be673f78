// Files that are being written.
#pragma once

#include <string>

namespace mercer::detail {

// Removes the temporary files of all writes under way, for a process that is about to end without them. May be called
// by a signal handler.
void remove_unfinished_files() noexcept;

// Removes what processes that are no more, killed while they wrote `path`, have left beside it.
void remove_abandoned_files(const std::string& path);

}  // namespace mercer::detail
