#include <algorithm>
#include <numeric>

#include "base/at.hpp"
#include "base/fail.hpp"
#include "mercer/intervals.hpp"
#include "model/class_answers.hpp"
#include "selection/errors_held_out.hpp"
#include "selection/held_out.hpp"

namespace mercer {

namespace {

// Errors that differ by less are the same, computed from other numbers.
constexpr double kRounding = 1e-10;

[[noreturn]] void fail_without_errors(const Model& model) {
  const std::string& name = model.parts().machine;
  if (!model.is_classifier()) fail(ErrorKind::usage, "sets: {} predicts no classes; sets are of classifiers", name);
  fail(ErrorKind::usage, "sets: this model of {} holds no errors of points held out; fit it again with `intervals`",
       name);
}

}  // namespace

struct ClassSets::Parts {
  Model model;
  double most = 0;  // error of a class in the set
  std::string words;
};

bool ClassSets::known(const Model& model) { return model.is_classifier() && detail::errors_held_out(model) != nullptr; }

ClassSets::ClassSets(const Model& model, double coverage) {
  detail::require_coverage(coverage);
  if (!known(model)) fail_without_errors(model);
  const Report::Table& kept = *detail::errors_held_out(model);
  const Vector count = detail::weights_in(kept);
  Vector errors;
  double points = 0;
  for (Index i = 0; i < kept.rows.rows(); ++i) {
    points += kept.rows(i, 0);
    errors.push_back(kept.rows(i, 1));
  }
  const double most = detail::quantile(errors, count, coverage);
  std::string words = fmt::format(
      "sets of {:.4g} %: errors of {:.6g} points held out in folds; about {:.4g} % of new points like these have "
      "their class in the set{}, approximate",
      100 * coverage, points, 100 * coverage,
      most == 0 ? " or more, because the predicted class alone was right as often" : "");
  words += detail::too_few_words(coverage, points);
  parts_ = std::make_shared<const Parts>(Parts{model, most, std::move(words)});
}

std::vector<std::vector<Index>> ClassSets::operator()(const Points& x, const Execution& how) const {
  return (*this)(detail::class_answers(parts_->model, x, how));
}

std::vector<std::vector<Index>> ClassSets::operator()(const detail::ClassAnswers& answers) const {
  const Model& model = parts_->model;
  const bool sure = answers.probabilities.rows() > 0;
  const auto classes = static_cast<Index>(model.classes().size());
  const Matrix said = sure ? answers.probabilities : detail::scores_of_classes(model, answers.scores);
  std::vector<std::vector<Index>> out;
  std::vector<Index> order(at(classes));
  for (Index i = 0; i < said.rows(); ++i) {
    const Vector errors = detail::errors_of_classes(said.row(i), classes, answers.classes[at(i)], sure);
    std::iota(order.begin(), order.end(), Index{0});
    std::stable_sort(order.begin(), order.end(), [&](Index a, Index b) { return errors[at(a)] < errors[at(b)]; });
    std::vector<Index> set;
    for (const Index c : order) {
      if (errors[at(c)] <= parts_->most * (1 + kRounding)) set.push_back(c);
    }
    const auto predicted = std::find(set.begin(), set.end(), answers.classes[at(i)]);
    std::rotate(set.begin(), predicted, predicted + 1);
    out.push_back(std::move(set));
  }
  return out;
}

const std::string& ClassSets::words() const { return parts_->words; }

}  // namespace mercer
