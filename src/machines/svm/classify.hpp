// Classes by support vectors: from a training set to problems of two sides, and from their solutions to a model.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "machines/svm/binary.hpp"
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

// Of the settings of a machine and the points they are for.
Classifier classifier_of(const Svc& svc, const Training& training);
Classifier classifier_of(const NuSvc& nusvc, const Training& training);

// Rows of K that several fits share.
struct ClassRows {
  std::shared_ptr<RowStore> store;
  std::vector<Index> segment;  // of each class of the fit
};
struct ClassFit {
  Model model;
  std::vector<BinaryOutcome> outputs;  // of the model; without scores where one side had no points
};
// Begins at the outputs of another fit on the same rows, of the same classes and reading; or anew, if there are none.
ClassFit fit_classes(const Classifier& classifier, const Training& training, const ClassRows& rows,
                     std::vector<BinaryOutcome> last);

}  // namespace mercer::detail
