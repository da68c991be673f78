// mercer score: how well a model predicts points whose truth is known.
#include <algorithm>
#include <cmath>
#include <map>

#include "arguments.hpp"
#include "base/at.hpp"
#include "base/parallel.hpp"
#include "graph_columns.hpp"
#include "mercer/metrics.hpp"
#include "mercer/model_file.hpp"
#include "model_inputs.hpp"
#include "model_output.hpp"
#include "normal.hpp"
#include "row_groups.hpp"
#include "watch.hpp"

namespace mercer::cli {

namespace {

struct Marks {
  std::vector<std::pair<std::string, double>> figures;
  std::vector<std::string> classes = {};  // of the confusion
  Matrix confusion = {};                  // rows: truth, columns: prediction
};

// Numbers of the classes in the model, followed by those it has never seen.
struct Truth {
  std::vector<std::string> classes;
  std::vector<Index> of;
};
Truth truth_in(const Column& column, std::vector<std::string> classes) {
  std::map<std::string, Index> number;
  for (std::size_t c = 0; c < classes.size(); ++c) number[classes[c]] = static_cast<Index>(c);
  Truth out{std::move(classes), {}};
  for (const std::string& name : column.texts()) {
    const auto [place, is_new] = number.emplace(name, static_cast<Index>(out.classes.size()));
    if (is_new) out.classes.push_back(name);
    out.of.push_back(place->second);
  }
  return out;
}

Marks mark_classes(const Model& model, const ModelInputs& inputs, const Matrix& scores, const std::string& path,
                   const Execution& how) {
  const Column& column = inputs.targets[0];
  require_present(column, path);
  const auto known = static_cast<Index>(model.classes().size());
  const Truth truth = truth_in(column, model.classes());
  require_distinct_classes(truth.classes, path);
  const std::vector<Index> predicted = inputs.classes(model, scores, how);
  const auto classes = static_cast<Index>(truth.classes.size());
  Marks out{{{"accuracy", accuracy(truth.of, predicted)},
             {"balanced_accuracy", balanced_accuracy(truth.of, predicted)},
             {"f1", f1(truth.of, predicted, classes)}},
            truth.classes,
            confusion(truth.of, predicted, classes)};
  // What ranks and probabilities say of classes that the model does not know is nothing.
  const bool several = std::any_of(truth.of.begin(), truth.of.end(), [&](Index c) { return c != truth.of[0]; });
  if (classes > known) return out;
  if (several) out.figures.emplace_back("auc", auc(truth.of, class_scores(model.parts().reading, scores, known)));
  if (gives_probabilities(model)) {
    const Matrix probabilities = inputs.probabilities(model, scores, how);
    out.figures.emplace_back("log_loss", log_loss(truth.of, probabilities));
    out.figures.emplace_back("brier", brier(truth.of, probabilities));
  }
  return out;
}

Vector column_of(const Matrix& m, Index j) {
  Vector out;
  for (Index i = 0; i < m.rows(); ++i) out.push_back(m(i, j));
  return out;
}

const Vector& numbers_of(const Column& column, const std::string& path) {
  if (column.numbers.empty()) {
    fail(ErrorKind::data, "{}: the target {} holds text; the model predicts numbers", path,
         mercer::quoted(column.name));
  }
  return column.numbers;
}

Marks mark_values(const Model& model, const ModelInputs& inputs, const Matrix& scores, const std::string& path,
                  const Execution& how) {
  const std::vector<Column>& truth = inputs.targets;
  const Matrix values = model.targets_of(scores);
  if (static_cast<Index>(truth.size()) != values.cols()) {
    fail(ErrorKind::data, "{}: {} targets where the model predicts {}; name them with --target a,b", path, truth.size(),
         values.cols());
  }
  Marks out;
  // A precomputed kernel does not say k(x, x), which the variance begins with.
  const bool banded = model.has_posterior() && model.expansion().parts().kernel;
  const Matrix variances = banded ? model.variances(inputs.points, how) : Matrix();
  for (Index t = 0; t < values.cols(); ++t) {
    const Vector& given = numbers_of(truth[at(t)], path);
    const Vector predicted = column_of(values, t);
    const std::string suffix = values.cols() == 1 ? "" : fmt::format("({})", truth[at(t)].name);
    out.figures.emplace_back("rmse" + suffix, rmse(given, predicted));
    out.figures.emplace_back("mae" + suffix, mae(given, predicted));
    out.figures.emplace_back("r2" + suffix, r2(given, predicted));
    if (!banded) continue;
    Vector variance = column_of(variances, t);
    for (double& v : variance) v += model.posterior().noise[at(t)];
    const NormalMarks marks = normal_marks(given, predicted, variance);
    out.figures.emplace_back("mean_log_density" + suffix, marks.log_density);
    out.figures.emplace_back("coverage_95" + suffix, marks.coverage);
  }
  return out;
}

// Truth of +1 for what is like the training points and anything else for what is not.
Marks mark_novelty(const Matrix& scores, const Column& column) {
  std::vector<Index> truth, predicted;
  for (const std::string& name : column.texts()) truth.push_back(name == "1" ? 1 : 0);
  for (Index i = 0; i < scores.rows(); ++i) predicted.push_back(scores(i, 0) >= 0 ? 1 : 0);
  return {{{"accuracy", accuracy(truth, predicted)}, {"balanced_accuracy", balanced_accuracy(truth, predicted)}},
          {"other", "1"},
          confusion(truth, predicted, 2)};
}

// A density is right where points are likely; it needs no truth beside them.
Marks mark_density(const Matrix& density, const std::string& path) {
  double sum = 0;
  for (Index i = 0; i < density.rows(); ++i) {
    if (!(density(i, 0) > 0)) {
      fail(ErrorKind::numeric,
           "{}: row {} has density 0, too far from the training points, so the mean log density is minus infinity; "
           "use a wider kernel, or one with heavier tails such as laplace",
           path, i + 1);
    }
    sum += std::log(density(i, 0));
  }
  return {{{"mean_log_density", sum / static_cast<double>(density.rows())}}};
}

Marks marks_of(const Model& model, const ModelInputs& inputs, const std::string& path, const Execution& how) {
  if (model.parts().reading == Reading::density) return mark_density(inputs.scores(model, how), path);
  if (inputs.targets.empty()) {
    fail(ErrorKind::data, "{}: no column holds the truth to compare with{}; name it with --target", path,
         model.parts().targets.empty() ? "" : fmt::format(" ({})", fmt::join(model.parts().targets, ", ")));
  }
  const Matrix scores = inputs.scores(model, how);
  if (model.is_classifier()) return mark_classes(model, inputs, scores, path, how);
  if (model.parts().reading == Reading::novelty) return mark_novelty(scores, inputs.targets[0]);
  return mark_values(model, inputs, scores, path, how);
}

std::string text_of(const Marks& marks) {
  std::vector<std::vector<std::string>> rows;
  for (const auto& [name, value] : marks.figures) rows.push_back({name, fmt::format("{:.6g}", value)});
  std::string out = table(rows);
  if (marks.classes.empty()) return out;
  std::vector<std::vector<std::string>> counts = {{"truth \\ predicted"}};
  counts[0].insert(counts[0].end(), marks.classes.begin(), marks.classes.end());
  for (std::size_t i = 0; i < marks.classes.size(); ++i) {
    std::vector<std::string> row = {marks.classes[i]};
    for (std::size_t j = 0; j < marks.classes.size(); ++j) {
      row.push_back(number(marks.confusion(static_cast<Index>(i), static_cast<Index>(j))));
    }
    counts.push_back(std::move(row));
  }
  return out + "\n" + table(counts);
}

Json to_json(const Marks& marks) {
  Json out = Json::object();
  for (const auto& [name, value] : marks.figures) out[name] = json_number(value);
  if (marks.classes.empty()) return out;
  Json counts = Json::array();
  for (Index i = 0; i < marks.confusion.rows(); ++i) {
    const double* const row = marks.confusion.row(i);
    counts.push_back(std::vector<Index>(row, row + marks.confusion.cols()));
  }
  out["classes"] = marks.classes;
  out["confusion"] = counts;
  return out;
}

}  // namespace

int run_score(const Words& words) {
  std::string path, data, target, threads;
  FormatWords file;
  bool as_json = false;
  Arguments arguments(
      "score",
      "How well a model predicts the rows of DATA, which holds the truth as well. Classes: accuracy, balanced "
      "accuracy (mean over the classes), F1, AUC, with probabilities log loss and Brier score, and who was taken "
      "for whom. Numbers: RMSE, MAE, R2, and of models that know how sure they are (gp, rvm) the mean log density of "
      "the truth and how much of it lies in their 95 % band. Densities (kde): the mean log density of the rows.",
      "  mercer score iris.mercer test.csv\n  mercer score houses.mercer test.csv --target price --json\n");
  arguments.required("MODEL", path, "A file that `mercer fit` wrote");
  arguments.required("DATA", data, "A file of CSV, TSV, LIBSVM, NPY or IDX, also .gz; - is standard input");
  arguments.option("--target", target, "COL",
                   "The truth: a column's name or number, several (a,b), or a file [as in the training data]");
  arguments.option("--threads", threads, "N", "[MERCER_NUM_THREADS, or one per core]");
  arguments.option("--format", file.format, "NAME", format_help());
  arguments.option("--header", file.header, "WORD", "Does the first line hold names: yes, no, auto");
  arguments.option("--graphs", file.graphs, "COL=FOLDER", kGraphsHelp);
  declare_groups(arguments, file);
  arguments.flag("--json", as_json, "For programs");
  if (!arguments.parse(words)) return 0;
  Execution how{.threads = static_cast<int>(whole_number("--threads", threads, 0, 1, 4096))};
  const Threads limit(how.threads);

  Watch watch;
  const Model model = load(path);
  const ModelInputs inputs = read_inputs(model, data, target, file);
  watch.gently();
  how.monitor = watch.monitor();
  const Marks marks = marks_of(model, inputs, data, how);
  watch.clear_bar();
  as_json ? put_json(to_json(marks)) : put(text_of(marks));
  return 0;
}

}  // namespace mercer::cli
