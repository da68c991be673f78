#include "data/column_types.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>
#include <functional>
#include <map>
#include <set>
#include <unordered_map>

#include "base/at.hpp"
#include "base/fail.hpp"
#include "base/text.hpp"
#include "data/cells.hpp"
#include "file/fields.hpp"

namespace mercer::data {

Cells::Cells(const Column& column, const std::vector<std::string>& missing) : column_(column) {
  gap_.reserve(column.size());
  std::vector<double> numbers;
  for (const std::string& mark : missing) {
    if (const std::optional<double> value = parse_number(mark)) numbers.push_back(*value);
  }
  for (const double value : column.numbers) {
    gap_.push_back(std::isnan(value) || std::ranges::find(numbers, value) != numbers.end());
  }
  for (const std::string& word : column.words) {
    bool gap = is_missing(word) || std::ranges::find(missing, trim(word)) != missing.end();
    if (!gap && !numbers.empty()) {
      const std::optional<double> value = parse_number(word);
      gap = value && std::ranges::find(numbers, *value) != numbers.end();
    }
    gap_.push_back(gap);
  }
  gaps_ = std::ranges::count(gap_, true);
}

std::optional<double> Cells::number(Index i, const NumberStyle& style) const {
  if (!column_.numbers.empty()) return column_.numbers[at(i)];
  return styled_number(column_.words[at(i)], style);
}

namespace {

constexpr std::size_t kMostLevels = 100;     // of a category that get an input of their own
constexpr double kSkewed = 3;                // numbers beyond are taken by their logarithms
constexpr std::size_t kFewRows = 20;         // in which all values may differ by chance
constexpr double kWordsOfText = 3;           // on average, of a text
constexpr std::ptrdiff_t kDigitsOfDate = 3;  // at least, of a date or a time of day

// The words that a name is made of, in small letters: "PassengerId" has passenger and id.
std::vector<std::string> words_in(std::string_view name) {
  std::vector<std::string> out(1);
  char before = ' ';
  for (const char c : name) {
    const auto byte = static_cast<unsigned char>(c);
    const bool begins = std::isupper(byte) != 0 && std::islower(static_cast<unsigned char>(before)) != 0;
    if ((std::isalnum(byte) == 0 || begins) && !out.back().empty()) out.emplace_back();
    if (std::isalnum(byte) != 0) out.back() += static_cast<char>(std::tolower(byte));
    before = c;
  }
  return out;
}

bool has_word(const std::string& name, std::initializer_list<std::string_view> known) {
  return std::ranges::any_of(words_in(name), [&](const std::string& word) {
    return std::ranges::find(known, std::string_view(word)) != known.end();
  });
}

bool is_called_id(const std::string& name) {
  return has_word(name, {"id", "ids", "pid", "uid", "uuid", "guid", "key", "index", "idx", "row", "rowid", "order",
                         "nr", "no", "serial", "ssn", "isbn", "rownames"});
}
bool is_called_time(const std::string& name) {
  return has_word(name, {"year", "years", "yr", "time", "date", "day", "month", "week", "hour", "minute", "second",
                         "age", "t", "x"});
}
bool is_called_code(const std::string& name) {
  return has_word(name, {"zip", "zipcode", "postcode", "postal", "plz", "fips", "code", "phone"});
}

// Orders that everybody knows, from the least on.
const std::vector<std::vector<std::string>>& known_orders() {
  static const std::vector<std::vector<std::string>> all = {
      {"vlow", "low", "lower", "med", "medium", "mid", "middle", "high", "higher", "vhigh"},
      {"very low", "low", "medium", "moderate", "high", "very high"},
      {"xxs", "xs", "s", "m", "l", "xl", "xxl", "xxxl"},
      {"tiny", "small", "med", "medium", "big", "large", "huge"},
      {"very poor", "poor", "fair", "average", "typical", "good", "very good", "excellent"},
      {"po", "fa", "ta", "gd", "ex"},
      {"very bad", "bad", "ok", "fair", "good", "very good", "excellent"},
      {"never", "rarely", "sometimes", "often", "usually", "always"},
      {"strongly disagree", "disagree", "neutral", "agree", "strongly agree"},
      {"none", "mild", "moderate", "severe"},
      {"cold", "cool", "mild", "warm", "hot"},
      {"1st", "2nd", "3rd", "4th", "5th", "6th", "7th", "8th", "9th", "10th"},
      {"first", "second", "third", "fourth", "fifth"},
  };
  return all;
}

std::string small_letters(std::string_view text) {
  std::string out(text);
  for (char& c : out) c = c == '_' || c == '-' ? ' ' : static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return out;
}

// The levels from the least on, where they are all of one known order.
std::optional<std::vector<std::string>> in_known_order(std::vector<std::string> levels) {
  if (levels.size() < 3) return std::nullopt;
  for (const std::vector<std::string>& order : known_orders()) {
    const auto place = [&](const std::string& level) { return std::ranges::find(order, small_letters(level)); };
    if (!std::ranges::all_of(levels, [&](const auto& level) { return place(level) != order.end(); })) continue;
    std::ranges::sort(levels, {}, place);
    return levels;
  }
  return std::nullopt;
}

std::string values_text(std::size_t count) { return fmt::format("{} value{}", count, count == 1 ? "" : "s"); }

class Judge {
 public:
  Judge(const Cells& cells, std::string told, const std::string& path)
      : cells_(cells), told_(std::move(told)), path_(path), present_(at(cells.size() - cells.gaps())) {
    out_.name = cells.column().name;
    out_.gaps = cells.gaps() > 0;
    // Of a quantity as told, it does not matter which numbers come again.
    if (!cells.column().numbers.empty() && (told_ == "number" || told_ == "count")) return;
    for (Index i = 0; i < cells.size(); ++i) {
      if (!cells.is_gap(i)) ++counts_[level_of(cells.text(i))];
    }
  }

