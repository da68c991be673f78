#include "machines/embeddings/component_options.hpp"

#include <cmath>

#include "base/fail.hpp"
#include "base/text.hpp"
#include "model/settings.hpp"

namespace mercer::detail {

void require_components(std::string_view machine, double components, double tolerance) {
  if (!(components > 0) || (components > 1 && std::isfinite(components) && components != std::floor(components))) {
    fail(ErrorKind::usage, "{}: components is a whole number above 0, a share such as 0.95, or all; not {}", machine,
         components);
  }
  if (!(tolerance > 0) || !(tolerance < 1)) {
    fail(ErrorKind::usage, "{}: the tolerance is between 0 and 1, not {}", machine, tolerance);
  }
}

std::vector<MachineOption> axes_options(double components, double tolerance, std::uint64_t seed) {
  return {
      {"components", number(components),
       "How many directions; below 1: as few as explain this share of the variance (of distances: of the sum of the "
       "sizes of "
       "all eigenvalues); or all"},
      {"at_most", "false", "Where the points differ in fewer directions than that, take those instead of refusing",
       true},
      {"solver", "auto", "dense (all eigenvalues of K), krylov (by products with K), or auto: by the sizes"},
      {"tolerance", number(tolerance), "Of krylov: |A v - lambda v| <= tolerance lambda_1, A the centred K"},
      {"seed", number(static_cast<double>(seed)), "Of krylov: where it begins, which shows in the last digits only"},
  };
}

AxesWanted axes_wanted(const Machine& machine, const Settings& settings) {
  const SettingsReader read(machine, settings);
  AxesWanted out{.machine = machine.name};
  out.components = read.text("components") == "all" ? INFINITY : read.number("components");
  out.at_most = read.flag("at_most");
  out.solver = static_cast<AxesSolver>(read.choice("solver", {"auto", "dense", "krylov"}));
  out.tolerance = read.positive("tolerance");
  out.seed = static_cast<std::uint64_t>(read.whole("seed", 0));
  return out;
}

}  // namespace mercer::detail
