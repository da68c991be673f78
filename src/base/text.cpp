#include "base/text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <charconv>

#include "base/utf8.hpp"

namespace mercer {

std::string_view trim(std::string_view text) {
  const auto space = [](unsigned char c) { return std::isspace(c) != 0; };
  while (!text.empty() && space(static_cast<unsigned char>(text.front()))) text.remove_prefix(1);
  while (!text.empty() && space(static_cast<unsigned char>(text.back()))) text.remove_suffix(1);
  return text;
}

std::vector<std::string> split(std::string_view text, char separator) {
  std::vector<std::string> pieces;
  while (true) {
    const std::size_t at = text.find(separator);
    pieces.emplace_back(trim(text.substr(0, at)));
    if (at == std::string_view::npos) return pieces;
    text.remove_prefix(at + 1);
  }
}

bool is_identifier(std::string_view text) {
  if (text.empty() || std::isdigit(static_cast<unsigned char>(text.front())) || text.front() == '.') return false;
  return std::all_of(text.begin(), text.end(),
                     [](unsigned char c) { return std::isalnum(c) != 0 || c == '_' || c == '.'; });
}

std::string quoted(std::string_view text) {
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') out += '\\';
    out += c;
  }
  return out + '"';
}

namespace {

bool inside_character(char c) { return (static_cast<unsigned char>(c) & 0xC0) == 0x80; }  // of UTF-8

std::string ends_of(std::string_view text, std::size_t first, std::size_t last) {
  while (first > 0 && inside_character(text[first])) --first;
  std::size_t from = text.size() - last;
  while (from < text.size() && inside_character(text[from])) ++from;
  return fmt::format("{}...{}", text.substr(0, first), text.substr(from));
}

}  // namespace

namespace {

// Bytes that are no UTF-8, from files in another encoding, as \xE9: terminals and JSON take nothing else.
std::string readable(std::string_view text) {
  std::string out;
  while (!text.empty()) {
    const std::size_t bytes = first_character(text).bytes;
    if (bytes == 0) {
      out += fmt::format("\\x{:02X}", static_cast<unsigned char>(text.front()));
    } else {
      out += text.substr(0, bytes);
    }
    text.remove_prefix(std::max<std::size_t>(bytes, 1));
  }
  return out;
}

}  // namespace

std::string shortened(std::string_view text) {
  constexpr std::size_t kWord = 160, kText = 2000;
  std::string line = readable(text), out;
  for (char& c : line) {
    if (static_cast<unsigned char>(c) < 0x20 || c == 0x7F) c = ' ';
  }
  for (std::size_t at = 0; at < line.size();) {
    const std::size_t end = std::min(line.find(' ', at), line.size());
    const std::string word = line.substr(at, end - at);
    out += word.size() > kWord ? ends_of(word, kWord / 2, kWord / 4) : word;
    if (end < line.size()) out += ' ';
    at = end + 1;
  }
  return out.size() > kText ? ends_of(out, kText / 2, kText / 4) : out;
}

bool looks_like_number(std::string_view text) {
  std::size_t digits = 0;
  for (std::size_t at = 0; at < text.size(); ++at) {
    const auto c = static_cast<unsigned char>(text[at]);
    digits += std::isdigit(c) != 0;
    if (std::isalpha(c) != 0 || c == '"') return false;
    if (c < 0x80) continue;
    // Signs of currencies, and blanks that keep a number on one line.
    constexpr std::string_view signs[] = {"€", "£", "¥", "\u00A0", "\u202F"};
    const auto* const sign =
        std::find_if(std::begin(signs), std::end(signs), [&](auto s) { return text.substr(at).starts_with(s); });
    if (sign == std::end(signs)) return false;
    at += sign->size() - 1;
  }
  return digits > 0;
}

std::string number(double value) { return fmt::format("{}", value); }

std::optional<double> parse_number(std::string_view text) {
  text = trim(text);
  if (text.starts_with('+')) text.remove_prefix(1);
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || text.empty()) return std::nullopt;
  return value;
}

namespace {

// Edits between two words: letters added, dropped, replaced, and neighbours swapped.
std::size_t edits(std::string_view a, std::string_view b) {
  std::vector<std::vector<std::size_t>> cost(a.size() + 1, std::vector<std::size_t>(b.size() + 1));
  for (std::size_t i = 0; i <= a.size(); ++i) cost[i][0] = i;
  for (std::size_t j = 0; j <= b.size(); ++j) cost[0][j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t replaced = cost[i - 1][j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1);
      cost[i][j] = std::min({cost[i - 1][j] + 1, cost[i][j - 1] + 1, replaced});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) {
        cost[i][j] = std::min(cost[i][j], cost[i - 2][j - 2] + 1);
      }
    }
  }
  return cost[a.size()][b.size()];
}

std::string in_lower_case(std::string_view text) {
  std::string out(text);
  for (char& c : out) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return out;
}

}  // namespace

std::optional<std::string> nearest(std::string_view word, std::span<const std::string> candidates) {
  std::optional<std::string> best;
  // A long word is no name of ours, and hostile text must not cost time.
  if (word.size() > 40) return best;
  const std::string lower = in_lower_case(word);
  const auto same = [&](const std::string& one) { return one.size() == word.size() && in_lower_case(one) == lower; };
  if (const auto found = std::ranges::find_if(candidates, same); found != candidates.end()) return *found;
  // A single letter is like any other.
  if (word.size() <= 1) return best;
  std::size_t fewest = 1 + (word.size() <= 3 ? 1 : std::max<std::size_t>(2, word.size() / 3));
  for (const std::string& candidate : candidates) {
    const std::size_t distance = edits(lower, in_lower_case(candidate));
    // Of two as near, the one as long as the word: tahn is tanh before it is tan.
    const bool fits = best && distance == fewest && candidate.size() == word.size() && best->size() != word.size();
    if (distance < fewest || fits) {
      fewest = distance;
      best = candidate;
    }
  }
  return best;
}

std::string did_you_mean(std::string_view word, std::span<const std::string> candidates) {
  const auto best = nearest(word, candidates);
  return best ? "; did you mean " + *best + "?" : "";
}

}  // namespace mercer
