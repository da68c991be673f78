// Numbers with units, for people.
#pragma once

#include <string>

namespace mercer::workflow {

std::string bytes_text(double bytes);      // "4.4 MB"
std::string seconds_text(double seconds);  // "12 ms"

}  // namespace mercer::workflow
