#include "domains/strings/letters.hpp"

#include <algorithm>
#include <array>
#include <limits>

#include "base/at.hpp"
#include "base/fail.hpp"
#include "base/text.hpp"
#include "base/utf8.hpp"

namespace mercer::detail {

namespace {

struct Known {
  std::string_view name, letters;
};
constexpr std::array<Known, 5> kAlphabets{
    {{"bytes", ""}, {"chars", ""}, {"dna", "ACGT"}, {"rna", "ACGU"}, {"protein", "ACDEFGHIKLMNPQRSTVWY"}}};
const Known& known_of(Alphabet alphabet) { return kAlphabets[static_cast<std::size_t>(alphabet)]; }

constexpr std::uint32_t kNone = std::numeric_limits<std::uint32_t>::max();

// For each byte its place in the alphabet.
std::array<std::uint32_t, 256> places(std::string_view letters) {
  std::array<std::uint32_t, 256> place;
  place.fill(kNone);
  for (std::size_t i = 0; i < letters.size(); ++i) {
    const auto upper = static_cast<unsigned char>(letters[i]);
    place[upper] = place[upper + ('a' - 'A')] = static_cast<std::uint32_t>(i);
  }
  return place;
}

void add_characters(std::string_view text, Index row, const std::string& who, std::vector<std::uint32_t>& symbols) {
  for (std::size_t i = 0; i < text.size();) {
    const auto [number, bytes] = first_character(text.substr(i));
    if (bytes == 0) {
      fail(ErrorKind::data, "{}: row {} is no UTF-8 at byte {}; convert the text, or take alphabet=bytes", who, row + 1,
           i + 1);
    }
    symbols.push_back(number);
    i += bytes;
  }
}

void add_letters(std::string_view text, Alphabet alphabet, const std::array<std::uint32_t, 256>& place, Index row,
                 const std::string& who, std::vector<std::uint32_t>& symbols) {
  for (std::size_t i = 0; i < text.size(); ++i) {
    const std::uint32_t letter = place[static_cast<unsigned char>(text[i])];
    if (letter == kNone) {
      const std::size_t bytes = std::max<std::size_t>(1, first_character(text.substr(i)).bytes);
      fail(ErrorKind::data,
           "{}: {} at position {} of row {} is not in alphabet={} ({}); mend the data, or take "
           "alphabet=bytes",
           who, quoted(text.substr(i, bytes)), i + 1, row + 1, known_of(alphabet).name, known_of(alphabet).letters);
    }
    symbols.push_back(letter);
  }
}

}  // namespace

std::vector<std::string> alphabet_names() {
  std::vector<std::string> names;
  for (const Known& alphabet : kAlphabets) names.emplace_back(alphabet.name);
  return names;
}

Alphabet alphabet_called(std::string_view name) {
  const auto found = std::find_if(kAlphabets.begin(), kAlphabets.end(), [&](const Known& a) { return a.name == name; });
  if (found == kAlphabets.end()) fail(ErrorKind::usage, "there is no alphabet {}", quoted(name));
  return static_cast<Alphabet>(found - kAlphabets.begin());
}

Index alphabet_size(Alphabet alphabet) {
  if (alphabet == Alphabet::bytes) return 256;
  if (alphabet == Alphabet::chars) return 0x110000 - 0x800;  // without the halves of pairs
  return static_cast<Index>(known_of(alphabet).letters.size());
}

Index Letters::length(Index i) const { return static_cast<Index>(offsets[at(i) + 1] - offsets[at(i)]); }

std::span<const std::uint32_t> Letters::of(Index i) const {
  return std::span(symbols).subspan(offsets[at(i)], at(length(i)));
}

Letters letters_of(std::span<const std::string_view> text, Alphabet alphabet, const std::string& who) {
  std::size_t total = 0;
  for (const std::string_view string : text) total += string.size();
  if (total >= kNone)
    fail(ErrorKind::usage, "{}: strings of {} bytes together; there can be {} at most", who, total, kNone);
  Letters out;
  out.symbols.reserve(total);
  const auto place = places(known_of(alphabet).letters);
  for (std::size_t row = 0; row < text.size(); ++row) {
    const std::string_view string = text[row];
    if (alphabet == Alphabet::bytes) {
      for (const char c : string) out.symbols.push_back(static_cast<unsigned char>(c));
    } else if (alphabet == Alphabet::chars) {
      add_characters(string, static_cast<Index>(row), who, out.symbols);
    } else {
      add_letters(string, alphabet, place, static_cast<Index>(row), who, out.symbols);
    }
    out.offsets.push_back(static_cast<std::uint32_t>(out.symbols.size()));
  }
  return out;
}

std::vector<std::string> letter_texts(std::string_view text, Alphabet alphabet) {
  std::vector<std::string> out;
  while (!text.empty()) {
    const std::size_t bytes = alphabet == Alphabet::chars ? std::max<std::size_t>(1, first_character(text).bytes) : 1;
    out.emplace_back(text.substr(0, bytes));
    text.remove_prefix(bytes);
  }
  return out;
}

Letters reverse_complement(const Letters& dna) {
  Letters out = dna;
  for (Index i = 0; i < out.size(); ++i) {
    const auto begin = out.symbols.begin() + out.offsets[at(i)], end = out.symbols.begin() + out.offsets[at(i) + 1];
    std::reverse(begin, end);
    std::transform(begin, end, begin, [](std::uint32_t letter) { return 3 - letter; });
  }
  return out;
}

}  // namespace mercer::detail
