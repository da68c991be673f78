// mercer/dataset.hpp: what a data file holds, and how to read it.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "mercer/points.hpp"

namespace mercer {

// csv     fields separated by the commonest of comma, semicolon, tab and | on the first line; quoted as in RFC 4180
// tsv     the same, separated by tabs. Text files often hold stray quotes, so in a tab-separated file that breaks
//         the rules of quoting anywhere, quotes are characters like any other
// libsvm  "label column:value column:value ...", columns counted from 1 and increasing, "#" starts a comment
// npy     NumPy arrays of 1 or 2 dimensions
// idx     the container of MNIST; all dimensions after the first become columns
//
// `automatic` goes by the file's name (.csv .tsv .tab .svm .libsvm .svmlight .npy .idx, "...-idx3-ubyte"; a last .gz
// aside) and, where the name does not tell, by the file's beginning.
//
// Formats are open: those of texts, graphs, ... are rows of src/domains.
struct Format {
  static const Format automatic, csv, tsv, libsvm, npy, idx;

  std::string_view name;  // of a literal
  friend constexpr bool operator==(const Format&, const Format&) = default;
};
inline constexpr Format Format::automatic{"auto"}, Format::csv{"csv"}, Format::tsv{"tsv"}, Format::libsvm{"libsvm"},
    Format::npy{"npy"}, Format::idx{"idx"};

std::vector<Format> formats();  // all there are but `automatic`

struct ReadOptions {
  Format format = Format::automatic;
  // csv, tsv: whether the first line holds names. When unset, it does if
  //   - all columns that are `expected`, or the target if it is a name, stand there, or
  //   - it has a text above a column of numbers (a number above another such column makes it an error: say which);
  //     texts such as 1,5 or 10% or 2020-01-31 count as numbers here, or
  //   - the file holds texts only, and one of the first line never occurs below in a column where at most one value in
  //     twenty is the only one of its kind ("label" above ham, spam, ham, spam).
  // In a file of texts only the first line holds values if one of them comes again below it, if two of them are the
  // same, or if one cannot be a name: no letter, or a word of more than 40. Where both is so, or neither, it is an
  // error: say which.
  std::optional<bool> header = {};
  // What to do where nothing tells, instead of the error.
  std::optional<bool> header_if_unclear = {};
  // csv, tsv: columns that the file is known to have, and those that hold text, as `texts` below, if they are there.
  std::vector<std::string> expected = {}, expected_texts = {};
  // csv, tsv: columns, by name or number from 1, that are text though they look like numbers. Every field of them
  // stands for itself: NA, ? and nothing are texts there, and no missing values.
  std::vector<std::string> texts = {};
  // csv, tsv: takes columns as people have them. One with missing values, with texts among its numbers or with infinite
  // ones is text, as it stands, instead of an error; mercer/tables.hpp makes inputs of it.
  bool as_written = false;
  // csv, tsv: a column of numbers may have missing values, and is text then, as it stands.
  bool gaps = false;
  // The column to take out of the points: its name, or its number from 1. Empty: none.
  std::string target = {};
  // fasta: "name" makes the names of the sequences the target instead of their descriptions, without any other text
  // being an error. Other formats take no notice.
  std::string label = {};
  // With no target named, the last column is it. A libsvm file has its labels anyway.
  bool last_is_target = false;
  // libsvm: the least number of columns, so that a test set without the last features fits its training set.
  Index columns = 0;
};

struct Dataset {
  // csv, tsv: reals with column names when all columns are numbers, else a table in file order in which neighbouring
  // columns of numbers form one block. Columns without a name are called x1, x2, ... by their place in the file.
  // libsvm: sparse rows. npy, idx: rows without names; float storage stays float, small integers become float.
  Points points;
  // One value per point: the target column, or the labels of a libsvm file; empty if there is none.
  Vector target_numbers = {};                  // where all of them are numbers
  std::vector<std::string> target_texts = {};  // else
  std::string target_name =
      {};                // "quality", "x5", "column 5" where nothing is named, "label" for libsvm; empty if none
  bool counted = false;  // csv, tsv: there is no header, and every name is x1, x2, ...: a place, not a name

  // The target as texts in any case. Numbers are in their shortest form, so that 1, +1 and 1.0 are one class.
  std::vector<std::string> target() const;
};

}  // namespace mercer
