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
void demo_cities(const DemoWords& words);
void demo_gallery(const DemoWords& words);
void demo_kernel(const DemoWords& words);
void demo_sinc(const DemoWords& words);
void demo_moons(const DemoWords& words);
void demo_prior(const DemoWords& words);

// The path of a file of a demo in its folder, the present one where none is named. Throws Error(file) where the folder
// is none, or cannot be written to.
std::string demo_file(const DemoWords& words, const std::string& name);
// A demo writes over what an earlier one wrote, and over nothing else: throws unless the file is not there, or begins
// with this.
void require_own(const std::string& path, std::string_view beginning);
// Throws what require_own does.
[[noreturn]] void refuse_to_overwrite(const std::string& path);

// The rows of a CSV file of numbers, without its header.
Matrix numbers_in(std::string_view csv);

}  // namespace mercer::cli
