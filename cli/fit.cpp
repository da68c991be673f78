// mercer fit: a machine fitted to a data file.
#include <algorithm>
#include <cmath>
#include <filesystem>
#include <limits>
#include <span>

#include "base/fail.hpp"
#include "base/memory.hpp"
#include "base/stages.hpp"
#include "distributed/ranks.hpp"
#include "io/checkpoint_file.hpp"
#include "io/unfinished.hpp"
#include "mercer/model_file.hpp"
#include "output.hpp"
#include "profile.hpp"
#include "training_words.hpp"
#include "watch.hpp"

namespace mercer::cli {

namespace {

// How memory was planned is for those who ask.
void say_notes(const Model& model) {
  for (const std::string& note : model.report().notes) {
    if (!note.starts_with("kernel rows: ")) say("note: " + note);
  }
}

// What several processes can share: passes over the rows, which have centres.
void require_shared(const Machine& machine, const TrainingWords& given, bool starts, bool resumes) {
  if (!machine.streams) {
    std::vector<std::string> names;
    for (const Machine& one : machines()) {
      if (one.streams) names.push_back(one.name);
    }
    fail(ErrorKind::usage, "fit {}: it works on all rows at once, in one process; {} share {} only", machine.name,
         distributed::ranks(), fmt::join(names, ", "));
  }
  const auto refuse = [&](std::string_view option, std::string_view why) {
    fail(ErrorKind::usage, "fit {}: {} {}; leave it out, or fit in one process", machine.name, option, why);
  };
  if (given.centres.empty() && given.centres_by.empty()) {
    fail(ErrorKind::usage, "fit {}: {} processes share the passes of a fit on centres; add --centres 1000, or auto",
         machine.name, distributed::ranks());
  }
  if (!given.time.empty()) refuse("--time", "is measured by the clock of one process");
  if (starts) refuse("--start", "takes all rows at once");
  if (resumes) refuse("--resume", "goes on in one process");
}

// Half of what the computer with the least has for each process on it: all of them decide by the same number.
std::size_t shared_memory() {
  std::vector<std::pair<std::string, double>> all;
  distributed::each(
      "memory", distributed::ranks(),
      [](Index) { return fmt::format("{:.0f} {}", available_memory(), distributed::host()); },
      [&](const std::string& own) {
        const std::size_t space = own.find(' ');
        all.emplace_back(own.substr(space + 1), std::stod(own.substr(0, space)));
      });
  double least = std::numeric_limits<double>::infinity();
  for (const auto& [host, bytes] : all) {
    const auto there =
        std::count_if(all.begin(), all.end(), [&own = host](const auto& other) { return other.first == own; });
    least = std::min(least, bytes / static_cast<double>(there) / 2);
  }
  return std::isfinite(least) ? static_cast<std::size_t>(least) : 0;
}

}  // namespace

int run_fit(const Words& all_words) {
  Words words = all_words;
  const Machine* const row = take_machine("fit", words);
  TrainingWords given;
  std::string output, start_path;
  bool plain = false, verbose = false, as_json = false, profiled = false, planned = false;
  Arguments arguments(
      row == nullptr ? "fit MACHINE" : "fit " + row->name,
      row == nullptr
          ? "Fits a machine to the points of DATA and writes the model. `mercer machines` lists the machines,\n"
            "`mercer fit MACHINE --help` the options of one."
          : fmt::format("{}\n{}", row->purpose, row->problem),
      "  mercer fit svc iris.csv --kernel 'rbf(ell=auto)' --C 10 -o iris.mercer\n"
      "  mercer fit ridge houses.csv --target price --ridge 0.1 -o houses.mercer -v\n"
      "  mercer fit svc train-images-idx3-ubyte --target train-labels-idx1-ubyte -o digits.mercer\n"
      "  mercer fit svc K.npy --kernel precomputed --target labels.csv -o m.mercer\n"
      "  mercer fit svc labels.csv --graph edges.txt --kernel 'diffusion(t=1)' -o nodes.mercer\n"
      "  mercer fit gp series.csv --kernel '9*rbf(ell=10) + periodic(period=fixed(1))' -o series.mercer\n"
      "  mercer fit ridge houses.csv --plan\n"
      "  mercer fit svc many.csv --centres 1000 -o few.mercer\n"
      "\nWhat is not given is chosen by how well points held out are predicted, and one line says what was\n"
      "chosen; `mercer machines NAME` lists what is tried. Ctrl-C ends the choosing, and the best so far is\n"
      "fitted.\n"
      "\nCtrl-C ends a fit early: what an iterative machine has by then is written, marked as not\n"
      "converged; machines with --start can go on from there. Exit codes: 0 fitted; 1 failed, or written\n"
      "but not converged; 2 unreadable command.\n");
  given.declare(arguments);
  const bool takes_centres = row == nullptr || row->centres != OnCentres::refused;
  if (takes_centres) given.declare_centres(arguments);
  if (row == nullptr || row->takes_start) {
    arguments.option("--start", start_path, "MODEL", "Go on from this model: its options, kernel and scale");
  }
  bool resume = false, intervals = false;
  const bool has_intervals =
      row == nullptr || row->task == Task::regression || row->task == Task::classification || row->task_given;
  if (has_intervals) {
    arguments.flag("--intervals", intervals,
                   "Keep what predict --interval needs: errors of points held out in five folds, which takes as many "
                   "fits. ridge and gp on all points need none. Of classifiers: what sets of classes need");
  }
  if (row == nullptr || row->resumes) {
    arguments.flag(
        "--resume", resume,
        "Go on where the same command was ended, from OUTPUT.checkpoint, which a fit that goes by steps keeps "
        "every minute");
  }
  arguments.option("-o,--output", output, "FILE", "Where the model goes, such as m.mercer");
  arguments.is_output();
  arguments.flag("--plain", plain, "Choose nothing: options and kernel that are not given are as in [brackets]");
  arguments.flag("--plan", planned,
                 "Only say how K would be held and solved, in how much memory and time; fit nothing");
  arguments.flag("-v,--verbose", verbose, "The whole report");
  arguments.flag("--profile", profiled, "Where the time went: seconds and shares of each stage, on standard error");
  arguments.flag("--json", as_json, "A summary on standard output, for programs");
  std::optional<MachineOptions> options;
  if (row != nullptr) {
    std::vector<std::string> taken = {"--start", "--plain", "--plan", "--verbose", "--profile"};
    if (row->resumes) taken.emplace_back("--resume");
    if (has_intervals) taken.emplace_back("--intervals");
    if (takes_centres) taken.insert(taken.end(), {"--centres", "--centres-by", "--time", "--stream"});
    options.emplace(*row, arguments, TrainingWords::taken(std::move(taken)));
  }
  if (!arguments.parse(words)) return 0;
  const Machine& machine = *row;
  if (output.empty() && !planned) fail(ErrorKind::usage, "fit: the model needs a file: add -o m.mercer");

  const bool several = distributed::several();
  if (several) require_shared(machine, given, !start_path.empty(), resume);

  const StageClock clock("read");
  Watch watch;
  workflow::FitRequest request = given.request(machine, options->settings());
  if (several && request.memory == 0) request.memory = shared_memory();
  request.plain = plain;
  request.intervals = intervals;
  if (!start_path.empty()) request.start = load(start_path);
  std::error_code none;
  const bool to_file =
      !output.empty() && (!std::filesystem::exists(output, none) || std::filesystem::is_regular_file(output, none));
  const std::string checkpoint = machine.resumes && to_file && !several ? output + ".checkpoint" : "";
  request.checkpoint = checkpoint;
  request.resume = resume;
  Execution how = execution(given.threads);
  how.monitor = watch.monitor();
  const workflow::Prepared data = workflow::prepare(request, how);
  if (planned) {
    put_plan(workflow::plan(data, how), as_json);
    return 0;
  }
  const auto say_remarks = [](std::span<const std::string> remarks) {
    for (const std::string& remark : remarks) say(remark);
  };
  if (verbose || !as_json) watch.announce(data.remarks);
  const workflow::Chosen chosen = workflow::choose(data, how);
  if (chosen.choice.interrupted) watch.go_on();
  if (verbose) {
    watch.say_announced();
    say_remarks(std::span(chosen.remarks).subspan(data.remarks.size()));
  }
  const workflow::FitResult fitted = workflow::fit(data, chosen, how);
  const Model& model = fitted.model;
  watch.done();
  {
    const Stage stage("write");
    if (distributed::speaks()) save(output, model);
  }
  if (!checkpoint.empty()) detail::remove_abandoned_files(output);
  if (fitted.is_done) remove_checkpoint(checkpoint);  // what was told to stop can be gone on with
  const bool goes_on = !checkpoint.empty() && std::filesystem::exists(checkpoint, none);
  const Profile profile(clock.seconds(), model.report());

  if (verbose) {
    say_remarks(std::span(fitted.remarks).subspan(chosen.remarks.size()));
    for (const std::string& line : lines_of(model.report().str())) say(line);
  }
  if (as_json) {
    Json summary = to_json(fitted);
    summary["remarks"] = Json::array();
    for (const std::string& remark : fitted.remarks) summary["remarks"].push_back(in_options(remark));
    summary["output"] = output;
    if (profiled) summary["profile"] = profile.json();
    put_json(summary);
  } else {
    watch.say_announced();
    if (!verbose) say_remarks(std::span(fitted.remarks).subspan(data.remarks.size()));
    const std::string found = workflow::learnt(model, chosen.choice.kernel);
    if (!found.empty()) say("learnt: " + found);
    say(fmt::format("{}: {}", workflow::describe(model), workflow::outcome(model)));
    if (!verbose) say_notes(model);
  }
  if (profiled) {
    for (const std::string& line : lines_of(profile.str())) say(line);
  }
  if (model.report().converged) return 0;
  say(fmt::format("{} holds the best model so far, which is not converged{}", output,
                  goes_on               ? "; the same command with --resume goes on"
                  : machine.takes_start ? "; go on with --start " + output
                                        : ""));
  return 1;
}

}  // namespace mercer::cli
