#include "io/csv/scan.hpp"

#include <exception>

#include "base/parallel.hpp"
#include "base/text.hpp"

namespace mercer::csv {

Scan::Scan(std::string_view text, Dialect dialect, const std::string& name) : dialect_(dialect), name_(name) {
  Cursor cursor(text, dialect_, 1, name_);
  Field field;
  End end = End::separator;
  while (end == End::separator) {
    end = cursor.take(field);
    first_fields_.push_back(field.text());
  }
  const auto used = static_cast<std::size_t>(cursor.at() - text.data());
  pieces_.push_back({text.substr(0, used - (end == End::line)), 0, 1});
  if (end == End::line) cut(text.substr(used), cursor.line());

  const std::size_t d = first_fields_.size();
  values_ = std::make_shared<Matrix>(Matrix::uninitialized(most_rows_, static_cast<Index>(d)));
  std::vector<std::vector<Column>> notes(pieces_.size(), std::vector<Column>(d));
  std::vector<Index> rows(pieces_.size());
  for_each_piece([&](const Piece& piece, std::size_t p) { rows[p] = read(piece, notes[p]); });
  first_line_ = std::move(notes[0]);
  for (Column& column : first_line_) column.rows = 1;
  below_.resize(d);
  for (std::size_t p = 1; p < pieces_.size(); ++p) {
    rows_ += rows[p];
    for (std::size_t j = 0; j < d; ++j) {
      notes[p][j].rows = rows[p];
      below_[j].add(notes[p][j]);
    }
  }
}

// Cuts what follows the first line into pieces.
void Scan::cut(std::string_view rest, Index line) {
  constexpr std::size_t least = std::size_t{4} << 20;
  // A line of fewer bytes than columns has too few fields: the file is faulty, and one piece finds the first fault.
  const Index lines = std::count(rest.begin(), rest.end(), '\n') + 1;
  most_rows_ = std::min(lines, static_cast<Index>(rest.size() / first_fields_.size()) + 1) + 1;
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

// Throws the first error in file order.
void Scan::for_each_piece(const std::function<void(const Piece& piece, std::size_t number)>& work) const {
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

// Returns the number of rows.
Index Scan::read(const Piece& piece, std::vector<Column>& columns) const {
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
    if (j < d && trim({start, cursor.at()}).empty()) {
      fail(ErrorKind::data, "{}: line {} is empty; remove it", name_, line);
    }
    if (j < d) fail_ragged(line, j);
  }
  return row - piece.row;
}

void Scan::fail_ragged(Index line, std::size_t fields) const {
  fail(ErrorKind::data, "{}: line {} has {} {}, the first line has {}; give every line the same number", name_, line,
       fields, fields == 1 ? "field" : "fields", first_fields_.size());
}

std::vector<std::vector<std::string>> Scan::texts(const std::vector<bool>& wanted) const {
  std::vector<std::vector<std::string>> out(wanted.size());
  for (std::size_t j = 0; j < wanted.size(); ++j) {
    if (wanted[j]) out[j].resize(static_cast<std::size_t>(rows_));
  }
  for_each_piece([&](const Piece& piece, std::size_t) {
    Cursor cursor(piece.text, dialect_, piece.line, name_);
    Field field;
    End end = End::line;
    for (auto row = static_cast<std::size_t>(piece.row); end != End::input; ++row) {
      for (std::size_t j = 0; j < wanted.size(); ++j) {
        end = cursor.take(field);
        if (wanted[j]) out[j][row] = field.text();
      }
    }
  });
  return out;
}

}  // namespace mercer::csv
