// What choosing takes, before a fit that is not told everything: trials on samples, and fits of more and more centres.
#pragma once

#include "mercer/choose.hpp"

namespace mercer::detail {

struct Trials {
  // At their peak. Trials of fewer points come first and are little, but what they give back stays with the process.
  double bytes = 0;
  double pairs = 0, flops = 0;  // of all of them, about

  // Another fit, so many times over.
  void add(const Machine& machine, const Settings& settings, const Extent& extent, double times, double beside = 0);
};

// Those of choose(): nothing where nothing is open.
Trials trials_of(const Machine& machine, const Settings& given, bool kernel_given, const std::optional<Kernel>& kernel,
                 const Extent& extent);
// Those of grow_centres(), up to so many; of settle_on_centres(), where the number is given.
Trials growth_of(const Machine& machine, const Settings& given, const Choice& choice, const Extent& extent, Index most,
                 bool is_given);

}  // namespace mercer::detail
