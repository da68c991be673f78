// The record of CO2 in the air at Mauna Loa, in words.
#pragma once

#include <string>

#include "io/mauna_loa.hpp"
#include "mercer/points.hpp"

namespace mercer::cli {

using Record = mercer::MaunaLoa;
using mercer::mauna_loa;

// Where it came from, its span, and two small pictures.
std::string data_text(const Record& record);

std::string month_of(double year);    // "2020-04"
std::string month_name(double year);  // "April"
Points years(const Vector& values);   // points with one column, called year

}  // namespace mercer::cli
