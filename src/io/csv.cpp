// CSV and TSV.
//
// One pass over the file turns every field that is a number into one and notes, per column, what the others were. The
// columns' kinds and the header follow from those notes; the texts of the text columns are collected by a second pass,
// which a file of numbers does not need. Files without quotes are cut at line ends into pieces that are read in
// parallel; the cuts do not depend on the number of threads, and the first error in file order is the one reported.
#include <algorithm>
#include <cstring>
#include <exception>
#include <unordered_set>
#include <vector>

#include "base/fail.hpp"
#include "base/parallel.hpp"
#include "base/text.hpp"
#include "io/readers.hpp"

namespace mercer {

namespace {

struct Dialect {
  char separator = ',';
  bool quotes = false;  // whether a quote at the start of a field is one
};

struct Field {
  std::string_view raw;
  bool quoted = false;

  std::string text() const {
    if (!quoted || raw.find('"') == raw.npos) return std::string(raw);
    std::string out;
    for (std::size_t at = 0; at < raw.size(); ++at) {
      out += raw[at];
      if (raw[at] == '"') ++at;  // the second of a pair
    }
    return out;
  }
};

enum class End { separator, line, input };

// Walks over the fields of a text.
class Cursor {
 public:
  Cursor(std::string_view text, Dialect dialect, Index line, const std::string& name)
      : at_(text.data()), end_(at_ + text.size()), dialect_(dialect), line_(line), name_(name) {}

  Index line() const { return line_; }
  const char* at() const { return at_; }

  // The way most fields of most files go: a plain number. Moves only if it is one.
  bool take_plain_number(double& value, End& end) {
    const char* const next = take_number(at_, end_, value);
    if (next == at_) return false;
    if (next == end_) {
      end = End::input;
      at_ = next;
    } else if (*next == dialect_.separator) {
      end = End::separator;
      at_ = next + 1;
    } else if (*next == '\n' || (*next == '\r' && next + 1 != end_ && next[1] == '\n')) {
      end = End::line;
      at_ = next + (*next == '\n' ? 1 : 2);
      ++line_;
    } else {
      return false;
    }
    return true;
  }

  End take(Field& field) {
    field.quoted = dialect_.quotes && at_ != end_ && *at_ == '"';
    if (field.quoted) return take_quoted(field);
    const char* const start = at_;
    while (at_ != end_ && *at_ != dialect_.separator && *at_ != '\n') ++at_;
    const char* stop = at_;
    const End end = finish_field();
    if (end != End::separator && stop != start && stop[-1] == '\r') --stop;
    field.raw = {start, stop};
    return end;
  }

 private:
  End take_quoted(Field& field) {
    const Index first_line = line_;
    const char* const start = ++at_;
    while (true) {
      at_ = static_cast<const char*>(std::memchr(at_, '"', static_cast<std::size_t>(end_ - at_)));
      if (at_ == nullptr) {
        fail(ErrorKind::data, "{}: line {}: a quoted field has no closing quote; close it, or double quotes inside it",
             name_, first_line);
      }
      if (at_ + 1 == end_ || at_[1] != '"') break;
      at_ += 2;
    }
    field.raw = {start, at_};
    line_ += std::count(start, at_, '\n');
    ++at_;
    if (at_ != end_ && *at_ == '\r' && (at_ + 1 == end_ || at_[1] == '\n')) ++at_;
    if (at_ != end_ && *at_ != dialect_.separator && *at_ != '\n') {
      fail(ErrorKind::data, "{}: line {}: text after the closing quote of {}; double the quotes inside a quoted field",
           name_, line_, shown(field.raw));
    }
    return finish_field();
  }

  End finish_field() {
    if (at_ == end_) return End::input;
    if (*at_++ == dialect_.separator) return End::separator;
    ++line_;
    return End::line;
  }

  const char* at_;
  const char* const end_;
  const Dialect dialect_;
  Index line_;
  const std::string& name_;
};

// Where something was first seen, and how often it was.
struct Sight {
  Index count = 0;
  Index row = 0;  // from 0, the first line included
  Index line = 0;
  std::string_view text;

  void note(Index at_row, Index at_line, std::string_view what) {
    if (count++ == 0) *this = {1, at_row, at_line, what};
  }
  void add(const Sight& later) {
    if (count == 0) {
      *this = later;
    } else {
      count += later.count;
    }
  }
};

enum class Kind { numbers, texts, nothing };

// What the values of a column are.
struct Column {
  Index rows = 0;
  Sight missing, infinite, text;
  Index dressed = 0;  // how many of the texts look like numbers: 1,000  10%  2020-01-31

