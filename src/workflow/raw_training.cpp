#include "workflow/raw_training.hpp"

#include <algorithm>
#include <filesystem>
#include <numeric>
#include <set>

#include "base/fail.hpp"
#include "base/text.hpp"
#include "centres/pass.hpp"
#include "data/columns.hpp"
#include "data/graph_columns.hpp"
#include "data/node_columns.hpp"
#include "data/row_groups.hpp"
#include "data/row_pieces.hpp"
#include "data/source.hpp"
#include "distributed/packed.hpp"
#include "distributed/ranks.hpp"
#include "file/bytes.hpp"
#include "file/file_set.hpp"
#include "kernel/catalog.hpp"
#include "kernel/node.hpp"
#include "model/needs.hpp"
#include "points/rep.hpp"
#include "points/streamed.hpp"
#include "workflow/held_rows.hpp"
#include "workflow/series.hpp"
#include "workflow/table_in_pieces.hpp"
#include "workflow/table_inputs.hpp"

namespace mercer::workflow {

namespace {

void require_targets_beside(const FitRequest& request, Task task) {
  if (!is_precomputed(request.kernel)) return;
  if (!request.target.empty() && !data::is_file_beside(request.source, request.target)) {
    fail(ErrorKind::usage, "`target`: {} is no file; with `kernel=precomputed` `source` holds kernel values only",
         mercer::quoted(request.target));
  }
  const bool at_hand = request.source.data && !request.source.data->target().empty();
  if (request.target.empty() && !at_hand && task.takes_target()) {
    fail(ErrorKind::usage, "`target`: {} needs a file of targets when `source` holds kernel values", request.machine);
  }
}

// The columns that a kernel names.
void add_columns(const detail::Node& k, std::vector<std::string>& out) {
  if (k.entry->name == "on") {
    for (const Columns::Item& item : std::get<Columns>(k.option("columns")).items()) {
      for (const Columns::Name& name : {item.first, item.last}) {
        if (const std::string* text = std::get_if<std::string>(&name)) out.push_back(*text);
      }
    }
  }
  for (const detail::NodePtr& child : k.children) add_columns(*child, out);
}

// Several targets are for regression; a class label is one.
std::vector<std::string> target_names(const FitRequest& request, Task task) {
  if (request.target.empty() || data::is_file_beside(request.source, request.target)) return {};
  if (task->target != Task::Target::classes) return split(request.target, ',');
  return {request.target};
}

// What the request says of the columns of a file.
std::vector<std::string> expected_columns(const FitRequest& request, Task task) {
  std::vector<std::string> out = target_names(request, task);
  if (!request.weights.empty() && !data::is_file_beside(request.source, request.weights))
    out.push_back(request.weights);
  if (!request.series_by.empty()) out.push_back(request.series_by);
  std::erase_if(out, [](const std::string& name) { return parse_number(name).has_value(); });
  if (const Kernel* const k = std::get_if<Kernel>(&request.kernel)) add_columns(k->node(), out);
  return out;
}

ReadOptions reading_of(const FitRequest& request, Task task) {
  return {.expected = expected_columns(request, task), .label = request.target};
}

// The columns that may have gaps in rows that are read in pieces: targets, as rows without one are left out.
std::vector<std::string> columns_with_gaps(const FitRequest& request, Task task) {
  if (!task.takes_target() || !reads_as_written(request)) return {};
  return request.target.empty() ? std::vector<std::string>{""} : target_names(request, task);
}

Dataset read_all(const FitRequest& request, Task task) {
  ReadOptions options = reading_of(request, task);
  options.as_written = reads_as_written(request);
  Dataset data = read(request.source, options);
  data.points = data::with_graphs(data.points, request.source);
  return data;
}

// The targets' places. All places are found before a column is taken out, so that numbers count those of the file.
std::vector<Index> target_positions(const FitRequest& request, const Dataset& data, Task task) {
  std::vector<std::string> names = target_names(request, task);
  if (names.size() > 1) names = data::names_in(request.target, data.points);
  const std::string& path = request.source.path;
  if (!data.target_name.empty()) {  // libsvm files and folders of graphs have labels that nobody asked for
    if (names.empty() || names == std::vector<std::string>{data.target_name}) return {};
    fail(ErrorKind::usage, "{}: its {} is the target; leave `target` out{}", path, data.target_name,
         data.target_name == "description" ? ", or say `target=name`" : "");
  }
  if (names.empty() && task.takes_target() && request.target.empty()) return {data::column_count(data.points) - 1};
  std::vector<Index> positions;
  for (const std::string& name : names) {
    const Index position = data::column_position(data.points, name, "`target`", path);
    if (std::find(positions.begin(), positions.end(), position) != positions.end()) {
      fail(ErrorKind::usage, "`target`: {} names a column twice; name each once", mercer::quoted(request.target));
    }
    positions.push_back(position);
  }
  return positions;
}

// A column of the data, one value for each point.
Column value_of_points(const Column& column, const std::optional<data::RowsTogether>& together, const char* what) {
  return together ? together->single(column, fmt::format("the {} {}", what, mercer::quoted(column.name))) : column;
}

std::string packed(const std::vector<Column>& columns) {
  distributed::Packing out;
  for (const Column& column : columns) {
    out.text(column.name).all(VectorView(column.numbers)).number(static_cast<std::int64_t>(column.words.size()));
    for (const std::string& word : column.words) out.text(word);
  }
  return out.bytes();
}

std::vector<Column> unpacked_columns(const std::string& bytes) {
  std::vector<Column> out;
  for (distributed::Unpacking from(bytes); !from.is_end();) {
    Column column{.name = std::string(from.text()), .numbers = from.all<double>()};
    for (std::int64_t words = from.number(); words > 0; --words) column.words.emplace_back(from.text());
    out.push_back(std::move(column));
  }
  return out;
}

// Of rows that are read in pieces: those that stay in memory, to tell what all are like.
constexpr Index kKept = 256;

// Takes targets, weights and what tells groups apart out of the data, one after the other. Of rows that are read in
// pieces, `data` are the first, and tell where all columns stand.
class Taking {
 public:
  Taking(const FitRequest& request, Task task, Dataset data, std::shared_ptr<const data::RowPieces> pieces = nullptr)
      : request_(request),
        task_(task),
        data_(std::move(data)),
        pieces_(std::move(pieces)),
        path_(request.source.path),
        together_(data::rows_together(request.source, data_.points)),
        count_(together_ ? together_->size()
               : pieces_ ? pieces_->rows()
                         : data_.points.size()),
        out_{data_.points, data_.counted} {
    find();
  }

