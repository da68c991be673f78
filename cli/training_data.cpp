#include "training_data.hpp"

#include <algorithm>

#include "base/at.hpp"
#include "points/rep.hpp"

namespace mercer::cli {

namespace {

constexpr std::string_view kPrecomputed = "precomputed";

bool takes_target(Task task) { return task == Task::classification || task == Task::regression; }

// The points and what is known of each of them.
struct Raw {
  Points points;
  std::vector<Column> targets = {};
  Vector weights = {};
};

// Several targets are for regression; a class label is one.
std::vector<std::string> target_names(const TrainingWords& words, Task task) {
  if (words.target.empty()) return {};
  if (task == Task::regression) return split(words.target, ',');
  return {words.target};
}

Raw read(const TrainingWords& words, const std::string& machine, Task task) {
  const bool target_file = is_data_file(words.target), precomputed = words.kernel == kPrecomputed;
  const std::vector<std::string> names = target_file ? std::vector<std::string>{} : target_names(words, task);
  if (precomputed && !words.target.empty() && !target_file) {
    fail(ErrorKind::usage, "--target: {} is no file; with --kernel precomputed DATA holds kernel values only",
         mercer::quoted(words.target));
  }
  if (precomputed && words.target.empty() && takes_target(task)) {
    fail(ErrorKind::usage, "--target: {} needs a file of targets when DATA holds kernel values", machine);
  }
  ReadOptions options = read_options(words.file);
  if (!names.empty()) options.target = names.front();
  options.last_is_target = names.empty() && !target_file && takes_target(task);
  Dataset data = read_data(words.data, options);

  Raw out{data.points};
  for (std::size_t t = 1; t < names.size(); ++t) {
    Vector numbers = take_numbers(out.points, names[t], "--target", words.data);
    Column& column = out.targets.emplace_back(Column{names[t], {}, std::move(numbers)});
    for (const double value : column.numbers) column.texts.push_back(number(value));
  }
  if (target_file) {
    out.targets = read_columns(words.target, out.points.size());
  } else if (!data.target.empty()) {
    out.targets.insert(out.targets.begin(),
                       Column{data.target_name, std::move(data.target), std::move(data.target_numbers)});
  }
  if (is_data_file(words.weights)) {
    const std::vector<Column> columns = read_columns(words.weights, out.points.size());
    if (columns.size() != 1 || columns[0].numbers.empty()) {
      fail(ErrorKind::data, "{}: weights are one column of numbers", words.weights);
    }
    out.weights = columns[0].numbers;
  } else if (!words.weights.empty()) {
    out.weights = take_numbers(out.points, words.weights, "--weights", words.data);
  }
  return out;
}

void add_targets(const std::vector<Column>& columns, const std::string& machine, Task task, const std::string& data,
                 Training& training) {
  if (columns.empty()) fail(ErrorKind::data, "{}: {} needs a target, and there is none", data, machine);
  if (task == Task::classification) {
    if (columns.size() > 1) {
      fail(ErrorKind::data, "--target: {} columns; {} tells classes apart by one", columns.size(), machine);
    }
    training.labels = Labels::from(columns[0].texts);
    return;
  }
  training.y = Matrix(training.K.size(), static_cast<Index>(columns.size()));
  for (std::size_t t = 0; t < columns.size(); ++t) {
    const Column& column = columns[t];
    if (column.numbers.empty()) {
      const auto text = std::find_if_not(column.texts.begin(), column.texts.end(),
                                         [](const std::string& one) { return parse_number(one).has_value(); });
      fail(ErrorKind::data, "{}: the target {} holds text ({} in row {}); {} predicts numbers", data,
           mercer::quoted(column.name), mercer::quoted(*text), text - column.texts.begin() + 1, machine);
    }
    for (std::size_t i = 0; i < column.numbers.size(); ++i) {
      training.y(static_cast<Index>(i), static_cast<Index>(t)) = column.numbers[i];
    }
  }
}

Scaling scaling_for(const TrainingWords& words, const std::optional<Model>& start, const Points& x) {
  if (!words.scale.empty()) return Scaling::of(scaling_kind(words.scale), x);
  if (start) return start->parts().scaling;
  // Only text files name their columns; numbers in other files come ready to use.
  const bool table_of_numbers = x.domain().kind == "reals" && !x.column_names().empty() && !is_sparse(x);
  return Scaling::of(table_of_numbers ? Scaling::Kind::standard : Scaling::Kind::none, x);
}

std::string scaling_remark(const Scaling& scaling, bool asked) {
  static const std::vector<std::string> texts = {"as they are", "brought to mean 0 and standard deviation 1",
                                                 "brought to the range 0 to 1"};
  const auto kind = static_cast<std::size_t>(scaling.kind);
  return fmt::format("inputs {}{}", texts[kind],
                     asked || scaling.kind == Scaling::Kind::none ? "" : "; --scale none leaves them alone");
}

// A kernel that these inputs could have, for a message.
std::string kernel_such_as(const Points& x) {
  if (x.domain().kind == "strings") return "normalize(spectrum(k=3))";
  std::string numbers, text;
  const std::vector<std::string> names = x.column_names();
  for (Index j = 0; j < column_count(x); ++j) {
    const std::string name = Columns(std::vector<Columns::Item>{{names[at(j)], names[at(j)]}}).str();
    std::string& slot = column_at(x, j).numbers.empty() ? text : numbers;
    if (slot.empty()) slot = name;
  }
  const std::string on_text = fmt::format("on({}, normalize(spectrum(k=3)))", text);
  return numbers.empty() ? on_text : fmt::format("on({}, rbf(ell=auto)) + {}", numbers, on_text);
}

// The kernel as given, or as it is when none is.
Kernel kernel_for(const TrainingWords& words, const Machine& machine, const std::optional<Model>& start,
                  const Points& x, std::vector<std::string>& remarks) {
  if (!words.kernel.empty()) return parse(words.kernel);
  if (start && start->expansion().parts().kernel) return *start->expansion().parts().kernel;
  if (x.domain().kind != "reals") {
    fail(ErrorKind::usage, "--kernel: {}; say which kernel, such as '{}'",
         x.domain().kind == "strings" ? "the inputs are text" : "not all inputs are numbers", kernel_such_as(x));
  }
  remarks.push_back(fmt::format("no kernel given: {}", machine.kernel));
  return parse(machine.kernel);
}

Matrix square_matrix(const Points& x, const std::string& path) {
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
  arguments.option("--scale", scale, "WORD",
                   "Of the inputs: none, standard, minmax [standard for CSV and TSV files of numbers, else none]");
  arguments.option("--memory", memory, "SIZE", "To use at most, such as 4GB [planned from what is free]");
  arguments.option("--threads", threads, "N", "[MERCER_NUM_THREADS, or one per core]");
  arguments.option("--format", file.format, "NAME", "Of the data: auto, csv, tsv, libsvm, npy, idx");
  arguments.option("--header", file.header, "WORD", "Does the first line hold names: yes, no, auto");
}

std::vector<std::string> TrainingWords::taken(std::vector<std::string> own) {
  for (const char* const word : {"--kernel", "--target", "--weights", "--scale", "--memory", "--threads", "--format",
                                 "--header", "--output", "--json", "--help"}) {
    own.push_back(word);
  }
  return own;
}

Model TrainingData::complete(const Model& model) const {
  return model.with([&](Model::Parts& parts) {
    parts.scaling = scaling;
    parts.inputs = inputs;
    parts.targets = targets;
  });
}

TrainingData read_training(const TrainingWords& words, const Machine& machine, const Settings& settings,
                           const std::optional<Model>& start, Watch& watch) {
  const Task task = machine.task_for(settings);
  const bool precomputed = words.kernel == kPrecomputed;
  if (!words.kernel.empty() && !precomputed) parse(words.kernel);  // refused before the data are read
  if (!words.scale.empty()) scaling_kind(words.scale);
  const Execution how{.threads = static_cast<int>(whole_number("--threads", words.threads, 0, 1, 4096)),
                      .monitor = watch.monitor()};
  const std::size_t memory = memory_size("--memory", words.memory);

  const Raw raw = read(words, machine.name, task);
  watch.gently();
  const auto with_rest = [&](TrainingData out, const std::string& target_file) {
    if (takes_target(task)) {
      add_targets(raw.targets, machine.name, task, target_file, out.training);
      for (const Column& column : raw.targets) out.targets.push_back(column.name);
    } else if (!words.target.empty()) {
      out.remarks.push_back(fmt::format("{} learns without a target: {} is left out", machine.name, words.target));
    }
    out.training.weights = raw.weights;
    out.training.how = how;
    out.training.memory = memory;
    return out;
  };
  if (precomputed) {
    if (!words.scale.empty() && scaling_kind(words.scale) != Scaling::Kind::none) {
      fail(ErrorKind::usage, "--scale: kernel values cannot be scaled like inputs; leave it out");
    }
    TrainingData out{.training = {.K = mercer::precomputed(square_matrix(raw.points, words.data))}};
    out.remarks.push_back("kernel values given as numbers");
    return with_rest(std::move(out), words.target);
  }

  const Schema inputs = Schema::of(raw.points);
  if (start) start->parts().inputs.require(raw.points);
  const Scaling scaling = scaling_for(words, start, raw.points);
  const Points x = scaling.apply(raw.points);
  std::vector<std::string> remarks = {scaling_remark(scaling, !words.scale.empty() || start)};
  const Kernel given = kernel_for(words, machine, start, x, remarks);
  const Params params = given.params();
  if (x.size() == 1 && std::any_of(params.begin(), params.end(), [](const Parameter& p) { return p.automatic; })) {
    fail(ErrorKind::data, "{}: one row, and auto needs two; add rows, or give --kernel a number for it", words.data);
  }
  const Kernel k = given.resolve(x);
  if (!(k == given)) remarks.push_back(fmt::format("auto is {}", k.str()));
  TrainingData out{.training = {.K = lazy(k, x, {.threads = how.threads})},
                   .scaling = scaling,
                   .inputs = inputs,
                   .remarks = std::move(remarks)};
  return with_rest(std::move(out), words.data);
}

}  // namespace mercer::cli
