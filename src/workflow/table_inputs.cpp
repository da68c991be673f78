#include "workflow/table_inputs.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <set>
#include <unordered_map>

#include "base/at.hpp"
#include "base/fail.hpp"
#include "base/text.hpp"
#include "data/all_pairs.hpp"
#include "data/cells.hpp"
#include "data/class_look.hpp"
#include "data/column_types.hpp"
#include "data/columns.hpp"
#include "data/label_column.hpp"
#include "data/source.hpp"
#include "file/fields.hpp"
#include "kernel/catalog.hpp"
#include "kernel/node.hpp"
#include "points/rep.hpp"

namespace mercer::workflow {

namespace {

// Columns that the kernel takes for such inputs.
void add_columns_of(std::string_view kind, const detail::Node& k, const Points& x, std::vector<std::string>& out) {
  if (k.entry->name == "on" && k.children.front()->domain.kind == kind) {
    const std::vector<std::string> names = x.column_names();
    const auto place = [&](const Columns::Name& name) {
      const Index* const number = std::get_if<Index>(&name);
      return number != nullptr ? *number - 1 : std::ranges::find(names, std::get<std::string>(name)) - names.begin();
    };
    for (const Columns::Item& item : std::get<Columns>(k.option("columns")).items()) {
      for (Index j = place(item.first); j <= place(item.last) && j < std::ssize(names); ++j)
        out.push_back(names[at(j)]);
    }
  }
  for (const detail::NodePtr& child : k.children) add_columns_of(kind, *child, x, out);
}

// Whether all columns are numbers or texts.
bool is_plain(const Points& x) {
  const Table* const columns = find_table(x);
  if (columns == nullptr) return x.domain().kind == "reals" || x.domain().kind == "strings";
  return std::ranges::all_of(columns->parts, [](const auto& part) {
    const std::string kind = part.second.domain().kind;
    return kind == "reals" || kind == "strings";
  });
}

bool is_number(ColumnType type) {
  return type == ColumnType::number || type == ColumnType::count || type == ColumnType::date;
}

// Whether a column of texts is one of numbers, or of few names.
bool is_no_text(const ColumnRecipe& column, Index rows) {
  const bool few = !column.levels.empty() && 2 * std::ssize(column.levels) <= rows;
  return is_number(column.type) || (few && !is_left_out(column.type));
}

bool has_gap(const Column& column) {
  return std::ranges::any_of(column.words, [](const std::string& word) { return is_missing(word); }) ||
         std::ranges::any_of(column.numbers, [](double value) { return std::isnan(value); });
}

// Ids and codes among numbers, by their names; none where nothing else would be left. Maps of rows and kernels that
// know how many columns there are take all of them.
std::vector<std::string> labels_among_numbers(const FitRequest& request, const RawTraining& raw) {
  const auto copies = request.settings.find("invariance");
  const bool mapped = !request.prepare.empty() || (copies != request.settings.end() && !copies->second.empty());
  const Kernel* const given = std::get_if<Kernel>(&request.kernel);
  const bool sized = given != nullptr && given->domain().dimension >= 0;
  if (raw.counted || raw.points.column_names().empty() || mapped || sized || !takes_numbers(request.kernel)) return {};
  std::vector<std::string> out;
  const std::vector<Column> columns = data::all_columns(raw.points);
  for (const Column& column : columns) {
    if (data::is_label(column, request.source.path)) out.push_back(column.name);
  }
  if (out.size() == columns.size()) out.clear();
  return out;
}

bool is_gap(const Column& column, std::size_t i) {
  return column.numbers.empty() ? is_missing(column.words[i]) : std::isnan(column.numbers[i]);
}

Vector select(const Vector& values, const std::vector<Index>& rows) {
  Vector out;
  for (const Index i : rows) {
    if (!values.empty()) out.push_back(values[at(i)]);
  }
  return out;
}

// An input that goes up and down with the target, nearly without exception, may be known only when that is.
double rank_agreement(const Vector& x, const Vector& y) {
  const auto ranks = [](const Vector& values) {
    std::vector<std::size_t> order(values.size());
    for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
    std::ranges::sort(order, {}, [&](std::size_t i) { return values[i]; });
    Vector out(values.size());
    for (std::size_t first = 0, end = 0; first < order.size(); first = end) {
      for (end = first + 1; end < order.size() && values[order[end]] == values[order[first]];) ++end;
      for (std::size_t i = first; i < end; ++i) out[order[i]] = static_cast<double>(first + end - 1) / 2;
    }
    return out;
  };
  const Vector a = ranks(x), b = ranks(y);
  const double middle = (static_cast<double>(a.size()) - 1) / 2;
  double ab = 0, aa = 0, bb = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    ab += (a[i] - middle) * (b[i] - middle);
    aa += (a[i] - middle) * (a[i] - middle);
    bb += (b[i] - middle) * (b[i] - middle);
  }
  return aa > 0 && bb > 0 ? ab / std::sqrt(aa * bb) : 0;
}

// Of the columns that are inputs.
void remark_on_leaks(const Recipe& recipe, RawTraining& raw) {
  std::set<std::string> left_out;
  for (const ColumnRecipe& column : recipe.columns) {
    if (is_left_out(column.type)) left_out.insert(column.name);
  }
  for (const Column& column : data::all_columns(raw.points)) {
    if (left_out.contains(column.name)) continue;
    if (std::optional<std::string> remark = leak_remark(column, raw.targets)) raw.remarks.push_back(*std::move(remark));
  }
}

}  // namespace

