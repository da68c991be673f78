// mercer/machines.hpp: the machines by name, for callers who have options as texts: the command, model files, tuning.
// C++ callers find each machine as a struct in mercer/machines/NAME.hpp.
//
//     Model m = fit("svc", {{"C", "10"}}, {.K = lazy(k, x), .labels = Labels::from(names)});
#pragma once

#include <functional>
#include <limits>

#include "mercer/centres.hpp"
#include "mercer/checkpoints.hpp"
#include "mercer/gram.hpp"
#include "mercer/model.hpp"
#include "mercer/task.hpp"

namespace mercer {

// Where the points of K come from, for who makes copies of them (mercer/invariance.hpp).
struct Origin {
  Points inputs;                        // one for each training point, before they were prepared
  Scaling prepared = {};                // what made the points of them
  std::vector<RowMap> invariance = {};  // functions of your own, beside the maps that a machine's option names
};

// What a machine is fitted to.
struct Training {
  Gram K;
  Matrix y = {};                    // regression: one row per point, one column per target
  Labels labels = {};               // classification
  Vector weights = {};              // of the points; empty: all 1
  std::optional<Model> start = {};  // where to begin, for machines that can
  Execution how = {};               // threads, and the monitor. An iterative machine that is cancelled returns what it
                                    // has, with report().converged false; a direct one throws Error(cancelled)
  std::size_t memory = 0;           // bytes to use at most; 0: planned from what is free
  std::optional<Plan> plan = {};    // what K was made by; none: fit() makes one
  // Of K's kernel: f is made of these alone, and K is what they can say of it. For machines whose row has `centres`.
  std::optional<Centres> centres = {};
  std::optional<Origin> origin = {};  // none: the points are as they came
  // What the work keeps of itself; for machines whose row has `resumes`.
  std::shared_ptr<Checkpoints> checkpoints = {};
  // That the fit may take; for machines whose row has `keeps_time`, which return what they have by then.
  double seconds = std::numeric_limits<double>::infinity();
};

struct MachineOption {
  std::string name;      // "C", "max_iterations": words are joined by underscores
  std::string fallback;  // "1"; empty: none
  std::string help;      // "The price of a violation of the margin, > 0 or inf"
  bool flag = false;     // present or not: "true", "false"
};

// A law of mercer/testing.hpp that does not hold for a machine by its nature. docs/machines.md prints the reason.
struct Exception {
  enum class Law {
    order,    // the order of the points does not matter
    weights,  // a point of weight 2 counts as two points
    numbers,  // a matrix K of numbers alone gives the same f as the kernel and the points
  };
  Law law;
  std::string reason;
  Settings when = {};  // only with these settings; empty: always
};

// Values to try for an option, or for a parameter of the machine's own kernel: from simple to complex, the first of
// equals is chosen.
struct Trial {
  // Multiples of 1, of what auto gives, of the targets' standard deviation, of 1 over it.
  enum class Unit { one, automatic, target, per_target };
  std::string name;
  std::vector<double> values;
  Unit unit = Unit::one;
};

// How what users do not give is chosen (mercer/choose.hpp).
struct Choosing {
  std::vector<std::vector<Trial>> stages = {};  // each a grid; it goes on from what the one before has chosen
  Settings along = {};                          // set for good where not given
  Settings while_trying = {};                   // set for the trials only
  Settings settling = {};                       // set for fits on centres that settle `read` anew
  std::string metric = {};                      // of points held out in folds; empty: the usual one of the task
  std::string figure = {};                      // instead of folds: a figure of the report of a fit to all points
  bool larger_is_better = false;                // of the figure
  bool refine = false;                 // after a stage of one trial: between the neighbours of its best, to 1 %
  std::vector<std::string> read = {};  // options that a trial settles by itself: its figures of that name
  Settings expected = {};              // about what these come to: a plan that is made before counts with it
  // Kernels beside the machine's own, from simple to complex, each with the first stage's multiples of its own auto.
  std::vector<std::string> kernels = {};
  Index folds = 5;    // 1: a third of the points is held out
  Index most = 1000;  // different points; where there are more, a sample of so many
  // Where there are more than `most`: the best of each kernel, fitted to two thirds of a sample of so many and judged
  // by the rest; the best of these goes on to shorter ell while that helps. 0: the grid has the last word.
  Index finals = 0;
};

// What a machine does with centres.
enum class OnCentres {
  refused,      // its model is more than an expansion: a posterior, neighbours, a density
  as_features,  // fitted in their features as with linear(), and its f carried over to the kernel
  itself,       // by a way of its own
};

// A way of a machine to end in time.
struct Shortcut {
  Settings settings = {};  // to be added
  std::string words = {};  // "2500 of 10000 points are learnt from, because ..."
};

struct Crossing;  // mercer/tune.hpp
struct HeldOut;

// Where the loss of a fitted machine begins: what a picture draws about f.
struct Borders {
  Vector tube = {};                     // of each target: errors |y - f| up to this cost nothing; empty: no tube
  bool margin = false;                  // two classes: beyond f = 1, or -1, a point costs nothing
  std::optional<double> quantile = {};  // f is to have this share of the targets below it
};

// Of machines that learn their kernel, and some of their options with it, by the evidence for them.
struct ByEvidence {
  // The options that this model has learnt, and what they came to; parameters of its kernel that are not fixed come on
  // top.
  std::function<std::vector<Report::Figure>(const Model& model)> learnt = {};
  // The log evidence for the kernel of K with the model's options, those of `changed` excepted. One target.
  std::function<double(const Model& model, const std::vector<Report::Figure>& changed, const Training& training)>
      log_evidence = {};
};

struct Machine {
  std::string name;     // "svc"
  std::string purpose;  // one line
  std::string problem;  // its optimisation problem
  Task task = Task::regression;
  std::vector<MachineOption> options;
  std::function<Model(const Settings& settings, const Training& training)> fit;
  bool iterative = false;    // told to stop, it returns what it has, as not converged; the others throw
  bool takes_start = false;  // goes on from Training::start; the others refuse one
  bool warm_start = false;   // and that saves time and leaves the result as it is (to the tolerance)
  bool keeps_time = false;   // ends within Training::seconds, with room for what there is to do at the end
  bool resumes = false;      // keeps Training::checkpoints where it takes steps, and goes on from the last one
  // A faster way to cross-validate many settings on one Gram than fit by fit, for machines that have one.
  std::function<std::vector<HeldOut>(const Crossing& crossing)> cross = {};
  std::string kernel = "rbf(ell=auto)";                           // where users give none
  std::function<Task(const Settings& settings)> task_given = {};  // where it depends on the settings: rrm, on its loss
  std::vector<Exception> exceptions = {};
  // What to try; `training` is null where only that is asked. Empty where there is nothing to choose, or the machine
  // learns it by itself.
  std::function<Choosing(const Settings& given, const Training* training)> choosing = {};
  // Options that a fit with these settings cannot do without, guessed from the data: for callers who would have a rough
  // fit at once. Empty: it can always be fitted.
  std::function<Settings(const Settings& given, const Training& training)> guesses = {};
  // Settings beside those given with which a fit to so many points ends in the time and memory that `wishes` allow, and
  // what they approximate, in words; none: it does so as it is. For plans that may approximate.
  std::function<std::optional<Shortcut>(const Settings& given, const Extent& extent, const Wishes& wishes)> shortcut =
      {};
  Settings without_learning = {};  // with which a fit leaves the kernel and all that it would learn as they are given
  OnCentres centres = OnCentres::refused;
  // On centres it goes through the rows by passes alone: they may be in files, read again in every pass, and a plan
  // takes centres where all points would take too long.
  bool streams = false;
  // What a fit takes, before it begins. Empty: not known, and then nothing is planned or refused.
  std::function<Needs(const Settings& settings, const Extent& extent)> needs = {};

  // What can be told of its models beside their answers, by those that can. `model` is one of this machine's,
  // `training` what it was fitted to.
  bool posterior = false;  // they know how sure they are of f, where they know their kernel
  Settings path = {};      // settings with which a report has the table `path`: of penalties, an error and the freedom
  // Each point from those at other inputs, with what the model has learnt, in closed form; none where this model has no
  // such form.
  std::function<std::optional<HeldOut>(const Model& model, const Training& training)> leave_one_out = {};
  // Null training: not at hand, and then what depends on it is left out.
  std::function<Borders(const Model& model, const Training* training)> borders = {};
  std::optional<ByEvidence> by_evidence = {};

  Task task_for(const Settings& settings) const { return task_given ? task_given(settings) : task; }
  bool obeys(Exception::Law law, const Settings& settings) const;
};

const std::vector<Machine>& machines();
const Machine& machine(std::string_view name);  // throws UsageError, with the nearest name
// Checks the settings (unknown option: UsageError with the nearest name), fits, and records settings, time and schema.
Model fit(std::string_view name, const Settings& settings, const Training& training);
Model fit(const Machine& machine, const Settings& settings, const Training& training);  // also one of your own

}  // namespace mercer
