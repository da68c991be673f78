// The data sets built into the command, as the text of their CSV files; their sources are named in data/README.md.
#pragma once

#include <string_view>

namespace mercer::data {

std::string_view mauna_loa_co2();  // columns: Date, CO2, adjusted CO2; monthly, 1958-2020
std::string_view us_cities();      // distances in miles between ten cities; first column and header are names

}  // namespace mercer::data
