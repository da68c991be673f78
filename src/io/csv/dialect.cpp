#include "io/csv/dialect.hpp"

#include <algorithm>

#include "base/fail.hpp"
#include "io/csv/fields.hpp"

namespace mercer::csv {

namespace {

char commonest_separator(std::string_view text) {
  constexpr std::string_view candidates = ",;\t";
  Index counts[candidates.size()] = {};
  bool inside = false;
  for (const char c : text) {
    if (c == '"') inside = !inside;
    if (inside) continue;
    if (c == '\n') break;
    const std::size_t which = candidates.find(c);
    if (which != candidates.npos) ++counts[which];
  }
  return candidates[static_cast<std::size_t>(std::max_element(std::begin(counts), std::end(counts)) - counts)];
}

bool well_quoted(std::string_view text, Dialect dialect, const std::string& name) {
  try {
    Cursor cursor(text, dialect, 1, name);
    Field field;
    while (cursor.take(field) != End::input) continue;
    return true;
  } catch (const Error&) {
    return false;
  }
}

}  // namespace

std::string_view text_of(std::string_view content, const std::string& name) {
  if (content.starts_with("\xEF\xBB\xBF")) content.remove_prefix(3);
  require_text(content, name);
  while (!content.empty() && (content.back() == '\n' || content.back() == '\r')) content.remove_suffix(1);
  if (content.empty()) fail(ErrorKind::data, "{}: the file is empty; it needs at least one line of values", name);
  return content;
}

Dialect dialect_of(std::string_view text, Format format, const std::string& name) {
  Dialect out{.separator = format == Format::tsv ? '\t' : commonest_separator(text),
              .quotes = text.find('"') != text.npos};
  if (out.quotes && out.separator == '\t' && !well_quoted(text, out, name)) out.quotes = false;
  return out;
}

}  // namespace mercer::csv
