// 64 bits that stand for some content: equal content gives equal bits, on every platform and in every version, since
// model files keep them. Each word goes through the finalizer of SplitMix64 (Steele, Lea & Flood 2014), which moves all
// bits, so that two different contents agree with a chance of 2^-64. Not against people who want them to.
#pragma once

#include <bit>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>

namespace mercer {

class Fingerprint {
 public:
  void word(std::uint64_t value) {
    std::uint64_t z = hash_ + value + 0x9e3779b97f4a7c15;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
    z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
    hash_ = z ^ (z >> 31);
  }
  void number(double value) { word(std::bit_cast<std::uint64_t>(value == 0 ? 0.0 : value)); }  // -0 is 0
  void text(std::string_view value) {
    word(value.size());
    for (const char c : value) word(static_cast<unsigned char>(c));
  }
  template <class T>
  void add(std::span<const T> values) {
    word(values.size());
    for (const T& value : values) {
      if constexpr (std::is_same_v<T, double>) {
        number(value);
      } else if constexpr (std::is_same_v<T, std::string>) {
        text(value);
      } else {
        word(static_cast<std::uint64_t>(value));
      }
    }
  }
  std::uint64_t value() const { return hash_; }

 private:
  std::uint64_t hash_ = 0;
};

}  // namespace mercer
