#include "io/csv/first_line.hpp"

#include <algorithm>
#include <cctype>
#include <string_view>
#include <unordered_set>

#include "base/text.hpp"

namespace mercer::csv {

namespace {

// A sign alone is no name, and neither is a sequence of letters longer than any word.
bool can_be_name(std::string_view text) {
  constexpr std::size_t kLongestWord = 40;
  bool letter = false;
  std::size_t word = 0;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    letter = letter || std::isalpha(byte) != 0 || byte >= 0x80;
    word = c == ' ' || c == '_' || c == '.' || c == '-' ? 0 : word + 1;
    if (word > kLongestWord) return false;
  }
  return letter;
}

// What the first text of a column has to do with those below it.
struct Below {
  bool comes_again = false;
  // Hardly any text below is the only one of its kind. Were the first one a value, it would then most likely come
  // again: the share of such texts is about the chance that the next value is a new one (Good, 1953).
  bool repeats = false;
};

Below below_first(const std::vector<std::string>& texts) {
  std::vector<std::string_view> below(texts.begin() + 1, texts.end());
  std::sort(below.begin(), below.end());
  std::size_t single = 0;
  for (std::size_t i = 0, end = 0; i < below.size(); i = end) {
    while (end < below.size() && below[end] == below[i]) ++end;
    single += end - i == 1;
  }
  return {std::binary_search(below.begin(), below.end(), std::string_view(texts[0])), 20 * single <= below.size()};
}

}  // namespace

std::optional<bool> names_columns_of(const std::vector<std::vector<std::string>>& columns) {
  std::unordered_set<std::string_view> first;
  bool comes_again = false, stands_apart = false;
  for (const std::vector<std::string>& column : columns) {
    const std::string_view text = trim(column.front());
    if (!can_be_name(text) || !first.insert(text).second) return false;
    const Below found = below_first(column);
    comes_again = comes_again || found.comes_again;
    stands_apart = stands_apart || (!found.comes_again && found.repeats);
  }
  if (comes_again == stands_apart) return std::nullopt;
  return stands_apart;
}

}  // namespace mercer::csv
