// A text as a field of a CSV file.
#pragma once

#include <string>

namespace mercer {

// In quotes where it is empty, begins or ends with a space, or holds a quote, a line end or anything that a reader
// could take for a separator.
std::string csv_field(const std::string& text);

}  // namespace mercer
