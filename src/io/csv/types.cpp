#include "io/csv/types.hpp"

#include <unordered_set>

#include "base/text.hpp"
#include "io/csv/first_line.hpp"

namespace mercer::csv {

namespace {

class Judge {
 public:
  Judge(const Scan& scan, const ReadOptions& options)
      : scan_(scan), options_(options), name_(scan.name()), first_line_(scan.first_line()), below_(scan.below()) {}

  Types types(const std::vector<std::string>& with_gaps) {
    out_.header = has_header();
    if (out_.header) scan_.require_same_names();
    name_columns();
    find_gaps(with_gaps);
    columns_ = below_;
    if (!out_.header) add(first_line_);
    find_texts();
    // A line of names in the middle does not make texts of numbers.
    if (!out_.header) add(scan_.other_first_lines());
    check_columns(true);
    if (columns_.size() == 1 && out_.is_text[0]) refuse_blank_separated();
    if (options_.gaps) take_as_written();
    return std::move(out_);
  }

  Types of_rows(Index names, const Types& types) {
    out_ = types;
    columns_ = below_;
    if (names == 0) add(first_line_);
    check_columns(false);
    if (options_.as_written || options_.gaps) {
      take_as_written();
    } else {
      for (std::size_t j = 0; j < columns_.size(); ++j) {
        if (may_lack(j) && columns_[j].missing.count > 0) out_.is_text[j] = true;
      }
    }
    return std::move(out_);
  }

 private:
  void add(const std::vector<Column>& lines) {
    for (std::size_t j = 0; j < columns_.size(); ++j) columns_[j].add(lines[j]);
  }

  void take_as_written() {
    for (std::size_t j = 0; j < columns_.size(); ++j) out_.is_text[j] = out_.is_told[j] || !columns_[j].is_complete();
  }

  template <class... Args>
  [[noreturn]] void fail_data(fmt::format_string<Args...> text, Args&&... args) const {
    fail(ErrorKind::data, "{}: {}", name_, fmt::format(text, std::forward<Args>(args)...));
  }

  bool has_header() const {
    const std::optional<bool> told = expects_names() ? true : options_.header;
    if (told) {
      if (*told && scan_.rows() == 1) fail_data("there is a header line but no data; add the rows");
      return *told;
    }
    const std::size_t d = below_.size();
    if (scan_.rows() == 1) {
      if (std::none_of(first_line_.begin(), first_line_.end(), [](const Column& c) { return c.numbers() > 0; })) {
        fail_data("there is one line of texts only, a header without data; add the rows (or say `header=no`)");
      }
      return false;
    }
    const auto first_such = [&](auto&& condition) {
      std::size_t j = 0;
      while (j < d && !condition(j)) ++j;
      return j;
    };
    const std::size_t title = first_such([&](std::size_t j) {
      return first_line_[j].text.count > first_line_[j].dressed && below_[j].looks_like_numbers();
    });
    // Dates, say: one such text is a slip among numbers, a line of them is not.
    const bool all_titles = d > 1 && first_such([&](std::size_t j) {
                                       return first_line_[j].text.count == 0 || below_[j].kind() != Kind::numbers;
                                     }) == d;
    if (title < d && !all_titles) {
      const std::size_t value =
          first_such([&](std::size_t j) { return first_line_[j].numbers() > 0 && below_[j].looks_like_numbers(); });
      if (value < d) {
        fail_data("line 1 has text ({}) and numbers ({}) above columns of numbers; say `header=yes` or `header=no`",
                  shown(scan_.first_fields()[title]), shown(scan_.first_fields()[value]));
      }
      return true;
    }
    return all_titles || (holds_texts_only() && names_texts());
  }

  // Whether the first line holds every name that somebody knows, which as a line of values it could not.
  bool expects_names() const {
    if (options_.header) return false;
    std::vector<std::string> wanted = options_.expected;
    if (!options_.target.empty() && !parse_number(options_.target)) wanted.push_back(options_.target);
    std::unordered_set<std::string_view> found;
    for (const std::string& field : scan_.first_fields()) found.insert(trim(field));
    return !wanted.empty() &&
           std::all_of(wanted.begin(), wanted.end(), [&](const std::string& name) { return found.count(name) > 0; });
  }

  bool holds_texts_only() const {
    return std::all_of(below_.begin(), below_.end(), [](const Column& c) { return c.kind() == Kind::texts; }) &&
           std::all_of(first_line_.begin(), first_line_.end(), [](const Column& c) { return c.numbers() == 0; });
  }

  bool names_texts() const {
    const auto names = names_columns_of(scan_.texts(std::vector<bool>(below_.size(), true)));
    if (names) return *names;
    if (options_.header_if_unclear) return *options_.header_if_unclear;
    fail_data(
        "all columns hold text, and nothing tells whether line 1 ({}) names them; say `header=yes` or `header=no`",
        shown(fmt::format("{}", fmt::join(scan_.first_fields(), ","))));
  }

  void name_columns() {
    std::vector<std::string>& names = out_.names;
    for (const std::string& field : scan_.first_fields()) {
      names.push_back(out_.header ? std::string(trim(field)) : std::string());
    }
    std::unordered_set<std::string> taken;
    for (std::size_t j = 0; j < names.size(); ++j) {
      if (!names[j].empty() && !taken.insert(names[j]).second) {
        const auto first = std::find(names.begin(), names.end(), names[j]) - names.begin();
        fail_data("columns {} and {} are both named {}; rename one", first + 1, j + 1, shown(names[j]));
      }
    }
    for (std::size_t j = 0; j < names.size(); ++j) {
      if (!names[j].empty()) continue;
      names[j] = fmt::format("x{}", j + 1);
      while (!taken.insert(names[j]).second) names[j] += '_';
    }
  }

