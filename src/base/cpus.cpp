#include "base/cpus.hpp"

#include <sched.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <limits>
#include <string>
#include <thread>
#include <vector>

namespace mercer {

namespace {

constexpr double kNoQuota = std::numeric_limits<double>::infinity();

double first_number(const std::filesystem::path& file) {
  std::ifstream in(file);
  double value = 0;
  return in >> value ? value : kNoQuota;
}

// "200000 100000" is two processors, "max 100000" no limit.
double quota_of(const std::filesystem::path& group) {
  std::ifstream in(group / "cpu.max");
  double quota = 0, period = 0;
  if (in >> quota >> period) return quota > 0 && period > 0 ? quota / period : kNoQuota;
  const double old_quota = first_number(group / "cpu.cfs_quota_us"),
               old_period = first_number(group / "cpu.cfs_period_us");
  return old_quota > 0 && old_quota < kNoQuota && old_period < kNoQuota ? old_quota / old_period : kNoQuota;
}

bool holds(const std::string& controllers, const std::string& wanted) {
  return ("," + controllers + ",").find("," + wanted + ",") != std::string::npos;
}

int affinity() {
  // A mask that is too small for the machine is refused; no machine has so many.
  for (std::size_t cpus = 1024; cpus <= 1 << 20; cpus *= 4) {
    std::vector<cpu_set_t> mask(CPU_ALLOC_SIZE(cpus) / sizeof(cpu_set_t) + 1);
    const std::size_t bytes = mask.size() * sizeof(cpu_set_t);
    if (sched_getaffinity(0, bytes, mask.data()) == 0) return CPU_COUNT_S(bytes, mask.data());
  }
  return static_cast<int>(std::thread::hardware_concurrency());
}

}  // namespace

double cpu_quota(const std::filesystem::path& groups, const std::filesystem::path& root) {
  double least = std::min(quota_of(root), quota_of(root / "cpu"));
  std::ifstream in(groups);
  for (std::string line; std::getline(in, line);) {  // "0::/path", or "4:cpu,cpuacct:/path" of version 1
    const auto first = line.find(':'), second = line.find(':', first + 1);
    if (first == std::string::npos || second == std::string::npos) continue;
    const std::string controllers = line.substr(first + 1, second - first - 1);
    if (!controllers.empty() && !holds(controllers, "cpu")) continue;
    std::filesystem::path mounted = controllers.empty() ? root : root / "cpu";
    for (const auto& part : std::filesystem::path(line.substr(second + 1)).relative_path()) {
      mounted /= part;
      least = std::min(least, quota_of(mounted));
    }
  }
  return least;
}

int usable_cpus() {
  static const double quota = cpu_quota("/proc/self/cgroup", "/sys/fs/cgroup");
  return std::max(1, static_cast<int>(std::min<double>(affinity(), std::ceil(quota))));
}

}  // namespace mercer
