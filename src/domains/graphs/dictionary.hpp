// Numbers for keys of bytes, 0, 1, ... in the order in which they are first added.
//
// Exact: keys are compared, hashes only find them. A dictionary may begin behind another: the keys of that one keep
// their numbers, new ones get numbers behind it. So features of new graphs take the columns of those known before.
// Not for several threads at once, but for finding.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

namespace mercer {

class Dictionary {
 public:
  Dictionary() : Dictionary(nullptr) {}
  explicit Dictionary(std::shared_ptr<const Dictionary> before);

  std::int32_t add(std::string_view key);         // its number, the next one for a new key
  std::int32_t find(std::string_view key) const;  // its number, -1 if it has none
  std::int32_t size() const { return first_ + static_cast<std::int32_t>(ends_.size()); }
  std::string_view key(std::int32_t number) const;  // one that was added here, not before
  void clear();                                     // forgets what was added here
  std::size_t bytes() const;                        // memory it takes

 private:
  struct Place {
    std::uint32_t hash;
    std::int32_t own = -1;  // its place in ends_
  };
  std::size_t place_of(std::string_view key, std::uint64_t hash) const;  // where it is, or would be
  std::int32_t find(std::string_view key, std::uint64_t hash) const;
  void grow();

  std::shared_ptr<const Dictionary> before_;
  std::int32_t first_ = 0;
  std::vector<Place> places_;
  std::vector<std::size_t> ends_;  // of each key in letters_
  std::vector<char> letters_;
};

// Whole numbers as a key.
inline std::string_view as_key(std::span<const std::int32_t> numbers) {
  return {reinterpret_cast<const char*>(numbers.data()), numbers.size_bytes()};
}

}  // namespace mercer
