// mercer/auto.hpp: a table and no opinion. Machines race on the same rows held out, and the best is fitted to all rows.
//
//     workflow::Race race = workflow::race({.source = {.path = "homes.csv"}, .target = "price", .seconds = 60});
//     for (const workflow::Runner& one : race.runners) ...       // what it is, its error, its seconds
//     workflow::FitResult fitted = workflow::fit(race);          // one ordinary model
//
// The task is read off the target, and why is said. The runners are fits as everybody else asks for them
// (mercer/workflow.hpp): what they do not know is chosen as `fit` chooses it, once, on all rows; then each is fitted
// anew without each fold, and compared by accuracy or RMSE on the points of the folds. So errors are a little too good
// where much was chosen, and most so of the best. The baselines run first (the mean or the largest class, a linear
// machine, nearest neighbours), then others by cost, until two thirds of the time are over; the rest of it is for the
// fit of the best. Beyond 5,000 points there is one fold. No stack of several machines is made.
#pragma once

#include <functional>
#include <memory>

#include "mercer/workflow.hpp"

namespace mercer::workflow {

struct RaceRequest {
  Source source = {};  // a file, which is read twice, or data at hand
  std::string target = {}, weights = {};
  data::TableWishes table = {};
  std::string task = {};  // "classification" or "regression"; empty: by the look of the target
  std::size_t memory = 0;
  double seconds = 60;     // of the race and the fit
  bool intervals = false;  // as of a fit: keep what intervals and sets of classes need
};

struct Runner {
  std::string name;     // "kernel ridge": no two are called alike
  std::string machine;  // "ridge"
  bool baseline = false;
  std::optional<Kernel> kernel = {};
  Settings settings = {};
  double mean = 0, error = 0;  // of the folds' scores, and its standard error (0 of one fold)
  double seconds = 0;
  std::string failure = {};  // why there is no score
};

struct Race {
  Task task = Task::regression;
  std::string target = {}, why = {};  // what is predicted, and why by this task
  std::string metric = {};
  bool larger_is_better = false;
  Index folds = 0, points = 0;
  std::vector<Runner> runners = {};
  std::size_t best = 0;  // the first among equals
  std::vector<std::string> remarks = {};
  bool interrupted = false;  // the monitor said stop: the best of those that were done
  // Of the best, for the fit.
  struct Winner;
  std::shared_ptr<const Winner> winner = {};
};

// Throws one line where the target is an id, constant, missing in all rows, free text or of too many classes. `done`
// hears of each runner when it has run.
Race race(const RaceRequest& request, const Execution& how = {},
          const std::function<void(const Race& so_far)>& done = {});
// The best fitted to all rows, with what the others came to in the table `race` of its report.
FitResult fit(const Race& race, const Execution& how = {});

}  // namespace mercer::workflow
