#include "domains/strings/windows.hpp"

#include <algorithm>
#include <bit>
#include <numeric>
#include <tuple>

#include "base/at.hpp"
#include "base/fail.hpp"
#include "base/memory.hpp"
#include "base/parallel.hpp"
#include "domains/strings/ranks.hpp"

namespace mercer::detail {

namespace {

using Numbers = std::vector<std::uint32_t>;  // one for each position of the text

// Text whose symbols are numbered without gaps, so that few bits hold each.
struct Coded {
  Numbers codes;
  const std::vector<std::uint32_t>& offsets;
  std::size_t bits;
};

Coded code(const Letters& letters) {
  const std::uint32_t largest =
      letters.symbols.empty() ? 0 : *std::max_element(letters.symbols.begin(), letters.symbols.end());
  Numbers code_of(std::size_t{largest} + 1);
  for (const std::uint32_t symbol : letters.symbols) code_of[symbol] = 1;
  std::uint32_t next = 0;
  for (std::uint32_t& c : code_of) c = c != 0 ? next++ : 0;
  Coded out{letters.symbols, letters.offsets, std::max<std::size_t>(1, std::bit_width(next - (next > 0 ? 1U : 0U)))};
  for (std::uint32_t& symbol : out.codes) symbol = code_of[symbol];
  return out;
}

// visit(position) for every place where so many letters follow within the string.
template <class Visit>
void for_each_place(const std::vector<std::uint32_t>& offsets, std::size_t length, Visit visit) {
  for (std::size_t i = 0; i + 1 < offsets.size(); ++i) {
    for (std::size_t at = offsets[i]; at + length <= offsets[i + 1]; ++at) visit(at);
  }
}

struct Named {
  Numbers number;  // of the pattern at each place where the window fits
  Numbers firsts;  // where each pattern stands first
};

Mask from(const Mask& mask, std::size_t first, std::size_t count) {
  Mask out(mask.begin() + static_cast<Index>(first), mask.begin() + static_cast<Index>(first + count));
  for (std::uint32_t& offset : out) offset -= mask[first];
  return out;
}

// Patterns that do not fit into 64 bits are pairs of halves, which overlap where their number is odd. The halves of a
// mask without gaps are the same patterns at two places, so that the length doubles with each sort.
Named name_patterns(const Coded& text, const Mask& mask, std::size_t length) {
  std::vector<Keyed> keys;
  if (mask.size() * text.bits <= 64) {
    for_each_place(text.offsets, length, [&](std::size_t at) {
      std::uint64_t key = 0;
      for (const std::uint32_t offset : mask) key = key << text.bits | text.codes[at + offset];
      keys.push_back({key, static_cast<std::uint32_t>(at)});
    });
  } else {
    const std::size_t half = (mask.size() + 1) / 2, second = mask.size() - half;
    const Mask left = from(mask, 0, half), right = from(mask, second, half);
    const Numbers a = name_patterns(text, left, left.back() + 1).number;
    const Numbers other = left == right ? Numbers() : name_patterns(text, right, right.back() + 1).number;
    const Numbers& b = left == right ? a : other;
    for_each_place(text.offsets, length, [&](std::size_t at) {
      const std::uint64_t high = a[at + mask.front()], low = b[at + mask[second]];
      keys.push_back({high << 32 | low, static_cast<std::uint32_t>(at)});
    });
  }
  Named out{Numbers(text.codes.size()), {}};
  out.firsts = rank_keys(keys, out.number);
  return out;
}

Mask reversed(const Mask& mask, Index length) {
  Mask out;
  for (auto offset = mask.rbegin(); offset != mask.rend(); ++offset) {
    out.push_back(static_cast<std::uint32_t>(length) - 1 - *offset);
  }
  return out;
}

// The other strand stands behind the first: where its window is that lies over the one at `at` of string i.
std::size_t opposite(const Letters& both, std::size_t i, std::size_t at, std::size_t length) {
  const std::size_t strings = (both.offsets.size() - 1) / 2;
  const std::size_t within = at - both.offsets[i];
  return both.offsets[strings + i + 1] - within - length;
}

// For each mask the columns of its windows, counted from 0, and where each column's pattern stands.
struct MaskColumns {
  Numbers column;  // at each position
  Numbers at;
  bool shared = false;  // with another mask, the reverse of this one
};

MaskColumns columns_of_mask(const Coded& text, const Letters& letters, const Windows& windows, const Mask& mask) {
  const std::size_t length = at(windows.length);
  Named named = name_patterns(text, mask, length);
  if (!windows.both_strands) return {std::move(named.number), std::move(named.firsts)};
  // A mask that reads the same backwards takes the smaller of the two; of others, mask and reverse are one pattern, and
  // this is the one that comes first, so its reverse has the windows of the other strand.
  const bool symmetric = mask == reversed(mask, windows.length);
  const std::size_t strings = (letters.offsets.size() - 1) / 2;
  Numbers chosen(named.number.size());
  std::vector<bool> used(named.firsts.size());
  for (std::size_t i = 0; i < strings; ++i) {
    for (std::size_t at = letters.offsets[i]; at + length <= letters.offsets[i + 1]; ++at) {
      const std::size_t there = opposite(letters, i, at, length);
      const std::uint32_t here = named.number[at], other = named.number[there];
      chosen[at] = symmetric ? std::min(here, other) : here;
      chosen[there] = other;
      used[chosen[at]] = true;
      if (!symmetric) used[other] = true;
    }
  }
  Numbers moved(used.size()), firsts;
  for (std::size_t n = 0; n < used.size(); ++n) {
    moved[n] = static_cast<std::uint32_t>(firsts.size());
    if (used[n]) firsts.push_back(named.firsts[n]);
  }
  for (std::uint32_t& number : chosen) number = moved.empty() ? 0 : moved[number];
  return {std::move(chosen), std::move(firsts), !symmetric};
}

// Rows of counts from the columns of every window, some strings at a time.
struct Piece {
  std::vector<std::int32_t> columns;
  std::vector<double> values;
  std::vector<Index> sizes;
};

void append(std::vector<std::uint32_t>& found, Piece& piece) {
  std::sort(found.begin(), found.end());
  const std::size_t before = piece.columns.size();
  for (std::size_t i = 0; i < found.size(); ++i) {
    if (i > 0 && found[i] == found[i - 1]) {
      piece.values.back() += 1;
    } else {
      piece.columns.push_back(static_cast<std::int32_t>(found[i]));
      piece.values.push_back(1);
    }
  }
  piece.sizes.push_back(static_cast<Index>(piece.columns.size() - before));
}

SparseMatrix joined(const std::vector<Piece>& pieces, Index cols) {
  SparseMatrix out;
  std::size_t entries = 0;
  for (const Piece& piece : pieces) entries += piece.columns.size();
  out.columns.reserve(entries);
  out.values.reserve(entries);
  for (const Piece& piece : pieces) {
    out.columns.insert(out.columns.end(), piece.columns.begin(), piece.columns.end());
    out.values.insert(out.values.end(), piece.values.begin(), piece.values.end());
    for (const Index size : piece.sizes) out.offsets.push_back(out.offsets.back() + size);
  }
  out.rows = static_cast<Index>(out.offsets.size()) - 1;
  out.cols = cols;
  return out;
}

void require_memory_for(std::size_t windows, std::size_t masks, const std::string& who) {
  const double bytes = static_cast<double>(windows) * (20 * static_cast<double>(masks) + 40);
  if (bytes > available_memory()) {
    fail(ErrorKind::usage,
         "{}: {} windows of {} patterns each need {:.1f} GB, and {:.1f} GB are free; keep fewer gaps, or fewer strings",
         who, windows, masks, bytes / 1e9, available_memory() / 1e9);
  }
}

}  // namespace

Windows substrings_of(Index length) {
  Mask mask(at(length));
  std::iota(mask.begin(), mask.end(), 0U);
  return {length, {std::move(mask)}};
}

Windows gapped_windows(Index length, Index kept) {
  Windows out{length, {}};
  std::vector<bool> keeps(at(length));
  std::fill_n(keeps.begin(), kept, true);
  do {
    Mask mask;
    for (std::size_t i = 0; i < keeps.size(); ++i) {
      if (keeps[i]) mask.push_back(static_cast<std::uint32_t>(i));
    }
    out.masks.push_back(std::move(mask));
  } while (std::prev_permutation(keeps.begin(), keeps.end()));
  return out;
}

std::shared_ptr<const PatternCounts> count_patterns(Letters letters, Windows windows, const std::string& who) {
  const Index strings = letters.size();
  require_memory_for(letters.symbols.size(), windows.masks.size(), who);
  if (windows.both_strands) {
    const Letters other = reverse_complement(letters);
    const auto own = static_cast<std::uint32_t>(letters.symbols.size());
    letters.symbols.insert(letters.symbols.end(), other.symbols.begin(), other.symbols.end());
    for (std::size_t i = 1; i < other.offsets.size(); ++i) letters.offsets.push_back(own + other.offsets[i]);
  }
  const Coded text = code(letters);

  const std::size_t masks = windows.masks.size();
  std::vector<MaskColumns> columns(masks);
  const auto comes_second = [&](const Mask& mask) {
    return windows.both_strands && reversed(mask, windows.length) < mask;
  };
  parallel_for(static_cast<Index>(masks), thread_count(0), {}, "patterns", [&](Index m, int) {
    const Mask& mask = windows.masks[at(m)];
    if (!comes_second(mask)) columns[at(m)] = columns_of_mask(text, letters, windows, mask);
  });

  std::vector<PatternCounts::Pattern> patterns;
  std::vector<std::size_t> first_column(masks);
  for (std::size_t m = 0; m < masks; ++m) {
    first_column[m] = patterns.size();
    for (const std::uint32_t place : columns[m].at) patterns.push_back({static_cast<std::uint32_t>(m), place});
  }
  constexpr std::size_t kMost = std::size_t{1} << 31;
  if (patterns.size() >= kMost)
    fail(ErrorKind::usage, "{}: {} different patterns; there can be {} at most", who, patterns.size(), kMost - 1);

  constexpr Index kAtOnce = 256;  // strings
  std::vector<Piece> pieces(at((strings + kAtOnce - 1) / kAtOnce));
  parallel_for(static_cast<Index>(pieces.size()), thread_count(0), {}, "counts", [&](Index p, int) {
    std::vector<std::uint32_t> found;
    const std::size_t length = at(windows.length);
    for (std::size_t i = at(p * kAtOnce); i < at(std::min(strings, (p + 1) * kAtOnce)); ++i) {
      found.clear();
      for (std::size_t place = letters.offsets[i]; place + length <= letters.offsets[i + 1]; ++place) {
        for (std::size_t m = 0; m < masks; ++m) {
          if (columns[m].column.empty()) continue;  // its reverse has its windows
          const auto add = [&](std::size_t where) {
            found.push_back(static_cast<std::uint32_t>(first_column[m]) + columns[m].column[where]);
          };
          add(place);
          if (columns[m].shared) add(opposite(letters, i, place, length));
        }
      }
      append(found, pieces[at(p)]);
    }
  });
  auto out = std::make_shared<PatternCounts>();
  out->counts = joined(pieces, static_cast<Index>(patterns.size()));
  out->windows = std::move(windows);
  out->letters = std::move(letters);
  out->patterns = std::move(patterns);
  return out;
}

SparseMatrix in_columns_of(const PatternCounts& x, const PatternCounts& y) {
  const auto before = [&](const PatternCounts& a, std::size_t p, const PatternCounts& b, std::size_t q) {
    const auto [mask, at_a] = a.patterns[p];
    const auto [other, at_b] = b.patterns[q];
    if (mask != other) return mask < other ? -1 : 1;
    for (const std::uint32_t offset : a.windows.masks[mask]) {
      const std::uint32_t u = a.letters.symbols[at_a + offset], v = b.letters.symbols[at_b + offset];
      if (u != v) return u < v ? -1 : 1;
    }
    return 0;
  };
  std::vector<std::int32_t> moved(y.patterns.size());
  const auto known = static_cast<std::int32_t>(x.patterns.size());
  std::int32_t next = known;
  std::size_t p = 0;
  for (std::size_t q = 0; q < y.patterns.size(); ++q) {
    int order = 1;
    while (p < x.patterns.size() && (order = before(x, p, y, q)) < 0) ++p;
    moved[q] = p < x.patterns.size() && order == 0 ? static_cast<std::int32_t>(p) : next++;
  }
  SparseMatrix out = y.counts;
  out.cols = next;
  std::vector<std::pair<std::int32_t, double>> unknown;
  for (std::size_t i = 0; i + 1 < out.offsets.size(); ++i) {
    unknown.clear();  // both kinds keep their order, new columns behind the others
    std::size_t to = at(out.offsets[i]);
    for (std::size_t from = to; from < at(out.offsets[i + 1]); ++from) {
      const std::int32_t column = moved[at(out.columns[from])];
      if (column >= known) {
        unknown.emplace_back(column, out.values[from]);
      } else {
        out.columns[to] = column;
        out.values[to++] = out.values[from];
      }
    }
    for (const auto& [column, value] : unknown) {
      out.columns[to] = column;
      out.values[to++] = value;
    }
  }
  return out;
}

namespace {

// The letters of a window that count, and the number of their mask; on the strand that patterns are written on.
struct Read {
  std::size_t mask;
  Numbers letters;
};

Read read_window(const Windows& windows, std::size_t mask, std::span<const std::uint32_t> window) {
  const auto letters_at = [&](const Mask& offsets, const auto& letter) {
    Numbers out;
    for (const std::uint32_t offset : offsets) out.push_back(letter(offset));
    return out;
  };
  Read here{mask, letters_at(windows.masks[mask], [&](std::uint32_t offset) { return window[offset]; })};
  if (!windows.both_strands) return here;
  const Mask turned = reversed(windows.masks[mask], windows.length);
  const auto number = std::find(windows.masks.begin(), windows.masks.end(), turned) - windows.masks.begin();
  const auto opposite_letter = [&](std::uint32_t offset) { return 3 - window[window.size() - 1 - offset]; };
  Read there{static_cast<std::size_t>(number), letters_at(turned, opposite_letter)};
  return std::tie(there.mask, there.letters) < std::tie(here.mask, here.letters) ? there : here;
}

}  // namespace

std::vector<PatternPlace> places_of_patterns(const PatternCounts& x, std::span<const std::uint32_t> string) {
  const auto letters_of = [&](const PatternCounts::Pattern& pattern) {
    Numbers out;
    for (const std::uint32_t offset : x.windows.masks[pattern.mask]) {
      out.push_back(x.letters.symbols[pattern.at + offset]);
    }
    return out;
  };
  const auto before = [&](const PatternCounts::Pattern& pattern, const Read& read) {
    return pattern.mask != read.mask ? pattern.mask < read.mask : letters_of(pattern) < read.letters;
  };
  std::vector<PatternPlace> out;
  const std::size_t length = at(x.windows.length);
  for (std::size_t first = 0; first + length <= string.size(); ++first) {
    for (std::size_t mask = 0; mask < x.windows.masks.size(); ++mask) {
      const Read read = read_window(x.windows, mask, string.subspan(first, length));
      const auto found = std::lower_bound(x.patterns.begin(), x.patterns.end(), read, before);
      if (found == x.patterns.end() || found->mask != read.mask || letters_of(*found) != read.letters) continue;
      PatternPlace place{static_cast<std::int32_t>(found - x.patterns.begin()), {}};
      for (const std::uint32_t offset : x.windows.masks[mask])
        place.letters.push_back(static_cast<Index>(first + offset));
      out.push_back(std::move(place));
    }
  }
  return out;
}

}  // namespace mercer::detail