  bool inputs_are_numbers() const { return no_inputs() || find_reals(inputs()) != nullptr; }
  // Numbers and texts, of which a recipe makes numbers.
  bool inputs_are_cells() const {
    const data::ColumnList columns(data_.points);
    for (Index place = 0; place < columns.size(); ++place) {
      const std::string kind = columns.kind(place);
      if (kind != "reals" && kind != "strings") return false;
    }
    return true;
  }
  // That all rows would take with their copies. Of numbers, targets stand in the same matrix.
  double bytes_in_memory() const {
    if (no_inputs()) return 0;
    if (!inputs_are_numbers()) {
      return detail::bytes_in_memory(mercer::rows(Matrix(1, data::column_count(data_.points))), count_);
    }
    return detail::bytes_in_memory(find_reals(data_.points) != nullptr ? data_.points : inputs(), count_);
  }

  // Of rows that are read in pieces, after all(): the inputs that hold words, or gaps, in some of them.
  std::vector<Index> words() const { return {words_.begin(), words_.end()}; }
  const std::vector<Index>& taken() const { return taken_; }
  const Points& first() const { return data_.points; }

  // `keep`: of rows that several processes share, those of this one find room.
  RawTraining all(bool keep = false) {
    std::shared_ptr<HeldRows> rows;
    if (pieces_) {
      rows = std::make_shared<HeldRows>(pieces_->rows(), [pieces = pieces_, taken = taken_](Range some) {
        return inputs_of(pieces->read(some), some, taken);
      });
    }
    rows ? gather(*rows, keep) : add_columns_of(data_);
    take_targets();
    if (out_.last_column && task_.takes_target() && !out_.counted) {
      out_.remarks.push_back(
          fmt::format("target: {}, the last column; `target` names another", out_.targets.front().name));
    }
    take_weights();
    if (together_) {
      if (is_taken(together_->position)) {
        fail(ErrorKind::usage, "{}: the column that tells groups apart is the target or the weight; name another",
             path_);
      }
      taken_.push_back(together_->position);
    }
    if (no_inputs()) {
      fail(ErrorKind::data, "{}: its only {}; no column is left for the points", path_,
           taken_.size() == 1 ? "column is the target" : "columns are the target and the weights");
    }
    out_.points = inputs();
    if (together_) out_.points = together_->points(out_.points);
    if (pieces_ && find_reals(out_.points) == nullptr) {  // the rows with which it begins
      out_.points = out_.points.slice({0, std::min<Index>(kKept, out_.points.size())});
    } else if (pieces_) {
      std::vector<Index> few(static_cast<std::size_t>(std::min<Index>(kKept, out_.points.size())));
      std::iota(few.begin(), few.end(), Index{0});
      out_.points = streamed(pieces_->rows(), out_.points.select(few),
                             [rows = std::move(rows)](Range some) { return (*rows)(some); });
    }
    return std::move(out_);
  }

