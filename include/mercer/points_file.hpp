// mercer/points_file.hpp: points of any kind as bytes, as model files hold them, and back.
#pragma once

#include <string>
#include <string_view>

#include "mercer/points.hpp"

namespace mercer {

std::string to_bytes(const Points& x);
Points points_from_bytes(std::string_view bytes);  // FileError for other bytes

}  // namespace mercer
