// mercer tune: options and kernel parameters chosen by cross-validation.
#include "mercer/tune.hpp"

#include <algorithm>
#include <cmath>

#include "mercer/model_file.hpp"
#include "output.hpp"
#include "training_words.hpp"
#include "watch.hpp"

namespace mercer::cli {

namespace {

std::string cell(double value) { return std::isnan(value) ? "-" : fmt::format("{:.6g}", value); }

// A fit to all points is judged once, by every criterion of its task; in folds there is one, with its spread.
std::string text_of(const SearchTable& tuned) {
  std::vector<std::string> others;
  for (const Candidate& candidate : tuned.candidates) {
    if (!others.empty()) break;
    for (const Report::Figure& figure : candidate.others) others.push_back(figure.name);
  }
  std::vector<std::vector<std::string>> rows = {tuned.axes};
  rows[0].push_back(tuned.metric);
  if (others.empty()) {
    rows[0].emplace_back("sd");
  } else {
    rows[0].insert(rows[0].end(), others.begin(), others.end());
  }
  rows[0].emplace_back();
  for (std::size_t c = 0; c < tuned.candidates.size(); ++c) {
    const Candidate& candidate = tuned.candidates[c];
    std::vector<std::string> row = candidate.values;
    if (!candidate.failure.empty()) {
      row.insert(row.end(), 1 + std::max<std::size_t>(1, others.size()), "-");
      row.push_back(candidate.failure);
    } else {
      row.push_back(cell(candidate.mean));
      if (others.empty()) row.push_back(fmt::format("{:.3g}", candidate.sd));
      for (const Report::Figure& figure : candidate.others) row.push_back(cell(figure.value));
      row.emplace_back(c == tuned.best ? "best" : candidate.converged ? "" : "not converged");
    }
    rows.push_back(std::move(row));
  }
  return table(rows);
}

}  // namespace

int run_tune(const Words& all_words) {
  Words words = all_words;
  const Machine* const row = take_machine("tune", words);
  TrainingWords given;
  std::string output, grid, points, folds_file, metric, count, repeats, random, seed;
  bool as_json = false, planned = false;
  Arguments arguments(
      row == nullptr ? "tune MACHINE" : "tune " + row->name,
      "Tries options of a machine and parameters of its kernel by cross-validation: a table, and the best "
      "model fitted to all points. Folds hold their share of every class. Inputs are scaled once, on all "
      "points, so that all folds share one matrix per kernel.",
      "  mercer tune svc iris.csv --grid 'C=1:1000,ell=0.1:10' --cv 5 -o best.mercer\n"
      "  mercer tune svc iris.csv --kernel 'rbf(ell=1)' --grid 'C=1,10,100,gamma=0.01:1' --random 40\n"
      "  mercer tune kmeans flowers.csv --grid 'clusters=2:10:9'\n"
      "  mercer tune ridge homes.csv --kernel 'matern(nu=1.5)' --grid 'ridge=1e-6:1,ell=.1:10' --metric mae\n"
      "\nA range low:high is --points values, evenly spaced in the logarithm if low > 0; low:high:7 is seven.\n"
      "2:10:9 is 2, 3, ..., 10: as many values as there are whole numbers are these.\n"
      "gamma stands for 1/(2 ell^2) of an rbf. Among equals the first candidate wins.\n");
  given.declare(arguments);
  arguments.option("--grid", grid, "AXES", "What to try, such as 'C=1:1000,ell=0.1,1,10'");
  arguments.option("--points", points, "N", "Values of a range [5]");
  arguments.option("--random", random, "N", "So many draws from the axes instead of all combinations");
  arguments.option("--cv", count, "K", "Folds [5, or as many as there are different rows]");
  arguments.option("--repeats", repeats, "N", "Divisions into folds [1]");
  arguments.option("--folds", folds_file, "FILE", "The fold of each point, one per row, instead");
  arguments.option("--seed", seed, "N", "Of folds and draws [1]; a machine's own goes into the grid: seed=7");
  arguments.option(
      "--metric", metric, "NAME",
      "accuracy, balanced_accuracy, f1, auc, log_loss, brier; rmse, mae, r2; log_density (gp, rvm, kde); of "
      "clusters and mixtures those that the table shows");
  arguments.option("-o,--output", output, "FILE", "Where the best model goes; without it there is only the table");
  arguments.is_output();
  arguments.flag("--plan", planned,
                 "Only say how K would be held and solved, in how much memory and time; try nothing");
  arguments.flag("--json", as_json, "For programs");
  std::optional<MachineOptions> options;
  if (row != nullptr) {
    options.emplace(*row, arguments,
                    TrainingWords::taken({"--grid", "--points", "--random", "--cv", "--repeats", "--folds", "--seed",
                                          "--metric", "--plan"}));
  }
  if (!arguments.parse(words)) return 0;
  const Machine& machine = *row;
  if (!folds_file.empty() && !(count.empty() && repeats.empty())) {
    fail(ErrorKind::usage, "tune: --folds says all; leave out --cv and --repeats");
  }
  workflow::Search search{.axes = parse_grid(grid, whole_number("--points", points, 5, 2, 1000000)),
                          .random = whole_number("--random", random, 0, 1, 1000000),
                          .seed = static_cast<std::uint64_t>(whole_number("--seed", seed, 1, 0)),
                          .metric = metric,
                          .folds_file = folds_file};
  if (!count.empty()) search.folds = whole_number("--cv", count, 5, 2);
  if (!repeats.empty()) search.repeats = whole_number("--repeats", repeats, 1, 1, 1000000);
  Execution how = execution(given.threads);

  Watch watch;
  how.monitor = watch.monitor();
  workflow::FitRequest request = given.request(machine, options->settings());
  request.stream = false;  // folds are gone through too often
  const workflow::Prepared data = workflow::prepare(request, how);
  if (planned) {
    put_plan(workflow::plan(data, search, how), as_json);
    return 0;
  }
  const Stopwatch searching;
  std::optional<workflow::TuneResult> found;
  try {
    found = workflow::tune(data, search, how);
  } catch (const SearchStopped& stopped) {
    watch.done();
    as_json ? put_json(to_json(stopped.table)) : put(text_of(stopped.table));
    say(fmt::format("{} after {}", kStopped, seconds_text(searching.seconds())));
    return 1;
  }
  const Tuned& tuned = found->tuned;
  watch.done();
  if (!output.empty()) save(output, tuned.model);
  if (as_json) {
    Json all = to_json(*found);
    all["output"] = output.empty() ? Json() : Json(output);
    put_json(all);
  } else {
    put(text_of(tuned));
    for (const std::string& remark : found->remarks) say(remark);
    say(fmt::format("{} candidate{}, {}, {}", tuned.candidates.size(), tuned.candidates.size() == 1 ? "" : "s",
                    found->folds > 0 ? fmt::format("{} folds", found->folds) : "each fitted to all points",
                    seconds_text(searching.seconds())));
    say(fmt::format("{}: {}", workflow::describe(tuned.model), workflow::outcome(tuned.model)));
  }
  return tuned.model.report().converged ? 0 : 1;
}

}  // namespace mercer::cli
