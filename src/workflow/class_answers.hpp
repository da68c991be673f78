// What a model says of the classes of inputs, be they points or rows of kernel values.
#pragma once

#include "mercer/workflow.hpp"
#include "model/class_answers.hpp"

namespace mercer::workflow {

inline detail::ClassAnswers class_answers(const Model& model, const Inputs& inputs, const Execution& how) {
  if (model.averages()) return detail::class_answers(model, inputs.points, how);
  return detail::class_answers_of(model, inputs.scores(model, how));
}

}  // namespace mercer::workflow
