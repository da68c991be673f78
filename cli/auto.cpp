// mercer auto: machines race on a table, and the best is fitted to all of it.
#include "mercer/auto.hpp"

#include <cmath>
#include <utility>

#include "base/fail.hpp"
#include "base/text.hpp"
#include "mercer/model_file.hpp"
#include "output.hpp"
#include "training_words.hpp"
#include "watch.hpp"

namespace mercer::cli {

namespace {

// "60", "60s", "2m".
double time_word(const std::string& text) {
  if (text.empty()) return workflow::RaceRequest{}.seconds;
  const double unit = text.ends_with('m') ? 60 : 1;
  const bool has_unit = text.ends_with('s') || text.ends_with('m');
  const std::optional<double> given = parse_number(std::string_view(text).substr(0, text.size() - (has_unit ? 1 : 0)));
  if (given && *given > 0 && std::isfinite(*given)) return unit * *given;
  fail(ErrorKind::usage, "--time: seconds above 0, such as 60 or 60s, not {}", mercer::quoted(text));
}

std::string score_of(const workflow::Runner& one) {
  if (!one.failure.empty()) return "-";
  return one.error > 0 ? fmt::format("{:.4g} +- {:.1g}", one.mean, one.error) : fmt::format("{:.4g}", one.mean);
}

std::string table_of(const workflow::Race& race) {
  std::vector<std::vector<std::string>> rows = {{"runner", "machine", race.metric, "seconds", ""}};
  for (std::size_t r = 0; r < race.runners.size(); ++r) {
    const workflow::Runner& one = race.runners[r];
    const std::string words = !one.failure.empty() ? one.failure
                              : r == race.best     ? "best"
                              : one.baseline       ? "baseline"
                                                   : "";
    rows.push_back(
        {one.name, one.machine, score_of(one), one.seconds < 1e-3 ? "-" : fmt::format("{:.2g}", one.seconds), words});
  }
  return table(rows);
}

Json race_json(const workflow::Race& race) {
  Json runners = Json::array();
  for (const workflow::Runner& one : race.runners) {
    const bool done = one.failure.empty();
    runners.push_back({{"name", one.name},
                       {"machine", one.machine},
                       {"baseline", one.baseline},
                       {"kernel", one.kernel ? Json(one.kernel->str()) : Json()},
                       {"settings", one.settings},
                       {"score", done ? json_number(one.mean) : Json()},
                       {"standard_error", done ? json_number(one.error) : Json()},
                       {"seconds", one.seconds},
                       {"failure", done ? Json() : Json(in_options(one.failure))}});
  }
  return {{"task", race.task->name},
          {"target", race.target},
          {"why", in_options(race.why)},
          {"metric", race.metric},
          {"larger_is_better", race.larger_is_better},
          {"folds", race.folds},
          {"points", race.points},
          {"best", race.runners[race.best].name},
          {"runners", std::move(runners)}};
}

}  // namespace

int run_auto(const Words& words) {
  std::string data, target, weights, task, time, output, memory, threads, types, columns, drop, missing;
  FormatWords file;
  bool as_json = false, verbose = false, intervals = false;
  Arguments arguments(
      "auto",
      "A table and no opinion: says what is predicted, classes or numbers, and why; machines race on the same rows "
      "held "
      "out, beside the mean (or the largest class), a linear machine and nearest neighbours; the best is fitted to all "
      "rows. The model is one as of `mercer fit`.",
      "  mercer auto titanic.csv --target survived -o titanic.mercer\n"
      "  mercer auto homes.csv.gz --target price --drop Order --time 5m -o homes.mercer\n"
      "\nWhat a machine does not know is chosen as `mercer fit` chooses it, once, on all rows, so that the\n"
      "errors are a little too good. Ctrl-C ends the race, and the best so far is fitted.\n");
  arguments.required("DATA", data, kDataHelp);
  arguments.option("--target", target, "COL", "What to predict: a column's name or number from 1 [the last column]");
  arguments.option("--task", task, "WORD", "classification or regression [by the look of the target]");
  arguments.option("--time", time, "SECONDS",
                   "For all, such as 60, 60s or 5m; two thirds of it are for the race [60s]");
  arguments.option("--weights", weights, "COL", "How much each point counts: a column, or a file");
  arguments.option("--types", types, "LIST", "What columns are, such as 'zip=category, size=low<mid<high', as of fit");
  arguments.option("--columns", columns, "COLS", "The inputs, separated by commas [all but the target]");
  arguments.option("--drop", drop, "COLS", "Columns that are no inputs");
  arguments.option("--missing", missing, "MARKS",
                   "What means a gap, beside an empty field, NA, N/A, NaN, nan, null and ?");
  arguments.flag("--intervals", intervals,
                 "Keep what predict --interval needs, as of fit: of the best, five fits more, which --time leaves out");
  arguments.option("--memory", memory, "SIZE", "Use at most this much, such as 4GB [planned from what is free]");
  arguments.option("--threads", threads, "N", "[MERCER_NUM_THREADS, or one per core]");
  arguments.option("-o,--output", output, "FILE", "Where the model goes, such as m.mercer");
  arguments.is_output();
  file.declare(arguments);
  arguments.flag("-v,--verbose", verbose, "The whole report");
  arguments.flag("--json", as_json, "The race and a summary of the model on standard output, for programs");
  if (!arguments.parse(words)) return 0;
  if (output.empty()) fail(ErrorKind::usage, "auto: the model needs a file: add -o m.mercer");
  const workflow::RaceRequest request{.source = file.source(data),
                                      .target = target,
                                      .weights = weights,
                                      .table = table_wishes(types, columns, drop, missing),
                                      .task = task,
                                      .memory = memory_size("--memory", memory),
                                      .seconds = time_word(time),
                                      .intervals = intervals};
  Execution how = execution(threads);

  Watch watch;
  how.monitor = watch.monitor();
  bool begun = as_json;
  const workflow::Race race = workflow::race(request, how, [&](const workflow::Race& so_far) {
    if (std::exchange(begun, true)) return;
    std::vector<std::string> lines = so_far.remarks;
    lines.push_back(fmt::format("{} of {}, because {}", so_far.task->name, so_far.target, so_far.why));
    watch.announce(std::move(lines));
  });
  if (race.interrupted) watch.go_on();
  const workflow::FitResult fitted = workflow::fit(race, how);
  watch.done();
  const Model& model = fitted.model;
  save(output, model);
  if (as_json) {
    Json all{{"race", race_json(race)}, {"model", to_json(fitted)}, {"output", output}};
    put_json(all);
  } else {
    watch.say_announced();
    for (const std::string& line : lines_of(table_of(race))) say(line);
    say(fmt::format("{}, of {} rows; a little too good, because what was chosen was chosen on them",
                    race.folds == 1 ? "one fold held out" : fmt::format("{} folds", race.folds), race.points));
    const std::string& chosen = fitted.choice.words;
    if (!chosen.empty()) say("chosen: " + chosen);
    if (verbose) {
      for (const std::string& line : lines_of(model.report().str())) say(line);
    }
    say(fmt::format("{}: {}", workflow::describe(model), workflow::outcome(model)));
  }
  return model.report().converged ? 0 : 1;
}

}  // namespace mercer::cli
