// What to do first with data that nobody has said anything about.
#pragma once

#include "mercer/workflow.hpp"

namespace mercer::workflow {

struct Suggestion {
  Points inputs;                  // all columns but the target
  std::string target = {};        // the column to predict; empty: none
  std::optional<Task> task = {};  // with it
  Labels labels = {};             // of a target that holds classes
  std::string machine = {};
  std::string kernel = {};  // empty where the user has to say which
};
Suggestion suggest(const Dataset& data);

// Machines to play with, the best known first: they answer while points move, and have few options that matter.
struct Playable {
  std::string machine;
  Settings options = {};  // those that are worth a slider, and where they start
};
const std::vector<Playable>& playable();

}  // namespace mercer::workflow
