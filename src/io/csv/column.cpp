#include "io/csv/column.hpp"

#include <charconv>

#include "base/text.hpp"

namespace mercer::csv {

namespace {

// inf, -nan, 1e999
bool is_beyond_numbers(std::string_view text) {
  if (text.starts_with('+')) text.remove_prefix(1);
  double value = 0;
  const auto [next, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return next == text.data() + text.size() && error != std::errc::invalid_argument;
}

}  // namespace

double classify(const Field& field, Index row, Index line, Column& column) {
  const std::string_view text = trim(field.raw);
  double value = 0;
  if (is_missing(text)) {
    column.missing.note(row, line, field.raw);
  } else if (take_number(text.data(), text.data() + text.size(), value) == text.data() + text.size()) {
    return value;
  } else if (is_beyond_numbers(text)) {
    column.infinite.note(row, line, text);
  } else {
    column.text.note(row, line, field.raw);
    column.dressed += looks_like_number(text);
  }
  return 0;
}

}  // namespace mercer::csv
