// SHA-256 (FIPS 180-4), to say of which bytes a result is.
#pragma once

#include <string>
#include <string_view>

namespace mercer {

std::string sha256(std::string_view bytes);  // 64 hexadecimal digits

}  // namespace mercer
