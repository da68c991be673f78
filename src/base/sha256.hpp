// SHA-256 (FIPS 180-4), to say of which bytes a result is.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

namespace mercer {

// Of bytes that come piece by piece.
class Sha256 {
 public:
  void add(std::string_view bytes);
  std::string digits() const;  // 64 hexadecimal ones, of all bytes until now

 private:
  std::array<std::uint32_t, 8> state_ = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
                                         0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
  std::string waiting_;  // less than a block
  std::uint64_t bytes_ = 0;
};

std::string sha256(std::string_view bytes);

}  // namespace mercer
