// How a file writes its fields.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "mercer/io.hpp"

namespace mercer::csv {

struct Dialect {
  char separator = ',';
  bool quotes = false;  // whether a quote at the start of a field is one
};

// A stretch of whole lines of a file.
struct Sheet {
  std::string_view text;  // as text_of() leaves it
  std::string name;       // of the file, for errors
  Index row = 0;          // of its first line in the file, from 0, that of names included
  Index line = 1;
};

// The commonest of comma, semicolon, tab and | on the first line.
char commonest_separator(std::string_view text);
// Of sheets that are read as one: the separator is the first one's.
Dialect dialect_of(std::span<const Sheet> sheets, Format format);

// Without the mark at the beginning and line ends at the end. Throws unless something is left, and text.
std::string_view text_of(std::string_view content, const std::string& name);

}  // namespace mercer::csv
