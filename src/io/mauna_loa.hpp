// The record of CO2 in the air at Mauna Loa that the library carries inside itself.
#pragma once

#include <string>

#include "mercer/matrix.hpp"

namespace mercer {

struct MaunaLoa {
  Vector year, co2;         // one entry per month that was measured: the middle of the month, and ppm
  Vector season;            // mean of CO2 less its seasonally adjusted value, January to December
  std::string first, last;  // months: "1958-03"
};
MaunaLoa mauna_loa();

}  // namespace mercer
