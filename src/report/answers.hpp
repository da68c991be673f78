// What the model says of the points of a subject: computed once, and shared by the figures and the pictures.
//
// Of held-out data it is what the model predicts. Of the points that it was fitted to, that would flatter: then each
// point is predicted from the others, in closed form where the machine has one (gp, ridge), else by fitting anew to
// four fifths of the points at a time.
#pragma once

#include "mercer/tune.hpp"
#include "report/subject.hpp"

namespace mercer::report {

enum class Evidence {
  held_out,       // data that the model has not seen
  leave_one_out,  // each point from all others, in closed form
  folds,          // fitted anew, 5 times
  training,       // the points of the fit: there was no other way, and `why` says so
};

struct Answers {
  HeldOut said;  // numbers of classes are those of subject.labels; variances are of an observation
  Evidence evidence = Evidence::held_out;
  std::string words = {};  // "held-out data", "leave-one-out", "5 folds, fitted anew"
  std::string why = {};    // why nothing better was had
};

// One row per point of x. Of models that predict numbers or classes, whether the truth is known or not; of others
// UsageError. Not for several threads at once on one subject.
const Answers& answers(const Subject& subject);

bool is_regression(const Subject& subject);      // predicts numbers, and y is there
bool is_classification(const Subject& subject);  // predicts classes, and labels are there

}  // namespace mercer::report
