// From the words of `fit` and `tune` to what a machine is fitted to.
#pragma once

#include "columns.hpp"
#include "machine_options.hpp"
#include "mercer/machines.hpp"
#include "mercer/tune.hpp"
#include "watch.hpp"

namespace mercer::cli {

// What both verbs take.
struct TrainingWords {
  std::string data, kernel, target, weights, graph, node, scale, memory, threads;
  FormatWords file;

  void declare(Arguments& arguments);
  // The words that options of a machine cannot have: these, and the verb's own.
  static std::vector<std::string> taken(std::vector<std::string> own);
};

// Data read, scaled and with a kernel; what a model will have to remember of them.
struct TrainingData {
  Training training;
  Scaling scaling = {};
  Schema inputs = {};                     // before scaling
  std::vector<std::string> targets = {};  // names
  std::vector<std::string> left_out = {};
  std::vector<std::string> remarks = {};         // what was decided for the user
  std::vector<std::string> kernel_remarks = {};  // the same of the kernel
  bool kernel_given = true;                      // by the user, and not the machine's own
  // The model as it is to be saved. Densities, and their logarithms, are those of the inputs before scaling.
  Model complete(const Model& model) const;
  void complete(Tuned& tuned) const;
};

// The settings say whether the machine learns classes or numbers. `start` gives kernel and scaling where the words give
// none. From the end of reading on, the watch stops gently.
TrainingData read_training(const TrainingWords& words, const Machine& machine, const Settings& settings,
                           const std::optional<Model>& start, Watch& watch);

}  // namespace mercer::cli
