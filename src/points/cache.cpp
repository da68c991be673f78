#include "points/cache.hpp"

#include <algorithm>

namespace mercer {

std::shared_ptr<const void> Cache::value(const std::string& key, const std::function<Value()>& make) const {
  std::shared_ptr<Slot> slot;
  {
    const std::lock_guard lock(mutex_);
    auto& place = slots_[key];
    if (!place) place = std::make_shared<Slot>();
    slot = place;
    slot->asked = ++clock_;
  }
  const std::lock_guard making(slot->making);
  if (slot->made.value) return slot->made.value;
  Value made = make();
  const std::lock_guard lock(mutex_);
  slot->made = std::move(made);
  const auto place = slots_.find(key);
  if (place != slots_.end() && place->second == slot) bytes_ += slot->made.bytes;
  std::shared_ptr<const void> out = slot->made.value;
  drop_oldest();
  return out;
}

// The value asked for last stays, however large it is.
void Cache::drop_oldest() const {
  while (bytes_ > limit_) {
    const auto older = [](const auto& a, const auto& b) { return a.second->asked < b.second->asked; };
    auto oldest = slots_.end();
    for (auto at = slots_.begin(); at != slots_.end(); ++at) {
      const bool counted = at->second->made.value != nullptr && at->second->asked != clock_;
      if (counted && (oldest == slots_.end() || older(*at, *oldest))) oldest = at;
    }
    if (oldest == slots_.end()) return;
    bytes_ -= oldest->second->made.bytes;
    slots_.erase(oldest);
  }
}

std::size_t Cache::bytes() const {
  const std::lock_guard lock(mutex_);
  return bytes_;
}

}  // namespace mercer
