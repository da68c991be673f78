// Cells of raw tables: numbers as people write them, and dates.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "mercer/recipe.hpp"

namespace mercer::data {

std::optional<double> styled_number(std::string_view text, const NumberStyle& style);
// How all of these texts write their numbers; nothing where they do not write them alike. Of two readings, a comma
// before three digits stands between thousands.
std::optional<NumberStyle> number_style(std::span<const std::string_view> texts);
// "numbers such as $1,862"; nothing of plain ones.
std::string words_for(const NumberStyle& style, std::string_view example);

// Days since 1970-01-01, with a time of day as a fraction; of a time of day alone that. Formats: "y-m-d", "d.m.y",
// "m/d/y", "ymd", ...: yy is a year of two digits, 1969 to 2068, b a month by its English name, q a quarter; a comma
// may stand before a blank. Without a day it is the first. Behind a day may stand T or a blank and a time such as 12:30
// or 12:30:59, which is "h:m" alone.
std::optional<double> date_of(std::string_view text, std::string_view format);
const std::vector<std::string>& date_formats();

// A category as it is known by: numbers in their shortest form, so that 1, 01 and 1.0 are one.
std::string level_of(std::string_view text);

}  // namespace mercer::data
