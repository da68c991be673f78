#include "kernel/sparse_dots.hpp"

#include <algorithm>
#include <bit>

#include "base/at.hpp"
#include "simd/count_lines.hpp"
#include "simd/loops.hpp"

namespace mercer::detail {

void ColumnSlots::reset(std::size_t entries, Index columns) {
  constexpr std::size_t kFew = 4;
  const int bits = std::max(4, static_cast<int>(std::bit_width(entries)) + 1);  // at most half full
  const bool plain = at(columns) <= kFew * entries;
  shift_ = plain ? 0 : 32 - bits;
  size_ = 0;
  places_.assign(plain ? at(columns) : std::size_t{1} << bits, {});
}

std::size_t ColumnSlots::place_of(std::int32_t column) const {
  if (shift_ == 0) return static_cast<std::size_t>(column);
  // Fibonacci hashing: the high bits of a product with 2^32 / golden ratio.
  std::size_t place = static_cast<std::uint32_t>(column) * 0x9E3779B9U >> shift_;
  while (places_[place].number >= 0 && places_[place].column != column) place = (place + 1) & (places_.size() - 1);
  return place;
}

std::size_t ColumnSlots::add(std::int32_t column) {
  Place& place = places_[place_of(column)];
  if (place.number < 0) place = {column, static_cast<std::int32_t>(size_++)};
  return static_cast<std::size_t>(place.number);
}

std::int32_t ColumnSlots::find(std::int32_t column) const { return places_[place_of(column)].number; }

namespace {

// The columns that occur in rows j of y are laid out densely (column by column, points side by side);
// each entry of a row of x then adds a multiple of one such line. Cost: nonzeros of x times |j|.
void number_dots(const RealSide& x, const RealSide& y, Range i, Range j, MatrixRef out, SparseRoom& room) {
  const std::size_t width = at(j.size());
  room.panel.assign(room.slots.size() * width, 0.0);
  const std::uint32_t* slot = room.slot_of_entry.data();
  for (Index b = j.begin; b < j.end; ++b) {
    const SparseRow row = sparse_row(y, b);
    for (Index p = 0; p < row.size; ++p) room.panel[*slot++ * width + at(b - j.begin)] = row.values[p];
  }
  for (Index a = i.begin; a < i.end; ++a) {
    double* line = out.row(a - i.begin);
    std::fill_n(line, width, 0.0);
    const SparseRow row = sparse_row(x, a);
    for (Index p = 0; p < row.size; ++p) {
      const std::int32_t found = room.slots.find(row.columns[p]);
      if (found >= 0) simd::add_scaled(row.values[p], room.panel.data() + at(found) * width, width, line);
    }
  }
}

// The same with bytes in the place of doubles: eight times as many in a vector, and in the cache. Columns that few rows
// of y have are lists of these.
class CountTile {
 public:
  CountTile(const RealSide& y, Range j, SparseRoom& room)
      : room_(room), width_((at(j.size()) + simd::kCountLine - 1) / simd::kCountLine * simd::kCountLine) {
    find_places();
    fill(y, j);
    room_.sums.resize(width_);
  }

  // sums()[b - j.begin] = x . y_b
  void multiply(SparseRow x, unsigned largest) {
    room_.factors.clear();
    room_.found.clear();
    room_.lists.clear();
    for (Index p = 0; p < x.size; ++p) {
      const std::int32_t slot = room_.slots.find(x.columns[p]);
      if (slot < 0) continue;
      const SparseRoom::Place place = room_.places[at(slot)];
      if (place.size > 0) {
        room_.lists.push_back({place, x.values[p]});
      } else {
        room_.factors.push_back(static_cast<std::uint16_t>(x.values[p]));
        room_.found.push_back(room_.lines.data() + place.first * width_);
      }
    }
    simd::sum_count_lines(room_.factors.data(), room_.found.data(), room_.found.size(), largest, width_,
                          room_.sums.data());
    for (const auto& [place, value] : room_.lists) {
      for (std::size_t r = place.first; r < place.first + place.size; ++r) {
        room_.sums[at(room_.rare[r].row)] += value * room_.rare[r].count;
      }
    }
  }
  const double* sums() const { return room_.sums.data(); }

 private:
  static constexpr std::uint32_t kOften = 3;

  void find_places() {
    room_.often.assign(room_.slots.size(), 0);
    for (const std::uint32_t slot : room_.slot_of_entry) ++room_.often[slot];
    room_.places.clear();
    std::size_t lines = 0, rare = 0;
    for (const std::uint32_t often : room_.often) {
      room_.places.push_back(often >= kOften ? SparseRoom::Place{lines++, 0} : SparseRoom::Place{rare, often});
      if (often < kOften) rare += often;
    }
    room_.lines.assign(lines * width_, 0);
    room_.rare.resize(rare);
  }

  void fill(const RealSide& y, Range j) {
    const std::uint32_t* entry = room_.slot_of_entry.data();
    for (Index b = j.begin; b < j.end; ++b) {
      const SparseRow row = sparse_row(y, b);
      for (Index p = 0; p < row.size; ++p) {
        const std::uint32_t slot = *entry++;
        const SparseRoom::Place place = room_.places[slot];
        if (place.size == 0) {
          room_.lines[place.first * width_ + at(b - j.begin)] = static_cast<std::uint8_t>(row.values[p]);
        } else {  // `often` counts down to the first place
          room_.rare[place.first + --room_.often[slot]] = {static_cast<std::int32_t>(b - j.begin), row.values[p]};
        }
      }
    }
  }

  SparseRoom& room_;
  std::size_t width_;
};

// Two rows of counts by going along both: sums of whole numbers are exact in any order.
double merged_dot(SparseRow x, SparseRow y) {
  double sum = 0;
  for (Index p = 0, q = 0; p < x.size && q < y.size;) {
    const std::int32_t a = x.columns[p], b = y.columns[q];
    if (a == b) sum += x.values[p] * y.values[q];
    p += a <= b ? 1 : 0;
    q += b <= a ? 1 : 0;
  }
  return sum;
}

}  // namespace

void sparse_dots(const RealSide& x, const RealSide& y, Range i, Range j, MatrixRef out, SparseRoom& room) {
  const std::vector<Index>& offsets = y.sparse->offsets;
  const Index first = offsets[at(j.begin)], last = offsets[at(j.end)];
  const bool counts = x.counts.largest > 0 && y.counts.largest > 0;
  // A few long rows: what is laid out of them would take ten times their memory.
  constexpr Index kFew = 16, kMany = Index{1} << 18;
  if (counts && j.size() <= kFew && last - first >= kMany) {
    for (Index a = i.begin; a < i.end; ++a) {
      for (Index b = j.begin; b < j.end; ++b) {
        out(a - i.begin, b - j.begin) = merged_dot(sparse_row(x, a), sparse_row(y, b));
      }
    }
    return;
  }
  room.slots.reset(at(last - first), y.cols);
  room.slot_of_entry.resize(at(last - first));
  for (Index p = first; p < last; ++p) {
    room.slot_of_entry[at(p - first)] = static_cast<std::uint32_t>(room.slots.add(y.sparse->columns[at(p)]));
  }
  // Sums of 16 bits must hold some lines.
  constexpr double kMost = 4096;
  if (!counts || x.counts.mean * y.counts.largest > kMost) return number_dots(x, y, i, j, out, room);
  CountTile tile(y, j, room);
  for (Index a = i.begin; a < i.end; ++a) {
    tile.multiply(sparse_row(x, a), y.counts.largest);
    std::copy_n(tile.sums(), j.size(), out.row(a - i.begin));
  }
}

}  // namespace mercer::detail
