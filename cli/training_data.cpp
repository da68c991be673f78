#include "training_data.hpp"

#include <algorithm>
#include <cmath>

#include "base/at.hpp"
#include "base/parallel.hpp"
#include "base/stages.hpp"
#include "graph_columns.hpp"
#include "input_words.hpp"
#include "label_column.hpp"
#include "mercer/kernels.hpp"
#include "model/training.hpp"
#include "node_columns.hpp"
#include "points/objects.hpp"
#include "points/rep.hpp"
#include "row_groups.hpp"

namespace mercer::cli {

namespace {

constexpr std::string_view kPrecomputed = "precomputed";

// The points and what is known of each of them.
struct Raw {
  Points points;
  bool counted;
  std::vector<Column> targets = {};
  Vector weights = {};
  std::vector<std::string> left_out = {};  // columns that are neither inputs nor predicted
};

// Several targets are for regression; a class label is one.
std::vector<std::string> target_names(const TrainingWords& words, Task task) {
  if (words.target.empty() || is_data_file(words.target)) return {};
  if (task->target != Task::Target::classes) return split(words.target, ',');
  return {words.target};
}

// The targets' places. All places are found before a column is taken out, so that numbers count those of the file.
std::vector<Index> target_positions(const TrainingWords& words, const Dataset& data, Task task) {
  const std::vector<std::string> names = target_names(words, task);
  if (!data.target_name.empty()) {  // libsvm files and folders of graphs have labels that nobody asked for
    if (names.empty()) return {};
    fail(ErrorKind::usage, "{}: its {} is the target; leave --target out", words.data, data.target_name);
  }
  if (names.empty() && task.takes_target() && words.target.empty()) return {column_count(data.points) - 1};
  std::vector<Index> positions;
  for (const std::string& name : names) {
    const Index position = column_position(data.points, name, "--target", words.data);
    if (std::find(positions.begin(), positions.end(), position) != positions.end()) {
      fail(ErrorKind::usage, "--target: {} names a column twice; name each once", mercer::quoted(words.target));
    }
    positions.push_back(position);
  }
  return positions;
}

Vector weights_of(const Column& column, const std::string& where) {
  if (column.numbers.empty()) {
    fail(ErrorKind::data, "{}: column {} holds text; weights are numbers", where, mercer::quoted(column.name));
  }
  return column.numbers;
}

Raw read(const TrainingWords& words, const std::string& machine, Task task) {
  const bool target_file = is_data_file(words.target), precomputed = words.kernel == kPrecomputed;
  if (precomputed && !words.target.empty() && !target_file) {
    fail(ErrorKind::usage, "--target: {} is no file; with --kernel precomputed DATA holds kernel values only",
         mercer::quoted(words.target));
  }
  if (precomputed && words.target.empty() && task.takes_target()) {
    fail(ErrorKind::usage, "--target: {} needs a file of targets when DATA holds kernel values", machine);
  }
  ReadOptions options = read_options(words.file);
  Dataset data = read_data(words.data, options);
  std::optional<NamedGraph> graph;
  if (!words.graph.empty()) {
    graph = read_edges(words.graph);
    if (!options.header && data.counted && words.data != "-" && begins_with_names(data.points, words.node, *graph)) {
      options.header = true;
      data = read_data(words.data, options);
    }
  }
  data.points = with_graphs(data.points, words.file.graphs, words.data);
  Raw out{data.points, data.counted};

  const std::optional<RowsTogether> together = rows_together(words.file, data.points, words.data);
  const Index count = together ? together->size() : data.points.size();
  std::vector<Index> taken = target_positions(words, data, task);
  for (const Index position : taken) {
    Column column = column_at(data.points, position);
    require_present(column, words.data);
    if (together) column = together->single(column, fmt::format("the target {}", mercer::quoted(column.name)));
    if (!task.takes_target()) out.left_out.push_back(column.name);
    out.targets.push_back(std::move(column));
  }
  if (target_file) {
    out.targets = read_columns(words.target, count);
    for (const Column& column : out.targets) require_present(column, words.target);
  } else if (!data.target_name.empty()) {
    out.targets = {Column{data.target_name, std::move(data.target_numbers), std::move(data.target_texts)}};
  }
  if (is_data_file(words.weights)) {
    const std::vector<Column> columns = read_columns(words.weights, count);
    if (columns.size() != 1) fail(ErrorKind::data, "{}: weights are one column of numbers", words.weights);
    out.weights = weights_of(columns[0], words.weights);
  } else if (!words.weights.empty()) {
    const Index position = column_position(data.points, words.weights, "--weights", words.data);
    if (std::find(taken.begin(), taken.end(), position) != taken.end()) {
      fail(ErrorKind::usage, "--weights: {} is the target; name another column", mercer::quoted(words.weights));
    }
    Column column = column_at(data.points, position);
    if (together) column = together->single(column, fmt::format("the weight {}", mercer::quoted(column.name)));
    out.weights = weights_of(column, words.data + ": --weights");
    out.left_out.push_back(column.name);
    taken.push_back(position);
  }
  if (together) {
    if (std::find(taken.begin(), taken.end(), together->position) != taken.end()) {
      fail(ErrorKind::usage, "{}: the column that tells groups apart is the target or the weight; name another",
           words.data);
    }
    taken.push_back(together->position);
  }
  if (static_cast<Index>(taken.size()) == column_count(data.points)) {
    fail(ErrorKind::data, "{}: its only {}; no column is left for the points", words.data,
         taken.size() == 1 ? "column is the target" : "columns are the target and the weights");
  }
  out.points = without_columns(data.points, taken);
  if (together) out.points = together->points(out.points);
  if (graph) {
    out.points = with_nodes(out.points, words.node, *graph, words.data);
  } else if (!words.node.empty()) {
    fail(ErrorKind::usage, "--node: nodes of which graph? --graph names its edge list");
  }
  return out;
}

// Numbers with a fraction, many of them different: a quantity, not classes.
void refuse_quantity(const Column& column, const Labels& labels, const std::string& machine, const std::string& data) {
  const auto classes = labels.classes.size();
  const bool fractions = std::any_of(column.numbers.begin(), column.numbers.end(),
                                     [](double value) { return value != std::floor(value); });
  if (!fractions || classes <= 10 || classes * classes <= column.size()) return;
  fail(ErrorKind::data,
       "{}: the target {} looks like a quantity ({} different numbers with fractions in {} rows), and {} tells classes "
       "apart; ridge, svr and gp predict quantities. If they are classes, give them names",
       data, mercer::quoted(column.name), classes, column.size(), machine);
}

void add_targets(const std::vector<Column>& columns, const std::string& machine, Task task, const std::string& data,
                 TrainingData& out) {
  Training& training = out.training;
  if (columns.empty()) fail(ErrorKind::data, "{}: {} needs a target, and there is none", data, machine);
  if (task->target == Task::Target::classes) {
    if (columns.size() > 1) {
      fail(ErrorKind::data, "--target: {} columns; {} tells classes apart by one", columns.size(), machine);
    }
    training.labels = Labels::from(columns[0].texts());
    refuse_quantity(columns[0], training.labels, machine, data);
    require_distinct_classes(training.labels.classes, data);
    const std::size_t classes = training.labels.classes.size(), rows = columns[0].size();
    if (classes > 10 && 2 * classes > rows) {
      out.remarks.push_back(fmt::format("{} classes in {} rows: is {} a class? --target names another column", classes,
                                        rows, mercer::quoted(columns[0].name)));
    }
    return;
  }
  training.y = Matrix(training.K.size(), static_cast<Index>(columns.size()));
  for (std::size_t t = 0; t < columns.size(); ++t) {
    const Column& column = columns[t];
    if (column.numbers.empty()) {
      const auto text = std::find_if_not(column.words.begin(), column.words.end(),
                                         [](const std::string& one) { return parse_number(one).has_value(); });
      fail(ErrorKind::data, "{}: the target {} holds text ({} in row {}); {} predicts numbers", data,
           mercer::quoted(column.name), mercer::quoted(*text), text - column.words.begin() + 1, machine);
    }
    for (std::size_t i = 0; i < column.numbers.size(); ++i) {
      training.y(static_cast<Index>(i), static_cast<Index>(t)) = column.numbers[i];
    }
    if (const std::string fault = detail::target_fault(training.y, static_cast<Index>(t)); !fault.empty()) {
      fail(ErrorKind::data, "{}: the target {} {}", data, mercer::quoted(column.name), fault);
    }
  }
}

// The points that count: scales and `auto` are read off them alone.
Points of_weight(const Points& x, const Vector& weights) {
  std::vector<Index> which;
  for (std::size_t i = 0; i < weights.size(); ++i) {
    if (weights[i] != 0) which.push_back(static_cast<Index>(i));
  }
  return which.empty() || which.size() == weights.size() ? x : x.select(which);
}

Scaling scaling_for(const TrainingWords& words, const std::optional<Model>& start, const Points& x) {
  if (!words.scale.empty()) return Scaling::of(scaling_kind(words.scale), x);
  if (start) return start->parts().scaling;
  return Scaling::of(usual_scaling(x), x);
}

// The example of the first kernel of a domain.
std::string kernel_on(const std::string& kind) {
  for (const CatalogRow& row : catalog()) {
    if (row.domain == kind && !row.example.empty()) return fmt::format("normalize({})", row.example);
  }
  return "KERNEL";
}

// A kernel that these inputs could have, for a message.
std::string kernel_such_as(const Points& x) {
  if (x.domain().kind != "table") return kernel_on(x.domain().kind);
  std::vector<std::string> terms, kinds;
  const std::vector<std::string> names = x.column_names();
  for (Index j = 0; j < column_count(x); ++j) {
    const Columns column(std::vector<Columns::Item>{{names[at(j)], names[at(j)]}});
    const std::string kind = x.columns(column).domain().kind;
    if (std::find(kinds.begin(), kinds.end(), kind) != kinds.end()) continue;
    kinds.push_back(kind);
    terms.push_back(fmt::format("on({}, {})", column.str(), kind == "reals" ? "rbf(ell=auto)" : kernel_on(kind)));
  }
  return fmt::format("{}", fmt::join(terms, " + "));
}

// The one column beside numbers that holds text: labels, perhaps. Empty where there is none, or several.
std::string only_text_column(const Points& x) {
  std::vector<std::string> found;
  for (Index j = 0; x.domain().kind == "table" && j < column_count(x); ++j) {
    if (column_kind(x, j) == "strings") found.push_back(x.column_names()[at(j)]);
  }
  return found.size() == 1 && column_count(x) > 1 ? found[0] : "";
}

// Numbers of all pairs, as distances are: symmetric, 0 on the diagonal and above it elsewhere.
bool holds_distances(const Points& given) {
  const Points x = without_row_names(given);
  if (x.domain().kind != "reals" || x.domain().dimension != x.size() || x.size() < 3 || is_sparse(x)) return false;
  const DenseRows rows = dense_rows(x);
  const MatrixView d = rows.values;
  for (Index i = 0; i < d.rows(); ++i) {
    if (d(i, i) != 0) return false;
    for (Index j = 0; j < i; ++j) {
      if (!(d(i, j) > 0) || d(i, j) != d(j, i)) return false;
    }
  }
  return true;
}

// The kernel as given, or as it is when none is.
Kernel kernel_for(const std::optional<Kernel>& given, const Machine& machine, const std::optional<Model>& start,
                  const Points& x, std::vector<std::string>& remarks) {
  if (given) return *given;
  if (start && start->expansion().parts().kernel) return *start->expansion().parts().kernel;
  if (x.domain().kind != "reals") {
    const std::string text = machine.task.takes_target() ? "" : only_text_column(x);
    if (holds_distances(x)) {
      fail(ErrorKind::usage,
           "--kernel: a matrix of distances with names beside its rows; --kernel precomputed takes it");
    }
    fail(ErrorKind::usage, "--kernel: {}; say which kernel, such as '{}'{}", x.rep().describe(), kernel_such_as(x),
         text.empty() ? "" : fmt::format(", or leave the labels out by --target {}", text));
  }
  remarks.push_back(fmt::format("no kernel given: {}", machine.kernel));
  return parse(machine.kernel);
}

Matrix square_matrix(const Points& given, const std::string& path) {
  const Points x = without_row_names(given);
  if (x.domain().kind != "reals" || x.domain().dimension != x.size()) {
    fail(ErrorKind::shape, "{}: {} rows of {} columns; --kernel precomputed takes the square matrix of all pairs", path,
         x.size(), column_count(x));
  }
  return Matrix(dense_rows(x).values);
}

}  // namespace

void TrainingWords::declare(Arguments& arguments) {
  arguments.required("DATA", data, "A file of CSV, TSV, LIBSVM, NPY or IDX, also .gz; - is standard input");
  arguments.option("--kernel", kernel, "EXPR",
                   "Such as 'rbf(ell=1) + linear()'; `precomputed`: DATA is K itself [rbf(ell=auto); gp, gpc: [auto]]");
  arguments.option("--target", target, "COL",
                   "What to predict: a column's name or number from 1, several for regression (a,b), or a file "
                   "[the last column]");
  arguments.option("--weights", weights, "COL", "How much each point counts: a column, or a file");
  arguments.option("--graph", graph, "EDGES",
                   "An edge list (`from to` or `from to weight` on each line); a column of DATA names its nodes");
  arguments.option("--node", node, "COL", "The column that does [the first that is no target]");
  arguments.option("--scale", scale, "WORD",
                   "Of the inputs: none, standard, minmax [standard for CSV and TSV files of numbers, else none]");
  arguments.option("--memory", memory, "SIZE", "To use at most, such as 4GB [planned from what is free]");
  arguments.option("--threads", threads, "N", "[MERCER_NUM_THREADS, or one per core]");
  arguments.option("--format", file.format, "NAME", format_help());
  arguments.option("--header", file.header, "WORD", "Does the first line hold names: yes, no, auto");
  arguments.option("--graphs", file.graphs, "COL=FOLDER", kGraphsHelp);
  declare_groups(arguments, file);
}

std::vector<std::string> TrainingWords::taken(std::vector<std::string> own) {
  for (const char* const word :
       {"--kernel", "--target", "--weights", "--graph", "--node", "--scale", "--memory", "--threads", "--format",
        "--header", "--graphs", "--bag", "--series", "--output", "--json", "--help"}) {
    own.push_back(word);
  }
  return own;
}

Model TrainingData::complete(const Model& model) const {
  return model.with([&](Model::Parts& parts) {
    parts.scaling = scaling;
    parts.inputs = inputs;
    parts.targets = targets;
    parts.left_out = left_out;
    if (parts.reading != Reading::density) return;
    for (Report::Figure& figure : parts.report.figures) {
      if (figure.name == "leave_one_out_log_likelihood") figure.value += std::log(scaling.volume());
    }
  });
}

void TrainingData::complete(Tuned& tuned) const {
  tuned.model = complete(tuned.model);
  if (tuned.metric != "log_density") return;
  const double shift = std::log(scaling.volume());
  for (Candidate& candidate : tuned.candidates) {
    candidate.mean += shift;
    for (double& score : candidate.scores) score += shift;
  }
}

TrainingData read_training(const TrainingWords& words, const Machine& machine, const Settings& settings,
                           const std::optional<Model>& start, Watch& watch) {
  const Task task = machine.task_for(settings);
  const bool precomputed = words.kernel == kPrecomputed;
  std::optional<Kernel> named;  // refused before the data are read
  if (!words.kernel.empty() && !precomputed) named = parse(words.kernel);
  if (!words.scale.empty()) scaling_kind(words.scale);
  const Execution how{.threads = static_cast<int>(whole_number("--threads", words.threads, 0, 1, 4096)),
                      .monitor = watch.monitor()};
  const Threads limit(how.threads);
  const std::size_t memory = memory_size("--memory", words.memory);

  Raw raw = read(words, machine.name, task);
  const Stage stage("prepare");
  watch.gently();
  const auto with_rest = [&](TrainingData out, const std::string& target_file) {
    if (task.takes_target()) {
      add_targets(raw.targets, machine.name, task, target_file, out);
      for (const Column& column : raw.targets) out.targets.push_back(column.name);
    } else if (words.target.empty()) {
      if (!precomputed && named == std::nullopt && holds_distances(raw.points)) {
        out.remarks.push_back(
            "the rows are taken for points, though they look like distances: as many rows as columns, symmetric, 0 on "
            "the diagonal; --kernel precomputed takes them as a matrix of all pairs");
      }
      if (const auto remark = precomputed ? std::nullopt : label_remark(raw.points)) out.remarks.push_back(*remark);
    } else {
      out.remarks.push_back(fmt::format("{} learns without a target: {} is left out", machine.name, words.target));
    }
    out.training.weights = raw.weights;
    out.left_out = raw.left_out;
    out.training.how = how;
    out.training.memory = memory;
    return out;
  };
  if (precomputed) {
    if (!words.scale.empty() && scaling_kind(words.scale) != Scaling::Kind::none) {
      fail(ErrorKind::usage, "--scale: kernel values cannot be scaled like inputs; leave it out");
    }
    TrainingData out{.training = {.K = mercer::precomputed(square_matrix(raw.points, words.data))}};
    out.remarks.push_back("numbers of all pairs are given");
    return with_rest(std::move(out), words.target);
  }

  if (start) {
    const Schema& known = start->parts().inputs;
    if (raw.counted && known.counted) raw.points = counted_as(known.columns, raw.points);
    known.require(raw.points);
  }
  Schema inputs = Schema::of(raw.points);
  inputs.counted = raw.counted;
  const Points weighted = of_weight(raw.points, raw.weights);
  const Scaling scaling = scaling_for(words, start, weighted);
  const Points x = scaling.apply(raw.points);
  const Points seen = weighted.size() == x.size() ? x : scaling.apply(weighted);
  std::vector<std::string> kernel_remarks;
  const Kernel given = kernel_for(named, machine, start, seen, kernel_remarks);
  const Params params = given.params();
  if (seen.size() == 1 && std::any_of(params.begin(), params.end(), [](const Parameter& p) { return p.automatic; })) {
    fail(ErrorKind::data, "{}: one row, and auto needs two; add rows, or give --kernel a number for it", words.data);
  }
  const Kernel k = given.resolve(seen);
  if (!(k == given)) kernel_remarks.push_back(fmt::format("auto is {}", k.str()));
  // A machine may look at some rows only; what is refused is named by its row in the file.
  if (x.domain().kind != "reals") (void)diagonal(k, x);
  TrainingData out{.training = {.K = lazy(k, x)},
                   .scaling = scaling,
                   .inputs = inputs,
                   .remarks = {scaling_remark(scaling.kind, !words.scale.empty() || start)},
                   .kernel_remarks = std::move(kernel_remarks),
                   .kernel_given = !words.kernel.empty() || start};
  return with_rest(std::move(out), words.data);
}

}  // namespace mercer::cli
