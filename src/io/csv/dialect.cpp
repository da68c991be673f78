#include "io/csv/dialect.hpp"

#include <algorithm>

#include "base/fail.hpp"
#include "io/csv/fields.hpp"

namespace mercer::csv {

char commonest_separator(std::string_view text) {
  constexpr std::string_view candidates = ",;\t|";
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

namespace {

bool well_quoted(const Sheet& sheet, Dialect dialect) {
  try {
    Cursor cursor(sheet.text, dialect, sheet.line, sheet.name);
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

Dialect dialect_of(std::span<const Sheet> sheets, Format format) {
  Dialect out{.separator = format == Format::tsv ? '\t' : commonest_separator(sheets.front().text), .quotes = true};
  const auto has_quotes = [](const Sheet& sheet) { return sheet.text.find('"') != sheet.text.npos; };
  const auto breaks_rules = [&](const Sheet& sheet) { return has_quotes(sheet) && !well_quoted(sheet, out); };
  if (std::none_of(sheets.begin(), sheets.end(), has_quotes)) return {out.separator, false};
  if (out.separator == '\t' && std::any_of(sheets.begin(), sheets.end(), breaks_rules)) return {out.separator, false};
  return out;
}

}  // namespace mercer::csv
