// A machine fitted with few centres instead of all points.
#pragma once

#include "mercer/machines.hpp"

namespace mercer::detail {

// By training.centres, as the row says: in their features, or by the machine's own way. UsageError for a machine that
// takes none, and where K is not that of the centres' kernel at points. The report says what was left out.
Model fit_on_centres(const Machine& row, const Settings& settings, const Training& training);

// What a report has of the centres: how many, what they leave out, and their effective dimension at the points.
void add_centres(const Centres& centres, const Training& training, Report& report);

}  // namespace mercer::detail
