// Recipes of raw tables: made of one, used on others.
#include "mercer/tables.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <unordered_map>
#include <unordered_set>

#include "base/at.hpp"
#include "base/fail.hpp"
#include "base/text.hpp"
#include "data/cells.hpp"
#include "data/column_types.hpp"
#include "data/columns.hpp"
#include "io/readers.hpp"

namespace mercer::data {

namespace {

// Two rows that differ by a category are as far apart as two whose number differs by so many standard deviations.
constexpr double kChange = 1;

std::vector<std::string> list_of(const std::vector<Column>& columns) {
  std::vector<std::string> out;
  for (const Column& column : columns) out.push_back(column.name);
  return out;
}

void require_known(const std::vector<std::string>& names, const std::string& name, const char* option,
                   const std::string& path) {
  if (std::ranges::find(names, name) != names.end()) return;
  fail(ErrorKind::usage, "{}: `{}`: no input column is called {}{}", path, option, mercer::quoted(name),
       name_hint(name, names));
}

}  // namespace

std::map<std::string, std::string> type_wishes(const std::string& text) {
  std::map<std::string, std::string> out;
  for (const std::string& word : split(text, ',')) {
    const std::size_t equals = word.rfind('=');
    const std::string name(trim(std::string_view(word).substr(0, equals)));
    const std::string type(equals == word.npos ? "" : trim(std::string_view(word).substr(equals + 1)));
    if (name.empty() || type.empty()) {
      fail(ErrorKind::usage, "`types`: {} is no COLUMN=TYPE; write age=number, zip=category", mercer::quoted(word));
    }
    const bool is_date = type.starts_with("date(") && type.ends_with(")");
    if (type.find('<') == type.npos && type != "drop" && !is_date) (void)column_type_named(type);
    out[name] = type;
  }
  return out;
}

Recipe recipe_for(const Points& table, const TableWishes& wishes, const std::string& path) {
  const std::vector<Column> columns = all_columns(table);
  return recipe_by_columns(
      list_of(columns), [&](Index c) { return columns[at(c)]; }, wishes, path);
}

Recipe recipe_by_columns(const std::vector<std::string>& names, const std::function<Column(Index)>& column,
                         const TableWishes& wishes, const std::string& path) {
  for (const auto& [name, type] : wishes.types) require_known(names, name, "types", path);
  for (const std::string& name : wishes.columns) require_known(names, name, "columns", path);
  for (const std::string& name : wishes.drop) require_known(names, name, "drop", path);
  Recipe out{.columns = {}, .missing = wishes.missing};
  const auto is_in = [](const std::vector<std::string>& list, const std::string& name) {
    return std::ranges::find(list, name) != list.end();
  };
  for (Index c = 0; c < std::ssize(names); ++c) {
    const std::string& name = names[at(c)];
    const bool asked = wishes.columns.empty() || is_in(wishes.columns, name);
    const auto type = wishes.types.find(name);
    const std::string told = !asked || is_in(wishes.drop, name) ? "dropped"
                             : type == wishes.types.end()       ? ""
                                                                : type->second;
    const Column cells = column(c);
    out.columns.push_back(recipe_of(Cells(cells, wishes.missing), told, path));
  }
  return out;
}

namespace {

std::vector<std::string> outputs_of(const ColumnRecipe& column) {
  std::vector<std::string> out;
  if (column.type == ColumnType::category) {
    for (const std::string& level : column.levels) out.push_back(fmt::format("{}={}", column.name, level));
  } else {
    out.push_back(column.name);
  }
  for (const std::string& cycle : column.cycles) {
    out.push_back(fmt::format("{} in the {}, cos", column.name, cycle));
    out.push_back(fmt::format("{} in the {}, sin", column.name, cycle));
  }
  if (column.gaps) out.push_back(column.name + " missing");
  return out;
}

bool is_number(ColumnType type) {
  return type == ColumnType::number || type == ColumnType::count || type == ColumnType::ordered ||
         type == ColumnType::date;
}

class Cook {
 public:
  Cook(const ColumnRecipe& column, const Column& cells, const std::vector<std::string>& missing,
       const std::string& path, Cooked& out)
      : column_(column), cells_(cells, missing), path_(path), out_(out) {
    for (std::size_t l = 0; l < column.levels.size(); ++l) level_[column.levels[l]] = static_cast<Index>(l);
  }

