// The data sets built into the library, as the text of their CSV files; their sources are named in data/README.md.
#pragma once

#include <string_view>

namespace mercer::data {

std::string_view mauna_loa_co2();  // columns: Date, CO2, adjusted CO2; monthly, 1958-2020
std::string_view us_cities();      // distances between ten cities, in miles; names above and beside them
std::string_view sinc();           // columns: x, y = sin(x)/x with noise
std::string_view two_moons();      // columns: x1, x2, label

}  // namespace mercer::data
