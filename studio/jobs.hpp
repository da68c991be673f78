// Work that pages ask for and hear of later. Each job is of a slot, "the picture that this page shows here"; a newer
// one of the same slot replaces it, so that dragging a slider ends with the last value and not with a queue. What
// becomes of a job is told by events: progress, then one of done, failed, replaced, cancelled. Thread-safe.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>

#include "base/json.hpp"
#include "mercer/monitor.hpp"
#include "studio/events.hpp"
#include "studio/lane.hpp"

namespace mercer::studio {

class Jobs {
 public:
  // Gets a monitor that says stop when the job is not wanted any more; what it returns is told with `done`, what it
  // throws with `failed`.
  using Work = std::function<Json(const Monitor& monitor)>;
  enum class State { waiting, running, done, failed, replaced, cancelled };

  // `log` hears one line of each failure.
  Jobs(Events& events, std::function<void(const std::string&)> log) : events_(events), log_(std::move(log)) {}

  struct Place {
    std::string slot;
    std::int64_t seq = 0;  // grows within a slot; a job that comes after a newer one is replaced at once
  };
  // The number of the job; nothing where the lane is full.
  std::optional<std::uint64_t> submit(Lane& lane, const Place& place, Work work);
  bool cancel(std::uint64_t id);  // false: there is none of this number any more
  void cancel_all();

  struct Status {
    Place place;
    State state;
  };
  std::optional<Status> status(std::uint64_t id) const;

 private:
  struct Job {
    std::uint64_t id;
    Place place;
    Lane* lane;
    Work work;
    std::atomic<State> stopped_as{State::running};  // replaced or cancelled: why to stop
    State state = State::waiting;                   // under the mutex
  };
  void run(const std::shared_ptr<Job>& job);
  void stop(const std::shared_ptr<Job>& job, State as);
  void end(Job& job, State state, Json data);
  void forget_old();

  Events& events_;
  std::function<void(const std::string&)> log_;
  mutable std::mutex mutex_;
  std::map<std::uint64_t, std::shared_ptr<Job>> jobs_;               // the newest hundred, and all that are not over
  std::map<std::string, std::shared_ptr<Job>, std::less<>> newest_;  // of each slot
  std::uint64_t last_ = 0;
};

const char* name_of(Jobs::State state);

}  // namespace mercer::studio
