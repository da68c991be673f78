// One parser per format, from memory. `name` is the file's, for errors.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "file/bytes.hpp"
#include "file/fields.hpp"
#include "mercer/io.hpp"

namespace mercer {

Dataset parse_csv(std::string_view text, const std::string& name, const ReadOptions& options);  // csv and tsv
Dataset parse_libsvm(std::string_view text, const std::string& name, const ReadOptions& options);
Dataset parse_npy(const Bytes& bytes, const std::string& name, const ReadOptions& options);
Dataset parse_idx(std::string_view text, const std::string& name, const ReadOptions& options);
// By options.format; `automatic` is resolved from `path` and the content. Refuses options the format does not have.
Dataset parse_data(const Bytes& bytes, const std::string& path, const ReadOptions& options);
Format detect_format(const std::string& path, std::string_view text);

// Rows of numbers as a data set without names; the target, if asked for, is a column number. Checks every value.
template <class T>
Dataset dense_dataset(BasicMatrixView<const T> x, std::shared_ptr<const void> owner, const std::string& name,
                      const ReadOptions& options);

// The column, from 0, that a text means, by name (if there are names) or by number from 1. `purpose` is for errors: "be
// the target".
Index column_number(const std::string& text, const std::string& purpose, std::span<const std::string> names,
                    Index columns, const std::string& name);
// Whether the names only count columns: x1, x2, ...
bool are_counted(std::span<const std::string> names);
// Of a name that is not among those of the columns: what may help.
std::string name_hint(const std::string& text, std::span<const std::string> names);

}  // namespace mercer
