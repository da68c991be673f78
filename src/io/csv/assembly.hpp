// Points and target of what was scanned.
#pragma once

#include "io/csv/types.hpp"

namespace mercer::csv {

// `names`: how many lines of names there are above the values, 0 or 1. Takes the numbers over from the scan.
Dataset assemble(const Scan& scan, Index names, const Types& types, const ReadOptions& options);

}  // namespace mercer::csv
