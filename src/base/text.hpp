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
// The shortest decimal text that reads back as exactly this number.
std::string number(double value);
// The whole text as a number, or nothing.
std::optional<double> parse_number(std::string_view text);
// The candidate with the fewest edits from `word`, if it is near enough to be a slip of the pen.
std::optional<std::string> nearest(std::string_view word, std::span<const std::string> candidates);
// "; did you mean rbf?" or nothing, to end an error message with.
std::string did_you_mean(std::string_view word, std::span<const std::string> candidates);

}  // namespace mercer
