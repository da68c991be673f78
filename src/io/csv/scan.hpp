// One pass over a file, or over several that are one table: every field that is a number becomes one, and of the others
// it is noted, per column, what they were. The texts of text columns are collected by a second pass, which a file of
// numbers does not need.
//
// Files are cut at line ends into pieces that are read in parallel, one with quotes not, whose lines may end inside a
// field; the cuts do not depend on the number of threads, and the first error in file order is the one reported.
#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "io/csv/column.hpp"

namespace mercer::csv {

// Throws unless the fields of a file's first line are the names that the first file has there.
void require_names(const std::vector<std::string>& fields, const std::string& file,
                   const std::vector<std::string>& first_fields, const std::string& first_file);

class Scan {
 public:
  enum class FirstLines {
    unknown,  // names or values. Those of other sheets that repeat the first one's are left out, as names are
    values,
  };
  // `columns` is how many fields a line has; 0: as many as the first one.
  Scan(std::vector<Sheet> sheets, Dialect dialect, FirstLines first = FirstLines::unknown, std::size_t columns = 0);

  // All counts include the first line, be it names or values.
  Index rows() const { return rows_; }
  const std::vector<std::string>& first_fields() const { return first_fields_; }
  const std::vector<Column>& first_line() const { return first_line_; }
  const std::vector<Column>& other_first_lines() const { return other_first_lines_; }  // those that are not left out
  const std::vector<Column>& below() const { return below_; }                          // the first lines
  const std::shared_ptr<Matrix>& values() const { return values_; }
  const std::string& name() const { return sheets_.front().name; }
  bool left_out_names() const { return left_out_; }

  // Throws unless the first lines of all sheets say the same.
  void require_same_names() const;

  // In which file a row of all is, and which row of it, from 0, its first line included.
  struct Place {
    const std::string& file;
    Index row;
  };
  Place place(Index row) const;

  // The fields of the columns asked for, as they stand; nothing of the others.
  std::vector<std::vector<std::string>> texts(const std::vector<bool>& wanted) const;

 private:
  // A part of a sheet that starts and ends with a line.
  struct Piece {
    std::string_view text;  // without the last line end
    const Sheet* sheet;
    bool is_first_line = false;
    Index row = 0;       // of all
    Index file_row = 0;  // of its file
    Index line = 1;
  };
  struct FirstLine {
    std::vector<std::string> fields;
    std::size_t bytes;  // with the line end, if any
    bool ends_sheet;
    Index next_line;
  };

  FirstLine first_line_of(const Sheet& sheet) const;
  void cut(const Sheet& sheet, const FirstLine& first, bool leave_out);
  void for_each_piece(const std::function<void(const Piece& piece, std::size_t number)>& work) const;
  Index read(const Piece& piece, std::vector<Column>& columns) const;
  [[noreturn]] void fail_ragged(const Piece& piece, Index line, std::size_t fields) const;

  const std::vector<Sheet> sheets_;
  const Dialect dialect_;
  std::vector<Piece> pieces_;  // the first line, then the others
  std::vector<std::string> first_fields_;
  std::size_t columns_;
  bool left_out_ = false;
  Index most_rows_ = 0;
  Index rows_ = 0;
  std::shared_ptr<Matrix> values_;
  std::vector<Column> first_line_, other_first_lines_, below_;
};

}  // namespace mercer::csv
