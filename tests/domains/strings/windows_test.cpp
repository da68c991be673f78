// Counts of patterns against plain loops over strings; patterns of two sets in one numbering.
#include "domains/strings/windows.hpp"

#include <gtest/gtest.h>

#include <map>
#include <random>
#include <string>
#include <vector>

#include "base/at.hpp"
#include "mercer/error.hpp"

namespace mercer::detail::windows_test {
namespace {

using Counts = std::map<std::string, double>;

std::string complement(const std::string& dna) {
  std::string out;
  for (auto c = dna.rbegin(); c != dna.rend(); ++c) out += *c == 'A' ? 'T' : *c == 'T' ? 'A' : *c == 'C' ? 'G' : 'C';
  return out;
}

// Patterns as text, with dots for letters that do not count.
Counts naive(const std::string& text, const Windows& windows) {
  Counts out;
  const auto shown = [&](const std::string& window, const Mask& mask) {
    std::string pattern(window.size(), '.');
    for (const std::uint32_t offset : mask) pattern[offset] = window[offset];
    return pattern;
  };
  for (std::size_t at = 0; at + mercer::at(windows.length) <= text.size(); ++at) {
    const std::string window = text.substr(at, mercer::at(windows.length));
    for (const Mask& mask : windows.masks) {
      std::string pattern = shown(window, mask);
      if (windows.both_strands) {
        std::string other(pattern.size(), '.');
        for (std::size_t i = 0; i < pattern.size(); ++i) {
          if (pattern[i] != '.') other[pattern.size() - 1 - i] = complement(pattern.substr(i, 1))[0];
        }
        pattern = std::min(pattern, other);
      }
      ++out[pattern];
    }
  }
  return out;
}

double dot(const Counts& a, const Counts& b) {
  double total = 0;
  for (const auto& [pattern, count] : a) total += b.count(pattern) > 0 ? count * b.at(pattern) : 0;
  return total;
}

double dot(const SparseMatrix& a, Index i, const SparseMatrix& b, Index j) {
  std::map<std::int32_t, double> row;
  for (Index p = a.offsets[at(i)]; p < a.offsets[at(i) + 1]; ++p) row[a.columns[at(p)]] = a.values[at(p)];
  double total = 0;
  for (Index p = b.offsets[at(j)]; p < b.offsets[at(j) + 1]; ++p) {
    const auto found = row.find(b.columns[at(p)]);
    if (found != row.end()) total += found->second * b.values[at(p)];
  }
  return total;
}

void expect_increasing(const SparseMatrix& m) {
  for (std::size_t i = 0; i + 1 < m.offsets.size(); ++i) {
    for (Index p = m.offsets[i] + 1; p < m.offsets[i + 1]; ++p) EXPECT_LT(m.columns[at(p) - 1], m.columns[at(p)]);
    for (Index p = m.offsets[i]; p < m.offsets[i + 1]; ++p) EXPECT_LT(m.columns[at(p)], m.cols);
  }
}

std::vector<std::string> random_strings(std::mt19937& random, int count, std::size_t longest, const std::string& of) {
  std::vector<std::string> out;
  for (int i = 0; i < count; ++i) {
    std::string text(random() % (longest + 1), ' ');
    for (char& c : text) c = of[random() % of.size()];
    out.push_back(text);
  }
  return out;
}

Letters letters_of(const std::vector<std::string>& text, Alphabet alphabet) {
  return detail::letters_of(std::vector<std::string_view>(text.begin(), text.end()), alphabet, "spectrum()");
}

void compare(const std::vector<std::string>& x, const std::vector<std::string>& y, const Windows& windows,
             Alphabet alphabet) {
  const auto a = count_patterns(letters_of(x, alphabet), windows, "k");
  const auto b = count_patterns(letters_of(y, alphabet), windows, "k");
  const SparseMatrix moved = in_columns_of(*a, *b);
  expect_increasing(a->counts);
  expect_increasing(moved);
  EXPECT_GE(moved.cols, a->counts.cols);
  for (std::size_t i = 0; i < x.size(); ++i) {
    for (std::size_t j = 0; j < x.size(); ++j) {
      EXPECT_EQ(dot(a->counts, static_cast<Index>(i), a->counts, static_cast<Index>(j)),
                dot(naive(x[i], windows), naive(x[j], windows)));
    }
    for (std::size_t j = 0; j < y.size(); ++j) {
      EXPECT_EQ(dot(a->counts, static_cast<Index>(i), moved, static_cast<Index>(j)),
                dot(naive(x[i], windows), naive(y[j], windows)));
    }
  }
  for (std::size_t j = 0; j < y.size(); ++j) {  // the same patterns are found at their places
    std::map<std::int32_t, double> found, expected;
    const Letters one = letters_of({y[j]}, alphabet);
    for (const PatternPlace& place : places_of_patterns(*a, one.of(0))) ++found[place.column];
    for (Index p = moved.offsets[j]; p < moved.offsets[j + 1]; ++p) {
      if (moved.columns[at(p)] < a->counts.cols) expected[moved.columns[at(p)]] = moved.values[at(p)];
    }
    EXPECT_EQ(found, expected);
  }
  for (std::size_t j = 0; j < y.size(); ++j) {  // patterns that x has not count too
    EXPECT_EQ(dot(moved, static_cast<Index>(j), moved, static_cast<Index>(j)),
              dot(naive(y[j], windows), naive(y[j], windows)));
  }
}

TEST(Windows, SubstringsOfAnyLengthAreCountedExactly) {
  std::mt19937 random(1);
  const auto x = random_strings(random, 8, 90, "ab"), y = random_strings(random, 6, 90, "abc");
  for (const Index k : {1, 2, 5, 31, 32, 33, 64, 65, 100}) compare(x, y, substrings_of(k), Alphabet::bytes);
}

TEST(Windows, LongPatternsOfManyLettersGoByHalves) {
  std::mt19937 random(2);
  std::string letters;
  for (int c = 1; c < 128; ++c) letters += static_cast<char>(c);
  auto x = random_strings(random, 6, 60, letters), y = random_strings(random, 5, 60, letters);
  y.push_back(x[0] + x[1]);
  for (const Index k : {8, 9, 10, 19, 40}) compare(x, y, substrings_of(k), Alphabet::bytes);
  compare(x, y, gapped_windows(13, 11), Alphabet::bytes);
}

// Strings that differ in some letters only share the patterns whose gaps lie there: halves that are read at the wrong
// place join what differs, or part what is equal.
TEST(Windows, GappedPatternsBeyond64BitsOfStringsThatDifferInSomeLetters) {
  std::mt19937 random(4);
  const auto changed = [&](std::string text, int letters) {
    while (letters-- > 0) text[random() % text.size()] = static_cast<char>('a' + random() % 26);
    return text;
  };
  std::string first(26, ' ');
  for (char& c : first) c = static_cast<char>('a' + random() % 26);
  const std::vector<std::string> x = {first, changed(first, 2), first.substr(0, 20) + "abcdefghijklmnopqrstuvwxyz"};
  const std::vector<std::string> y = {changed(first, 1), first.substr(1)};
  for (const auto& [g, k] : {std::pair{17, 15}, {14, 13}}) {
    ASSERT_GT(k * 5, 64);
    compare(x, y, gapped_windows(g, k), Alphabet::bytes);
  }
}

TEST(Windows, GapsAndBothStrands) {
  std::mt19937 random(3);
  const auto x = random_strings(random, 7, 30, "ACGT"), y = random_strings(random, 6, 30, "ACGT");
  for (Windows windows : {substrings_of(3), substrings_of(4), gapped_windows(3, 2), gapped_windows(4, 2),
                          gapped_windows(5, 3), gapped_windows(4, 0), gapped_windows(4, 4)}) {
    for (const bool both : {false, true}) {
      windows.both_strands = both;
      compare(x, y, windows, Alphabet::dna);
    }
  }
}

TEST(Windows, NumbersOfColumnsFollowFromTheStrings) {
  const auto a = count_patterns(letters_of({"cab", "b"}, Alphabet::bytes), substrings_of(1), "k");
  EXPECT_EQ(a->counts.columns, (std::vector<std::int32_t>{0, 1, 2, 1}));  // a, b, c
  const auto b = count_patterns(letters_of({"zab"}, Alphabet::bytes), substrings_of(1), "k");
  EXPECT_EQ(in_columns_of(*a, *b).columns, (std::vector<std::int32_t>{0, 1, 3}));
}

std::string message(const std::vector<std::string>& text, Alphabet alphabet) {
  try {
    letters_of(text, alphabet);
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

TEST(Letters, OfEachAlphabet) {
  const std::vector<std::string> text{"Ä\xE2\x82\xAC\xF0\x9F\x98\x80", "", "a"};
  EXPECT_EQ(letters_of(text, Alphabet::chars).symbols, (std::vector<std::uint32_t>{0xC4, 0x20AC, 0x1F600, 'a'}));
  EXPECT_EQ(letters_of(text, Alphabet::bytes).symbols.size(), 10U);
  EXPECT_EQ(letters_of({"acGT"}, Alphabet::dna).symbols, (std::vector<std::uint32_t>{0, 1, 2, 3}));
}

TEST(Letters, OutsideTheAlphabetNameRowAndPosition) {
  EXPECT_NE(message({"ACGT", "ACNT"}, Alphabet::dna).find("\"N\" at position 3 of row 2 is not in alphabet=dna"),
            std::string::npos);
  EXPECT_NE(message({"ACGT"}, Alphabet::rna).find("\"T\" at position 4 of row 1"), std::string::npos);
  EXPECT_NE(message({"MKX"}, Alphabet::protein).find("\"X\" at position 3"), std::string::npos);
  for (const std::string bad : {"a\xFF", "a\xC3", "a\xC0\x80", "a\xED\xA0\x80", "a\xF5\x80\x80\x80"}) {
    EXPECT_NE(message({"ok", bad}, Alphabet::chars).find("row 2 is no UTF-8 at byte 2"), std::string::npos);
    EXPECT_EQ(message({"ok", bad}, Alphabet::bytes), "");
  }
}

}  // namespace
}  // namespace mercer::detail::windows_test
