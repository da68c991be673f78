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

// The column, from 0, that a target text means, by name (if there are names) or by number from 1.
Index target_column(const std::string& target, std::span<const std::string> names, Index columns,
                    const std::string& name);

}  // namespace mercer
