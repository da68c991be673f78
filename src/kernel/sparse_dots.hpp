// Inner products of sparse rows, a tile at a time.
#pragma once

#include <cstdint>
#include <vector>

#include "kernel/side.hpp"

namespace mercer::detail {

// Columns numbered as they come, 0, 1, ...: a hash table, so that memory follows the entries of the rows and not the
// largest column; where there are no more columns than a few times the entries, a plain table.
class ColumnSlots {
 public:
  void reset(std::size_t entries, Index columns);  // empty, with room for so many entries of so many columns
  std::size_t add(std::int32_t column);            // its number, the next one for a new column
  std::int32_t find(std::int32_t column) const;    // its number, -1 if it has none
  std::size_t size() const { return size_; }

 private:
  struct Place {
    std::int32_t column = -1, number = -1;
  };
  std::size_t place_of(std::int32_t column) const;  // where it is, or would be

  std::vector<Place> places_;
  int shift_ = 0;  // 0: by the column itself
  std::size_t size_ = 0;
};

// Buffers of a thread.
struct SparseRoom {
  ColumnSlots slots;
  std::vector<double> panel, sums;
  // Of rows of counts:
  struct Rare {
    std::int32_t row;
    double count;
  };
  struct Place {
    std::size_t first, size;  // of Rare; or the line, and 0
  };
  struct List {
    Place place;
    double factor;
  };
  std::vector<std::uint32_t> slot_of_entry, often;
  std::vector<Place> places;
  std::vector<Rare> rare;
  std::vector<List> lists;
  std::vector<std::uint8_t> lines;
  std::vector<const std::uint8_t*> found;
  std::vector<std::uint16_t> factors;
};

// out(i, j) = x_i . y_j. Rows of counts (whole numbers up to 255) are multiplied as such, exactly.
void sparse_dots(const RealSide& x, const RealSide& y, Range i, Range j, MatrixRef out, SparseRoom& room);

}  // namespace mercer::detail
