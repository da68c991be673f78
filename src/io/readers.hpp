// One parser per format, from memory.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "file/bytes.hpp"
#include "file/fields.hpp"
#include "mercer/io.hpp"

namespace mercer {

// What one file holds. `name` is the file's, for errors.
struct FileContent {
  Bytes bytes;
  std::string name;
};

// Several files are one table, to the same bits as one file that holds the rows of all, one file after the other.
Dataset parse_csv(std::span<const FileContent> files, const ReadOptions& options);  // csv and tsv
Dataset parse_libsvm(std::span<const FileContent> files, const ReadOptions& options);
// The points of these lines, the first of which has that number in its file, behind those that x and labels hold.
void add_libsvm_lines(std::string_view text, Index line, const std::string& name, SparseMatrix& x, Vector& labels);
Dataset parse_npy(std::span<const FileContent> files, const ReadOptions& options);
Dataset parse_idx(std::string_view text, const std::string& name, const ReadOptions& options);
Dataset parse_csv(std::string_view text, const std::string& name, const ReadOptions& options);
// By options.format; `automatic` is resolved from the names and the content. Refuses options the format does not have.
Dataset parse_data(std::span<const FileContent> files, const ReadOptions& options);
Dataset parse_data(const Bytes& bytes, const std::string& path, const ReadOptions& options);
Format detect_format(const std::string& path, std::string_view text);
// The options with the format resolved, which all files must have. Throws where an option is not one of it.
ReadOptions resolved(const ReadOptions& options, std::span<const FileContent> files);

// Rows of numbers as a data set without names; the target, if asked for, is a column number. Checks every value.
template <class T>
Dataset dense_dataset(BasicMatrixView<const T> x, std::shared_ptr<const void> owner, const std::string& name,
                      const ReadOptions& options, Index first_row = 0);
// Throws at the first value that is not finite. Rows are counted as if x began at `first_row`, from 0.
template <class T>
void check_finite(BasicMatrixView<const T> x, const std::string& name, Index first_row);

// The column, from 0, that a text means, by name (if there are names) or by number from 1. `purpose` is for errors: "be
// the target".
Index column_number(const std::string& text, const std::string& purpose, std::span<const std::string> names,
                    Index columns, const std::string& name);
// Whether the names only count columns: x1, x2, ...
bool are_counted(std::span<const std::string> names);
// Of a name that is not among those of the columns: what may help.
std::string name_hint(const std::string& text, std::span<const std::string> names);

}  // namespace mercer