std::vector<std::string> told_texts(const Source& source, const std::vector<std::string>& names) {
  std::vector<std::string> out;
  for (const std::string& word : source.text.empty() ? std::vector<std::string>() : split(source.text, ',')) {
    if (std::ranges::find(names, word) != names.end()) out.push_back(word);
  }
  return out;
}

bool takes_numbers(const KernelChoice& choice) {
  const Kernel* const k = std::get_if<Kernel>(&choice);
  return k == nullptr || k->domain().kind == "reals";
}

Column select(const Column& column, const std::vector<Index>& rows) {
  Column out{column.name};
  for (const Index i : rows) {
    if (column.numbers.empty()) {
      out.words.push_back(column.words[at(i)]);
    } else {
      out.numbers.push_back(column.numbers[at(i)]);
    }
  }
  return out;
}

std::vector<Index> complete_rows(const std::vector<Column>& targets, Index rows) {
  std::vector<Index> out;
  for (Index i = 0; i < rows; ++i) {
    if (std::ranges::none_of(targets, [&](const Column& column) { return is_gap(column, at(i)); })) out.push_back(i);
  }
  return out;
}

void append(Column from, Column& to) {
  const auto nothing = [](const Column& column) {
    return column.numbers.empty() && std::ranges::all_of(column.words, [](const std::string& w) { return w.empty(); });
  };
  const auto as_numbers = [](Column& column) {
    column.numbers.assign(column.words.size(), std::numeric_limits<double>::quiet_NaN());
    column.words.clear();
  };
  to.name = std::move(from.name);
  if (!from.numbers.empty() && nothing(to)) as_numbers(to);
  if (!to.numbers.empty() && nothing(from)) as_numbers(from);
  to.numbers.insert(to.numbers.end(), from.numbers.begin(), from.numbers.end());
  to.words.insert(to.words.end(), std::make_move_iterator(from.words.begin()),
                  std::make_move_iterator(from.words.end()));
}

std::optional<std::string> leak_remark(const Column& column, const std::vector<Column>& targets) {
  constexpr std::size_t kFew = 20;
  constexpr double kSame = 0.999;
  if (targets.size() != 1 || targets[0].numbers.size() < kFew || column.numbers.empty()) return std::nullopt;
  const Vector& y = targets[0].numbers;
  Vector known, truth;
  for (std::size_t i = 0; i < column.numbers.size(); ++i) {
    if (std::isnan(column.numbers[i]) || std::isnan(y[i])) continue;
    known.push_back(column.numbers[i]);
    truth.push_back(y[i]);
  }
  if (known.size() < kFew || !(std::abs(rank_agreement(known, truth)) > kSame)) return std::nullopt;
  return fmt::format("{} goes with {} nearly without exception; if it is not known before, `drop={}` leaves it out",
                     column.name, targets[0].name, column.name);
}

