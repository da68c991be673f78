// Memory for stretches of rows of K: one slot per point and segment, the least recently used making room.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <mutex>
#include <span>
#include <vector>

#include "mercer/matrix.hpp"

namespace mercer::detail {

// Thread-safe. A slot that is lent out is neither moved nor given to another.
class RowCache {
 public:
  // `lengths`: numbers in a slot of each segment.
  RowCache(Index points, const std::vector<Index>& lengths, std::size_t bytes);

  struct Lease {
    float* data = nullptr;  // null: not there and no room, or another caller is filling the slot
    bool ready = false;     // filled before; else the caller must fill it
  };
  // With `keep`, room is made for those that are not there.
  void acquire(std::span<const Index> points, Index segment, bool keep, std::vector<Lease>& out);
  // Gives back what acquire() lent, now filled.
  void release(std::span<const Index> points, Index segment, std::span<const Lease> leases);

  std::size_t bytes() const { return used_; }  // of all memory taken

 private:
  struct Entry {
    float* data = nullptr;
    std::int32_t before = -1, after = -1;  // neighbours in the order of use
    std::uint32_t lent = 0;
    bool ready = false;
  };
  struct Segment {
    Index length;
    std::int32_t oldest = -1, newest = -1;
    std::vector<Entry> entries;
  };
  float* room(Segment& segment);
  void unlink(Segment& segment, Index point);
  void link_newest(Segment& segment, Index point);

  struct Free {
    void operator()(double* p) const { std::free(p); }
  };
  std::mutex mutex_;
  std::vector<Segment> segments_;
  std::vector<std::unique_ptr<double, Free>> chunks_;
  float* next_ = nullptr;
  std::size_t left_ = 0;  // numbers left in the last chunk
  std::size_t used_ = 0, limit_, chunk_;
};

}  // namespace mercer::detail
