// Rows that are on other computers. They are not brought here: what is wanted of them goes there as an errand, which is
// a name and numbers, and what comes back are sums over rows, or a few numbers for each.
//
//     Points x = streamed(n, head, read, there);     // there: who runs the errands
//     if (is_elsewhere(x)) sums = sum_elsewhere(x, {.name = "moments", ...}, pieces);
//
// Errands are the same code that works on rows in memory (centres/summand.hpp), so that answers have the same bits.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "mercer/points.hpp"

namespace mercer {

struct Errand {
  std::string name;
  std::string setting = {};              // bytes, for all rows
  std::vector<MatrixView> given = {};    // numbers for all rows
  std::vector<MatrixView> of_rows = {};  // each with a row for every row of the points, or none
};

// Thread-safe.
class Elsewhere {
 public:
  // Rows [first, end) of those that are there, all of them or some, which are `rows` of the points.
  struct Block {
    Range rows, there;
    std::vector<Index> picked;  // counted from there.begin; empty: all
  };

  virtual ~Elsewhere() = default;
  // Some rows, which increase, brought here.
  virtual Points select(std::span<const Index> rows) const = 0;
  // What an errand gives for each block, added in their order, or one below the other. The errand of a block has those
  // rows of `of_rows` that are the block's.
  virtual std::vector<Matrix> sum(const Errand& errand, const std::vector<Block>& blocks) const = 0;
  virtual Matrix rows(const Errand& errand, const std::vector<Block>& blocks) const = 0;
};

bool is_elsewhere(const Points& x);
// Of blocks of x that follow each other.
std::vector<Matrix> sum_elsewhere(const Points& x, const Errand& errand, const std::vector<Range>& blocks);
Matrix rows_elsewhere(const Points& x, const Errand& errand);

// The errand "equal rows": 128 bits of each row, the same for equal ones.
Matrix equal_row_prints(const Points& rows);

}  // namespace mercer
