#include "model/class_answers.hpp"

#include "model/probabilities.hpp"

namespace mercer::detail {

ClassAnswers class_answers(const Model& model, const Points& x, const Execution& how) {
  if (!model.averages()) return class_answers_of(model, model.scores(x, how));
  ClassAnswers out;
  out.probabilities = model.probabilities(x, how);
  out.classes = likeliest(out.probabilities);
  return out;
}

ClassAnswers class_answers_of(const Model& model, Matrix scores) {
  ClassAnswers out;
  if (model.has_probabilities()) {
    out.probabilities = model.probabilities_of(scores);
    out.classes = likeliest(out.probabilities);
  } else {
    out.classes = model.classes_of(scores);
  }
  out.scores = std::move(scores);
  return out;
}

}  // namespace mercer::detail