  ColumnRecipe decide() {
    if (told_ == "dropped" || told_ == "drop") return as(ColumnType::dropped, "as told");
    if (present_ == 0) return as(ColumnType::empty, "no value in any row");
    if (!told_.empty()) return as_told();
    if (counts_.size() == 1) {
      if (const std::optional<double> value = parse_number(counts_.begin()->first); value && !std::isfinite(*value)) {
        wrong("{} in all rows, which is no finite number; correct it, or leave the column out by `drop={}`", *value,
              out_.name);
      }
      const std::string only = mercer::quoted(counts_.begin()->first);
      if (!out_.gaps) return as(ColumnType::constant, only + " in all rows");
      return category(fmt::format("{}, or nothing", only));
    }
    if (dates()) return date("");
    if (numbers(false)) return quantity();
    require_no_slip();
    return words();
  }

 private:
  template <class... Args>
  [[noreturn]] void wrong(fmt::format_string<Args...> text, Args&&... args) const {
    fail(ErrorKind::data, "{}: column {}: {}", path_, mercer::quoted(out_.name),
         fmt::format(text, std::forward<Args>(args)...));
  }

  ColumnRecipe as(ColumnType type, std::string why) {
    out_.type = type;
    out_.why = std::move(why);
    return out_;
  }
  std::string given(const std::string& why) const { return told_.empty() ? why : "as told; " + why; }
  std::string with_gaps(const std::string& how) const {
    return cells_.gaps() == 0 ? "" : fmt::format("; {} gap{} {}", cells_.gaps(), cells_.gaps() == 1 ? "" : "s", how);
  }

  ColumnRecipe as_told() {
    if (told_.starts_with("date(") && told_.ends_with(")")) return date(told_.substr(5, told_.size() - 6));
    if (told_.find('<') != told_.npos) return ordered(split(told_, '<'));
    const ColumnType type = column_type_named(told_);
    switch (type) {
      case ColumnType::number:
      case ColumnType::count:
        if (!numbers(true)) wrong("not all of its values are numbers");
        return quantity();
      case ColumnType::yes_no:
        if (counts_.size() != 2) wrong("{}, and a yes/no has 2", values_text(counts_.size()));
        return yes_no();
      case ColumnType::ordered: return ordered(sorted_levels());
      case ColumnType::date: return date("");
      case ColumnType::text: return as(type, "as told");
      case ColumnType::category: return category(fmt::format("as told; {}", values_text(counts_.size())));
      default: return as(type, "as told");
    }
  }

  std::vector<std::string> sorted_levels() const {
    std::vector<std::string> out;
    for (const auto& [level, count] : counts_) out.push_back(level);
    if (const auto known = in_known_order(out)) return *known;
    std::ranges::sort(out, [](const std::string& a, const std::string& b) {
      const std::optional<double> x = parse_number(a), y = parse_number(b);
      return x && y ? *x < *y : a < b;
    });
    return out;
  }

  // ---- numbers ----

