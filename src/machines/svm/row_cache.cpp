#include "machines/svm/row_cache.hpp"

#include <algorithm>
#include <utility>

#include "base/aligned.hpp"
#include "base/at.hpp"

namespace mercer::detail {

namespace {
constexpr std::size_t kLargestChunk = std::size_t{32} << 20;
}

RowCache::RowCache(Index points, const std::vector<Index>& lengths, std::size_t bytes) : limit_(bytes), chunk_(0) {
  std::size_t all = 0;
  for (const Index length : lengths) {
    segments_.push_back({length, -1, -1, std::vector<Entry>(at(points))});
    all += at(points) * at(length) * sizeof(float);
  }
  chunk_ = std::min(all, kLargestChunk);
}

void RowCache::acquire(std::span<const Index> points, Index s, bool keep, std::vector<Lease>& out) {
  const std::lock_guard lock(mutex_);
  Segment& segment = segments_[at(s)];
  out.assign(points.size(), {});
  const auto lend = [&](std::size_t k) {
    Entry& entry = segment.entries[at(points[k])];
    link_newest(segment, points[k]);
    ++entry.lent;
    out[k] = {entry.data, entry.ready};
  };
  // Those that are there first: the others must not drive them out.
  for (std::size_t k = 0; k < points.size(); ++k) {
    if (!segment.entries[at(points[k])].ready) continue;
    unlink(segment, points[k]);
    lend(k);
  }
  for (std::size_t k = 0; k < points.size() && keep; ++k) {
    Entry& entry = segment.entries[at(points[k])];
    if (entry.data != nullptr) continue;
    entry.data = room(segment);
    if (entry.data != nullptr) lend(k);
  }
}

void RowCache::release(std::span<const Index> points, Index s, std::span<const Lease> leases) {
  const std::lock_guard lock(mutex_);
  for (std::size_t k = 0; k < points.size(); ++k) {
    if (leases[k].data == nullptr) continue;
    Entry& entry = segments_[at(s)].entries[at(points[k])];
    entry.ready = true;
    --entry.lent;
  }
}

float* RowCache::room(Segment& segment) {
  const auto length = at(segment.length);
  const std::size_t size = length * sizeof(float);
  if (left_ < length && size <= limit_ - used_) {
    const std::size_t chunk = std::max(std::min(chunk_, limit_ - used_) / size, std::size_t{1}) * size;
    chunks_.emplace_back(allocate_doubles((chunk + sizeof(double) - 1) / sizeof(double)));
    next_ = reinterpret_cast<float*>(chunks_.back().get());
    left_ = chunk / sizeof(float);
    used_ += chunk;
  }
  if (left_ >= length && next_ != nullptr) {
    left_ -= length;
    return std::exchange(next_, next_ + length);
  }
  for (std::int32_t p = segment.oldest; p >= 0; p = segment.entries[at(p)].after) {
    Entry& entry = segment.entries[at(p)];
    if (entry.lent > 0) continue;
    unlink(segment, p);
    entry.ready = false;
    return std::exchange(entry.data, nullptr);
  }
  return nullptr;
}

void RowCache::unlink(Segment& segment, Index point) {
  Entry& entry = segment.entries[at(point)];
  (entry.before >= 0 ? segment.entries[at(entry.before)].after : segment.oldest) = entry.after;
  (entry.after >= 0 ? segment.entries[at(entry.after)].before : segment.newest) = entry.before;
}

void RowCache::link_newest(Segment& segment, Index point) {
  Entry& entry = segment.entries[at(point)];
  entry.before = segment.newest;
  entry.after = -1;
  const auto p = static_cast<std::int32_t>(point);
  (segment.newest >= 0 ? segment.entries[at(segment.newest)].after : segment.oldest) = p;
  segment.newest = p;
}

}  // namespace mercer::detail
