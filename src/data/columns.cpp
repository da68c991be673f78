#include "data/columns.hpp"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <map>

#include "base/at.hpp"
#include "base/fail.hpp"
#include "base/text.hpp"
#include "data/node_columns.hpp"
#include "domains/strings/strings.hpp"
#include "io/readers.hpp"
#include "mercer/io.hpp"
#include "points/rep.hpp"

namespace mercer::data {

Index column_count(const Points& x) {
  const Table* const table = find_table(x);
  if (table == nullptr) return x.rep().width();
  Index count = 0;
  for (const auto& [name, part] : table->parts) count += column_count(part);
  return count;
}

namespace {

std::string name_at(const std::vector<std::string>& names, Index position) {
  return names.empty() ? fmt::format("column {}", position + 1) : names[at(position)];
}

std::vector<std::string> words_of(const Points& one) {
  if (one.domain().kind == "nodes") return node_names(one);
  std::vector<std::string> out;
  if (const ObjectsOf<Strings> strings = find_objects<Strings>(one)) {
    for (Index i = 0; i < one.size(); ++i) out.push_back(strings[i]);
  }
  return out;
}

Vector numbers_of(const DenseRows& rows, Index column) {
  Vector out;
  out.reserve(at(rows.values.rows()));
  for (Index i = 0; i < rows.values.rows(); ++i) out.push_back(rows.values(i, column));
  return out;
}

}  // namespace

ColumnList::ColumnList(const Points& x) : names_(x.column_names()) {
  const auto add = [&](const Points& part) {
    parts_.push_back(part);
    for (Index j = 0; j < column_count(part); ++j) places_.push_back({parts_.size() - 1, j});
  };
  if (const Table* const columns = find_table(x)) {
    for (const auto& [name, part] : columns->parts) add(part);
  } else {
    add(x);
  }
}

Points ColumnList::points(Index position) const {
  const auto [part, inside] = places_[at(position)];
  const Points& all = parts_[part];
  return column_count(all) == 1 ? all : all.columns(Columns(std::vector<Columns::Item>{{inside + 1, inside + 1}}));
}

std::string ColumnList::kind(Index position) const {
  const Points& part = parts_[places_[at(position)].part];
  return find_reals(part) != nullptr ? part.domain().kind : points(position).domain().kind;
}

Column ColumnList::operator[](Index position) const {
  const auto [part, inside] = places_[at(position)];
  const std::string name = name_at(names_, position);
  const Reals* const numbers = find_reals(parts_[part]);
  const bool in_place = numbers != nullptr && !numbers->is_single() && numbers->sparse() == nullptr;
  if (in_place) return {name, numbers_of(dense_rows(parts_[part]), inside)};
  const Points one = points(position);
  Column out{name, {}, words_of(one)};
  if (out.words.empty()) out.numbers = numbers_of(dense_rows(one), 0);
  return out;
}

std::string column_kind(const Points& x, Index position) { return ColumnList(x).kind(position); }

Column column_at(const Points& x, Index position) { return ColumnList(x)[position]; }

std::vector<Column> all_columns(const Points& x) {
  const std::vector<std::string> names = x.column_names();
  std::vector<Column> out;
  const auto add = [&](const Points& part) {
    if (part.domain().kind != "reals") {
      out.push_back({name_at(names, std::ssize(out)), {}, words_of(part)});
      return;
    }
    const DenseRows rows = dense_rows(part);
    for (Index j = 0; j < rows.values.cols(); ++j) {
      out.push_back({name_at(names, std::ssize(out)), numbers_of(rows, j)});
    }
  };
  if (const Table* const columns = find_table(x)) {
    for (const auto& [name, part] : columns->parts) add(part);
  } else {
    add(x);
  }
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
  std::vector<bool> stays(at(column_count(x)), true);
  for (const Index position : positions) stays[at(position)] = false;
  std::vector<Columns::Item> others;
  for (std::size_t j = 0; j < stays.size(); ++j) {
    const auto number = static_cast<Index>(j) + 1;
    if (stays[j]) others.push_back({number, number});
  }
  const std::vector<std::string> names = x.column_names();
  const auto left = others.size() == 1 ? std::get<Index>(others[0].first) : 0;
  Points rest = x.columns(Columns(std::move(others)));
  // A column of text that a table is left with no longer knows its name.
  if (left > 0 && !names.empty() && rest.column_names().empty()) return table({{names[at(left - 1)], rest}});
  return rest;
}

Points with_column(const Points& x, Index position, const Points& column) {
  const Index count = column_count(x);
  std::vector<std::string> names = x.column_names();
  if (count == 1) return names.empty() ? column : table({{names[0], column}});
  if (names.empty()) {
    for (Index j = 0; j < count; ++j) names.push_back(fmt::format("x{}", j + 1));
  }
  const Points all = x.column_names().empty() ? named(x, names) : x;
  std::vector<std::pair<std::string, Points>> parts;
  const auto add_others = [&](Index first, Index end) {
    if (first == end) return;
    const Points some = all.columns(Columns(std::vector<Columns::Item>{{first + 1, end}}));
    if (const Table* const several = find_table(some)) {
      parts.insert(parts.end(), several->parts.begin(), several->parts.end());
    } else {
      parts.emplace_back(some.column_names().empty() ? names[at(first)] : "", some);
    }
  };
  add_others(0, position);
  parts.emplace_back(names[at(position)], column);
  add_others(position + 1, count);
  return table(std::move(parts));
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
       some.size() < names.size() ? fmt::format(", ... ({} in all)", count) : "", name_hint(name, names));
}

