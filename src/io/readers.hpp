// One parser per format, from memory. `name` is the file's, for errors.
#pragma once

#include <charconv>
#include <cmath>
#include <memory>
#include <string>
#include <string_view>

#include "io/bytes.hpp"
#include "mercer/io.hpp"

namespace mercer {

Dataset parse_csv(std::string_view text, const std::string& name, const ReadOptions& options);  // csv and tsv
Dataset parse_libsvm(std::string_view text, const std::string& name, const ReadOptions& options);
Dataset parse_npy(const Bytes& bytes, const std::string& name, const ReadOptions& options);
Dataset parse_idx(std::string_view text, const std::string& name, const ReadOptions& options);
// By options.format; `automatic` is resolved from `path` and the content. Refuses options the format does not have.
Dataset parse_data(const Bytes& bytes, const std::string& path, const ReadOptions& options);
Format detect_format(const std::string& path, std::string_view text);

// What the parsers share.

// std::from_chars refuses numbers too small for a double as it does those too large; the small ones are zero.
bool take_tiny_number(const char* at, const char* end, double& value);

// Reads a finite number at `at`, a leading + allowed. Returns the place after it, or `at` if there is none.
inline const char* take_number(const char* at, const char* end, double& value) {
  const char* const start = at != end && *at == '+' && at + 1 != end && at[1] != '-' ? at + 1 : at;
  const auto [next, error] = std::from_chars(start, end, value);
  if (error == std::errc::result_out_of_range) return take_tiny_number(start, next, value) ? next : at;
  return error == std::errc() && std::isfinite(value) ? next : at;
}

// A piece of the file to put into a one-line message: in quotes, not too long, without control characters.
std::string shown(std::string_view text);

// Nothing, or a word for it: NA, NaN, null, ?
bool is_missing(std::string_view text);

// Throws unless the content can be a text file.
void require_text(std::string_view text, const std::string& name);

// Rows of numbers as a data set without names; the target, if asked for, is a column number. Checks every value.
template <class T>
Dataset dense_dataset(BasicMatrixView<const T> x, std::shared_ptr<const void> owner, const std::string& name,
                      const ReadOptions& options);

// The column, from 0, that a target text means, by name (if there are names) or by number from 1.
Index target_column(const std::string& target, std::span<const std::string> names, Index columns,
                    const std::string& name);

}  // namespace mercer
