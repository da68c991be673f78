#include "io/csv/scan.hpp"

#include <exception>

#include "base/parallel.hpp"
#include "base/text.hpp"

namespace mercer::csv {

namespace {

std::vector<std::string> trimmed(const std::vector<std::string>& fields) {
  std::vector<std::string> out;
  for (const std::string& field : fields) out.emplace_back(trim(field));
  return out;
}

}  // namespace

Scan::Scan(std::vector<Sheet> sheets, Dialect dialect, FirstLines first, std::size_t columns)
    : sheets_(std::move(sheets)), dialect_(dialect) {
  std::vector<FirstLine> lines;
  for (const Sheet& sheet : sheets_) lines.push_back(first_line_of(sheet));
  first_fields_ = lines[0].fields;
  columns_ = columns == 0 ? first_fields_.size() : columns;
  left_out_ = first == FirstLines::unknown && sheets_.size() > 1 &&
              std::all_of(lines.begin(), lines.end(),
                          [&](const FirstLine& line) { return trimmed(line.fields) == trimmed(first_fields_); });
  for (std::size_t s = 0; s < sheets_.size(); ++s) cut(sheets_[s], lines[s], s > 0 && left_out_);

  values_ = std::make_shared<Matrix>(Matrix::uninitialized(most_rows_, static_cast<Index>(columns_)));
  std::vector<std::vector<Column>> notes(pieces_.size(), std::vector<Column>(columns_));
  std::vector<Index> rows(pieces_.size());
  for_each_piece([&](const Piece& piece, std::size_t p) { rows[p] = read(piece, notes[p]); });
  first_line_.resize(columns_);
  other_first_lines_.resize(columns_);
  below_.resize(columns_);
  for (std::size_t p = 0; p < pieces_.size(); ++p) {
    std::vector<Column>& all = p == 0 ? first_line_ : pieces_[p].is_first_line ? other_first_lines_ : below_;
    rows_ += rows[p];
    for (std::size_t j = 0; j < columns_; ++j) {
      notes[p][j].rows = rows[p];
      all[j].add(notes[p][j]);
    }
  }
}

Scan::FirstLine Scan::first_line_of(const Sheet& sheet) const {
  Cursor cursor(sheet.text, dialect_, sheet.line, sheet.name);
  FirstLine out;
  Field field;
  End end = End::separator;
  while (end == End::separator) {
    end = cursor.take(field);
    out.fields.push_back(field.text());
  }
  out.bytes = static_cast<std::size_t>(cursor.at() - sheet.text.data());
  out.ends_sheet = end == End::input;
  out.next_line = cursor.line();
  return out;
}

// Cuts a sheet into its first line and pieces of what follows.
void Scan::cut(const Sheet& sheet, const FirstLine& first, bool leave_out) {
  constexpr std::size_t least = std::size_t{4} << 20;
  if (!leave_out) {
    const std::string_view text = sheet.text.substr(0, first.bytes - (first.ends_sheet ? 0 : 1));
    pieces_.push_back({text, &sheet, true, most_rows_++, sheet.row, sheet.line});
  }
  if (first.ends_sheet) return;
  std::string_view rest = sheet.text.substr(first.bytes);
  const bool quotes = dialect_.quotes && rest.find('"') != rest.npos;
  // Lines of a quoted field are no rows, and the sheet behind begins where the rows end.
  const bool counted = quotes && &sheet != &sheets_.back();
  const Index lines = counted ? first_rows(rest, dialect_, static_cast<Index>(rest.size()) + 1, true).rows
                              : std::count(rest.begin(), rest.end(), '\n') + 1;
  // A line of fewer bytes than columns has too few fields: the file is faulty, and one piece finds the first fault.
  const Index most = std::min(lines, static_cast<Index>(rest.size() / columns_) + 1);
  const bool whole = quotes || lines > most;
  Index row = most_rows_, file_row = sheet.row + 1, line = first.next_line;
  most_rows_ += most;
  while (true) {
    const std::size_t stop = whole || rest.size() <= least ? rest.npos : rest.find('\n', least);
    pieces_.push_back({rest.substr(0, stop), &sheet, false, row, file_row, line});
    if (stop == rest.npos) return;
    const Index here = std::count(rest.begin(), rest.begin() + static_cast<Index>(stop), '\n') + 1;
    row += here;
    file_row += here;
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
  Cursor cursor(piece.text, dialect_, piece.line, piece.sheet->name);
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
        fail_ragged(piece, line, j + 1);
      }
      if (!cursor.take_plain_number(out[j], end)) {
        const Index field_line = cursor.line();
        end = cursor.take(field);
        out[j] = classify(field, row, field_line, columns[j]);
      }
      ++j;
    } while (end == End::separator);
    if (j < d && trim({start, cursor.at()}).empty()) {
      fail(ErrorKind::data, "{}: line {} is empty; remove it", piece.sheet->name, line);
    }
    if (j < d) fail_ragged(piece, line, j);
  }
  return row - piece.row;
}

void Scan::fail_ragged(const Piece& piece, Index line, std::size_t fields) const {
  const std::string& file = piece.sheet->name;
  fail(ErrorKind::data, "{}: line {} has {} {}, the first line{} has {}; give every line the same number", file, line,
       fields, fields == 1 ? "field" : "fields", file == name() ? "" : " of " + name(), columns_);
}

void require_names(const std::vector<std::string>& fields, const std::string& file,
                   const std::vector<std::string>& first_fields, const std::string& first_file) {
  const std::vector<std::string> names = trimmed(first_fields), others = trimmed(fields);
  const auto [name, other] = std::mismatch(names.begin(), names.end(), others.begin(), others.end());
  if (name == names.end() && other == others.end()) return;
  const auto said = [](const auto& at, const auto& end) { return at == end ? "missing" : shown(*at); };
  fail(ErrorKind::data, "{}: line 1 names other columns than {}: column {} is {}, and {} there; make them alike", file,
       first_file, name - names.begin() + 1, said(other, others.end()), said(name, names.end()));
}

void Scan::require_same_names() const {
  for (const Sheet& sheet : sheets_) require_names(first_line_of(sheet).fields, sheet.name, first_fields_, name());
}

Scan::Place Scan::place(Index row) const {
  const auto next =
      std::upper_bound(pieces_.begin(), pieces_.end(), row, [](Index r, const Piece& piece) { return r < piece.row; });
  const Piece& piece = next[-1];
  return {piece.sheet->name, piece.file_row + row - piece.row};
}

std::vector<std::vector<std::string>> Scan::texts(const std::vector<bool>& wanted) const {
  std::vector<std::vector<std::string>> out(wanted.size());
  for (std::size_t j = 0; j < wanted.size(); ++j) {
    if (wanted[j]) out[j].resize(static_cast<std::size_t>(rows_));
  }
  for_each_piece([&](const Piece& piece, std::size_t) {
    Cursor cursor(piece.text, dialect_, piece.line, piece.sheet->name);
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
