// Things kept for pages under a name until there is no more room; then those go that were not asked for the longest.
// Thread-safe.
#pragma once

#include <fmt/format.h>

#include <cstdint>
#include <list>
#include <memory>
#include <mutex>
#include <string>

namespace mercer::studio {

template <class T>
class Store {
 public:
  // Names are `letter` and a number.
  Store(char letter, std::size_t most, std::size_t most_bytes)
      : letter_(letter), most_(most), most_bytes_(most_bytes) {}

  // The newest stays whatever its size.
  std::string put(std::shared_ptr<const T> value, std::size_t bytes) {
    const std::lock_guard lock(mutex_);
    kept_.push_front({fmt::format("{}{}", letter_, ++last_), std::move(value), bytes});
    bytes_ += bytes;
    while (kept_.size() > 1 && (kept_.size() > most_ || bytes_ > most_bytes_)) {
      bytes_ -= kept_.back().bytes;
      kept_.pop_back();
    }
    return kept_.front().id;
  }

  // Null where it is not there, or not any more.
  std::shared_ptr<const T> get(const std::string& id) {
    const std::lock_guard lock(mutex_);
    for (auto one = kept_.begin(); one != kept_.end(); ++one) {
      if (one->id != id) continue;
      kept_.splice(kept_.begin(), kept_, one);
      return one->value;
    }
    return nullptr;
  }

  std::size_t size() const {
    const std::lock_guard lock(mutex_);
    return kept_.size();
  }

 private:
  struct Kept {
    std::string id;
    std::shared_ptr<const T> value;
    std::size_t bytes;
  };
  mutable std::mutex mutex_;
  std::list<Kept> kept_;  // the one asked for last comes first
  char letter_;
  std::size_t most_, most_bytes_, bytes_ = 0;
  std::uint64_t last_ = 0;
};

}  // namespace mercer::studio
