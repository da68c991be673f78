// LIBSVM text: one point a line, "label column:value ...", columns from 1 and increasing, zeros left out.
#include <algorithm>
#include <charconv>
#include <cstdint>
#include <cstring>
#include <limits>

#include "base/fail.hpp"
#include "base/text.hpp"
#include "io/row_formats.hpp"
#include "io/text_rows.hpp"

namespace mercer {

namespace {

// As std::find, but many bytes at a time.
const char* find_byte(const char* at, const char* end, char what) {
  const void* const found = std::memchr(at, what, static_cast<std::size_t>(end - at));
  return found != nullptr ? static_cast<const char*>(found) : end;
}

bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\r'; }

std::string_view word_at(const char* at, const char* end) { return {at, std::find_if(at, end, is_blank)}; }

// One line without its comment. `x` and `labels` grow by one point unless the line is blank.
void parse_line(const char* at, const char* end, Index line, const std::string& name, SparseMatrix& x, Vector& labels) {
  const auto skip_blanks = [&] { at = std::find_if_not(at, end, is_blank); };
  skip_blanks();
  if (at == end) return;

  double label = 0;
  const char* next = take_number(at, end, label);
  if (next == at || (next != end && !is_blank(*next))) {
    fail(ErrorKind::data, "{}: line {}: the label {} is not a finite number; a line is \"label column:value ...\"",
         name, line, shown(word_at(at, end)));
  }
  at = next;
  std::int64_t previous = 0;
  for (skip_blanks(); at != end; skip_blanks()) {
    const auto word = [&] { return shown(word_at(at, end)); };
    if (*at == 'q' && word_at(at, end).starts_with("qid:")) {
      fail(ErrorKind::data, "{}: line {}: {} marks a ranking query, which no machine here can use; remove it", name,
           line, word());
    }
    std::int64_t column = 0;
    const auto [colon, error] = std::from_chars(at, end, column);
    if (error != std::errc() || colon == end || *colon != ':') {
      fail(ErrorKind::data, "{}: line {}: {} is not column:value", name, line, word());
    }
    if (column < 1 || column > std::numeric_limits<std::int32_t>::max()) {
      fail(ErrorKind::data, "{}: line {}: column {} in {}; columns are counted from 1 and below 2^31", name, line,
           column, word());
    }
    if (column <= previous) {
      fail(ErrorKind::data, "{}: line {}: column {} after column {}; put each line's columns in increasing order", name,
           line, column, previous);
    }
    double value = 0;
    next = take_number(colon + 1, end, value);
    if (next == colon + 1 || (next != end && !is_blank(*next))) {
      fail(ErrorKind::data, "{}: line {}, column {}: {} is not a finite number", name, line, column,
           shown(word_at(colon + 1, end)));
    }
    if (value != 0) {
      x.columns.push_back(static_cast<std::int32_t>(column - 1));
      x.values.push_back(value);
    }
    x.cols = std::max<Index>(x.cols, column);
    previous = column;
    at = next;
  }
  labels.push_back(label);
  x.offsets.push_back(static_cast<Index>(x.values.size()));
}

}  // namespace

void add_libsvm_lines(std::string_view text, Index line, const std::string& name, SparseMatrix& x, Vector& labels) {
  const char* at = text.data();
  const char* const end = at + text.size();
  for (; at != end; ++line) {
    const char* const line_end = find_byte(at, end, '\n');
    parse_line(at, find_byte(at, line_end, '#'), line, name, x, labels);
    at = line_end == end ? end : line_end + 1;
  }
}

Dataset parse_libsvm(std::span<const FileContent> files, const ReadOptions& options) {
  SparseMatrix x;
  x.cols = options.columns;
  Vector labels;
  for (const FileContent& file : files) {
    require_text(file.bytes.text, file.name);
    add_libsvm_lines(file.bytes.text, 1, file.name, x, labels);
  }
  const std::string& name = files.front().name;
  x.rows = static_cast<Index>(labels.size());
  if (x.rows == 0) fail(ErrorKind::data, "{}: holds no points; a line is \"label column:value ...\"", name);
  if (x.cols == 0) {
    fail(ErrorKind::data, "{}: has labels but not one column:value; say how many columns there are", name);
  }
  return {.points = rows(std::move(x)), .target_numbers = std::move(labels), .target_name = "label"};
}

namespace {

bool holds_point(const char* at, const char* end) {
  return std::find_if_not(at, find_byte(at, end, '#'), is_blank) != find_byte(at, end, '#');
}

// Of lines that hold no point, those before one go with it.
FirstRows first_points(std::string_view text, Index most, bool complete) {
  FirstRows out;
  Index lines = 0;
  const char* const end = text.data() + text.size();
  for (const char* at = text.data(); at != end && out.rows < most;) {
    const char* const stop = find_byte(at, end, '\n');
    if (stop == end && !complete) break;
    ++lines;
    const bool point = holds_point(at, stop);
    at = stop == end ? end : stop + 1;
    if (point) out = {out.rows + 1, lines, static_cast<std::size_t>(at - text.data())};
  }
  return out;
}

// As wide as the widest row until now: after a pass over all files, as all of them.
class LibsvmRows final : public FileRows {
 public:
  LibsvmRows(const std::string& file, Index& columns) : rows_(file, first_points), columns_(columns) {}

  std::optional<Dataset> next(Index most) override {
    const std::optional<TextRows::Block> block = rows_.take(most);
    if (!block) return std::nullopt;
    SparseMatrix x;
    Vector labels;
    if (block->row == 0) require_text(block->text, name());
    add_libsvm_lines(block->text, block->line, name(), x, labels);
    x.rows = static_cast<Index>(labels.size());
    x.cols = columns_ = std::max(columns_, x.cols);
    if (x.cols == 0) {
      fail(ErrorKind::data, "{}: has labels but not one column:value; say how many columns there are", name());
    }
    return Dataset{.points = rows(std::move(x)), .target_numbers = std::move(labels), .target_name = "label"};
  }
  Index pass(Index most) override {
    const std::optional<Dataset> some = next(most);
    return some ? some->points.size() : 0;
  }
  void go_to(Index row) override { rows_.go_to(row); }
  double passed() const override { return rows_.window().passed(); }

 private:
  const std::string& name() const { return rows_.window().name(); }

  TextRows rows_;
  Index& columns_;
};

struct LibsvmFormat final : RowReader::Format {
  explicit LibsvmFormat(Index least) : columns(least) {}
  std::unique_ptr<FileRows> open(const std::string& file) override {
    return std::make_unique<LibsvmRows>(file, columns);
  }
  std::unique_ptr<Format> copy() const override { return std::make_unique<LibsvmFormat>(*this); }
  Index columns;
};

}  // namespace

std::unique_ptr<RowReader::Format> libsvm_rows(const ReadOptions& options) {
  return std::make_unique<LibsvmFormat>(options.columns);
}

}  // namespace mercer
