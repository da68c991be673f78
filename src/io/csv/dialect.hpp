// How a file writes its fields.
#pragma once

#include <string>
#include <string_view>

#include "mercer/io.hpp"

namespace mercer::csv {

struct Dialect {
  char separator = ',';
  bool quotes = false;  // whether a quote at the start of a field is one
};

// Of a text as text_of() leaves it.
Dialect dialect_of(std::string_view text, Format format, const std::string& name);

// Without the mark at the beginning and line ends at the end. Throws unless something is left, and text.
std::string_view text_of(std::string_view content, const std::string& name);

}  // namespace mercer::csv
