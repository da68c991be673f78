#include "studio/data_set.hpp"

#include <algorithm>
#include <set>

#include "base/fail.hpp"
#include "base/sha256.hpp"
#include "base/text.hpp"
#include "data/column_types.hpp"
#include "data/columns.hpp"
#include "file/bytes.hpp"
#include "io/readers.hpp"
#include "report/exhibit.hpp"
#include "report/histogram.hpp"
#include "studio/errors.hpp"
#include "studio/limits.hpp"
#include "workflow/json.hpp"
#include "workflow/usual_scaling.hpp"

namespace mercer::studio {

namespace {

using workflow::Column;

constexpr std::size_t kMostInflated = 512U << 20, kMostKept = 4;
constexpr Index kMostColumns = 200, kPreviewRows = 20, kMostPlayed = 1000;

Index distinct_values(const Column& column) {
  const std::vector<std::string> texts = column.texts();
  return static_cast<Index>(std::set<std::string>(texts.begin(), texts.end()).size());
}

// What a fit takes the column for; of one that it would refuse, a text.
ColumnRecipe taken_for(const data::Cells& cells) {
  try {
    return data::recipe_of(cells, "", "");
  } catch (const Error& error) {
    return {.name = cells.column().name, .type = ColumnType::text, .why = error.message()};
  }
}

Json to_json(const Column& column) {
  Json out = {{"name", column.name}, {"kind", "object"}, {"why", ""},       {"missing", 0},
              {"distinct", nullptr}, {"low", nullptr},   {"high", nullptr}, {"histogram", nullptr}};
  if (column.size() == 0) return out;
  const data::Cells cells(column, {});
  const ColumnRecipe recipe = taken_for(cells);
  out["kind"] = std::string(name_of(recipe.type));
  out["why"] = recipe.why;
  out["missing"] = cells.gaps();
  out["distinct"] = distinct_values(column);
  Vector numbers = column.numbers;
  if (recipe.type == ColumnType::number || recipe.type == ColumnType::count) {
    numbers.clear();
    for (Index i = 0; i < cells.size(); ++i) {
      if (const auto value = cells.is_gap(i) ? std::nullopt : cells.number(i, recipe.style)) numbers.push_back(*value);
    }
  }
  if (numbers.empty()) return out;
  const auto [low, high] = std::minmax_element(numbers.begin(), numbers.end());
  out["low"] = *low;
  out["high"] = *high;
  const report::Histogram histogram = report::histogram(numbers, 20);
  out["histogram"] = {{"edges", histogram.edges}, {"counts", histogram.counts}};
  return out;
}

Json cell(const Column& column, std::size_t i) {
  if (i < column.numbers.size()) return workflow::json_number(column.numbers[i]);
  return i < column.words.size() ? Json(shortened(column.words[i])) : Json();
}

// All that can be shown of it; of many columns the first, and the last one, which may be the target.
std::vector<Column> columns_of(const Dataset& data) {
  std::vector<Column> out;
  const Index all = data::column_count(data.points), count = std::min(all, kMostColumns);
  for (Index i = 0; i < count; ++i) {
    const Index j = i + 1 < count ? i : all - 1;
    const std::string kind = data::column_kind(data.points, j);
    const bool shown = kind == "reals" || kind == "strings";
    out.push_back(shown ? data::column_at(data.points, j) : Column{.name = fmt::format("column {}", j + 1)});
  }
  if (!data.target_name.empty()) out.push_back({data.target_name, data.target_numbers, data.target_texts});
  return out;
}

// What a page can draw and let its user move.
Json points_to_play(const std::vector<Column>& columns, bool classes) {
  const auto numbers = [&](std::size_t j) { return columns[j].words.empty() && !columns[j].numbers.empty(); };
  if (columns.empty() || static_cast<Index>(columns[0].size()) > kMostPlayed) return nullptr;
  if (columns.size() == 2 && numbers(0) && numbers(1) && !classes) {
    return {{"x", columns[0].numbers}, {"y", columns[1].numbers}};
  }
  if (columns.size() == 3 && numbers(0) && numbers(1) && classes) {
    return {{"x", columns[0].numbers}, {"y", columns[1].numbers}, {"labels", columns[2].texts()}};
  }
  return nullptr;
}

Json to_json(const workflow::Suggestion& suggested) {
  return {{"target", suggested.target.empty() ? Json() : Json(suggested.target)},
          {"task", suggested.task ? Json(std::string((*suggested.task)->predicts)) : Json()},
          {"machine", suggested.machine},
          {"kernel", suggested.kernel}};
}

std::string key_of(const workflow::FitRequest& request) {
  const Task task = machine(request.machine).task_for(request.settings);
  // What is left as it is when inputs are scaled depends on such a kernel.
  const Kernel* const k = std::get_if<Kernel>(&request.kernel);
  const std::string labels = k != nullptr && workflow::takes_labels(*k) ? k->str() : "";
  return fmt::format("{}\n{}\n{}\n{}\n{}\n{}\n{}", request.machine, task->predicts, request.target, request.weights,
                     request.scale ? static_cast<int>(*request.scale) : -1,
                     std::holds_alternative<workflow::Precomputed>(request.kernel), labels);
}

}  // namespace

DataSet::DataSet(Origin origin, Dataset data)
    : origin_(std::move(origin)), data_(std::move(data)), suggested_(workflow::suggest(data_)) {}

workflow::Source DataSet::source() const { return {.path = origin_.name, .data = data_, .sha256 = origin_.sha256}; }

std::size_t DataSet::bytes() const {
  const Index columns = std::max<Index>(1, std::min<Index>(data::column_count(data_.points), 10000));
  return static_cast<std::size_t>(rows() * (columns + 1)) * 2 * sizeof(double);
}

Json DataSet::json() const {
  const std::vector<Column> columns = columns_of(data_);
  Json out = {{"name", origin_.name}, {"rows", rows()}, {"columns", Json::array()}};
  Json names = Json::array(), preview = Json::array();
  for (const Column& column : columns) {
    out["columns"].push_back(to_json(column));
    names.push_back(column.name);
  }
  for (Index i = 0; i < std::min(rows(), kPreviewRows); ++i) {
    Json row = Json::array();
    for (const Column& column : columns) row.push_back(cell(column, static_cast<std::size_t>(i)));
    preview.push_back(std::move(row));
  }
  out["preview"] = {{"columns", std::move(names)}, {"rows", std::move(preview)}};
  out["suggested"] = to_json(suggested_);
  Json points = points_to_play(columns, suggested_.labels.size() > 0);
  if (!points.is_null()) out["points"] = std::move(points);
  return out;
}

workflow::Prepared DataSet::prepared(const workflow::FitRequest& request, const Execution& how) const {
  const std::string key = key_of(request);
  std::optional<workflow::Prepared> found;
  {
    const std::lock_guard lock(mutex_);
    for (auto one = kept_.begin(); one != kept_.end(); ++one) {
      if (one->key != key) continue;
      kept_.splice(kept_.begin(), kept_, one);
      found = one->data;
      break;
    }
  }
  if (!found) {
    found = workflow::prepare(request, how);
    const std::lock_guard lock(mutex_);
    kept_.push_front({key, *found});
    if (kept_.size() > kMostKept) kept_.pop_back();
  } else {
    found = workflow::changed(*found, request.settings, request.kernel);
  }
  found->plain = request.plain;
  return *found;
}

std::shared_ptr<const DataSet> read_data_set(Origin origin, std::string content) {
  origin.sha256 = sha256(content);
  auto owner = std::make_shared<const std::string>(std::move(content));
  Bytes bytes{*owner, owner};
  if (is_gzip(bytes.text)) bytes = gunzip(bytes.text, origin.name, kMostInflated);
  Dataset data = parse_data(bytes, origin.name,
                            {.header_if_unclear = true,  // the page shows the names
                             .as_written = true});
  if (data.points.size() == 0) fail(ErrorKind::data, "{}: holds no rows", origin.name);
  return std::make_shared<const DataSet>(std::move(origin), std::move(data));
}

std::shared_ptr<const DataSet> drawn_data_set(const Vector& x, const Vector& y,
                                              const std::vector<std::string>& labels) {
  const bool plane = !labels.empty();
  if (x.size() != y.size() || (plane && labels.size() != x.size())) {
    throw Failure(400, "x, y and labels of the points differ in length", "points");
  }
  if (x.empty()) throw Failure(422, "there are no points yet", "points", "click to add some");
  Matrix inputs(static_cast<Index>(x.size()), plane ? 2 : 1);
  for (Index i = 0; i < inputs.rows(); ++i) {
    inputs(i, 0) = x[static_cast<std::size_t>(i)];
    if (plane) inputs(i, 1) = y[static_cast<std::size_t>(i)];
  }
  Dataset data{.points = named(mercer::rows(std::move(inputs)),
                               plane ? std::vector<std::string>{"x1", "x2"} : std::vector<std::string>{"x"})};
  data.target_name = plane ? "class" : "y";
  plane ? void(data.target_texts = labels) : void(data.target_numbers = y);
  return std::make_shared<const DataSet>(Origin{"points.csv", ""}, std::move(data));
}

}  // namespace mercer::studio
