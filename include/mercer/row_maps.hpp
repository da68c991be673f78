// mercer/row_maps.hpp: maps of rows of numbers. Some prepare inputs and then belong to a model (mercer/scaling.hpp);
// others make copies of a row that mean the same (mercer/invariance.hpp): a digit is that digit when it moves.
//
//     RowMap upright = row_map("deskew(28x28)");
//     Points x = upright.apply(pictures);
//     RowMap moved = row_map("shift(28x28, 1)");          // 8 copies of each row
//     for (Index c = 0; c < moved.copies(); ++c) moved.apply(pictures, c);
//     RowMap own = row_map("negative", [](MatrixView x) { ... });      // any function of rows
//
// A text names a row of the catalog row_maps() and its numbers: row_map(m.str()) == m. Of each row only that row
// decides, so that rows come out the same alone, in pieces and among others. Pictures are rows of ROWSxCOLUMNS pixels,
// row by row; their ground is their smallest pixel: it fills what comes in from outside, and ink is what lies above it.
// Cost: a few operations for each pixel. Immutable and thread-safe.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "mercer/points.hpp"

namespace mercer {

class RowMap {
 public:
  enum class Use {
    preparation,  // one row for each: may stand before a kernel
    invariance,   // copies that mean the same
    either,       // a function given in code
  };
  struct Made;  // src/points/row_maps.cpp

  explicit RowMap(std::shared_ptr<const Made> made);

  const std::string& str() const;  // "shift(28x28, 1)"; of a function its name
  Use use() const;
  Index copies() const;       // how many rows are made of one
  bool moves_pixels() const;  // deskew: copies of pictures are taken behind it
  bool is_function() const;   // given in code, so that no file can hold it
  // The rows of a copy, as many as x has and as wide, with the names of its columns. DomainError where x are no rows of
  // numbers, or no pictures of this size; DataError on what is not finite.
  Points apply(const Points& x, Index copy = 0) const;

  friend bool operator==(const RowMap& a, const RowMap& b);

 private:
  std::shared_ptr<const Made> made_;
};

// "shift(28x28, 1)". UsageError that says what is wrong with the text.
RowMap row_map(std::string_view text);
// Several in order, with commas between them: "deskew(28x28), unit_norm".
std::vector<RowMap> row_map_list(std::string_view texts);
std::string str(const std::vector<RowMap>& maps);
// A function of rows, for either use: what it gives must have as many rows and columns as it got, all finite.
RowMap row_map(std::string name, std::function<Matrix(MatrixView rows)> function);

struct RowMapRow {
  std::string name, signature;  // "shift", "shift(ROWSxCOLUMNS, PIXELS)"
  RowMap::Use use;
  std::string purpose;  // what becomes of a row, and how many copies there are
  std::string rule;     // what happens at the edges: a row without ink, numbers that are refused
  std::string example;
};
const std::vector<RowMapRow>& row_maps();

}  // namespace mercer
