#include "studio/token.hpp"

#include <sys/random.h>

#include <array>
#include <cerrno>
#include <cstring>

#include "base/fail.hpp"

namespace mercer::studio {

std::string random_token() {
  std::array<unsigned char, 16> bytes{};
  std::size_t have = 0;
  while (have < bytes.size()) {
    const ssize_t got = ::getrandom(bytes.data() + have, bytes.size() - have, 0);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) fail(ErrorKind::file, "studio: no random numbers from the system: {}", std::strerror(errno));
    have += static_cast<std::size_t>(got);
  }
  std::string out;
  for (const unsigned char byte : bytes) out += fmt::format("{:02x}", byte);
  return out;
}

bool same_secret(std::string_view a, std::string_view b) {
  unsigned difference = a.size() == b.size() ? 0 : 1;
  for (std::size_t i = 0; i < b.size(); ++i) {
    const char mine = i < a.size() ? a[i] : '\0';
    difference |= static_cast<unsigned>(static_cast<unsigned char>(mine) ^ static_cast<unsigned char>(b[i]));
  }
  return difference == 0;
}

}  // namespace mercer::studio
