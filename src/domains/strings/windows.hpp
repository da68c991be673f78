// Counts of patterns: what stands at certain places of a window that slides over a string. All places: substrings of a
// length; some of them: gapped substrings. Exact for any length and alphabet: letters are packed into 64 bits, which
// are sorted, and what does not fit is sorted by the numbers of its halves. Cost: a sort of the positions for each mask
// (times the logarithm of the length over what 64 bits hold); nothing is hashed.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "domains/counts_step.hpp"
#include "domains/strings/letters.hpp"

namespace mercer::detail {

// Offsets of the letters that count, from the beginning of a window, increasing.
using Mask = std::vector<std::uint32_t>;

struct Windows {
  Index length;
  std::vector<Mask> masks;
  bool both_strands = false;  // of DNA: a pattern and its reverse complement are the same
};
Windows substrings_of(Index length);
Windows gapped_windows(Index length, Index kept);  // all masks that keep so many letters

// Columns are patterns in order: by mask, then by letters. So their numbers follow from the strings alone.
struct PatternCounts final : Counts {
  struct Pattern {
    std::uint32_t mask, at;  // where it stands in `letters`
  };
  Windows windows;
  Letters letters;  // those of the other strand behind them where there is one
  std::vector<Pattern> patterns;

  std::size_t bytes() const override { return Counts::bytes() + letters.bytes() + patterns.size() * sizeof(Pattern); }
};
// Bytes of memory that are more than there are: a UsageError in the name of `who`.
std::shared_ptr<const PatternCounts> count_patterns(Letters letters, Windows windows, const std::string& who);

// The counts of y in the columns of x, patterns that x has not behind them.
SparseMatrix in_columns_of(const PatternCounts& x, const PatternCounts& y);

// Where the patterns of x stand in one string.
struct PatternPlace {
  std::int32_t column;
  std::vector<Index> letters;
};
std::vector<PatternPlace> places_of_patterns(const PatternCounts& x, std::span<const std::uint32_t> string);

}  // namespace mercer::detail
