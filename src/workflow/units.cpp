#include "workflow/units.hpp"

#include <fmt/format.h>

namespace mercer::workflow {

std::string bytes_text(double bytes) {
  const char* unit = "bytes";
  for (const char* next : {"KB", "MB", "GB", "TB"}) {
    if (bytes < 1000) break;
    bytes /= 1000;
    unit = next;
  }
  return fmt::format("{:.3g} {}", bytes, unit);
}

std::string seconds_text(double seconds) {
  return seconds < 1 ? fmt::format("{:.3g} ms", 1000 * seconds) : fmt::format("{:.3g} s", seconds);
}

}  // namespace mercer::workflow
