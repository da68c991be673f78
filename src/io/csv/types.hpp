// What a file that was scanned holds: whether its first line names the columns, and of what kind each column is.
#pragma once

#include "io/csv/scan.hpp"

namespace mercer::csv {

struct Types {
  bool header = false;
  std::vector<std::string> names;  // x1, x2, ... where there is no header
  std::vector<bool> is_text;
  std::vector<bool> is_told;        // to be text, whatever it looks like
  std::vector<bool> has_gaps = {};  // values may be missing; empty: of no column
};

// Throws one line for what cannot be used: a header that may be none, a name given twice, a column without values, a
// text among numbers, infinite and missing values; `with_gaps`: where values may be missing, as of RowReader::open.
Types types_of(const Scan& scan, const ReadOptions& options, const std::vector<std::string>& with_gaps = {});

// Of some rows, the first `names` of which, 0 or 1, are names. Throws where they are not what the first ones were found
// to be. Of columns that may have gaps, those that have some here are text; as they are written, each column is on its
// own: one that is complete here need not be so elsewhere.
Types types_of_rows(const Scan& scan, Index names, const Types& types, const ReadOptions& options);

}  // namespace mercer::csv
