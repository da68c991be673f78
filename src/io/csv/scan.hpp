// One pass over a file: every field that is a number becomes one, and of the others it is noted, per column, what they
// were. The texts of text columns are collected by a second pass, which a file of numbers does not need.
//
// Files without quotes are cut at line ends into pieces that are read in parallel; the cuts do not depend on the number
// of threads, and the first error in file order is the one reported.
#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "io/csv/column.hpp"

namespace mercer::csv {

class Scan {
 public:
  // `text` as text_of() leaves it; it and `name` must outlive this.
  Scan(std::string_view text, Dialect dialect, const std::string& name);

  // All counts include the first line, be it names or values.
  Index rows() const { return rows_; }
  const std::vector<std::string>& first_fields() const { return first_fields_; }
  const std::vector<Column>& first_line() const { return first_line_; }
  const std::vector<Column>& below() const { return below_; }  // the first line
  const std::shared_ptr<Matrix>& values() const { return values_; }

  // The fields of the columns asked for, as they stand; nothing of the others.
  std::vector<std::vector<std::string>> texts(const std::vector<bool>& wanted) const;

 private:
  // A part of the file that starts and ends with a line.
  struct Piece {
    std::string_view text;  // without the last line end
    Index row = 0;
    Index line = 1;
  };

  void cut(std::string_view rest, Index line);
  void for_each_piece(const std::function<void(const Piece& piece, std::size_t number)>& work) const;
  Index read(const Piece& piece, std::vector<Column>& columns) const;
  [[noreturn]] void fail_ragged(Index line, std::size_t fields) const;

  Dialect dialect_;
  const std::string& name_;
  std::vector<Piece> pieces_;  // the first line, then the others
  std::vector<std::string> first_fields_;
  Index most_rows_ = 1;
  Index rows_ = 1;
  std::shared_ptr<Matrix> values_;
  std::vector<Column> first_line_, below_;
};

}  // namespace mercer::csv
