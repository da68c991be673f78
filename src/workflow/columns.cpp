#include "workflow/columns.hpp"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <map>

#include "base/at.hpp"
#include "base/fail.hpp"
#include "base/text.hpp"
#include "domains/strings/strings.hpp"
#include "io/readers.hpp"
#include "mercer/io.hpp"
#include "points/rep.hpp"

namespace mercer::workflow {

Index column_count(const Points& x) {
  const std::vector<std::string> names = x.column_names();
  if (!names.empty()) return static_cast<Index>(names.size());
  return x.domain().kind == "reals" ? x.domain().dimension : 1;
}

namespace {

Points column_points(const Points& x, Index position) {
  return column_count(x) == 1 ? x : x.columns(Columns(std::vector<Columns::Item>{{position + 1, position + 1}}));
}

}  // namespace

std::string column_kind(const Points& x, Index position) { return column_points(x, position).domain().kind; }

Column column_at(const Points& x, Index position) {
  const std::vector<std::string> names = x.column_names();
  Column out;
  out.name = names.empty() ? fmt::format("column {}", position + 1) : names[at(position)];
  const Points one = column_points(x, position);
  if (const ObjectsOf<Strings> strings = find_objects<Strings>(one)) {
    for (Index i = 0; i < one.size(); ++i) out.words.push_back(strings[i]);
    return out;
  }
  const DenseRows numbers = dense_rows(one);
  out.numbers.reserve(at(one.size()));
  for (Index i = 0; i < one.size(); ++i) out.numbers.push_back(numbers.values(i, 0));
  return out;
}

std::string Column::text(std::size_t i) const { return numbers.empty() ? words[i] : number(numbers[i]); }

std::vector<std::string> Column::texts() const {
  if (numbers.empty()) return words;
  std::vector<std::string> out;
  for (const double value : numbers) out.push_back(number(value));
  return out;
}

Points without_columns(const Points& x, std::span<const Index> positions) {
  if (positions.empty()) return x;
  std::vector<Columns::Item> others;
  for (Index j = 0; j < column_count(x); ++j) {
    if (std::find(positions.begin(), positions.end(), j) == positions.end()) others.push_back({j + 1, j + 1});
  }
  const std::vector<std::string> names = x.column_names();
  const auto left = others.size() == 1 ? std::get<Index>(others[0].first) : 0;
  const Points rest = x.columns(Columns(std::move(others)));
  // A column of text that a table is left with no longer knows its name.
  if (left > 0 && !names.empty() && rest.column_names().empty()) return table({{names[at(left - 1)], rest}});
  return rest;
}

Points without_row_names(const Points& x) {
  const bool named = x.domain().kind == "table" && column_count(x) > 1 && column_kind(x, 0) == "strings";
  return named ? without_columns(x, std::vector<Index>{0}) : x;
}

Index column_position(const Points& x, const std::string& name, const std::string& what, const std::string& path) {
  const std::vector<std::string> names = x.column_names();
  const Index count = column_count(x);
  if (const auto found = std::find(names.begin(), names.end(), name); found != names.end()) {
    return found - names.begin();
  }
  if (is_sparse(x)) fail(ErrorKind::usage, "{}: {} is a sparse file, which has no such column", what, path);
  const auto number = parse_number(name);
  if (number && *number == std::floor(*number)) {
    if (*number >= 1 && *number <= static_cast<double>(count)) return static_cast<Index>(*number) - 1;
    fail(ErrorKind::data, "{}: {}: no column {}; there are {}, counted from 1", path, what, name, count);
  }
  if (names.empty()) {
    fail(ErrorKind::data, "{}: {}: no column {}; its columns have no names: give a number from 1 to {}", path, what,
         mercer::quoted(name), count);
  }
  const std::vector<std::string> some(names.begin(), names.begin() + std::min<Index>(count, 8));
  fail(ErrorKind::data, "{}: {}: no column {} among {}{}{}", path, what, mercer::quoted(name), fmt::join(some, ", "),
       some.size() < names.size() ? fmt::format(", ... ({} in all)", count) : "", did_you_mean(name, names));
}

Index remembered_position(const Points& x, const std::string& name) {
  const std::vector<std::string> names = x.column_names();
  if (!names.empty()) {
    const auto found = std::find(names.begin(), names.end(), name);
    return found == names.end() ? -1 : found - names.begin();
  }
  constexpr std::string_view kWord = "column ";
  const auto number = name.starts_with(kWord) ? parse_number(name.substr(kWord.size())) : std::nullopt;
  return number && *number >= 1 && *number <= static_cast<double>(column_count(x)) ? static_cast<Index>(*number) - 1
                                                                                   : -1;
}

Points counted_as(const std::vector<std::string>& names, const Points& x) {
  if (names.size() != at(column_count(x)) || names == x.column_names()) return x;
  if (x.domain().kind == "reals") return named(x, names);
  std::vector<std::pair<std::string, Points>> parts;
  for (std::size_t j = 0; j < names.size(); ++j) {
    const auto number = static_cast<Index>(j) + 1;
    const Points part = names.size() == 1 ? x : x.columns(Columns(std::vector<Columns::Item>{{number, number}}));
    parts.emplace_back(names[j], part);
  }
  return table(std::move(parts));
}

void require_present(const Column& column, const std::string& path) {
  for (std::size_t i = 0; i < column.words.size(); ++i) {
    if (!is_missing(column.words[i])) continue;
    fail(ErrorKind::data, "{}: row {}: the target {} is missing ({}); fill it in or remove the row", path, i + 1,
         mercer::quoted(column.name), mercer::quoted(column.words[i]));
  }
}

void require_distinct_classes(const std::vector<std::string>& classes, const std::string& path) {
  constexpr double kWhole = 0x1p53;  // from here on not every whole number is a double
  std::map<std::string, std::string> written;
  for (const std::string& name : classes) {
    const auto value = parse_number(name);
    if (value && std::abs(*value) >= kWhole) {
      fail(ErrorKind::data, "{}: the class {} is a number too large to be told from its neighbours; write it as a text",
           path, name);
    }
    const auto [place, is_new] = written.emplace(value ? number(*value + 0.0) : std::string(trim(name)), name);
    if (is_new) continue;
    fail(ErrorKind::data, "{}: the classes {} and {} look like one, written in two ways; write them alike", path,
         mercer::quoted(place->second), mercer::quoted(name));
  }
}

std::vector<Column> read_columns(const std::string& path, Index rows) {
  Points x = read_data(path).points;
  if (x.size() == rows + 1 && x.domain().kind != "reals") x = read_data(path, {.header = true}).points;
  if (x.size() != rows) {
    fail(ErrorKind::shape, "{}: {} rows for {} points; give one for each", path, x.size(), rows);
  }
  std::vector<Column> out;
  for (Index j = 0; j < column_count(x); ++j) out.push_back(column_at(x, j));
  return out;
}

}  // namespace mercer::workflow
