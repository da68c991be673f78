// The record of CO2 in the air at Mauna Loa that the command carries inside itself.
#pragma once

#include <string>

#include "mercer/points.hpp"

namespace mercer::cli {

struct Record {
  Vector year, co2;         // one entry per month that was measured: the middle of the month, and ppm
  Vector season;            // mean of CO2 less its seasonally adjusted value, January to December
  std::string first, last;  // months: "1958-03"
};
Record mauna_loa();

// Where it came from, its span, and two small pictures.
std::string data_text(const Record& record);

std::string month_of(double year);    // "2020-04"
std::string month_name(double year);  // "April"
Points years(const Vector& values);   // points with one column, called year

}  // namespace mercer::cli