void leave_out_rows_without_target(const std::string& path, RawTraining& raw) {
  const Index rows = raw.points.size();
  const std::vector<Index> kept = complete_rows(raw.targets, rows);
  if (static_cast<Index>(kept.size()) == rows) return;
  const std::string& name = raw.targets.front().name;
  if (kept.empty()) {
    fail(ErrorKind::data, "{}: the target {} has no value in any row; `target` names another column", path,
         mercer::quoted(name));
  }
  raw.points = raw.points.select(kept);
  raw.weights = select(raw.weights, kept);
  for (Column& column : raw.targets) column = select(column, kept);
  const auto gaps = rows - std::ssize(kept);
  raw.remarks.push_back(fmt::format("{} of {} rows left out, without a value of {}", gaps, rows,
                                    raw.targets.size() == 1 ? name : "some target"));
}

Column target_values(Column column, bool styled, const std::vector<std::string>& missing) {
  for (std::string& word : column.words) {
    if (is_missing(word) || std::ranges::find(missing, trim(word)) != missing.end()) word.clear();
  }
  for (const std::string& mark : missing) {
    const std::optional<double> value = parse_number(mark);
    if (value) std::ranges::replace(column.numbers, *value, std::numeric_limits<double>::quiet_NaN());
  }
  std::vector<std::string_view> present;
  for (const std::string& word : column.words) {
    if (!word.empty()) present.push_back(word);
  }
  const std::optional<NumberStyle> style = data::number_style(present);
  if (!style || (!styled && !(*style == NumberStyle()))) return column;
  Column out{column.name};
  for (const std::string& word : column.words) {
    out.numbers.push_back(word.empty() ? std::numeric_limits<double>::quiet_NaN() : *data::styled_number(word, *style));
  }
  return out;
}

bool reads_as_written(const FitRequest& request) {
  const Source& source = request.source;
  const bool plain = source.graphs.empty() && source.bag.empty() && source.series.empty() && source.graph.empty();
  const Kernel* const k = std::get_if<Kernel>(&request.kernel);
  const bool fits = k == nullptr || k->domain().kind == "reals" || k->domain().kind == "table" ||
                    k->domain().kind == "any" || !request.table.empty();
  const bool goes_on = request.start && !request.start->parts().recipe;
  return plain && fits && !goes_on && !is_precomputed(request.kernel);
}

std::vector<std::string> text_columns(const Kernel& k, const Points& x) {
  std::vector<std::string> out;
  add_columns_of("strings", k.node(), x, out);
  return out;
}

bool takes_words_for_numbers(const Kernel& k, const Points& x) {
  std::vector<std::string> numbers;
  add_columns_of("reals", k.node(), x, numbers);
  const std::set<std::string> wanted(numbers.begin(), numbers.end());
  const std::vector<std::string> names = x.column_names();
  const data::ColumnList columns(x);
  for (Index j = 0; j < std::ssize(names); ++j) {
    if (wanted.contains(names[at(j)]) && columns.kind(j) == "strings") return true;
  }
  return false;
}

