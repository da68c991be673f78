// Things kept for pages under a name until there is no more room. Then those go first that a newer one took the place
// of before anybody asked for them, the steps of a slider that is dragged; after them what was not asked for the
// longest. Thread-safe.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <iterator>
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

  // The newest stays whatever its size. It takes the place of others of the same slot, unless that is empty.
  std::string put(std::shared_ptr<const T> value, std::size_t bytes, const std::string& slot = "") {
    const std::lock_guard lock(mutex_);
    for (Kept& one : kept_) one.replaced |= !slot.empty() && one.slot == slot && !one.asked;
    kept_.push_front({fmt::format("{}{}", letter_, ++last_), std::move(value), bytes, slot});
    bytes_ += bytes;
    while (kept_.size() > 1 && (kept_.size() > most_ || bytes_ > most_bytes_)) {
      const auto replaced = std::find_if(kept_.rbegin(), kept_.rend(), [](const Kept& one) { return one.replaced; });
      const auto goes = std::prev(replaced == kept_.rend() ? kept_.end() : replaced.base());
      bytes_ -= goes->bytes;
      kept_.erase(goes);
    }
    return kept_.front().id;
  }

  // Null where it is not there, or not any more.
  std::shared_ptr<const T> get(const std::string& id) {
    const std::lock_guard lock(mutex_);
    for (auto one = kept_.begin(); one != kept_.end(); ++one) {
      if (one->id != id) continue;
      one->asked = true;
      one->replaced = false;
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
    std::string slot;
    bool asked = false, replaced = false;
  };
  mutable std::mutex mutex_;
  std::list<Kept> kept_;  // the one asked for last comes first
  char letter_;
  std::size_t most_, most_bytes_, bytes_ = 0;
  std::uint64_t last_ = 0;
};

}  // namespace mercer::studio
