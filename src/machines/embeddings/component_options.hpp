// The options that pca and mds share.
#pragma once

#include "machines/embeddings/axes.hpp"

namespace mercer::detail {

// UsageError unless there are some, and whole numbers of them where they are not a share.
void require_components(std::string_view machine, double components, double tolerance);

std::vector<MachineOption> axes_options(double components, double tolerance, std::uint64_t seed);
AxesWanted axes_wanted(const Machine& machine, const Settings& settings);

}  // namespace mercer::detail