 private:
  bool no_inputs() const { return static_cast<Index>(taken_.size()) == data::column_count(data_.points); }
  Points inputs() const { return data::without_columns(data_.points, taken_); }

  // Where targets and weights stand.
  void find() {
    targets_ = target_positions(request_, data_, task_);
    out_.last_column = request_.target.empty() && !targets_.empty();
    taken_ = targets_;
    const std::string& weights = request_.weights;
    if (!weights.empty() && !data::is_file_beside(request_.source, weights)) {
      const Index position = data::column_position(data_.points, weights, "`weights`", path_);
      if (is_taken(position)) {
        fail(ErrorKind::usage, "`weights`: {} is the target; name another column", mercer::quoted(weights));
      }
      taken_.push_back(position);
    }
    if (request_.series_by.empty()) return;
    const Index position = data::column_position(data_.points, request_.series_by, "`series_by`", path_);
    if (is_taken(position)) {
      fail(ErrorKind::usage, "`series_by`: {} is the target or the weight; name another column",
           mercer::quoted(request_.series_by));
    }
    out_.series = position - std::ranges::count_if(taken_, [&](Index other) { return other < position; });
  }

  static Points inputs_of(const Dataset& data, Range rows, const std::vector<Index>& taken) {
    Points some = data::without_columns(data.points, taken);
    find_reals(some)->require_finite(rows.begin);
    return some;
  }

  // What stands there in all rows.
  void gather(HeldRows& rows, bool keep) {
    columns_.resize(taken_.size());
    distributed::each(
        "targets", rows.blocks(),
        [&](Index block) {
          const Range range = rows.block(block);
          const Dataset some = pieces_->read(range);
          if (keep && !no_inputs()) rows.keep(block, inputs_of(some, range, taken_));
          note_words(some.points);
          return packed(columns_of(some));
        },
        [&](const std::string& bytes) { add(unpacked_columns(bytes)); });
  }

  void note_words(const Points& some) {
    if (some.domain().kind == "reals") return;
    const data::ColumnList columns(some);
    for (Index place = 0; place < columns.size(); ++place) {
      if (columns.kind(place) == "strings" && !is_taken(place)) words_.insert(place);
    }
  }

  void add_columns_of(const Dataset& some) { add(columns_of(some)); }

  // With the label that the file has beside its columns, if any, as the last.
  std::vector<Column> columns_of(const Dataset& some) const {
    std::vector<Column> out;
    for (const Index place : taken_) out.push_back(data::column_at(some.points, place));
    // A target with gaps in these rows was read as texts, and need not have some in others.
    for (std::size_t c = 0; pieces_ && c < targets_.size(); ++c) {
      out[c] = target_values(std::move(out[c]), false, {});
    }
    if (!some.target_name.empty()) out.push_back(data::target_of(some));
    return out;
  }

  void add(std::vector<Column> more) {
    columns_.resize(taken_.size());
    for (std::size_t c = 0; c < more.size(); ++c) append(std::move(more[c]), c < taken_.size() ? columns_[c] : label_);
  }

