// What a file that was scanned holds: whether its first line names the columns, and of what kind each column is.
#pragma once

#include "io/csv/scan.hpp"

namespace mercer::csv {

struct Types {
  bool header = false;
  std::vector<std::string> names;  // x1, x2, ... where there is no header
  std::vector<bool> is_text;
};

// Throws one line for what cannot be used: a header that may be none, a name given twice, a column without values, a
// text among numbers, infinite and missing values.
Types types_of(const Scan& scan, const ReadOptions& options, const std::string& name);

}  // namespace mercer::csv
