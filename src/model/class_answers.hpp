// What a classifier says of points, with nothing computed twice.
#pragma once

#include "mercer/model.hpp"

namespace mercer::detail {

struct ClassAnswers {
  std::vector<Index> classes;
  Matrix scores;         // empty where probabilities are averages over what f may be
  Matrix probabilities;  // empty where the model has none
};
ClassAnswers class_answers(const Model& model, const Points& x, const Execution& how);
// The same from scores at hand, of a model that does not average.
ClassAnswers class_answers_of(const Model& model, Matrix scores);

}  // namespace mercer::detail
