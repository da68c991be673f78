// What a report is about: a model, and data that it is shown with.
#pragma once

#include <optional>

#include "mercer/machines.hpp"

namespace mercer::report {

struct Subject {
  Model model;
  Points x;            // as the model takes them: before its scaling
  Matrix y = {};       // the truth of models that predict numbers, one column per target; empty where it is not known
  Labels labels = {};  // the truth of classifiers: the model's classes first, then those it has never seen; of other
                       // models, classes that the points can be coloured by; empty where there are none
  std::string source = {};                // where the data came from, for words: "wine.csv"
  bool fitted_to = false;                 // x are the points that the model was fitted to
  std::optional<Training> training = {};  // what it was fitted to, then: for leaving out, refitting, paths
  Execution how = {};
};

}  // namespace mercer::report
