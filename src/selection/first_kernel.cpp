#include "selection/first_kernel.hpp"

#include <fmt/format.h>

#include "state_space/line.hpp"

namespace mercer::detail {

bool is_long_line(const Points& x) { return x.size() > kManyPoints && state_space::on_a_line(x); }

std::string along(const state_space::AlongLines& lines, const std::string& k) {
  std::string out = lines.time ? fmt::format("on({}, {})", lines.time->str(), k) : k;
  if (lines.apart) out += fmt::format("*on({}, equal())", lines.apart->str());
  return out;
}

std::string first_kernel(const Machine& machine, const Points& x, const std::optional<Kernel>& k) {
  const auto lines = machine.by_evidence && k ? state_space::along_lines(*k, x) : std::nullopt;
  if (lines && lines->apart) return along(*lines, kLineKernel);
  return machine.by_evidence && is_long_line(x) ? kLineKernel : machine.kernel;
}

}  // namespace mercer::detail