  void take_targets() {
    if (data::is_file_beside(request_.source, request_.target)) {
      out_.targets = data::read_columns(request_.target, count_);
      for (const Column& column : out_.targets) data::require_present(column, request_.target);
      return;
    }
    std::vector<Column> found(columns_.begin(), columns_.begin() + static_cast<std::ptrdiff_t>(targets_.size()));
    if (!data_.target_name.empty()) found.push_back(label_);
    for (const Column& column : found) {
      if (task_.takes_target() && !reads_as_written(request_)) data::require_present(column, path_);
      out_.targets.push_back(value_of_points(column, together_, "target"));
    }
    if (task_.takes_target()) return;
    for (std::size_t c = 0; c < targets_.size(); ++c) out_.left_out.push_back(columns_[c].name);
  }

  void take_weights() {
    const std::string& weights = request_.weights;
    if (weights.empty()) return;
    if (data::is_file_beside(request_.source, weights)) {
      out_.weights = data::read_weights(weights, count_);
      return;
    }
    const Column column = value_of_points(columns_.back(), together_, "weight");
    out_.weights = data::weights_of(column, path_ + ": `weights`");
    out_.left_out.push_back(column.name);
  }

  bool is_taken(Index position) const { return std::find(taken_.begin(), taken_.end(), position) != taken_.end(); }