  // Columns that are text whatever they look like, and those that look it.
  void find_texts() {
    std::vector<bool>& told = out_.is_told;
    told.assign(columns_.size(), false);
    for (const std::string& column : options_.texts) {
      told[static_cast<std::size_t>(column_number(column, "be text", out_.names, std::ssize(columns_), name_))] = true;
    }
    const std::unordered_set<std::string> expected(options_.expected_texts.begin(), options_.expected_texts.end());
    for (std::size_t j = 0; j < columns_.size(); ++j) {
      if (expected.count(out_.names[j]) + expected.count(std::to_string(j + 1)) > 0) told[j] = true;
      out_.is_text.push_back(told[j] || columns_[j].kind() == Kind::texts ||
                             (options_.as_written && !columns_[j].is_complete()));
    }
  }

  // Columns that are there, of those in which values may be missing.
  void find_gaps(const std::vector<std::string>& with_gaps) {
    out_.has_gaps.assign(out_.names.size(), false);
    for (const std::string& column : with_gaps) {
      if (column.empty()) out_.has_gaps.back() = true;
      for (std::size_t j = 0; j < out_.names.size(); ++j) {
        if (out_.names[j] == column || std::to_string(j + 1) == column) out_.has_gaps[j] = true;
      }
    }
  }
  bool may_lack(std::size_t column) const { return options_.gaps || (!out_.has_gaps.empty() && out_.has_gaps[column]); }

  [[noreturn]] void fail_at(const Sight& sight, std::size_t column, const std::string& what) const {
    const auto [file, row] = scan_.place(sight.row);
    fail(ErrorKind::data, "{}: row {} (line {}), column {}: {}", file, row + (out_.header ? 0 : 1), sight.line,
         shown(out_.names[column]), what);
  }

  // `all`: these are all rows, and not only some.
  void check_columns(bool all) const {
    if (options_.as_written) return;
    const std::size_t d = columns_.size();
    Index missing = 0;
    Index missing_columns = 0;
    std::size_t first_missing = d;
    for (std::size_t j = 0; j < d; ++j) {
      const Column& column = columns_[j];
      if (out_.is_told[j]) continue;
      if (all && column.kind() == Kind::nothing && !may_lack(j)) {
        fail_data("column {} has no values; fill it in or remove it", shown(out_.names[j]));
      }
      if (!out_.is_text[j] && column.text.count > 0) {
        fail_at(column.text, j,
                all ? fmt::format("{} is not a number, though {} of the column's {} values are; correct it",
                                  shown(column.text.text), column.numbers(), column.rows)
                    : fmt::format("{} is not a number, though the column began with numbers; correct it",
                                  shown(column.text.text)));
      }
      if (!out_.is_text[j] && column.infinite.count > 0) {
        fail_at(column.infinite, j,
                fmt::format("{} is not a finite number; correct it or remove the row", shown(column.infinite.text)));
      }
      if (column.missing.count == 0 || may_lack(j)) continue;
      missing += column.missing.count;
      ++missing_columns;
      if (first_missing == d || column.missing.row < columns_[first_missing].missing.row) first_missing = j;
    }
    if (missing == 0) return;
    const Sight& sight = columns_[first_missing].missing;
    const std::string count = fmt::format("in all, {} {} missing from {} {}; fill in or remove those rows", missing,
                                          missing == 1 ? "value is" : "values are", missing_columns,
                                          missing_columns == 1 ? "column" : "columns");
    const std::string text =
        fmt::format("; where it is a text like the others, say `text={}`", out_.names[first_missing]);
    fail_at(sight, first_missing,
            fmt::format("the value is missing ({}); {}{}", shown(sight.text),
                        all ? count : "fill it in or remove the row", out_.is_text[first_missing] ? text : ""));
  }

  // A line such as "1.5 2 3" would otherwise pass as a text.
  void refuse_blank_separated() const {
    const Sight& sight = columns_[0].text;
    std::string_view rest = trim(sight.text);
    int numbers = 0;
    double value = 0;
    while (!rest.empty()) {
      const char* const next = take_number(rest.data(), rest.data() + rest.size(), value);
      if (next == rest.data()) return;
      rest.remove_prefix(static_cast<std::size_t>(next - rest.data()));
      if (!rest.empty() && rest.front() != ' ') return;
      rest = trim(rest);
      ++numbers;
    }
    if (numbers > 1) {
      fail(ErrorKind::data, "{}: line {} holds numbers separated by blanks ({}); separate them by commas or tabs",
           scan_.place(sight.row).file, sight.line, shown(sight.text));
    }
  }

  const Scan& scan_;
  const ReadOptions options_;
  const std::string& name_;
  const std::vector<Column>&first_line_, &below_;
  std::vector<Column> columns_;  // with the first line where it holds values
  Types out_;
};

}  // namespace

Types types_of(const Scan& scan, const ReadOptions& options, const std::vector<std::string>& with_gaps) {
  return Judge(scan, options).types(with_gaps);
}

Types types_of_rows(const Scan& scan, Index names, const Types& types, const ReadOptions& options) {
  return Judge(scan, options).of_rows(names, types);
}

}  // namespace mercer::csv
