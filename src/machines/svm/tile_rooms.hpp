// Memory for tiles that goes from one problem to the next: where there are many small ones, pages that are new to the
// process would cost more than what is written to them.
#pragma once

#include <algorithm>
#include <mutex>
#include <utility>
#include <vector>

#include "base/aligned.hpp"

namespace mercer::detail {

// Thread-safe. Holds as many rooms as were taken at once.
class TileRooms {
 public:
  struct Room {
    AlignedArray memory;
    std::size_t doubles = 0;
  };

  Room take(std::size_t doubles) {
    {
      const std::lock_guard lock(mutex_);
      const auto fits = std::find_if(free_.begin(), free_.end(), [&](const Room& r) { return r.doubles >= doubles; });
      if (fits != free_.end()) {
        Room room = std::move(*fits);
        free_.erase(fits);
        return room;
      }
      if (!free_.empty()) free_.pop_back();  // a larger one takes its place
    }
    return {AlignedArray(doubles), doubles};
  }
  void give_back(Room room) {
    if (room.doubles == 0) return;
    const std::lock_guard lock(mutex_);
    free_.push_back(std::move(room));
  }

 private:
  std::mutex mutex_;
  std::vector<Room> free_;
};

}  // namespace mercer::detail
