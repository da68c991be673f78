// Small text helpers shared by the grammar, the readers and the command line.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace mercer {

std::string_view trim(std::string_view text);
std::vector<std::string> split(std::string_view text, char separator);  // pieces trimmed
bool is_identifier(std::string_view text);                              // [A-Za-z_][A-Za-z0-9_.]*
std::string quoted(std::string_view text);                              // "..." with \" and \\ escaped
// Fit for a message: one line; of a word beyond 160 bytes, and of a text beyond 2000, only the ends.
std::string shortened(std::string_view text);
// 1,000  1,5  10%  $5  2020-01-31  12:30: digits and signs, but no letter. True of plain numbers as well.
bool looks_like_number(std::string_view text);
// The shortest decimal text that reads back as exactly this number.
std::string number(double value);
// The whole text as a number, or nothing.
std::optional<double> parse_number(std::string_view text);
// The candidate with the fewest edits from `word`, if it is near enough to be a slip of the pen.
std::optional<std::string> nearest(std::string_view word, std::span<const std::string> candidates);
// "; did you mean rbf?" or nothing, to end an error message with.
std::string did_you_mean(std::string_view word, std::span<const std::string> candidates);

}  // namespace mercer
