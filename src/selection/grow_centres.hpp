// How many centres: as many as help.
#pragma once

#include "mercer/choose.hpp"

namespace mercer::detail {

struct Growth {
  Index count = 0;
  Settings settled = {};                    // what trials settle by themselves, with so many centres
  std::optional<Centres> centres = {};      // so many, of the sample that decided
  std::string words = {};                   // one line; empty: nothing was tried
  std::optional<Report::Table> table = {};  // counts, and how points held out are predicted
};

// As many as find room, and whose fit takes no longer than `wishes` say: `first`, or twice as many, or four times.
Index most_centres(const Machine& machine, const Settings& settings, Extent extent, Index first, const Wishes& wishes);

// From few centres to `most.count` of them, twice as many each time, as long as the error of points held out falls by
// more than 1 %, and before that is believed of few, with a look at 2,000: on a sample of the points, with the options
// and the kernel of the choice; where there are more points, more centres by the root of that. By the usual criterion
// of the machine's task; a machine without a truth to hold out gets `most.count`. Stopped, it returns the best so far.
//
// What is open and trials settle by themselves (a ridge) is settled anew by each of these fits, and in the end with as
// many centres as there will be, up to 2,000: few centres leave a part of the target to the noise, and a ridge for that
// much noise keeps more centres from telling it. `given`: the settings that are not open.
//
// Training::seconds are those that a fit to all points may take, and no more centres are taken than by the time of the
// trials end in them: fewer that converge are better. The first trial, of 250, is not judged so.
Growth grow_centres(const Machine& machine, const Settings& given, const Choice& choice, const Training& training,
                    const CentreWishes& most);
// The same for a number of centres that is given.
Growth settle_on_centres(const Machine& machine, const Settings& given, const Choice& choice, const Training& training,
                         const CentreWishes& wishes);

}  // namespace mercer::detail
