// How many processors there are for this process.
#pragma once

#include <filesystem>

namespace mercer {

// Those it may run on (taskset, affinity), but no more than the quota of its container, rounded up.
int usable_cpus();

// The smallest CPU quota, in processors, of the control group of a process and of those around it; infinite without
// one. `groups` is what /proc/self/cgroup says, `root` where control groups are mounted. Versions 1 and 2.
double cpu_quota(const std::filesystem::path& groups, const std::filesystem::path& root);

}  // namespace mercer
