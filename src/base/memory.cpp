#include "base/memory.hpp"

#include <fstream>
#include <limits>
#include <string>

namespace mercer {

double available_memory() {
  std::ifstream in("/proc/meminfo");
  for (std::string word; in >> word;) {
    double kilobytes = 0;
    if (word == "MemAvailable:" && in >> kilobytes) return 1024 * kilobytes;
  }
  return std::numeric_limits<double>::infinity();
}

}  // namespace mercer