  // One row for each cell.
  Matrix numbers() {
    const auto width = static_cast<Index>(outputs_of(column_).size());
    Matrix out(cells_.size(), width);
    for (Index i = 0; i < cells_.size(); ++i) {
      double* const row = out.row(i);
      const bool gap = cells_.is_gap(i);
      if (gap) note(out_.filled, i);
      if (gap && column_.gaps) row[width - 1] = column_.type == ColumnType::category ? kLevel : kChange;
      if (is_number(column_.type)) {
        row[0] = gap ? column_.fill : number(i);
        if (column_.type == ColumnType::date && !gap) write_cycles(row[0], row + 1);
      } else if (column_.type == ColumnType::yes_no) {
        const Index level = gap ? -1 : level_at(i);
        row[0] = kChange * (level < 0 ? 0.5 : static_cast<double>(level));
      } else if (!gap) {
        if (const Index level = level_at(i); level >= 0) row[level] = kLevel;
      }
    }
    return out;
  }

  // Of a text: itself, and nothing for a gap.
  std::vector<std::string> texts() {
    std::vector<std::string> out;
    for (Index i = 0; i < cells_.size(); ++i) {
      if (cells_.is_gap(i)) note(out_.filled, i);
      out.push_back(cells_.is_gap(i) ? "" : cells_.text(i));
    }
    return out;
  }

 private:
  static constexpr double kLevel = kChange / std::numbers::sqrt2;  // two of these at a right angle are so far apart

  void note(std::map<std::string, Happened>& where, Index i) {
    Happened& one = where[column_.name];
    if (one.count++ == 0) one.first = cells_.text(i);
  }

  Index level_at(Index i) {
    const auto found = level_.find(level_of(cells_.text(i)));
    if (found != level_.end()) return found->second;
    note(out_.unseen, i);
    return -1;
  }

  double number(Index i) {
    if (column_.type == ColumnType::ordered) {
      const Index level = level_at(i);
      return level < 0 ? column_.fill : static_cast<double>(level);
    }
    const std::optional<double> value =
        column_.type == ColumnType::date ? date_of(cells_.text(i), column_.date) : cells_.number(i, column_.style);
    if (!value || !std::isfinite(*value)) {
      const std::string word(trim(cells_.text(i)));
      fail(ErrorKind::data,
           "{}: row {}, column {}: {} is no {}, as which the model knows the column; correct it, or "
           "leave the cell empty",
           path_, i + 1, mercer::quoted(column_.name), shown(word),
           column_.type == ColumnType::date ? "date written as " + column_.date : "finite number");
    }
    return column_.unit > 0 ? std::copysign(std::log1p(std::abs(*value) / column_.unit), *value) : *value;
  }

  void write_cycles(double day, double* to) const {
    for (const std::string& cycle : column_.cycles) {
      const double period = cycle == "year" ? 365.2425 : cycle == "week" ? 7 : 1;
      const double angle = 2 * std::numbers::pi * std::fmod(day, period) / period;
      *to++ = kChange * std::cos(angle) / 2;
      *to++ = kChange * std::sin(angle) / 2;
    }
  }

