// The options that pca and mds share.
#pragma once

#include "machines/embeddings/axes.hpp"

namespace mercer::detail {

// UsageError unless there are some, and whole numbers of them where they are not a share.
void require_components(std::string_view machine, double components, double tolerance);

std::vector<MachineOption> axes_options(double components, double tolerance, std::uint64_t seed);
AxesWanted axes_wanted(const Machine& machine, const Settings& settings);
// What fits these: KernelPca or ClassicalMds.
template <class Config>
Config config_for(const AxesWanted& wanted) {
  return {wanted.components, wanted.at_most, static_cast<typename Config::Solver>(wanted.solver), wanted.tolerance,
          wanted.seed};
}

}  // namespace mercer::detail
