#include "base/memory.hpp"

#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <limits>
#include <string>

namespace mercer {

namespace {

constexpr double kUnknown = std::numeric_limits<double>::infinity();

// The number behind a word of a file such as /proc/meminfo.
double number_after(const char* path, const std::string& wanted, double otherwise) {
  std::ifstream in(path);
  for (std::string word; in >> word;) {
    double value = 0;
    if (word == wanted && in >> value) return value;
  }
  return otherwise;
}

double only_number(const char* path) {
  std::ifstream in(path);
  double value = 0;
  return in >> value ? value : kUnknown;
}

// Of a container (control group): pages of files that were read count as used, and can be given up.
double left_in_container() {
  const double limit = only_number("/sys/fs/cgroup/memory.max"), used = only_number("/sys/fs/cgroup/memory.current");
  if (limit == kUnknown || used == kUnknown) return kUnknown;
  return limit - used + number_after("/sys/fs/cgroup/memory.stat", "inactive_file", 0);
}

// Under `ulimit -v`.
double left_in_process() {
  rlimit limit{};
  if (::getrlimit(RLIMIT_AS, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY) return kUnknown;
  const double used = only_number("/proc/self/statm") * static_cast<double>(::sysconf(_SC_PAGESIZE));
  return static_cast<double>(limit.rlim_cur) - (used == kUnknown ? 0 : used);
}

}  // namespace

double available_memory() {
  const double free = 1024 * number_after("/proc/meminfo", "MemAvailable:", kUnknown);
  return std::max(0.0, std::min({free, left_in_container(), left_in_process()}));
}

double used_memory() {
  std::ifstream in("/proc/self/statm");
  double size = 0, resident = 0;
  return in >> size >> resident ? resident * static_cast<double>(::sysconf(_SC_PAGESIZE)) : 0;
}

}  // namespace mercer
