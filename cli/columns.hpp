// Columns of data files: finding them, reading them off, leaving them out.
#pragma once

#include <string>
#include <vector>

#include "mercer/io.hpp"

namespace mercer::cli {

// --format and --header as texts.
struct FormatWords {
  std::string format = "auto", header = "auto";
};
ReadOptions read_options(const FormatWords& words);

Index column_count(const Points& x);
bool is_sparse(const Points& x);

// One column as texts, and as numbers if it holds numbers. Numbers are written in their shortest form.
struct Column {
  std::string name;
  std::vector<std::string> texts;
  Vector numbers;
};
// `position` counts from 0.
Column column_at(const Points& x, Index position);
Points without_column(const Points& x, Index position);
// Takes the numbers of a column out of the points; `name` is its name, or its number from 1 where nothing is named.
// `what` and `path` are for errors: "--weights", "train.csv".
Vector take_numbers(Points& x, const std::string& name, const std::string& what, const std::string& path);

// Whether the text is the path of a data file rather than the name of a column.
bool is_data_file(const std::string& text);
// All columns of a file that goes with `rows` points: targets, weights, folds. Throws unless it has that many rows. A
// file of texts with one row more has a name on its first line.
std::vector<Column> read_columns(const std::string& path, Index rows);

}  // namespace mercer::cli
