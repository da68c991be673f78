// mercer/machines.hpp: the machines by name, for callers who have options as texts: the command, model files, tuning.
// C++ callers find each machine as a struct in mercer/machines/NAME.hpp.
//
//     Model m = fit("svc", {{"C", "10"}}, {.K = lazy(k, x), .labels = Labels::from(names)});
#pragma once

#include <functional>

#include "mercer/model.hpp"

namespace mercer {

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
};

enum class Task { classification, regression, novelty, density };

struct MachineOption {
  std::string name;      // "C"
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

struct Crossing;  // mercer/tune.hpp
struct HeldOut;

struct Machine {
  std::string name;     // "svc"
  std::string purpose;  // one line
  std::string problem;  // its optimisation problem
  Task task;
  std::vector<MachineOption> options;
  std::function<Model(const Settings& settings, const Training& training)> fit;
  bool iterative = false;    // told to stop, it returns what it has, as not converged; the others throw
  bool takes_start = false;  // goes on from Training::start; the others refuse one
  bool warm_start = false;   // and that saves time and leaves the result as it is (to the tolerance)
  // A faster way to cross-validate many settings on one Gram than fit by fit, for machines that have one.
  std::function<std::vector<HeldOut>(const Crossing& crossing)> cross = {};
  std::string kernel = "rbf(ell=auto)";                           // where users give none
  std::function<Task(const Settings& settings)> task_given = {};  // where it depends on the settings: rrm, on its loss
  std::vector<Exception> exceptions = {};

  Task task_for(const Settings& settings) const { return task_given ? task_given(settings) : task; }
  bool obeys(Exception::Law law, const Settings& settings) const;
};

const std::vector<Machine>& machines();
const Machine& machine(std::string_view name);  // throws UsageError, with the nearest name
// Checks the settings (unknown option: UsageError with the nearest name), fits, and records settings, time and schema.
Model fit(std::string_view name, const Settings& settings, const Training& training);
Model fit(const Machine& machine, const Settings& settings, const Training& training);  // also one of your own

}  // namespace mercer
