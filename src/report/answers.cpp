#include "report/answers.hpp"

#include <algorithm>

#include "base/at.hpp"
#include "base/fail.hpp"
#include "base/text.hpp"
#include "points/rep.hpp"
#include "selection/equal_points.hpp"
#include "selection/held_out.hpp"

namespace mercer::report {

namespace {

constexpr Index kFolds = 5;

bool knows_kernel(const Model& model) { return model.expansion().parts().kernel.has_value(); }

// The columns of the model's classes, and zeros for classes it has never seen.
Matrix widened(const Matrix& known, std::size_t classes) {
  Matrix out(known.rows(), static_cast<Index>(classes), 0);
  for (Index i = 0; i < known.rows(); ++i) std::copy_n(known.row(i), known.cols(), out.row(i));
  return out;
}

HeldOut predicted(const Subject& subject) {
  const Model& model = subject.model;
  Labels labels = subject.labels;
  if (labels.classes.empty()) labels.classes = model.classes();
  const Matrix scores =
      knows_kernel(model) ? model.scores(subject.x, subject.how) : model.scores_from_rows(dense_rows(subject.x).values);
  HeldOut out = detail::read_scores(labels, model, scores);
  if (!model.has_posterior() || !knows_kernel(model)) return out;
  if (model.posterior().likelihood.of_classes()) {  // averages over what f may be
    out.classes = model.predict_classes(subject.x, subject.how);
    out.probabilities = widened(model.probabilities(subject.x, subject.how), labels.classes.size());
  } else if (!model.is_classifier()) {
    out.variances = model.variances(subject.x, subject.how);
    for (Index i = 0; i < out.variances.rows(); ++i) {
      for (Index t = 0; t < out.variances.cols(); ++t) out.variances(i, t) += model.posterior().noise[at(t)];
    }
  }
  return out;
}

// ---- each point from the others ----

std::optional<HeldOut> in_closed_form(const Subject& subject) {
  const auto& leave_one_out = machine(subject.model.parts().machine).leave_one_out;
  if (!leave_one_out) return std::nullopt;
  Training all = *subject.training;
  all.how = subject.how;
  return leave_one_out(subject.model, all);
}

void put_rows(const Matrix& part, const Fold& fold, Index n, Matrix& whole) {
  if (part.rows() == 0) return;
  if (whole.rows() == 0) whole = Matrix(n, part.cols());
  for (std::size_t i = 0; i < fold.size(); ++i) {
    std::copy_n(part.row(static_cast<Index>(i)), part.cols(), whole.row(fold[i]));
  }
}

HeldOut together(const std::vector<HeldOut>& parts, const std::vector<Fold>& folds, Index n) {
  HeldOut out;
  for (std::size_t f = 0; f < folds.size(); ++f) {
    const HeldOut& part = parts[f];
    if (part.cause) std::rethrow_exception(part.cause);
    put_rows(part.values, folds[f], n, out.values);
    put_rows(part.variances, folds[f], n, out.variances);
    put_rows(part.class_scores, folds[f], n, out.class_scores);
    put_rows(part.probabilities, folds[f], n, out.probabilities);
    out.converged = out.converged && part.converged;
    if (part.classes.empty()) continue;
    out.classes.resize(at(n));
    for (std::size_t i = 0; i < folds[f].size(); ++i) out.classes[at(folds[f][i])] = part.classes[i];
  }
  return out;
}

HeldOut in_folds(const Subject& subject, const std::vector<Fold>& folds) {
  const Training& training = *subject.training;
  const Model::Parts& parts = subject.model.parts();
  std::vector<HeldOut> found;
  for (const Fold& fold : folds) {
    const detail::Cut cut(training, fold);
    Training rest = cut.rest();
    rest.how = subject.how;
    const Model model = fit(parts.machine, parts.settings, rest);
    HeldOut held = cut.say(model, subject.how);
    held.variances = cut.variances(model, subject.how);
    found.push_back(std::move(held));
  }
  return together(found, folds, training.K.size());
}

// A point whose twin stays is not left out: equal ones go together, in closed form as in folds.
Answers left_out(const Subject& subject) {
  try {
    const Training& training = *subject.training;
    const detail::Counted counted = detail::count_points(training, detail::first_equal(training.K));
    const char* const together = counted.some_equal() ? " (equal rows together)" : "";
    if (std::optional<HeldOut> found = in_closed_form(subject)) {
      return {std::move(*found), Evidence::leave_one_out, fmt::format("leave-one-out{}", together)};
    }
    const Division division = divide(training, std::min(kFolds, counted.different));
    return {in_folds(subject, division.folds), Evidence::folds,
            fmt::format("{} folds{}, fitted anew", division.folds.size(), together)};
  } catch (const Error& error) {
    if (error.kind() == ErrorKind::cancelled) throw;
    return {predicted(subject), Evidence::training, "training data", error.message()};
  }
}

}  // namespace

bool is_regression(const Subject& subject) {
  return subject.y.rows() > 0 &&
         machine(subject.model.parts().machine).task_for(subject.model.parts().settings) == Task::regression;
}

bool is_classification(const Subject& subject) { return subject.model.is_classifier() && subject.labels.size() > 0; }

const Answers& answers(const Subject& subject) {
  if (!*subject.answers) {
    Answers found;
    if (subject.fitted_to && subject.training) {
      found = left_out(subject);
    } else {
      found = {predicted(subject), subject.fitted_to ? Evidence::training : Evidence::held_out,
               subject.fitted_to ? "training data" : "held-out data"};
    }
    *subject.answers = std::make_shared<const Answers>(std::move(found));
  }
  return **subject.answers;
}

}  // namespace mercer::report
