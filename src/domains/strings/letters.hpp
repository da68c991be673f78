// What a kernel takes for one symbol of a string, and strings as such symbols.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "mercer/matrix.hpp"

namespace mercer::detail {

// Symbols are bytes, UTF-8 characters, or the letters of a small alphabet in which case does not matter.
enum class Alphabet { bytes, chars, dna, rna, protein };

std::vector<std::string> alphabet_names();  // in the order of the enumeration
Alphabet alphabet_called(std::string_view name);
Index alphabet_size(Alphabet alphabet);  // how many symbols there are

// The symbols of several strings one after the other: bytes and characters by their numbers, letters of an alphabet by
// their place in it. Numbers mean the same in every set of strings.
struct Letters {
  std::vector<std::uint32_t> symbols;
  std::vector<std::uint32_t> offsets = {0};

  Index size() const { return static_cast<Index>(offsets.size()) - 1; }
  std::size_t bytes() const { return (symbols.size() + offsets.size()) * sizeof(std::uint32_t); }
  Index length(Index i) const;
  std::span<const std::uint32_t> of(Index i) const;
};

// A symbol that is not in the alphabet is a DataError that names its row and position; `who` is the kernel.
Letters letters_of(std::span<const std::string_view> text, Alphabet alphabet, const std::string& who);

// The letters of one string as texts.
std::vector<std::string> letter_texts(std::string_view text, Alphabet alphabet);

// Of letters of DNA: each string backwards, with A and T, and C and G, exchanged.
Letters reverse_complement(const Letters& dna);

}  // namespace mercer::detail
