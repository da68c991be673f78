// What happens to jobs, told to every page that listens: a ring of the last events, each with a number, so that a page
// that lost the connection hears what it missed. Thread-safe.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <mutex>
#include <string>
#include <vector>

namespace mercer::studio {

struct Event {
  std::uint64_t id;
  std::string name;  // "progress", "done", ...
  std::string slot;  // whom it concerns
  std::string data;  // JSON, one line

  std::string text() const;  // as it goes over the wire
};

class Events {
 public:
  Events(std::size_t most, std::size_t most_bytes) : most_(most), most_bytes_(most_bytes) {}

  // `heard` is called after every event, from the thread that published it.
  void on_event(std::function<void()> heard);
  void publish(const std::string& name, const std::string& slot, std::string data);

  std::uint64_t last() const;  // number of the newest; 0: none yet
  struct Missed {
    std::vector<Event> events;
    std::uint64_t up_to = 0;        // ask for those after this one next
    std::uint64_t lost_before = 0;  // > 0: events up to this one are gone
  };
  // The events after number `after` whose slot begins with the prefix. A number that is not reached yet: from now on.
  Missed after(std::uint64_t after, const std::string& prefix) const;

 private:
  mutable std::mutex mutex_;
  std::deque<Event> ring_;
  std::size_t bytes_ = 0, most_, most_bytes_;
  std::uint64_t last_ = 0;
  std::function<void()> heard_;
};

}  // namespace mercer::studio