  // Reads all cells as numbers, written alike.
  bool numbers(bool told) {
    if (!cells_.column().numbers.empty()) {
      for (Index i = 0; i < cells_.size(); ++i) {
        if (!cells_.is_gap(i)) values_.push_back(cells_.column().numbers[at(i)]);
      }
      return require_finite();
    }
    std::vector<std::string_view> texts;
    for (const auto& [level, count] : counts_) texts.emplace_back(level);
    const std::optional<NumberStyle> style = number_style(texts);
    if (!style) {
      if (told) require_no_slip();
      return false;
    }
    out_.style = *style;
    if (*style != NumberStyle()) styled_ = words_for(*style, texts.back());
    for (Index i = 0; i < cells_.size(); ++i) {
      if (!cells_.is_gap(i)) values_.push_back(*cells_.number(i, *style));
    }
    return require_finite();
  }

  bool require_finite() const {
    if (const auto bad = std::ranges::find_if_not(values_, [](double v) { return std::isfinite(v); });
        bad != values_.end()) {
      wrong("{} is not a finite number; correct it, or say `missing={}`", *bad, *bad);
    }
    return true;
  }

  // A few texts among numbers are slips, and make no category of them.
  void require_no_slip() const {
    Index texts = 0, row = 0;
    for (Index i = 0; i < cells_.size(); ++i) {
      if (cells_.is_gap(i)) continue;
      if (const std::optional<double> value = cells_.number(i, {}); value && std::isfinite(*value)) continue;
      if (texts++ == 0) row = i;
    }
    const Index of = static_cast<Index>(present_);
    if (texts == 0 || of - texts <= 9 * texts) return;
    const std::string word = std::string(trim(cells_.text(row)));
    wrong(
        "row {}: {} is not a number, though {} of the column's {} values are; correct it, or say `missing={}` or "
        "`types={}=category`",
        row + 1, shown(word), of - texts, of, word, out_.name);
  }

  ColumnRecipe quantity() {
    const bool whole = std::ranges::all_of(values_, [](double v) { return v == std::floor(v); });
    const double low = std::ranges::min(values_), high = std::ranges::max(values_);
    if (told_.empty()) {
      if (counts_.size() == 2) return yes_no();
      const bool all_differ = whole && !out_.gaps && counts_.size() == present_ && present_ >= kFewRows;
      if (all_differ && is_called_id(out_.name)) {
        return as(ColumnType::id, "whole numbers, all different, under such a name");
      }
      if (all_differ && !is_called_time(out_.name) && high - low < 2 * static_cast<double>(present_)) {
        return as(ColumnType::id, "whole numbers, all different, that count rows");
      }
      if (whole && is_called_code(out_.name)) {
        return category(fmt::format("{} whole numbers under a name of codes", counts_.size()));
      }
    }
    out_.unit = told_.empty() ? unit() : 0;
    double mean = 0;
    for (const double value : values_) mean += taken(value);
    out_.fill = mean / static_cast<double>(values_.size());
    const bool count = told_ == "count" || (told_.empty() && whole && low >= 0);
    std::string why =
        fmt::format("{}, {} to {}", count ? "whole numbers" : "numbers", mercer::number(low), mercer::number(high));
    if (!styled_.empty()) why += ", " + styled_;
    if (out_.unit > 0) why += "; skewed: by their logarithms";
    why += with_gaps("filled by the mean");
    return as(count ? ColumnType::count : ColumnType::number, given(why));
  }

  double taken(double value) const {
    return out_.unit > 0 ? std::copysign(std::log1p(std::abs(value) / out_.unit), value) : value;
  }

  // Of skewed numbers what is small among them; 0 of others.
  double unit() const {
    if (values_.size() < kFewRows) return 0;
    const auto skewness = [&](const auto& map) {
      double mean = 0, square = 0, cube = 0;
      for (const double value : values_) mean += map(value) / static_cast<double>(values_.size());
      for (const double value : values_) {
        const double d = map(value) - mean;
        square += d * d;
        cube += d * d * d;
      }
      const auto n = static_cast<double>(values_.size());
      return square > 0 ? (cube / n) / std::pow(square / n, 1.5) : 0;
    };
    const double plain = std::abs(skewness([](double v) { return v; }));
    if (!(plain > kSkewed)) return 0;
    std::vector<double> sizes;
    for (const double value : values_) {
      if (value != 0) sizes.push_back(std::abs(value));
    }
    const auto middle = sizes.begin() + std::ssize(sizes) / 2;
    std::ranges::nth_element(sizes, middle);
    const double found = *middle;
    const double less = std::abs(skewness([&](double v) { return std::copysign(std::log1p(std::abs(v) / found), v); }));
    return less < plain ? found : 0;
  }

