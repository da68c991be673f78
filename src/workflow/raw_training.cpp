#include "workflow/raw_training.hpp"

#include <algorithm>

#include "base/fail.hpp"
#include "base/text.hpp"
#include "data/columns.hpp"
#include "data/graph_columns.hpp"
#include "data/node_columns.hpp"
#include "data/row_groups.hpp"
#include "data/source.hpp"
#include "kernel/catalog.hpp"
#include "kernel/node.hpp"

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
  std::erase_if(out, [](const std::string& name) { return parse_number(name).has_value(); });
  if (const Kernel* const k = std::get_if<Kernel>(&request.kernel)) add_columns(k->node(), out);
  return out;
}

Dataset read_all(const FitRequest& request, Task task) {
  Dataset data = read(request.source, {.expected = expected_columns(request, task), .label = request.target});
  data.points = data::with_graphs(data.points, request.source);
  return data;
}

// The targets' places. All places are found before a column is taken out, so that numbers count those of the file.
std::vector<Index> target_positions(const FitRequest& request, const Dataset& data, Task task) {
  const std::vector<std::string> names = target_names(request, task);
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

// Takes targets, weights and what tells groups apart out of the data, one after the other.
class Taking {
 public:
  Taking(const FitRequest& request, Task task, Dataset data)
      : request_(request),
        task_(task),
        data_(std::move(data)),
        path_(request.source.path),
        together_(data::rows_together(request.source, data_.points)),
        count_(together_ ? together_->size() : data_.points.size()),
        out_{data_.points, data_.counted} {}

  RawTraining all() {
    take_targets();
    take_weights();
    if (together_) {
      if (is_taken(together_->position)) {
        fail(ErrorKind::usage, "{}: the column that tells groups apart is the target or the weight; name another",
             path_);
      }
      taken_.push_back(together_->position);
    }
    if (static_cast<Index>(taken_.size()) == data::column_count(data_.points)) {
      fail(ErrorKind::data, "{}: its only {}; no column is left for the points", path_,
           taken_.size() == 1 ? "column is the target" : "columns are the target and the weights");
    }
    out_.points = data::without_columns(data_.points, taken_);
    if (together_) out_.points = together_->points(out_.points);
    return std::move(out_);
  }

 private:
  void take_targets() {
    taken_ = target_positions(request_, data_, task_);
    out_.last_column = request_.target.empty() && !taken_.empty();
    if (data::is_file_beside(request_.source, request_.target)) {
      out_.targets = data::read_columns(request_.target, count_);
      for (const Column& column : out_.targets) data::require_present(column, request_.target);
      return;
    }
    std::vector<Column> found;
    for (const Index position : taken_) found.push_back(data::column_at(data_.points, position));
    if (!data_.target_name.empty()) found.push_back(data::target_of(data_));
    for (const Column& column : found) {
      if (task_.takes_target()) data::require_present(column, path_);
      out_.targets.push_back(value_of_points(column, together_, "target"));
    }
    if (task_.takes_target()) return;
    for (const Index position : taken_) out_.left_out.push_back(data::column_at(data_.points, position).name);
  }

  void take_weights() {
    const std::string& weights = request_.weights;
    if (weights.empty()) return;
    if (data::is_file_beside(request_.source, weights)) {
      out_.weights = data::read_weights(weights, count_);
      return;
    }
    const Index position = data::column_position(data_.points, weights, "`weights`", path_);
    if (is_taken(position)) {
      fail(ErrorKind::usage, "`weights`: {} is the target; name another column", mercer::quoted(weights));
    }
    const Column column = value_of_points(data::column_at(data_.points, position), together_, "weight");
    out_.weights = data::weights_of(column, path_ + ": `weights`");
    out_.left_out.push_back(column.name);
    taken_.push_back(position);
  }

  bool is_taken(Index position) const { return std::find(taken_.begin(), taken_.end(), position) != taken_.end(); }

  const FitRequest& request_;
  const Task task_;
  const Dataset data_;
  const std::string& path_;
  const std::optional<data::RowsTogether> together_;
  const Index count_;
  std::vector<Index> taken_ = {};
  RawTraining out_;
};

}  // namespace

RawTraining read_raw(const FitRequest& request, Task task) {
  require_targets_beside(request, task);
  RawTraining out = Taking(request, task, read_all(request, task)).all();
  out.points = data::with_nodes(out.points, request.source);
  return out;
}

}  // namespace mercer::workflow
