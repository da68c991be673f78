#include "io/text_rows.hpp"

#include <algorithm>

#include "base/fail.hpp"

namespace mercer {

namespace {

constexpr std::size_t kMostBytes = std::size_t{64} << 20;
constexpr Index kMarked = 4096;  // rows from mark to mark, at least

std::string_view without_line_ends(std::string_view text) {
  const std::size_t last = text.find_last_not_of("\r\n");
  return text.substr(0, last == text.npos ? 0 : last + 1);
}

}  // namespace

TextRows::TextRows(const std::string& path, Ends ends) : window_(path), ends_(std::move(ends)) {}

std::optional<TextRows::Block> TextRows::take(Index most) {
  window_.require_unchanged();
  FirstRows got;
  std::string_view text;
  for (std::size_t limit = kMostBytes;;) {
    text = window_.text();
    const bool end = window_.is_end();
    if (end) text = without_line_ends(text);
    const bool all = text.size() <= limit;
    got = ends_(text.substr(0, limit), most, end && all);
    if (end && all && got.rows == 0) return std::nullopt;
    // Of empty lines it must be known whether anything follows.
    const bool known = end || text.find_first_not_of("\r\n", got.bytes) != text.npos;
    if (got.rows > 0 && known && (end || !all || got.rows == most)) break;
    if (all || !known) {
      window_.grow();
    } else {
      limit *= 2;  // of one row
    }
  }
  Block out{text.substr(0, got.bytes), at_.row, got.rows, at_.line};
  if (out.text.ends_with('\n')) out.text.remove_suffix(1);
  if (out.text.ends_with('\r')) out.text.remove_suffix(1);
  window_.drop(got.bytes);
  at_ = {at_.row + got.rows, at_.line + got.lines, at_.offset + got.bytes};
  if (window_.is_mapped() && at_.row >= marks_.back().row + kMarked) marks_.push_back(at_);
  return out;
}

void TextRows::go_to(Index row) {
  window_.require_unchanged();
  const auto next =
      std::upper_bound(marks_.begin(), marks_.end(), row, [](Index r, const Mark& mark) { return r < mark.row; });
  const bool ahead = row >= at_.row && at_.row >= next[-1].row;
  if (!ahead) {
    at_ = next[-1];
    window_.go_to(at_.offset);
  }
  while (at_.row < row) {
    if (take(std::min(row - at_.row, kMarked))) continue;
    fail(ErrorKind::data, "{}: there is no row {}; it has {}", window_.name(), row + 1, at_.row);
  }
}

}  // namespace mercer