  // ---- dates ----

  bool may_be_dates() const {
    if (cells_.column().numbers.empty()) {
      const std::string& first = counts_.begin()->first;
      return std::ranges::count_if(first, [](unsigned char c) { return std::isdigit(c) != 0; }) >= kDigitsOfDate;
    }
    return has_word(out_.name, {"date", "day", "ymd"});
  }

  // How many of the different texts are dates by each format.
  std::map<std::string, std::size_t> read_as_dates() const {
    std::map<std::string, std::size_t> out;
    for (const std::string& format : date_formats()) {
      for (const auto& [level, count] : counts_) out[format] += date_of(level, format).has_value();
    }
    return out;
  }

  bool dates() {
    if (!may_be_dates()) return false;
    const auto found = read_as_dates();
    for (const std::string& format : date_formats()) {
      if (found.at(format) == counts_.size()) return true;
    }
    require_one_format();
    return false;
  }

  // Where most of the texts are dates, all should be, by one format.
  void require_one_format() {
    constexpr std::size_t kSome = 10;
    std::size_t any = 0;
    std::vector<std::pair<std::string, std::string>> examples;  // by format
    std::string other;
    for (const auto& [level, count] : counts_) {
      const auto format =
          std::ranges::find_if(date_formats(), [&text = level](const auto& f) { return date_of(text, f).has_value(); });
      if (format == date_formats().end()) {
        if (other.empty()) other = level;
        continue;
      }
      ++any;
      if (std::ranges::find(examples, *format, &std::pair<std::string, std::string>::first) == examples.end()) {
        examples.emplace_back(*format, level);
      }
    }
    dates_ = any;
    const std::size_t all = counts_.size();
    if (10 * any < 9 * all && !(all > kSome && 2 * any > all)) return;
    std::vector<std::string> shown_examples;
    for (const auto& [format, level] : examples) shown_examples.push_back(level);
    if (examples.size() > 1) {
      wrong("dates written in {} ways ({}){}; write them alike, or say `types={}=category` or `drop={}`",
            examples.size(), fmt::join(shown_examples, ", "), other.empty() ? "" : " and such as " + shown(other),
            out_.name, out_.name);
    }
    for (Index i = 0; i < cells_.size(); ++i) {
      if (cells_.is_gap(i) || date_of(cells_.text(i), examples[0].first)) continue;
      wrong("row {}: {} is no date as the others are ({}); correct it, or say `missing={}`", i + 1,
            shown(cells_.text(i)), shown_examples[0], cells_.text(i));
    }
  }

  ColumnRecipe date(const std::string& told_format) {
    const auto found = read_as_dates();
    std::vector<std::string> fits;
    for (const std::string& format : date_formats()) {
      if (found.at(format) == counts_.size()) fits.push_back(format);
    }
    if (!told_format.empty()) {
      if (std::ranges::find(date_formats(), told_format) == date_formats().end()) {
        wrong("dates are written as {}, not {}", fmt::join(date_formats(), ", "), mercer::quoted(told_format));
      }
      if (std::ranges::find(fits, told_format) == fits.end())
        wrong("not all of its values are dates by {}", told_format);
      fits = {told_format};
    }
    if (fits.empty()) {
      require_one_format();
      wrong("not all of its values are dates, which are written as {}", fmt::join(date_formats(), ", "));
    }
    out_.date = fits.front();
    double low = 0, high = 0, sum = 0;
    bool times = false;
    std::set<int> weekdays;
    for (const auto& [level, count] : counts_) {
      const double day = *date_of(level, out_.date);
      if (level == counts_.begin()->first) low = high = day;
      low = std::min(low, day);
      high = std::max(high, day);
      sum += day * static_cast<double>(count);
      times = times || day != std::floor(day);
      weekdays.insert(static_cast<int>(std::fmod(std::floor(day), 7)));
    }
    out_.fill = sum / static_cast<double>(present_);
    if (high - low >= 1.5 * 365) out_.cycles.emplace_back("year");
    if (high - low >= 21 && weekdays.size() > 2) out_.cycles.emplace_back("week");
    if ((high - low >= 2 && times) || out_.date == "h:m") out_.cycles.emplace_back("day");
    std::string why = fmt::format("{}, such as {}", out_.date, counts_.begin()->first);
    if (out_.date.find("yy") != out_.date.npos) why += ", years 1969 to 2068";
    if (fits.size() > 1) why += fmt::format(" ({} would fit, too: `types={}=date({})`)", fits[1], out_.name, fits[1]);
    if (!out_.cycles.empty()) why += fmt::format("; a number, and its place in the {}", fmt::join(out_.cycles, ", "));
    return as(ColumnType::date, given(why + with_gaps("filled by the mean")));
  }

