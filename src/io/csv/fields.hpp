// Field by field through a text.
#pragma once

#include <algorithm>
#include <cstring>
#include <string>
#include <string_view>

#include "base/fail.hpp"
#include "io/csv/dialect.hpp"
#include "io/readers.hpp"
#include "io/text_rows.hpp"

namespace mercer::csv {

struct Field {
  std::string_view raw;
  bool quoted = false;

  std::string text() const {
    if (!quoted || raw.find('"') == raw.npos) return std::string(raw);
    std::string out;
    for (std::size_t at = 0; at < raw.size(); ++at) {
      out += raw[at];
      if (raw[at] == '"') ++at;  // the second of a pair
    }
    return out;
  }
};

enum class End { separator, line, input };

// Walks over the fields of a text.
class Cursor {
 public:
  Cursor(std::string_view text, Dialect dialect, Index line, const std::string& name)
      : at_(text.data()), end_(at_ + text.size()), dialect_(dialect), line_(line), name_(name) {}

  Index line() const { return line_; }
  const char* at() const { return at_; }

  // The way most fields of most files go: a plain number. Moves only if it is one.
  bool take_plain_number(double& value, End& end) {
    const char* const next = take_number(at_, end_, value);
    if (next == at_) return false;
    if (next == end_) {
      end = End::input;
      at_ = next;
    } else if (*next == dialect_.separator) {
      end = End::separator;
      at_ = next + 1;
    } else if (*next == '\n' || (*next == '\r' && next + 1 != end_ && next[1] == '\n')) {
      end = End::line;
      at_ = next + (*next == '\n' ? 1 : 2);
      ++line_;
    } else {
      return false;
    }
    return true;
  }

  End take(Field& field) {
    field.quoted = dialect_.quotes && at_ != end_ && *at_ == '"';
    if (field.quoted) return take_quoted(field);
    const char* const start = at_;
    while (at_ != end_ && *at_ != dialect_.separator && *at_ != '\n') ++at_;
    const char* stop = at_;
    const End end = finish_field();
    if (end != End::separator && stop != start && stop[-1] == '\r') --stop;
    field.raw = {start, stop};
    return end;
  }

 private:
  End take_quoted(Field& field) {
    const Index first_line = line_;
    const char* const start = ++at_;
    while (true) {
      at_ = static_cast<const char*>(std::memchr(at_, '"', static_cast<std::size_t>(end_ - at_)));
      if (at_ == nullptr) {
        fail(ErrorKind::data, "{}: line {}: a quoted field has no closing quote; close it, or double quotes inside it",
             name_, first_line);
      }
      if (at_ + 1 == end_ || at_[1] != '"') break;
      at_ += 2;
    }
    field.raw = {start, at_};
    line_ += std::count(start, at_, '\n');
    ++at_;
    if (at_ != end_ && *at_ == '\r' && (at_ + 1 == end_ || at_[1] == '\n')) ++at_;
    if (at_ != end_ && *at_ != dialect_.separator && *at_ != '\n') {
      fail(ErrorKind::data, "{}: line {}: text after the closing quote of {}; double the quotes inside a quoted field",
           name_, line_, shown(field.raw));
    }
    return finish_field();
  }

  End finish_field() {
    if (at_ == end_) return End::input;
    if (*at_++ == dialect_.separator) return End::separator;
    ++line_;
    return End::line;
  }

  const char* at_;
  const char* const end_;
  const Dialect dialect_;
  Index line_;
  const std::string& name_;
};

// The first rows of a text, as TextRows asks for them.
FirstRows first_rows(std::string_view text, Dialect dialect, Index most, bool complete);

}  // namespace mercer::csv
