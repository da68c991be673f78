#include "mercer/auto.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <cmath>

#include "base/fail.hpp"
#include "base/parallel.hpp"
#include "base/stopwatch.hpp"
#include "base/text.hpp"
#include "data/class_look.hpp"
#include "data/column_types.hpp"
#include "selection/criterion.hpp"
#include "selection/equal_points.hpp"
#include "workflow/raw_training.hpp"

namespace mercer::workflow {

// What the fit of the best begins with.
struct Race::Winner {
  Prepared data;
  Chosen chosen;
  double seconds = 0;  // left for it
};

namespace {

constexpr Index kFolds = 5, kLeastRows = 10;
constexpr Index kOneFold = 5000;      // beyond so many points
constexpr double kForRace = 2.0 / 3;  // of the time

struct Entry {
  std::string name, machine;
  bool baseline = false;
  std::string kernel = {};  // empty: the usual one
  Settings settings = {};
  Index most = 0;  // points; 0: any number
};

// Baselines, then others by cost.
const std::vector<Entry>& entries_for(Task task) {
  static const std::vector<Entry> numbers = {
      {"mean", "nadaraya_watson", true, "const(c=1)"},
      {"linear", "ridge", true, "linear() + 1"},
      {"neighbours", "knn_regression", true},
      {"kernel ridge", "ridge"},
      {"process", "gp"},
      {"support vectors", "svr", false, "", {}, 20000},
      {"learnt lengths", "rfm", false, "", {}, 2000},
  };
  // To a kernel that is the same everywhere a classifier knows how often each class is.
  static const std::vector<Entry> classes = {
      {"largest class", "ridge_classifier", true, "const(c=1)", {{"ridge", "1e-6"}}},
      {"linear", "logistic", true, "linear()"},
      {"neighbours", "knn", true},
      {"support vectors", "svc"},
      {"kernel ridge", "ridge_classifier"},
      {"kernel logistic", "logistic", false, "", {}, 3000},
      {"process", "gpc", false, "", {}, 500},
      {"learnt lengths", "rfm_classifier", false, "", {}, 2000},
  };
  return task == Task::classification ? classes : numbers;
}

struct Decided {
  Task task = Task::regression;
  std::string why = {};
};

// Of data at hand the target is no column that another name would change.
[[noreturn]] void fail_target(const data::Source& source, const Column& column, const std::string& what) {
  fail(ErrorKind::data, "{}: the target {} {}{}", source.path, mercer::quoted(column.name), what,
       source.data ? "" : "; `target` names another column");
}

Decided decide(const Column& column, const std::string& wanted, const data::Source& source) {
  const std::size_t rows = column.size();
  const std::vector<std::string> texts = column.texts();
  const std::size_t different = Labels::from(texts).classes.size();
  if (different < 2) fail_target(source, column, "is the same in all rows: there is nothing to learn");
  const data::ClassLook look = data::look_for_classes(column);
  const bool words = !column.words.empty();
  Decided out;
  if (wanted == "regression") {
    if (words) fail_target(source, column, fmt::format("holds texts such as {}, no numbers", mercer::quoted(texts[0])));
    return {Task::regression, "as asked for"};
  }
  if (wanted == "classification") {
    out = {Task::classification, "as asked for"};
  } else if (!wanted.empty()) {
    fail(ErrorKind::usage, "`task`: classification or regression, not {}", mercer::quoted(wanted));
  } else if (words) {
    out = {Task::classification, fmt::format("it holds {} names", different)};
  } else if (different == 2 || look.as == data::ClassLook::As::classes) {
    out = {Task::classification, fmt::format("it holds {} different numbers, each of them often; `task=regression` "
                                             "takes them as numbers",
                                             different)};
  } else {
    const ColumnRecipe recipe = data::recipe_of(data::Cells(column, {}), "", source.path);
    if (recipe.type == ColumnType::id) {
      fail_target(
          source, column,
          fmt::format("looks like an id ({}), which tells rows apart and nothing else; if it is a quantity, say "
                      "`task=regression`",
                      recipe.why));
    }
    return {Task::regression, fmt::format("it holds {} different numbers", different)};
  }
  if (words && different == rows) {
    fail_target(source, column, fmt::format("holds {} texts, all different: an id or free text, and no classes", rows));
  }
  if (words && look.as == data::ClassLook::As::rare) {
    fail_target(source, column,
                fmt::format("holds {} different texts in {} rows: free text, and no classes", different, rows));
  }
  if (different > data::kMostClasses) {
    fail(ErrorKind::data,
         "{}: the target {} has {} classes, and auto takes at most {}; ridge_classifier takes any number", source.path,
         mercer::quoted(column.name), different, data::kMostClasses);
  }
  return out;
}

FitRequest request_for(const RaceRequest& request, const std::string& machine) {
  return {.machine = machine,
          .source = request.source,
          .target = request.target,
          .weights = request.weights,
          .table = request.table,
          .memory = request.memory,
          .stream = false,
          .intervals = request.intervals};
}

// The same data for another machine.
Prepared with_machine(Prepared data, const Entry& entry, double seconds) {
  data.machine = entry.machine;
  data.settings = entry.settings;
  data.time = seconds;
  return changed(data, entry.settings,
                 entry.kernel.empty() ? KernelChoice(Usual{}) : KernelChoice(parse(entry.kernel)));
}

// Ends when the time is over, or when somebody says stop; then it tells which.
class Clock {
 public:
  Clock(double seconds, const Monitor& monitor) : seconds_(seconds), monitor_(monitor) {}