  Index numbers() const { return rows - missing.count - infinite.count - text.count; }
  // A few texts among many numbers are slips, and do not make it a text column.
  Kind kind() const {
    if (text.count > 0 && numbers() <= 9 * text.count) return Kind::texts;
    return missing.count == rows ? Kind::nothing : Kind::numbers;
  }
  // As far as a name above it is concerned.
  bool looks_like_numbers() const {
    return kind() == Kind::numbers || (kind() == Kind::texts && dressed == text.count);
  }
  void add(const Column& later) {
    rows += later.rows;
    missing.add(later.missing);
    infinite.add(later.infinite);
    text.add(later.text);
    dressed += later.dressed;
  }
};

// inf, -nan, 1e999
bool is_beyond_numbers(std::string_view text) {
  if (text.starts_with('+')) text.remove_prefix(1);
  double value = 0;
  const auto [next, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return next == text.data() + text.size() && error != std::errc::invalid_argument;
}

// A field that is no plain number: notes what it is, or returns the number it is after all (in quotes, among blanks).
double classify(const Field& field, Index row, Index line, Column& column) {
  const std::string_view text = trim(field.raw);
  double value = 0;
  if (is_missing(text)) {
    column.missing.note(row, line, field.raw);
  } else if (take_number(text.data(), text.data() + text.size(), value) == text.data() + text.size()) {
    return value;
  } else if (is_beyond_numbers(text)) {
    column.infinite.note(row, line, text);
  } else {
    column.text.note(row, line, field.raw);
    column.dressed += looks_like_number(text);
  }
  return 0;
}

// A part of the file that starts and ends with a line.
struct Piece {
  std::string_view text;  // without the last line end
  Index row = 0;
  Index line = 1;
};

class CsvReader {
 public:
  CsvReader(std::string_view text, const std::string& name, const ReadOptions& options)
      : text_(text), name_(name), options_(options) {}

  Dataset read() {
    prepare();
    scan();
    decide_header();
    name_columns();
    columns_ = below_;
    if (!header_) {
      for (std::size_t j = 0; j < columns_.size(); ++j) {
        columns_[j] = first_line_[j];
        columns_[j].add(below_[j]);
      }
    }
    check_columns();
    return build();
  }

 private:
  template <class... Args>
  [[noreturn]] void fail_data(fmt::format_string<Args...> text, Args&&... args) const {
    fail(ErrorKind::data, "{}: {}", name_, fmt::format(text, std::forward<Args>(args)...));
  }

  // Finds the dialect, the number of columns and the pieces.
  void prepare() {
    if (text_.starts_with("\xEF\xBB\xBF")) text_.remove_prefix(3);
    require_text(text_, name_);
    while (!text_.empty() && (text_.back() == '\n' || text_.back() == '\r')) text_.remove_suffix(1);
    if (text_.empty()) fail_data("the file is empty; it needs at least one line of values");

    dialect_.quotes = text_.find('"') != text_.npos;
    dialect_.separator = options_.format == Format::tsv ? '\t' : commonest_separator();
    if (dialect_.quotes && dialect_.separator == '\t' && !well_quoted()) dialect_.quotes = false;

    Cursor cursor(text_, dialect_, 1, name_);
    Field field;
    End end = End::separator;
    while (end == End::separator) {
      end = cursor.take(field);
      names_.push_back(field.text());
    }
    const auto used = static_cast<std::size_t>(cursor.at() - text_.data());
    pieces_.push_back({text_.substr(0, used - (end == End::line)), 0, 1});
    if (end == End::line) cut(text_.substr(used), cursor.line());
  }

  char commonest_separator() const {
    constexpr std::string_view candidates = ",;\t";
    Index counts[candidates.size()] = {};
    bool inside = false;
    for (const char c : text_) {
      if (c == '"') inside = !inside;
      if (inside) continue;
      if (c == '\n') break;
      const std::size_t which = candidates.find(c);
      if (which != candidates.npos) ++counts[which];
    }
    return candidates[static_cast<std::size_t>(std::max_element(std::begin(counts), std::end(counts)) - counts)];
  }

  bool well_quoted() const {
    try {
      Cursor cursor(text_, dialect_, 1, name_);
      Field field;
      while (cursor.take(field) != End::input) continue;
      return true;
    } catch (const Error&) {
      return false;
    }
  }

  // Cuts what follows the first line into pieces.
  void cut(std::string_view rest, Index line) {
    constexpr std::size_t least = std::size_t{4} << 20;
    // A line of fewer bytes than columns has too few fields: the file is faulty, and one piece finds the first fault.
    const Index lines = std::count(rest.begin(), rest.end(), '\n') + 1;
    most_rows_ = std::min(lines, static_cast<Index>(rest.size() / names_.size()) + 1) + 1;
    const bool whole = dialect_.quotes || lines + 1 > most_rows_;
    Index row = 1;
    while (true) {
      const std::size_t stop = whole || rest.size() <= least ? rest.npos : rest.find('\n', least);
      pieces_.push_back({rest.substr(0, stop), row, line});
      if (stop == rest.npos) return;
      const Index here = std::count(rest.begin(), rest.begin() + static_cast<Index>(stop), '\n') + 1;
      row += here;
      line += here;
      rest.remove_prefix(stop + 1);
    }
  }

  // Runs work(piece, its number) on all pieces and throws the first error in file order.
  template <class Work>
  void for_each_piece(const Work& work) {
    std::vector<std::exception_ptr> errors(pieces_.size());
    parallel_for(static_cast<Index>(pieces_.size()), thread_count(0), {}, "read", [&](Index i, int) {
      const auto p = static_cast<std::size_t>(i);
      try {
        work(pieces_[p], p);
      } catch (...) {
        errors[p] = std::current_exception();
      }
    });
    for (const std::exception_ptr& error : errors) {
      if (error) std::rethrow_exception(error);
    }
  }

  void scan() {
    const std::size_t d = names_.size();
    values_ = std::make_shared<Matrix>(Matrix::uninitialized(most_rows_, static_cast<Index>(d)));
    std::vector<std::vector<Column>> notes(pieces_.size(), std::vector<Column>(d));
    std::vector<Index> rows(pieces_.size());
    for_each_piece([&](const Piece& piece, std::size_t p) { rows[p] = scan_piece(piece, notes[p]); });
    first_line_ = std::move(notes[0]);
    below_.resize(d);
    rows_ = 1;
    for (Column& column : first_line_) column.rows = 1;
    for (std::size_t p = 1; p < pieces_.size(); ++p) {
      rows_ += rows[p];
      for (std::size_t j = 0; j < d; ++j) {
        notes[p][j].rows = rows[p];
        below_[j].add(notes[p][j]);
      }
    }
  }

  // Returns the number of rows.
  Index scan_piece(const Piece& piece, std::vector<Column>& columns) {
    Cursor cursor(piece.text, dialect_, piece.line, name_);
    const std::size_t d = columns.size();
    Field field;
    End end = End::line;
    Index row = piece.row;
    for (; end != End::input; ++row) {
      double* const out = values_->row(row);
      const Index line = cursor.line();
      const char* const start = cursor.at();
      std::size_t j = 0;
      do {
        if (j == d) {
          while (cursor.take(field) == End::separator) ++j;
          fail_ragged(line, j + 1);
        }
        if (!cursor.take_plain_number(out[j], end)) {
          const Index field_line = cursor.line();
          end = cursor.take(field);
          out[j] = classify(field, row, field_line, columns[j]);
        }
        ++j;
      } while (end == End::separator);
      if (j < d && trim({start, cursor.at()}).empty()) fail_data("line {} is empty; remove it", line);
      if (j < d) fail_ragged(line, j);
    }
    return row - piece.row;
  }

  [[noreturn]] void fail_ragged(Index line, std::size_t fields) const {
    fail_data("line {} has {} {}, the first line has {}; give every line the same number", line, fields,
              fields == 1 ? "field" : "fields", names_.size());
  }

  void decide_header() {
    if (options_.header) {
      header_ = *options_.header;
      if (header_ && rows_ == 1) fail_data("there is a header line but no data; add the rows");
      return;
    }
    const std::size_t d = names_.size();
    if (rows_ == 1) {
      if (std::none_of(first_line_.begin(), first_line_.end(), [](const Column& c) { return c.numbers() > 0; })) {
        fail_data("there is one line of texts only, a header without data; add the rows (or say there is no header)");
      }
      return;
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
    header_ = all_titles;
    if (title < d && !all_titles) {
      const std::size_t value =
          first_such([&](std::size_t j) { return first_line_[j].numbers() > 0 && below_[j].looks_like_numbers(); });
      if (value < d) {
        fail_data("line 1 has text ({}) and numbers ({}) above columns of numbers; say whether it is a header",
                  shown(names_[title]), shown(names_[value]));
      }
      header_ = true;
      return;
    }
    if (std::all_of(below_.begin(), below_.end(), [](const Column& c) { return c.kind() == Kind::texts; }) &&
        std::all_of(first_line_.begin(), first_line_.end(), [](const Column& c) { return c.numbers() == 0; }) &&
        std::unordered_set<std::string>(names_.begin(), names_.end()).size() == d) {
      collect_texts(std::vector<bool>(d, true));
      header_ = std::any_of(texts_.begin(), texts_.end(), is_titled);
    }
  }

  // Whether the first text occurs nowhere below, where every text occurs at least twice.
  static bool is_titled(const std::vector<std::string>& texts) {
    std::vector<std::string_view> below(texts.begin() + 1, texts.end());
    std::sort(below.begin(), below.end());
    for (std::size_t i = 0; i < below.size();) {
      std::size_t j = i + 1;
      while (j < below.size() && below[j] == below[i]) ++j;
      if (j == i + 1 || below[i] == texts[0]) return false;
      i = j;
    }
    return true;
  }

  void name_columns() {
    for (std::size_t j = 0; j < names_.size(); ++j) {
      names_[j] = header_ ? std::string(trim(names_[j])) : std::string();
    }
    std::unordered_set<std::string> taken;
    for (std::size_t j = 0; j < names_.size(); ++j) {
      if (!names_[j].empty() && !taken.insert(names_[j]).second) {
        const auto first = std::find(names_.begin(), names_.end(), names_[j]) - names_.begin();
        fail_data("columns {} and {} are both named {}; rename one", first + 1, j + 1, shown(names_[j]));
      }
    }
    for (std::size_t j = 0; j < names_.size(); ++j) {
      if (!names_[j].empty()) continue;
      names_[j] = fmt::format("x{}", j + 1);
      while (!taken.insert(names_[j]).second) names_[j] += '_';
    }
  }

  std::string place(const Sight& sight, std::size_t column) const {
    return fmt::format("row {} (line {}), column {}", sight.row + (header_ ? 0 : 1), sight.line, shown(names_[column]));
  }

  void check_columns() const {
    const std::size_t d = columns_.size();
    Index missing = 0;
    Index missing_columns = 0;
    std::size_t first_missing = d;
    for (std::size_t j = 0; j < d; ++j) {
      const Column& column = columns_[j];
      if (column.kind() == Kind::texts) continue;
      if (column.kind() == Kind::nothing) {
        fail_data("column {} has no values; fill it in or remove it", shown(names_[j]));
      }
      if (column.text.count > 0) {
        fail_data("{}: {} is not a number, though {} of the column's {} values are; correct it", place(column.text, j),
                  shown(column.text.text), column.numbers(), column.rows);
      }
      if (column.infinite.count > 0) {
        fail_data("{}: {} is not a finite number; correct it or remove the row", place(column.infinite, j),
                  shown(column.infinite.text));
      }
      if (column.missing.count == 0) continue;
      missing += column.missing.count;
      ++missing_columns;
      if (first_missing == d || column.missing.row < columns_[first_missing].missing.row) first_missing = j;
    }
    if (missing > 0) {
      const Sight& sight = columns_[first_missing].missing;
      fail_data("{}: the value is missing ({}); in all, {} {} missing from {} {}; fill in or remove those rows",
                place(sight, first_missing), shown(sight.text), missing, missing == 1 ? "value is" : "values are",
                missing_columns, missing_columns == 1 ? "column" : "columns");
    }
  }

  // Fills texts_ for the columns asked for, the first line included.
  void collect_texts(const std::vector<bool>& wanted) {
    texts_.assign(wanted.size(), {});
    for (std::size_t j = 0; j < wanted.size(); ++j) {
      if (wanted[j]) texts_[j].resize(static_cast<std::size_t>(rows_));
    }
    for_each_piece([&](const Piece& piece, std::size_t) {
      Cursor cursor(piece.text, dialect_, piece.line, name_);
      Field field;
      End end = End::line;
      for (auto row = static_cast<std::size_t>(piece.row); end != End::input; ++row) {
        for (std::size_t j = 0; j < wanted.size(); ++j) {
          end = cursor.take(field);
          if (wanted[j]) texts_[j][row] = field.text();
        }
      }
    });
  }

  // The numbers of columns [begin, end) but for the target.
  Matrix block(std::size_t begin, std::size_t end, std::size_t target) const {
    const Index width = static_cast<Index>(end - begin) - (begin <= target && target < end ? 1 : 0);
    Matrix out = Matrix::uninitialized(rows_ - header_, width);
    double* to = out.data();
    for (Index i = header_; i < rows_; ++i) {
      const double* const from = values_->row(i);
      for (std::size_t j = begin; j < end; ++j) {
        if (j != target) *to++ = from[j];
      }
    }
    return out;
  }

  Dataset build() {
    const std::size_t d = names_.size();
    const std::size_t target =
        options_.target.empty()
            ? d - (options_.last_is_target ? 1 : 0)
            : static_cast<std::size_t>(target_column(options_.target, names_, static_cast<Index>(d), name_));
    if (target < d && d == 1) fail_data("its only column is the target; no column is left for the points");

    std::vector<bool> is_text(d);
    for (std::size_t j = 0; j < d; ++j) is_text[j] = columns_[j].kind() == Kind::texts;
    if (d == 1 && is_text[0]) refuse_blank_separated();
    if (texts_.empty() && std::find(is_text.begin(), is_text.end(), true) != is_text.end()) collect_texts(is_text);
    for (std::size_t j = 0; j < d && header_; ++j) {
      if (is_text[j]) texts_[j].erase(texts_[j].begin());
    }

    Dataset out{points(is_text, target), {}, {}, {}, !header_};
    if (target == d) return out;
    out.target_name = names_[target];
    if (is_text[target]) {
      out.target = std::move(texts_[target]);
      const auto missing = std::find_if(out.target.begin(), out.target.end(), is_missing);
      if (missing != out.target.end()) {
        fail_data("row {}: the target {} is missing ({}); fill it in or remove the row",
                  missing - out.target.begin() + 1, shown(out.target_name), shown(*missing));
      }
    } else {
      for (Index i = header_; i < rows_; ++i) out.target_numbers.push_back((*values_)(i, static_cast<Index>(target)));
      for (const double value : out.target_numbers) out.target.push_back(number(value));
    }
    return out;
  }

  Points points(const std::vector<bool>& is_text, std::size_t target) {
    const std::size_t d = names_.size();
    std::vector<std::pair<std::string, Points>> parts;
    for (std::size_t j = 0; j < d;) {
      if (j == target) {
        ++j;
        continue;
      }
      if (is_text[j]) {
        parts.emplace_back(names_[j], strings(std::move(texts_[j])));
        ++j;
        continue;
      }
      std::size_t end = j;
      std::vector<std::string> names;
      for (; end < d && (end == target || !is_text[end]); ++end) {
        if (end != target) names.push_back(names_[end]);
      }
      const bool whole = j == 0 && end == d && target == d;
      const Points numbers =
          whole ? rows(MatrixView(values_->row(header_), rows_ - header_, static_cast<Index>(d)), values_)
                : rows(block(j, end, target));
      parts.emplace_back("", named(numbers, std::move(names)));
      j = end;
    }
    return parts.size() == 1 && parts[0].first.empty() ? parts[0].second : table(std::move(parts));
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
      fail_data("line {} holds numbers separated by blanks ({}); separate them by commas or tabs", sight.line,
                shown(sight.text));
    }
  }

  std::string_view text_;
  const std::string& name_;
  const ReadOptions& options_;
  Dialect dialect_;
  std::vector<Piece> pieces_;       // the first line, then the others
  std::vector<std::string> names_;  // of the columns; at first, the fields of the first line
  Index most_rows_ = 1;
  Index rows_ = 0;  // the first line included, here and in what follows
  std::shared_ptr<Matrix> values_;
  std::vector<Column> first_line_, below_, columns_;
  bool header_ = false;
  std::vector<std::vector<std::string>> texts_;  // of text columns
};

}  // namespace

Dataset parse_csv(std::string_view text, const std::string& name, const ReadOptions& options) {
  return CsvReader(text, name, options).read();
}

}  // namespace mercer
