// The demos of `mercer demo`, one file each. Every number they show is computed.
#pragma once

#include <string>
#include <string_view>

#include "mercer/matrix.hpp"

namespace mercer::cli {

struct DemoWords {
  bool as_json = false;
  std::string folder;  // where demos that write files put them
};

void demo_co2(const DemoWords& words);
void demo_kernel(const DemoWords& words);
void demo_sinc(const DemoWords& words);
void demo_moons(const DemoWords& words);
void demo_prior(const DemoWords& words);

// The rows of a CSV file of numbers, without its header.
Matrix numbers_in(std::string_view csv);

}  // namespace mercer::cli
