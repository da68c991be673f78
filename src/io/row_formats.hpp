// The formats whose rows can be read some at a time.
#pragma once

#include "io/readers.hpp"
#include "io/row_reader.hpp"

namespace mercer {

// `options` with the format resolved.
std::unique_ptr<RowReader::Format> csv_rows(const ReadOptions& options, const std::vector<std::string>& with_gaps);
std::unique_ptr<RowReader::Format> libsvm_rows(const ReadOptions& options);
std::unique_ptr<RowReader::Format> npy_rows(const ReadOptions& options);

}  // namespace mercer