  // ---- words ----

  ColumnRecipe yes_no() {
    out_.levels = sorted_levels();
    return as(ColumnType::yes_no, given(fmt::format("two values, {} and {}", mercer::quoted(out_.levels[0]),
                                                    mercer::quoted(out_.levels[1])) +
                                        with_gaps("told apart")));
  }

  // The most frequent levels; what is behind them is like a level that no row had.
  ColumnRecipe category(const std::string& why) {
    std::vector<std::pair<std::string, std::size_t>> levels(counts_.begin(), counts_.end());
    std::ranges::stable_sort(levels, std::greater<>(), &std::pair<std::string, std::size_t>::second);
    std::size_t rest = 0;
    if (levels.size() > kMostLevels) {
      rest = levels.size() - kMostLevels;
      levels.resize(kMostLevels);
    }
    for (const auto& [level, count] : levels) out_.levels.push_back(level);
    std::ranges::sort(out_.levels);
    std::string words = why;
    if (rest > 0) words += fmt::format("; the {} most frequent, and {} others as one", kMostLevels, rest);
    return as(ColumnType::category, words + with_gaps("are a level of their own"));
  }

  ColumnRecipe ordered(std::vector<std::string> levels) {
    for (std::string& level : levels) level = level_of(level);
    for (const auto& [level, count] : counts_) {
      if (std::ranges::find(levels, level) != levels.end()) continue;
      wrong("the level {} is not among {}; name all of them", shown(level), fmt::join(levels, "<"));
    }
    out_.levels = std::move(levels);
    double sum = 0;
    for (const auto& [level, count] : counts_) {
      const auto place = std::ranges::find(out_.levels, level) - out_.levels.begin();
      sum += static_cast<double>(place) * static_cast<double>(count);
    }
    out_.fill = sum / static_cast<double>(present_);
    return as(ColumnType::ordered,
              given(fmt::format("{}", fmt::join(out_.levels, " < ")) + with_gaps("filled by the mean")));
  }

  double words_on_average() const {
    std::size_t words = 0;
    for (const auto& [level, count] : counts_) {
      bool inside = false;
      for (const char c : level) {
        const bool letter = c != ' ';
        words += letter && !inside;
        inside = letter;
      }
    }
    return static_cast<double>(words) / static_cast<double>(counts_.size());
  }

  ColumnRecipe words() {
    const std::size_t different = counts_.size();
    if (different == 2) return yes_no();
    const bool rare = different > kFewRows && 2 * different > present_;
    const std::string dates = dates_ == 0 ? "" : fmt::format("; {} of them could be dates", dates_);
    if (rare && words_on_average() >= kWordsOfText) {
      return as(ColumnType::text,
                fmt::format("{} different texts of {:.1f} words{}", different, words_on_average(), dates));
    }
    if (rare && different == present_) {
      return as(ColumnType::id, fmt::format("{} texts, all different{}", different, dates));
    }
    std::vector<std::string> levels;
    for (const auto& [level, count] : counts_) levels.push_back(level);
    if (const auto order = in_known_order(levels)) return ordered(*order);
    return category(values_text(different));
  }

  const Cells& cells_;
  const std::string told_;
  const std::string& path_;
  const std::size_t present_;
  std::map<std::string, std::size_t> counts_ = {};  // of each different value
  Vector values_ = {};                              // of numbers, without gaps
  std::string styled_ = {};
  std::size_t dates_ = 0;  // of the different texts, where not all of them are
  ColumnRecipe out_;
};

}  // namespace

ColumnRecipe recipe_of(const Cells& cells, const std::string& told, const std::string& path) {
  return Judge(cells, told, path).decide();
}

bool is_label(const Column& column, const std::string& path) {
  if (!is_called_id(column.name) && !is_called_code(column.name)) return false;
  const ColumnType type = recipe_of(Cells(column, {}), "", path).type;
  return type == ColumnType::id || type == ColumnType::category;
}

}  // namespace mercer::data