std::vector<std::string> names_in(const std::string& list, const Points& x) {
  if (list.empty()) return {};
  const std::vector<std::string> names = x.column_names();
  return std::ranges::find(names, list) != names.end() ? std::vector<std::string>{list} : split(list, ',');
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
  const Table* const columns = find_table(x);
  if (columns == nullptr) return table({{names[0], x}});
  std::vector<std::pair<std::string, Points>> parts;
  auto name = names.begin();
  for (const auto& [ignored, part] : columns->parts) {
    if (part.domain().kind == "reals") {
      const auto end = name + part.rep().width();
      parts.emplace_back("", named(part, std::vector<std::string>(name, end)));
      name = end;
    } else {
      parts.emplace_back(*name++, part);
    }
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
  Points x = read_data(path, {.header_if_unclear = false}).points;
  if (x.size() == rows + 1 && x.domain().kind != "reals") x = read_data(path, {.header = true}).points;
  if (x.size() != rows) {
    fail(ErrorKind::shape, "{}: {} rows for {} points; give one for each", path, x.size(), rows);
  }
  return all_columns(x);
}

Vector weights_of(const Column& column, const std::string& where) {
  for (std::size_t i = 0; i < column.words.size(); ++i) {
    const std::string& word = column.words[i];
    if (is_missing(word)) {
      fail(ErrorKind::data, "{}: row {} of column {} is empty; give every row a weight, 0 where it shall not count",
           where, i + 1, mercer::quoted(column.name));
    }
    if (!parse_number(word)) {
      fail(ErrorKind::data, "{}: row {} of column {} is {}; weights are numbers", where, i + 1,
           mercer::quoted(column.name), mercer::quoted(word));
    }
  }
  if (column.numbers.empty()) {
    fail(ErrorKind::data, "{}: column {} holds text; weights are numbers", where, mercer::quoted(column.name));
  }
  return column.numbers;
}

Vector read_weights(const std::string& path, Index rows) {
  const std::vector<Column> columns = read_columns(path, rows);
  if (columns.size() != 1) fail(ErrorKind::data, "{}: weights are one column of numbers", path);
  return weights_of(columns[0], path);
}

}  // namespace mercer::data
