#include "io/csv/fields.hpp"

namespace mercer::csv {

namespace {

const char* find_byte(const char* at, const char* end, char what) {
  const void* const found = std::memchr(at, what, static_cast<std::size_t>(end - at));
  return found != nullptr ? static_cast<const char*>(found) : end;
}

// The line end of a row with quotes in it, by the rules of Cursor; `end` where there is none.
const char* end_of_quoted_row(const char* at, const char* end, char separator) {
  while (at != end) {
    if (*at == '"') {
      do {
        at = find_byte(at + 1, end, '"');
        if (at != end) ++at;
      } while (at != end && *at == '"');
    }
    while (at != end && *at != separator && *at != '\n') ++at;
    if (at == end || *at == '\n') return at;
    ++at;
  }
  return end;
}

}  // namespace

FirstRows first_rows(std::string_view text, Dialect dialect, Index most, bool complete) {
  FirstRows out;
  const char* const begin = text.data();
  const char* const end = begin + text.size();
  const char* at = begin;
  while (out.rows < most && at != end) {
    const char* stop = find_byte(at, end, '\n');
    Index lines = 1;
    if (dialect.quotes && find_byte(at, stop, '"') != stop) {
      stop = end_of_quoted_row(at, end, dialect.separator);
      lines += std::count(at, stop, '\n');
    }
    if (stop == end && !complete) break;
    at = stop == end ? end : stop + 1;
    ++out.rows;
    out.lines += lines;
    out.bytes = static_cast<std::size_t>(at - begin);
  }
  return out;
}

}  // namespace mercer::csv