  const ColumnRecipe& column_;
  const Cells cells_;
  const std::string& path_;
  Cooked& out_;
  std::unordered_map<std::string, Index> level_ = {};
};

}  // namespace

void drop_texts(Recipe& recipe) {
  for (ColumnRecipe& column : recipe.columns) {
    if (column.type != ColumnType::text) continue;
    column.type = ColumnType::dropped;
    column.why += ", and the kernel takes numbers";
  }
}

std::vector<std::string> coded_columns(const Recipe& recipe) {
  std::vector<std::string> out;
  for (const ColumnRecipe& column : recipe.columns) {
    if (is_left_out(column.type) || column.type == ColumnType::text) continue;
    const std::vector<std::string> names = outputs_of(column);
    out.insert(out.end(), names.begin() + (is_number(column.type) ? 1 : 0), names.end());
  }
  return out;
}

Cooked apply(const Recipe& recipe, const Points& table, const std::string& path) {
  const std::vector<Column> columns = all_columns(table);
  std::unordered_map<std::string_view, const Column*> by_name;
  for (const Column& column : columns) by_name[column.name] = &column;
  Cooked out{.points = table};
  std::unordered_set<std::string_view> known;
  for (const ColumnRecipe& column : recipe.columns) known.insert(column.name);
  for (const Column& column : columns) {
    if (!known.contains(column.name)) out.extra.push_back(column.name);
  }
  std::vector<std::pair<std::string, Points>> numbers, texts;
  for (const ColumnRecipe& column : recipe.columns) {
    if (is_left_out(column.type)) continue;
    if (by_name.find(column.name) == by_name.end()) {
      fail(ErrorKind::data, "{}: column {} is missing, which the model needs as {}; it may be empty, but must be there",
           path, mercer::quoted(column.name), name_of(column.type));
    }
    Cook cook(column, *by_name.at(column.name), recipe.missing, path, out);
    if (column.type == ColumnType::text) {
      texts.emplace_back(column.name, strings(cook.texts()));
      continue;
    }
    const bool group = column.type == ColumnType::category;
    numbers.emplace_back(group ? column.name : "", named(rows(cook.numbers()), outputs_of(column)));
  }
  if (numbers.size() + texts.size() == 0) {
    fail(ErrorKind::data, "{}: no column is left for the inputs; `types` says what a column is that was left out",
         path);
  }
  if (!numbers.empty()) texts.emplace(texts.begin(), "", mercer::table(std::move(numbers)));
  out.points = texts.size() == 1 && texts[0].first.empty() ? texts[0].second : mercer::table(std::move(texts));
  return out;
}

namespace {

std::string listed(const std::map<std::string, Happened>& what, bool examples) {
  constexpr std::size_t kShown = 6;
  std::vector<std::string> some;
  for (const auto& [column, happened] : what) {
    if (some.size() == kShown) break;
    some.push_back(examples ? fmt::format("{} in {} (such as {})", happened.count, column, shown(happened.first))
                            : fmt::format("{} in {}", happened.count, column));
  }
  return fmt::format("{}{}", fmt::join(some, ", "), what.size() > kShown ? ", ..." : "");
}

Index total(const std::map<std::string, Happened>& what) {
  Index out = 0;
  for (const auto& [column, happened] : what) out += happened.count;
  return out;
}

}  // namespace

std::vector<std::string> remarks_of(const Cooked& cooked) {
  std::vector<std::string> out;
  if (const Index gaps = total(cooked.filled); gaps > 0) {
    out.push_back(fmt::format("{} gap{} filled from the training data, of numbers by the mean: {}", gaps,
                              gaps == 1 ? "" : "s", listed(cooked.filled, false)));
  }
  if (const Index unseen = total(cooked.unseen); unseen > 0) {
    out.push_back(fmt::format("{} value{} that the model does not know, taken as none of its levels: {}", unseen,
                              unseen == 1 ? "" : "s", listed(cooked.unseen, true)));
  }
  if (!cooked.extra.empty()) {
    out.push_back(
        fmt::format("columns that the model does not know are passed over: {}", fmt::join(cooked.extra, ", ")));
  }
  return out;
}

}  // namespace mercer::data
