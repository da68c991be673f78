#include "columns.hpp"

#include <algorithm>
#include <filesystem>

#include "arguments.hpp"
#include "base/at.hpp"
#include "points/rep.hpp"

namespace mercer::cli {

ReadOptions read_options(const FormatWords& words) {
  const std::vector<std::pair<std::string, Format>> formats = {{"auto", Format::automatic}, {"csv", Format::csv},
                                                               {"tsv", Format::tsv},        {"libsvm", Format::libsvm},
                                                               {"npy", Format::npy},        {"idx", Format::idx}};
  const std::vector<std::pair<std::string, std::optional<bool>>> headers = {
      {"auto", std::nullopt}, {"yes", true}, {"no", false}};
  return {.format = choice<Format>("--format", words.format, formats),
          .header = choice<std::optional<bool>>("--header", words.header, headers)};
}

Index column_count(const Points& x) {
  const std::vector<std::string> names = x.column_names();
  if (!names.empty()) return static_cast<Index>(names.size());
  return x.domain().kind == "reals" ? x.domain().dimension : 1;
}

bool is_sparse(const Points& x) { return dynamic_cast<const SparseReals*>(&x.rep()) != nullptr; }

Column column_at(const Points& x, Index position) {
  const std::vector<std::string> names = x.column_names();
  Column out;
  out.name = names.empty() ? fmt::format("column {}", position + 1) : names[at(position)];
  const Points one =
      column_count(x) == 1 ? x : x.columns(Columns(std::vector<Columns::Item>{{position + 1, position + 1}}));
  if (const auto* strings = dynamic_cast<const Strings*>(&one.rep())) {
    out.texts = strings->text;
    return out;
  }
  const DenseRows numbers = dense_rows(one);
  for (Index i = 0; i < one.size(); ++i) {
    out.numbers.push_back(numbers.values(i, 0));
    out.texts.push_back(number(out.numbers.back()));
  }
  return out;
}

Points without_column(const Points& x, Index position) {
  std::vector<Columns::Item> others;
  for (Index j = 1; j <= column_count(x); ++j) {
    if (j != position + 1) others.push_back({j, j});
  }
  const Points rest = x.columns(Columns(std::move(others)));
  // A column of text that a table is left with no longer knows its name.
  const std::vector<std::string> names = x.column_names();
  if (names.size() == 2 && rest.column_names().empty()) return table({{names[at(1 - position)], rest}});
  return rest;
}

Vector take_numbers(Points& x, const std::string& name, const std::string& what, const std::string& path) {
  const std::vector<std::string> names = x.column_names();
  const Index count = column_count(x);
  Index position = std::find(names.begin(), names.end(), name) - names.begin();
  if (names.empty()) {
    if (is_sparse(x)) fail(ErrorKind::usage, "{}: {} is a sparse file, which has no such column", what, path);
    position = whole_number(what, name, 0, 1, count) - 1;
  } else if (position == count) {
    fail(ErrorKind::data, "{}: {}: no column {} among {}{}", path, what, mercer::quoted(name), fmt::join(names, ", "),
         did_you_mean(name, names));
  }
  if (count == 1) fail(ErrorKind::data, "{}: {}: no column is left for the points", path, what);
  Column column = column_at(x, position);
  if (column.numbers.empty()) {
    fail(ErrorKind::data, "{}: {}: column {} holds text; numbers are needed", path, what, mercer::quoted(name));
  }
  x = without_column(x, position);
  return std::move(column.numbers);
}

bool is_data_file(const std::string& text) {
  std::string name = text;
  if (name.ends_with(".gz")) name.resize(name.size() - 3);
  const bool looks = name.find('/') != std::string::npos || name.ends_with(".csv") || name.ends_with(".tsv") ||
                     name.ends_with(".txt") || name.ends_with(".npy") || name.ends_with(".idx") ||
                     name.ends_with("-ubyte");
  std::error_code ignored;
  return looks && std::filesystem::is_regular_file(text, ignored);
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

}  // namespace mercer::cli
