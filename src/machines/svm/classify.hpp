// Classes by support vectors: from a training set to problems of two sides, and from their solutions to a model.
#pragma once

#include <string>

#include "machines/svm/limits.hpp"
#include "mercer/machines/svm.hpp"

namespace mercer::detail {

// What Svc and NuSvc come down to.
struct Classifier {
  std::string machine;
  Vector cost;    // of each training point: the largest |alpha|
  double nu = 0;  // above 0: nu-SVC
  bool bias = true;
  bool hard = false;    // C = inf
  bool over_m = false;  // costs divided by the weight of the problem's points
  MultiClass multi_class = MultiClass::one_vs_one;
  bool probability = false;
  Limits limits = {};
};

Model fit_classes(const Classifier& classifier, const Training& training);

}  // namespace mercer::detail
