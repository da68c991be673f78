// mercer score: how well a model predicts points whose truth is known.
#include "arguments.hpp"
#include "input_words.hpp"
#include "mercer/model_file.hpp"
#include "output.hpp"
#include "watch.hpp"

namespace mercer::cli {

namespace {

std::string text_of(const workflow::Marks& marks) {
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

}  // namespace

int run_score(const Words& words) {
  std::string path, data, target, weights, interval, threads;
  FormatWords file;
  bool as_json = false;
  Arguments arguments(
      "score",
      "How well a model predicts the rows of DATA, which holds the truth as well. Classes: accuracy, balanced "
      "accuracy (mean over the classes), F1, AUC, with probabilities log loss and Brier score, and the table of "
      "confusions. Numbers: RMSE, MAE, R2, and of models that know how sure they are (gp, rvm) the mean log density of "
      "the truth and how much of it lies in their 95 % band. Densities (kde): the mean log density of the rows. "
      "Coordinates (pca): how much of the variance they explain. Clusters: how well they agree with the truth (nmi, "
      "ari, purity), if there is one, and how far the points are from their centres.",
      "  mercer score iris.mercer test.csv\n  mercer score houses.mercer test.csv --target price --json\n");
  arguments.required("MODEL", path, "A file that `mercer fit` wrote");
  arguments.required("DATA", data, kDataHelp);
  arguments.option("--target", target, "COL",
                   "The truth: a column's name or number, several (a,b), or a file [as in the training data]");
  arguments.option("--weights", weights, "COL", "How much each row counts: a column, or a file; 2 is the row twice");
  arguments.option("--interval", interval, "PERCENT",
                   "Also how many of the truths lie in intervals of so many per cent, and how wide these are; or in "
                   "sets of classes, "
                   "and how many these hold, by class too");
  arguments.option("--threads", threads, "N", "[MERCER_NUM_THREADS, or one per core]");
  file.declare(arguments);
  file.declare_structure(arguments);
  arguments.flag("--json", as_json, "For programs");
  if (!arguments.parse(words)) return 0;
  Execution how = execution(threads);

  Watch watch;
  how.monitor = watch.monitor();
  workflow::ScoreRequest request{
      .model = load(path), .source = file.source(data), .target = target, .weights = weights};
  if (!interval.empty()) request.interval = IntervalOptions{.coverage = coverage_word(interval)};
  const workflow::Marks marks = workflow::score(request, how);
  watch.done();
  for (const std::string& remark : marks.remarks) say(remark);
  as_json ? put_json(to_json(marks)) : put(text_of(marks));
  return 0;
}

}  // namespace mercer::cli
