// What a file that was scanned holds: whether its first line names the columns, and of what kind each column is.
#pragma once

#include "io/csv/scan.hpp"

namespace mercer::csv {

struct Types {
  bool header = false;
  std::vector<std::string> names;  // x1, x2, ... where there is no header
  std::vector<bool> is_text;
  std::vector<bool> is_told;  // to be text, whatever it looks like
};

// Throws one line for what cannot be used: a header that may be none, a name given twice, a column without values, a
// text among numbers, infinite and missing values.
Types types_of(const Scan& scan, const ReadOptions& options);

// Of later rows, none of them names. Throws where they are not what the first ones were found to be; as they are
// written and with gaps, each is on its own: a column that is complete here need not be so elsewhere.
Types types_of_later(const Scan& scan, const Types& types, const ReadOptions& options);

}  // namespace mercer::csv