  Monitor monitor() {
    return Monitor([this](const Progress& progress) {
      try {
        monitor_.report(progress);
      } catch (const Error& error) {
        if (error.kind() != ErrorKind::cancelled) throw;
        stopped_ = true;
      }
      return !stopped_ && !is_over();
    });
  }
  double left() const { return std::max(0.0, seconds_ - since_start_.seconds()); }
  bool is_over() const { return since_start_.seconds() > seconds_; }
  bool stopped() const { return stopped_; }

 private:
  double seconds_;
  const Monitor& monitor_;
  Stopwatch since_start_;
  std::atomic<bool> stopped_ = false;
};

// A fit without each fold, of what was chosen on all points.
Candidate run(const Prepared& data, const Chosen& chosen, const std::vector<Fold>& folds, const Execution& how) {
  Training training = data.training;
  training.how = how;
  const std::optional<Kernel>& kernel = chosen.choice.kernel;
  if (kernel && kernel != training.K.kernel()) training.K = gram_for(*kernel, *data.x, {});
  if (chosen.wishes) {
    training.centres =
        chosen.centres ? *chosen.centres : mercer::choose_centres(*kernel, *data.weighted, *chosen.wishes, how);
  }
  return cross_validate(data.machine, chosen.choice.settings, training, folds);
}

// What was chosen on all points may be more than a fold leaves (neighbours): then options are as they are plainly.
Candidate run_or_plain(Prepared& data, Chosen& chosen, const std::vector<Fold>& folds, const Execution& how) {
  try {
    return run(data, chosen, folds, how);
  } catch (const Error& error) {
    if (error.kind() != ErrorKind::usage || chosen.choice.words.empty()) throw;
  }
  data.plain = true;
  chosen = choose(data, how);
  return run(data, chosen, folds, how);
}

bool is_better(const Race& race, const Runner& one, const Runner& other) {
  return race.larger_is_better ? one.mean > other.mean : one.mean < other.mean;
}

std::vector<Fold> folds_of(const Training& training, std::vector<std::string>& remarks) {
  const Index different = detail::count_points(training, detail::first_equal(training.K)).different;
  if (different < 2) {
    fail(ErrorKind::data, "auto: {} different row{}, and machines are compared on rows held out; add rows", different,
         different == 1 ? "" : "s");
  }
  Division division = divide(training, std::min(kFolds, different));
  if (!division.remark.empty()) remarks.push_back(std::move(division.remark));
  if (training.K.size() > kOneFold) division.folds.resize(1);
  return std::move(division.folds);
}

}  // namespace

Race race(const RaceRequest& request, const Execution& how, const std::function<void(const Race& so_far)>& done) {
  if (!(request.seconds > 0) || !std::isfinite(request.seconds)) {
    fail(ErrorKind::usage, "`time`: seconds, a number above 0, not {}", request.seconds);
  }
  if (request.source.path == "-" && !request.source.data) {
    fail(ErrorKind::usage, "`source`: auto reads its data twice, and standard input is there once; name a file");
  }
  const Threads limit(how.threads);
  const Stopwatch since_start;
  Clock clock(kForRace * request.seconds, how.monitor);
  const Execution timed{.tile = how.tile, .threads = how.threads, .monitor = clock.monitor()};

  Race out;
  Decided decided;
  {
    const RawTraining raw = read_raw(request_for(request, "ridge"), Task::regression);
    if (raw.targets.size() != 1) {
      fail(ErrorKind::usage, "`target`: auto predicts one column, not {}; fit takes several", raw.targets.size());
    }
    const Column& column = raw.targets.front();
    if (column.size() < static_cast<std::size_t>(kLeastRows)) {
      fail(ErrorKind::data,
           "{}: {} row{} with a target, and auto compares machines on rows held out; it takes {} or more",
           request.source.path, column.size(), column.size() == 1 ? "" : "s", kLeastRows);
    }
    decided = decide(column, request.task, request.source);
    out.target = column.name;
  }
  out.task = decided.task;
  out.why = decided.why;
  const std::vector<Entry>& entries = entries_for(out.task);
  const Entry& usual = entries[3];
  Execution reading = how;
  const Prepared base = prepare(request_for(request, usual.machine), reading);
  out.remarks = base.remarks;
  out.points = base.training.K.size();
  const std::vector<Fold> folds = folds_of(base.training, out.remarks);
  out.folds = static_cast<Index>(folds.size());
  const detail::Criterion& criterion = detail::criterion("", usual.machine, out.task);
  out.metric = criterion.name;
  out.larger_is_better = criterion.larger_is_better;

  bool any = false;
  std::string first_failure;
  for (const Entry& entry : entries) {
    Runner runner{.name = entry.name, .machine = entry.machine, .baseline = entry.baseline};
    const Stopwatch own;
    std::optional<Prepared> data;
    std::optional<Chosen> chosen;
    if (entry.most > 0 && out.points > entry.most) {
      runner.failure = fmt::format("for at most {} rows", entry.most);
    } else if (clock.stopped()) {
      runner.failure = "stopped before";
    } else if (clock.is_over()) {
      runner.failure = "the time was over";
    } else {
      try {
        data = with_machine(base, entry, clock.left());
        chosen = choose(*data, timed);
        const Candidate found = run_or_plain(*data, *chosen, folds, timed);
        runner.kernel = chosen->choice.kernel;
        runner.settings = chosen->choice.settings;
        runner.mean = found.mean;
        runner.error = folds.size() > 1 ? found.sd / std::sqrt(static_cast<double>(folds.size())) : 0;
        runner.failure = found.failure;
        if (std::isnan(found.mean) && runner.failure.empty()) runner.failure = "no score";
      } catch (const Error& error) {
        runner.failure = error.kind() == ErrorKind::cancelled ? "" : error.message();
        if (runner.failure.empty()) runner.failure = "-";
      }
      // What was told to stop may have given something half done.
      if (clock.stopped() || clock.is_over()) {
        runner.failure = clock.stopped() ? "stopped on request" : "the time was over";
      }
    }
    runner.seconds = own.seconds();
    if (first_failure.empty()) first_failure = runner.failure;
    out.runners.push_back(std::move(runner));
    const Runner& last = out.runners.back();
    if (last.failure.empty() && (!any || is_better(out, last, out.runners[out.best]))) {
      any = true;
      out.best = out.runners.size() - 1;
      out.winner = std::make_shared<const Race::Winner>(Race::Winner{*data, *chosen, 0});
    }
    if (done) done(out);
  }
  out.interrupted = clock.stopped();
  if (!any && out.interrupted) fail(ErrorKind::cancelled, "auto: stopped on request");
  if (!any) {
    fail(ErrorKind::usage, "auto: no machine was done: {} ({}); `time` allows more", first_failure, entries[0].name);
  }
  Race::Winner winner = *out.winner;
  winner.seconds = std::max(1.0, request.seconds - since_start.seconds());
  winner.data.time = winner.seconds;
  winner.chosen.seconds = 0;  // which is left after choosing
  out.winner = std::make_shared<const Race::Winner>(std::move(winner));
  return out;
}

FitResult fit(const Race& race, const Execution& how) {
  FitResult out = fit(race.winner->data, race.winner->chosen, how);
  Report::Table table{"race", {}, {}};
  std::vector<const Runner*> done;
  for (const Runner& one : race.runners) {
    if (one.failure.empty()) done.push_back(&one);
  }
  table.rows = Matrix(3, static_cast<Index>(done.size()));
  for (std::size_t r = 0; r < done.size(); ++r) {
    const auto column = static_cast<Index>(r);
    table.columns.push_back(done[r]->name);
    table.rows(0, column) = done[r]->mean;
    table.rows(1, column) = done[r]->error;
    table.rows(2, column) = done[r]->seconds;
  }
  const Runner& best = race.runners[race.best];
  std::string note = fmt::format(
      "auto: {} ({}) was the best of {} in {} {}, by {} {:.4g}; the table race has of each its {}, the standard error "
      "of "
      "that, and its seconds",
      best.name, best.machine, done.size(), race.folds, race.folds == 1 ? "fold" : "folds", race.metric, best.mean,
      race.metric);
  out.model = std::move(out.model).with([&](Model::Parts& parts) {
    parts.report.tables.push_back(std::move(table));
    parts.report.notes.push_back(std::move(note));
  });
  return out;
}

}  // namespace mercer::workflow
