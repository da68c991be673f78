// What a report is about: a model, and data that it is shown with.
#pragma once

#include <array>
#include <memory>
#include <optional>

#include "mercer/machines.hpp"
#include "mercer/workflow.hpp"

namespace mercer::report {

struct Answers;  // report/answers.hpp: what the model says of x

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
  // Found when first asked for; copies of a subject share it.
  std::shared_ptr<std::shared_ptr<const Answers>> answers = std::make_shared<std::shared_ptr<const Answers>>();
  // What pictures of x show: low and high of the first axis, then of the second. Unset: as far as the points go.
  std::optional<std::array<double, 4>> box = {};
};

// Of a model and data that were read for it. Whether these are the points of the fit is found by comparing them with
// what the model knows of its own. Throws Error where the truth is not of the kind that the model predicts.
Subject subject_of(const Model& model, const workflow::Inputs& inputs, std::string source, const Execution& how = {});

}  // namespace mercer::report
