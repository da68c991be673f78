#include "data/cells.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>

#include "base/fail.hpp"
#include "base/text.hpp"

namespace mercer::data {

namespace {

bool is_digit(char c) { return c >= '0' && c <= '9'; }

// Signs beside a number that belong to none of its digits.
constexpr std::array<std::string_view, 13> kSigns = {"$",   "€",   "£",   "¥",   "%",   "‰", "°",
                                                     "USD", "EUR", "GBP", "JPY", "CHF", "kr"};

bool is_sign(std::string_view text) { return text.empty() || std::ranges::find(kSigns, trim(text)) != kSigns.end(); }

// What stands before and behind the digits of a number and its sign.
struct Dress {
  std::string_view prefix, suffix;
};
std::optional<Dress> dress_of(std::string_view text) {
  const auto begins = [](char c) { return is_digit(c) || c == '-' || c == '+' || c == '.' || c == ','; };
  const auto first = std::ranges::find_if(text, begins) - text.begin();
  auto last = std::ssize(text);
  while (last > first && !is_digit(text[static_cast<std::size_t>(last) - 1])) --last;
  if (last == first) return std::nullopt;
  return Dress{text.substr(0, static_cast<std::size_t>(first)), text.substr(static_cast<std::size_t>(last))};
}

// The whole part with what separates its thousands taken out; nothing unless that stands before every three digits.
std::optional<std::string> without_thousands(std::string_view whole, char separator) {
  std::string sign;
  if (whole.starts_with('-') || whole.starts_with('+')) {
    sign = whole.substr(0, 1);
    whole.remove_prefix(1);
  }
  const std::vector<std::string> groups = split(whole, separator);
  if (groups.size() == 1) return sign + groups[0];
  std::string out = sign;
  for (const std::string& group : groups) {
    const bool first = &group == &groups.front();
    if (!std::ranges::all_of(group, is_digit)) return std::nullopt;
    if (first ? group.empty() || group.size() > 3 || group[0] == '0' : group.size() != 3) return std::nullopt;
    out += group;
  }
  return out;
}

}  // namespace

std::optional<double> styled_number(std::string_view text, const NumberStyle& style) {
  text = trim(text);
  if (style == NumberStyle()) return parse_number(text);
  std::string sign;
  if (!style.prefix.empty() && text.starts_with('-')) {
    sign = "-";
    text.remove_prefix(1);
  }
  if (!text.starts_with(style.prefix) || !text.ends_with(style.suffix)) return std::nullopt;
  if (text.size() < style.prefix.size() + style.suffix.size()) return std::nullopt;
  text.remove_prefix(style.prefix.size());
  text.remove_suffix(style.suffix.size());
  text = trim(text);
  const std::size_t point = text.find(style.decimal);
  std::string whole(text.substr(0, point));
  if (style.thousands != '\0') {
    std::optional<std::string> joined = without_thousands(whole, style.thousands);
    if (!joined) return std::nullopt;
    whole = std::move(*joined);
  }
  const std::string_view rest = point == text.npos ? std::string_view() : text.substr(point + 1);
  if (!std::ranges::all_of(rest, [](char c) { return is_digit(c) || c == 'e' || c == 'E' || c == '-'; })) {
    return std::nullopt;
  }
  return parse_number(sign + whole + (point == text.npos ? "" : "." + std::string(rest)));
}

std::optional<NumberStyle> number_style(std::span<const std::string_view> texts) {
  if (texts.empty()) return std::nullopt;
  const std::optional<Dress> dress = dress_of(trim(texts.front()));
  if (!dress || !is_sign(dress->prefix) || !is_sign(dress->suffix)) return std::nullopt;
  constexpr std::array<std::pair<char, char>, 6> kMarks = {
      {{'.', '\0'}, {'.', ','}, {',', '\0'}, {',', '.'}, {',', ' '}, {'.', '\''}}};
  for (const auto& [decimal, thousands] : kMarks) {
    const NumberStyle style{decimal, thousands, std::string(trim(dress->prefix)), std::string(trim(dress->suffix))};
    const auto fits = [&](std::string_view text) {
      const std::optional<double> value = styled_number(text, style);
      return value && std::isfinite(*value);
    };
    if (std::ranges::all_of(texts, fits)) return style;
  }
  return std::nullopt;
}

std::string words_for(const NumberStyle& style, std::string_view example) {
  if (style == NumberStyle()) return "";
  std::string out = fmt::format("written as {}", trim(example));
  if (style.thousands != '\0') {
    out += fmt::format(", {} between thousands", style.thousands == ','   ? "comma"
                                                 : style.thousands == '.' ? "point"
                                                 : style.thousands == ' ' ? "blank"
                                                                          : "apostrophe");
  }
  if (style.decimal == ',') out += ", decimal comma";
  return out;
}

namespace {

// Digits at the front, taken off; nothing unless there are `least` to `most`.
std::optional<int> take_digits(std::string_view& text, std::size_t least, std::size_t most) {
  std::size_t count = 0;
  int value = 0;
  while (count < text.size() && count < most && is_digit(text[count])) value = 10 * value + (text[count++] - '0');
  if (count < least) return std::nullopt;
  text.remove_prefix(count);
  return value;
}

// Of the Gregorian calendar, by eras of 400 years that begin in March, so that a leap day ends one.
double days_since_1970(int year, int month, int day) {
  const int y = month <= 2 ? year - 1 : year, era = y / 400, of_era = y - era * 400;
  const int of_year = (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1;
  const int of_days = of_era * 365 + of_era / 4 - of_era / 100 + of_year;
  return static_cast<double>(era) * 146097 + of_days - 719468;
}

int days_in(int year, int month) {
  constexpr std::array<int, 12> kDays = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
  const bool leap = (year % 4 == 0 && year % 100 != 0) || year % 400 == 0;
  return kDays[static_cast<std::size_t>(month) - 1] + (month == 2 && leap ? 1 : 0);
}

// The fraction of a day that "12:30", "12:30:59" or "12:30:59.25" is; a Z behind it says nothing.
std::optional<double> time_of_day(std::string_view text) {
  if (text.ends_with('Z')) text.remove_suffix(1);
  const std::optional<int> hour = take_digits(text, 1, 2);
  if (!hour || *hour > 24 || !text.starts_with(':')) return std::nullopt;
  text.remove_prefix(1);
  const std::optional<int> minute = take_digits(text, 2, 2);
  if (!minute || *minute > 59) return std::nullopt;
  double seconds = 0;
  if (text.starts_with(':')) {
    const std::optional<double> found = parse_number(text.substr(1));
    if (!found || !(*found >= 0 && *found < 61)) return std::nullopt;
    seconds = *found;
  } else if (!text.empty()) {
    return std::nullopt;
  }
  return (*hour * 3600 + *minute * 60 + seconds) / 86400;
}

// The number of a month by its English name or the first three letters of it, taken off the front.
std::optional<int> take_month(std::string_view& text) {
  constexpr std::array<std::string_view, 12> kMonths = {"january",   "february", "march",    "april",
                                                        "may",       "june",     "july",     "august",
                                                        "september", "october",  "november", "december"};
  std::size_t count = 0;
  std::string word;
  while (count < text.size() && std::isalpha(static_cast<unsigned char>(text[count])) != 0) {
    word += static_cast<char>(std::tolower(static_cast<unsigned char>(text[count++])));
  }
  if (word == "sept") word.pop_back();
  for (std::size_t m = 0; m < kMonths.size(); ++m) {
    if (word != kMonths[m] && word != kMonths[m].substr(0, 3)) continue;
    text.remove_prefix(count);
    if (text.starts_with('.')) text.remove_prefix(1);
    return static_cast<int>(m) + 1;
  }
  return std::nullopt;
}

}  // namespace

std::optional<double> date_of(std::string_view text, std::string_view format) {
  text = trim(text);
  if (format == "h:m") return time_of_day(text);
  int year = 0, month = 1, day = 1;
  const bool compact = format == "ymd", short_year = format.find("yy") != format.npos;
  for (std::size_t i = 0; i < format.size(); ++i) {
    const char c = format[i];
    std::optional<int> value;
    if (c == 'y') {
      value = take_digits(text, short_year ? 2 : 4, short_year ? 2 : 4);
      if (!value) return std::nullopt;
      year = !short_year ? *value : *value + (*value < 69 ? 2000 : 1900);
      i += short_year ? 1 : 0;
    } else if (c == 'm' || c == 'd') {
      value = take_digits(text, compact ? 2 : 1, 2);
      if (!value) return std::nullopt;
      (c == 'm' ? month : day) = *value;
    } else if (c == 'b') {
      value = take_month(text);
      if (!value) return std::nullopt;
      month = *value;
    } else if (c == 'q') {
      value = take_digits(text, 1, 1);
      if (!value || *value < 1 || *value > 4) return std::nullopt;
      month = 3 * *value - 2;
    } else {
      if (c == ' ' && text.starts_with(',')) text.remove_prefix(1);
      if (!text.starts_with(c)) return std::nullopt;
      text.remove_prefix(1);
    }
  }
  if (month < 1 || month > 12 || day < 1 || day > days_in(year, month)) return std::nullopt;
  const double days = days_since_1970(year, month, day);
  if (text.empty()) return days;
  if (format.find('d') == format.npos || (text.front() != 'T' && text.front() != ' ')) return std::nullopt;
  const std::optional<double> time = time_of_day(trim(text.substr(1)));
  return time ? std::optional(days + *time) : std::nullopt;
}

const std::vector<std::string>& date_formats() {
  static const std::vector<std::string> all = {"y-m-d",  "y/m/d",  "y.m.d",  "d.m.y",  "m/d/y",  "d/m/y",  "d-m-y",
                                               "m-d-y",  "ymd",    "b d y",  "d b y",  "d-b-y",  "d-b-yy", "d.m.yy",
                                               "m/d/yy", "d/m/yy", "d-m-yy", "m-d-yy", "yy-m-d", "b y",    "y-m",
                                               "yQq",    "y-Qq",   "y Qq",   "Qq y",   "h:m"};
  return all;
}

std::string level_of(std::string_view text) {
  const std::optional<double> value = parse_number(text);
  return value && std::isfinite(*value) ? number(*value + 0.0) : std::string(trim(text));
}

}  // namespace mercer::data
