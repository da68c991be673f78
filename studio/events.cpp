#include "studio/events.hpp"

#include <fmt/format.h>

namespace mercer::studio {

std::string Event::text() const { return fmt::format("id: {}\nevent: {}\ndata: {}\n\n", id, name, data); }

void Events::on_event(std::function<void()> heard) {
  const std::lock_guard lock(mutex_);
  heard_ = std::move(heard);
}

void Events::publish(const std::string& name, const std::string& slot, std::string data) {
  std::function<void()> heard;
  {
    const std::lock_guard lock(mutex_);
    bytes_ += data.size();
    ring_.push_back({++last_, name, slot, std::move(data)});
    while (ring_.size() > most_ || (bytes_ > most_bytes_ && ring_.size() > 1)) {
      bytes_ -= ring_.front().data.size();
      ring_.pop_front();
    }
    heard = heard_;
  }
  if (heard) heard();
}

std::uint64_t Events::last() const {
  const std::lock_guard lock(mutex_);
  return last_;
}

Events::Missed Events::after(std::uint64_t after, const std::string& prefix) const {
  const std::lock_guard lock(mutex_);
  Missed out{.events = {}, .up_to = last_};
  if (after >= last_) return out;
  if (after + 1 < ring_.front().id) out.lost_before = ring_.front().id - 1;
  for (const Event& event : ring_) {
    if (event.id > after && event.slot.starts_with(prefix)) out.events.push_back(event);
  }
  return out;
}

}  // namespace mercer::studio
