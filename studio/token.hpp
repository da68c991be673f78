// Secrets: what proves that a request comes from the person who started the server.
#pragma once

#include <string>
#include <string_view>

namespace mercer::studio {

std::string random_token();  // 128 bits of the kernel's own randomness, as 32 hexadecimal digits

// Takes the same time wherever the two differ.
bool same_secret(std::string_view a, std::string_view b);

}  // namespace mercer::studio