  const FitRequest& request_;
  const Task task_;
  const Dataset data_;
  const std::shared_ptr<const data::RowPieces> pieces_;
  const std::string& path_;
  const std::optional<data::RowsTogether> together_;
  const Index count_;
  std::vector<Index> targets_ = {}, taken_ = {};  // places of targets, and of all columns that are no inputs
  std::vector<Column> columns_ = {};              // that are taken
  Column label_ = {};                             // that the file has beside its columns
  std::set<Index> words_ = {};                    // places of inputs that hold some
  RawTraining out_;
};

}  // namespace

namespace {

// The most bytes that numbers can take for each byte of a file: two digits and a comma are three of eight, and gzip
// packs at most 1,032 into one.
constexpr double kFromText = 4, kFromPacked = 1032;
constexpr Index kHead = Index{1} << 14, kFewPieces = 4;

double most_numbers(const std::string& path) {
  double out = 0;
  for (const std::string& file : files_named(path).files) {
    std::error_code none;
    if (file == "-" || !std::filesystem::is_regular_file(file, none)) return 0;
    const auto size = static_cast<double>(std::filesystem::file_size(file, none));
    out += size > 0 && is_gzip(map_bytes(file).text) ? kFromPacked * kFromText * size : kFromText * size;
  }
  return out;
}

// Where rows can be read in pieces, and are asked for so or would take too much memory.
std::optional<RawTraining> read_in_pieces(const FitRequest& request, Task task) {
  const Machine& row = machine(request.machine);
  const bool asked = request.stream.value_or(false);
  const bool dealt = distributed::several();
  const auto cannot = [&](const std::string& why) -> std::optional<RawTraining> {
    if (asked) fail(ErrorKind::usage, "`stream`: {}; leave it out", why);
    return std::nullopt;
  };
  if (request.stream == false) return std::nullopt;
  // By passes of its own, or in the features of centres, of which there may be fewer than columns.
  const bool in_features = request.centres && row.centres != OnCentres::refused && !dealt;
  if (!row.streams && !in_features) {
    return cannot(fmt::format("{} works on all rows at once{}", row.name,
                              row.centres != OnCentres::refused ? ", but for those of `centres`" : ""));
  }
  if (is_precomputed(request.kernel)) return cannot("numbers of all pairs are read at once");
  if (!request.series_by.empty()) return cannot("several series are read at once");
  // One process makes a recipe where cells are gaps or words; several take numbers alone.
  const bool as_table = !dealt && reads_as_written(request) && takes_numbers(request.kernel);
  if (!request.table.empty() && !as_table) return cannot("a table whose columns get types is read at once");
  if (request.start) return cannot("a fit that goes on from a model has its rows in memory");
  const Extent extent{.memory = request.memory};
  const double share = extent.share() / 2;
  constexpr double kCopies = 3;
  if (!asked && !dealt && (request.source.data || most_numbers(request.source.path) * kCopies <= share))
    return std::nullopt;
  ReadOptions options = reading_of(request, task);
  options.gaps = as_table;
  const std::shared_ptr<const data::RowPieces> pieces =
      data::RowPieces::open(request.source, options, columns_with_gaps(request, task));
  if (!pieces) {
    return cannot(request.source.path +
                  " has to be read as a whole: rows of csv, tsv, libsvm and npy files are read in pieces");
  }
  Dataset head = pieces->read({0, std::min(kHead, pieces->rows())});
  Taking taking(request, task, std::move(head), pieces);
  const double bytes = taking.bytes_in_memory();
  // Of few rows, those that threads read at a time would take as much.
  const bool many = pieces->rows() >= kFewPieces * centres::rows_of_a_piece(pieces->rows());
  if (!asked && !dealt && (bytes <= share || !many)) return std::nullopt;
  if (as_table ? !taking.inputs_are_cells() : !taking.inputs_are_numbers()) {
    return cannot(request.source.path + " has inputs that are not numbers");
  }
  const bool keep = dealt && bytes / distributed::ranks() <= share;
  RawTraining out = taking.all(keep);
  std::vector<std::string> of_columns;
  if (as_table && (!taking.words().empty() || !request.table.empty())) {
    for (Column& column : out.targets) {
      column = target_values(std::move(column), task->target != Task::Target::classes, request.table.missing);
    }
    const TableInPieces table(request, options, taking.first(), taking.taken(), taking.words(), pieces->rows());
    const std::vector<Index> kept = complete_rows(out.targets, pieces->rows());
    std::vector<Column> truth;
    for (const Column& column : out.targets) truth.push_back(select(column, kept));
    out.recipe = table.recipe(kept, truth, share / 2, of_columns);
    for (const ColumnRecipe& column : out.recipe->columns) {
      if (column.type == ColumnType::text) {
        return cannot(fmt::format("{}: column {} is text, and rows of numbers are read in pieces", request.source.path,
                                  mercer::quoted(column.name)));
      }
    }
    out.as_read = out.points;
    out.points = table.points(out.recipe);
  }
  if (reads_as_written(request)) leave_out_rows_without_target(request.source.path, out);
  out.remarks.insert(out.remarks.end(), of_columns.begin(), of_columns.end());
  if (dealt) {
    out.in_pieces = fmt::format("{} processes share the rows; each {}", distributed::ranks(),
                                keep ? "keeps its own in memory" : "reads its own again in every pass");
    return out;
  }
  out.in_pieces = "rows are read again in every pass";
  if (!asked) {
    out.in_pieces += fmt::format(": in memory they would take {}, and {} are {}", detail::in_bytes(bytes),
                                 detail::in_bytes(extent.room()), request.memory > 0 ? "allowed" : "free");
  }
  return out;
}

// Processes that share a fit must see the same files.
void require_same_files(const Source& source) {
  if (!distributed::several() || source.data) return;
  if (source.path == "-") {
    fail(ErrorKind::usage, "`source`: standard input is there for one process, and {} share this fit; name files",
         distributed::ranks());
  }
  std::uintmax_t bytes = 0;
  const std::vector<std::string> files = files_named(source.path).files;
  for (const std::string& file : files) {
    std::error_code none;
    if (!std::filesystem::exists(file, none)) return distributed::require_same(source.path, "no such file");
    if (std::filesystem::is_regular_file(file, none)) bytes += std::filesystem::file_size(file, none);
  }
  distributed::require_same(
      source.path, fmt::format("{} file{} of {} bytes together", files.size(), files.size() == 1 ? "" : "s", bytes));
}

}  // namespace

namespace {

void cook_table(const FitRequest& request, Task task, RawTraining& raw) {
  if (reads_as_written(request)) {
    cook(request, task, raw);
  } else if (!request.table.empty()) {
    fail(ErrorKind::usage,
         "`types`, `columns`, `drop` and `missing` are of tables whose rows are points; leave them out");
  }
}

}  // namespace

RawTraining read_raw(const FitRequest& request, Task task) {
  require_targets_beside(request, task);
  require_same_files(request.source);
  if (std::optional<RawTraining> pieces = read_in_pieces(request, task)) return std::move(*pieces);
  RawTraining out = Taking(request, task, read_all(request, task)).all();
  out.points = data::with_nodes(out.points, request.source);
  if (!out.series) {
    cook_table(request, task, out);
    return out;
  }
  FitRequest of_series = request;
  out.of_series = kernel_of_series(request, out.points, *out.series, out.remarks);
  of_series.kernel = *out.of_series;
  cook_table(of_series, task, out);
  return out;
}

}  // namespace mercer::workflow
