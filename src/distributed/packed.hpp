// Numbers and texts as bytes and back, between processes of one program on computers of one kind.
#pragma once

#include <cassert>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

namespace mercer::distributed {

class Packing {
 public:
  template <class T>
  Packing& all(std::span<const T> values) {
    static_assert(std::is_trivially_copyable_v<T>);
    const auto bytes = static_cast<std::uint64_t>(values.size_bytes());
    out_.append(reinterpret_cast<const char*>(&bytes), sizeof bytes);
    out_.append(reinterpret_cast<const char*>(values.data()), values.size_bytes());
    return *this;
  }
  Packing& text(std::string_view words) { return all(std::span(words.data(), words.size())); }
  Packing& number(std::int64_t value) { return all(std::span<const std::int64_t>(&value, 1)); }

  std::string bytes() { return std::move(out_); }

 private:
  std::string out_;
};

// In the order in which they were packed.
class Unpacking {
 public:
  explicit Unpacking(std::string_view bytes) : left_(bytes) {}

  bool is_end() const { return left_.empty(); }
  template <class T>
  std::vector<T> all() {
    const std::string_view own = text();
    std::vector<T> out(own.size() / sizeof(T));
    if (!out.empty()) std::memcpy(out.data(), own.data(), own.size());
    return out;
  }
  std::string_view text() {
    std::uint64_t bytes = 0;
    assert(left_.size() >= sizeof bytes);
    std::memcpy(&bytes, left_.data(), sizeof bytes);
    const std::string_view out = left_.substr(sizeof bytes, bytes);
    left_.remove_prefix(sizeof bytes + bytes);
    return out;
  }
  std::int64_t number() { return all<std::int64_t>().front(); }

 private:
  std::string_view left_;
};

}  // namespace mercer::distributed
