// Which trials choosing makes: what the row of a machine plans, without what is given, on as many points as find room.
#pragma once

#include "mercer/choose.hpp"

namespace mercer::detail {

// The plan without trials of what is given: an option, or a parameter of the kernel.
Choosing what_is_open(Choosing plan, const Machine& machine, const Settings& given, bool kernel_given,
                      const std::optional<Kernel>& kernel);

// The plan for as many points as find room with all that the machine may come to need.
Choosing within_room(Choosing plan, const Machine& machine, const Settings& given, const Extent& extent);

// What trials are made with.
Settings settings_of_trials(const Choosing& plan, Settings settings);

// Of the last trials of what will be fitted on centres: so many.
constexpr Index kCentresOfTrials = 1000;
// Whether what is fitted in the end has centres enough for the last trials to have them too, and on how many points.
bool tried_on_centres(Index centres);
Index finals_of(const Choosing& plan, bool on_centres);

}  // namespace mercer::detail