void cook(const FitRequest& request, Task task, RawTraining& raw) {
  const std::string& path = request.source.path;
  for (Column& column : raw.targets) {
    column = target_values(std::move(column), task->target != Task::Target::classes, request.table.missing);
  }
  leave_out_rows_without_target(path, raw);
  const std::string kind = raw.points.domain().kind;
  if (!is_plain(raw.points)) {
    if (request.table.empty()) return;
    fail(ErrorKind::usage, "`types`, `columns`, `drop` and `missing` are of tables, and {} holds {}", path,
         raw.points.rep().describe());
  }
  if (kind == "table" && std::holds_alternative<Usual>(request.kernel) && data::holds_distances(raw.points)) {
    fail(ErrorKind::usage, "`kernel`: a matrix of distances with names beside its rows; `kernel=precomputed` takes it");
  }
  if (request.start && request.start->parts().recipe) {
    raw.recipe = request.start->parts().recipe;
    if (!request.table.empty()) {
      fail(ErrorKind::usage,
           "`types`, `columns`, `drop` and `missing`: the model to go on from knows its columns; leave "
           "them out");
    }
    data::Cooked cooked = data::apply(*raw.recipe, raw.points, path);
    for (std::string& remark : data::remarks_of(cooked)) raw.remarks.push_back(std::move(remark));
    raw.points = std::move(cooked.points);
    return;
  }
  if (is_sparse(raw.points)) return;
  // Texts alone wait for a kernel, unless they are numbers or dates in disguise, or names that come again.
  const bool alone = kind == "strings" && takes_numbers(request.kernel) && !raw.points.column_names().empty();
  const bool numbers = kind == "reals";
  const std::vector<std::string> told = told_texts(request.source, raw.points.column_names());
  const auto is_told = [&](const std::string& name) { return std::ranges::find(told, name) != told.end(); };
  // An empty text at hand is a text to a kernel that somebody chose for texts.
  const bool words = !request.source.data || takes_numbers(request.kernel);
  const bool gaps = std::ranges::any_of(data::all_columns(raw.points), [&](const Column& column) {
    return !is_told(column.name) && (words || column.words.empty()) && has_gap(column);
  });
  const Kernel* const given = std::get_if<Kernel>(&request.kernel);
  const bool mixed = kind == "table" && (takes_numbers(request.kernel) || takes_words_for_numbers(*given, raw.points));
  const bool complete = numbers && !gaps && request.table.missing.empty();
  const std::vector<std::string> labels = complete ? labels_among_numbers(request, raw) : std::vector<std::string>();
  if (request.table.empty() && !gaps && !mixed && !alone && labels.empty()) return;
  if (raw.points.size() == 1 && !alone) {
    fail(ErrorKind::data, "{}: one row, which does not tell what its columns are; add rows", path);
  }

  data::TableWishes wishes = request.table;
  for (const std::string& name : told) wishes.types.emplace(name, "text");
  if (raw.series) {  // as it is: of many levels a category keeps some
    const bool words = data::ColumnList(raw.points).kind(*raw.series) == "strings";
    wishes.types.emplace(raw.points.column_names().at(at(*raw.series)), words ? "text" : "number");
  }
  if (complete) {  // what nobody spoke of stays as it is
    for (const std::string& name : raw.points.column_names()) {
      if (std::ranges::find(labels, name) == labels.end()) wishes.types.emplace(name, "number");
    }
  }
  if (given != nullptr) {
    for (const std::string& name : text_columns(*given, raw.points)) wishes.types.emplace(name, "text");
  }
  Recipe recipe = data::recipe_for(raw.points, wishes, path);
  if (alone && request.table.empty() && !gaps && !is_no_text(recipe.columns[0], raw.points.size())) return;
  if (std::holds_alternative<Kernel>(request.kernel) && takes_numbers(request.kernel)) data::drop_texts(recipe);
  for (const ColumnRecipe& column : recipe.columns) {
    const bool as_it_is = complete && !request.table.types.contains(column.name) && !is_left_out(column.type) &&
                          column.type != ColumnType::category;
    if (!as_it_is) raw.remarks.push_back("column " + str(column));
  }
  if (task.takes_target()) remark_on_leaks(recipe, raw);
  raw.as_read = raw.points;
  raw.points = data::apply(recipe, raw.points, path).points;
  raw.recipe = std::make_shared<const Recipe>(std::move(recipe));
}

namespace {

// Without a header, the columns of as many as the model knows are these.
Points called_as(const Model& model, const std::vector<std::string>& names, const Dataset& data) {
  return data.counted && model.parts().inputs.counted ? data::counted_as(names, data.points) : data.points;
}

std::optional<Vector> means_of(const Model& model) {
  const Model::Parts& parts = model.parts();
  const Scaling& scaling = parts.scaling;
  if (!scaling.maps.empty()) return std::nullopt;
  if (scaling.kind == Scaling::Kind::standard || scaling.kind == Scaling::Kind::centred) return scaling.shift;
  const std::optional<Points>& centres = parts.f.parts().centres;
  if (!centres || centres->size() == 0 || is_sparse(*centres)) return std::nullopt;
  const DenseRows points = dense_rows(*centres);
  Vector out(parts.inputs.columns.size());
  for (Index j = 0; j < std::ssize(out); ++j) {
    for (Index i = 0; i < points.values.rows(); ++i) {
      out[at(j)] += points.values(i, j) / static_cast<double>(points.values.rows());
    }
    if (scaling.kind != Scaling::Kind::none) out[at(j)] = out[at(j)] / scaling.factor[at(j)] + scaling.shift[at(j)];
  }
  return out;
}

}  // namespace

