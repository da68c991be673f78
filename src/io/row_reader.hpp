// Rows of data that need not fit into memory: from front to back, and any range of them again and again.
//
//     std::optional<RowReader> rows = RowReader::open("part-*.csv", options);
//     while (std::optional<Dataset> some = rows->next(100'000)) ...;
//     for (Index i = 0; i < rows->count(); i += 4096) rows->read({i, std::min(i + 4096, rows->count())});
//
// What is read is what read_data gives for those rows, with one exception: names or values on the first line, and
// numbers or text in a column, are decided by the rows with which the first file begins (some 10^5), and what does not
// fit later is an error with its file and line. Memory grows with the rows asked for at a time, and by 24 bytes for
// every few thousand passed. Errors are those of read_data; a file that changes before the end, or between two passes,
// is one too. Not for several threads at once.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "file/file_mark.hpp"
#include "mercer/dataset.hpp"

namespace mercer {

// The rows of one file.
struct FileRows {
  virtual ~FileRows() = default;
  virtual std::optional<Dataset> next(Index most) = 0;  // those that follow, one at least; nothing at the end
  virtual Index pass(Index most) = 0;                   // passes over so many; how many there were
  virtual void go_to(Index row) = 0;                    // of those that are there
  virtual double passed() const = 0;                    // how much of the file, from 0 to 1
};

class RowReader {
 public:
  // Nothing where the data have to be read as a whole: standard input and pipes, formats other than csv, tsv, libsvm
  // and npy, packed arrays, and quotes in a file that is separated by tabs, where all of it decides what they mean.
  RowReader(RowReader&&) = default;
  RowReader& operator=(RowReader&&) = default;
  // `with_gaps`: columns of csv and tsv files, by name or number from 1, or "" for the last, in which values may be
  // missing; where some are, those rows have the column as text.
  static std::optional<RowReader> open(const std::string& path, const ReadOptions& options = {},
                                       const std::vector<std::string>& with_gaps = {});
  // One more of the same rows, for another thread: what was decided and counted holds for it too, and files must still
  // be those that this one has seen.
  RowReader another() const;

  // At most `most` of the rows that follow; of text fewer where they take more than some 64 MB. Nothing at the end.
  std::optional<Dataset> next(Index most);
  Index count();  // of all rows; takes a pass over the files, once
  void go_to(Index row);
  Dataset read(Range rows);

  Index row() const { return row_; }  // the one that comes next, of all
  double passed() const;              // how much of the data, from 0 to 1

  // How files of a format are opened, one after the other; what the first one decides holds for all.
  struct Format {
    virtual ~Format() = default;
    virtual std::unique_ptr<FileRows> open(const std::string& file) = 0;
    virtual std::unique_ptr<Format> copy() const = 0;
  };

 private:
  RowReader(std::vector<std::string> files, std::unique_ptr<Format> format);
  RowReader(const RowReader& like);
  void open_file(std::size_t number);

  std::vector<std::string> files_;
  std::unique_ptr<Format> format_;
  std::size_t file_ = 0;
  std::unique_ptr<FileRows> rows_;  // of that file
  Index row_ = 0;
  std::vector<Index> ends_;                     // where files end whose rows are counted
  std::vector<std::optional<FileMark>> marks_;  // of those that were open
};

}  // namespace mercer
