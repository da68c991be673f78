// What the fields of a column are: noted one by one as they are read, judged when all are.
#pragma once

#include "io/csv/fields.hpp"

namespace mercer::csv {

// Where something was first seen, and how often it was.
struct Sight {
  Index count = 0;
  Index row = 0;  // from 0, the first line included
  Index line = 0;
  std::string_view text;

  void note(Index at_row, Index at_line, std::string_view what) {
    if (count++ == 0) *this = {1, at_row, at_line, what};
  }
  void add(const Sight& other) {
    const Index both = count + other.count;
    if (count == 0 || (other.count > 0 && other.row < row)) *this = other;
    count = both;
  }
};

enum class Kind { numbers, texts, nothing };

// What the values of a column are.
struct Column {
  Index rows = 0;
  Sight missing, infinite, text;
  Index dressed = 0;  // how many of the texts look like numbers: 1,000  10%  2020-01-31

  Index numbers() const { return rows - missing.count - infinite.count - text.count; }
  // A few texts among many numbers are slips, and do not make it a text column.
  Kind kind() const {
    if (text.count > 0 && numbers() <= 9 * text.count) return Kind::texts;
    return missing.count == rows ? Kind::nothing : Kind::numbers;
  }
  bool is_complete() const { return numbers() == rows; }  // with finite numbers
  // As far as a name above it is concerned.
  bool looks_like_numbers() const {
    return kind() == Kind::numbers || (kind() == Kind::texts && dressed == text.count);
  }
  void add(const Column& other) {
    rows += other.rows;
    missing.add(other.missing);
    infinite.add(other.infinite);
    text.add(other.text);
    dressed += other.dressed;
  }
};

// A field that is no plain number: notes what it is, or returns the number it is after all (in quotes, among blanks).
double classify(const Field& field, Index row, Index line, Column& column);

}  // namespace mercer::csv