std::optional<Recipe> recipe_for_gaps(const Model& model) {
  const Model::Parts& parts = model.parts();
  const std::vector<std::string>& names = parts.inputs.columns;
  if (parts.recipe || parts.inputs.domain.kind != "reals" || names.empty()) return std::nullopt;
  if (!parts.f.parts().kernel) return std::nullopt;
  const std::optional<Vector> means = means_of(model);
  if (!means || means->size() != names.size()) return std::nullopt;
  Recipe out;
  for (std::size_t j = 0; j < names.size(); ++j) out.columns.push_back({.name = names[j], .fill = (*means)[j]});
  return out;
}

bool has_gaps(const Model& model, const Dataset& data, const std::string& target) {
  const std::vector<std::string>& names = model.parts().inputs.columns;
  const Points x = called_as(model, names, data);
  if (x.domain().kind == "reals") return false;  // and sparse rows may have two billion columns
  const data::ColumnList columns(x);
  std::vector<bool> is_text;
  for (Index j = 0; j < columns.size(); ++j) is_text.push_back(columns.kind(j) == "strings");
  if (std::ranges::find(is_text, true) == is_text.end()) return false;

  const std::vector<std::string> present = x.column_names();
  std::unordered_map<std::string_view, Index> places;
  for (std::size_t j = present.size(); j-- > 0;) places[present[j]] = static_cast<Index>(j);  // of equals the first
  const auto place_of = [&](const std::string& name) -> Index {
    if (present.empty()) return data::remembered_position(x, name);
    const auto found = places.find(name);
    return found == places.end() ? -1 : found->second;
  };
  bool out = false;
  for (const std::string& name : names) {
    const Index place = place_of(name);
    if (place < 0) return false;
    out = out || is_text[at(place)];
  }
  for (const std::string& name : target.empty() ? model.parts().targets : data::names_in(target, x)) {
    const Index place = place_of(name);
    out = out || (place >= 0 && is_text[at(place)] && has_gap(columns[place]));
  }
  return out;
}

Inputs cooked_inputs(const Model& model, const Recipe& recipe, const Dataset& data, const std::string& path,
                     const std::string& target, const std::string& weights) {
  const Model::Parts& parts = model.parts();
  std::vector<std::string> names;
  for (const ColumnRecipe& column : recipe.columns) names.push_back(column.name);
  const Points x = called_as(model, names, data);

  std::vector<Index> targets, others;
  if (target.empty()) {
    for (const std::string& name : parts.targets) {
      const Index position = data::remembered_position(x, name);
      if (position >= 0 && std::ranges::find(names, name) == names.end()) targets.push_back(position);
    }
  } else {
    for (const std::string& name : data::names_in(target, x)) {
      targets.push_back(data::column_position(x, name, "`target`", path));
    }
  }
  for (const std::string& name : parts.left_out) {
    const Index position = data::remembered_position(x, name);
    if (position >= 0) others.push_back(position);
  }
  Inputs out{x};
  if (!weights.empty()) {
    others.push_back(data::column_position(x, weights, "`weights`", path));
    out.weights = data::weights_of(data::column_at(x, others.back()), path + ": `weights`");
  }
  for (const Index position : targets) {
    out.targets.push_back(target_values(data::column_at(x, position), !model.is_classifier(), recipe.missing));
  }
  others.insert(others.end(), targets.begin(), targets.end());
  if (static_cast<Index>(others.size()) >= data::column_count(x)) {
    fail(ErrorKind::data, "{}: no column is left for the points; it holds only the target", path);
  }
  out.cooked = data::apply(recipe, data::without_columns(x, others), path);
  out.points = out.cooked->points;
  parts.inputs.require(out.points);
  out.remarks = data::remarks_of(*out.cooked);
  return out;
}

Inputs with_truth(const Inputs& inputs, Index& left_out) {
  const std::vector<Index> kept = complete_rows(inputs.targets, inputs.points.size());
  left_out = inputs.points.size() - std::ssize(kept);
  if (left_out == 0) return inputs;
  Inputs out = inputs;
  out.points = inputs.points.select(kept);
  out.weights = select(inputs.weights, kept);
  for (Column& column : out.targets) column = select(column, kept);
  return out;
}

}  // namespace mercer::workflow
