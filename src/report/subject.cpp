#include "report/subject.hpp"

#include <algorithm>
#include <set>

#include "base/at.hpp"
#include "base/fail.hpp"
#include "base/text.hpp"
#include "domains/fingerprints.hpp"
#include "points/join.hpp"
#include "points/rep.hpp"
#include "workflow/table_inputs.hpp"

namespace mercer::report {

namespace {

// More are no classes to colour by.
constexpr std::size_t kMostColours = 30;

bool predicts_numbers(const Model& model) {
  return machine(model.parts().machine).task_for(model.parts().settings) == Task::regression;
}

// The model's classes, then those it has never seen.
Labels labels_in(const workflow::Column& column, std::vector<std::string> classes, const std::string& source) {
  Labels out{std::move(classes), {}};
  std::map<std::string, Index> number;
  for (std::size_t c = 0; c < out.classes.size(); ++c) number[out.classes[c]] = static_cast<Index>(c);
  Index row = 0;
  for (const std::string& name : column.texts()) {
    ++row;
    if (name.empty()) {
      fail(ErrorKind::data, "{}: the target {} is missing in row {}; leave the row out", source,
           mercer::quoted(column.name), row);
    }
    const auto [place, is_new] = number.emplace(name, static_cast<Index>(out.classes.size()));
    if (is_new) out.classes.push_back(name);
    out.of.push_back(place->second);
  }
  return out;
}

Matrix numbers_in(const Model& model, const std::vector<workflow::Column>& columns, const std::string& source) {
  const auto wanted = static_cast<std::size_t>(model.answer_names().size());
  if (columns.size() != wanted) {
    fail(ErrorKind::data, "{}: {} targets where the model predicts {}; name them with `target=a,b`", source,
         columns.size(), wanted);
  }
  Matrix out(static_cast<Index>(columns[0].size()), static_cast<Index>(columns.size()));
  for (std::size_t t = 0; t < columns.size(); ++t) {
    if (columns[t].numbers.empty()) {
      fail(ErrorKind::data, "{}: the target {} holds text; the model predicts numbers", source,
           mercer::quoted(columns[t].name));
    }
    for (Index i = 0; i < out.rows(); ++i) out(i, static_cast<Index>(t)) = columns[t].numbers[at(i)];
  }
  return out;
}

void add_truth(Subject& subject, const std::vector<workflow::Column>& targets) {
  if (targets.empty()) return;
  if (predicts_numbers(subject.model)) {
    subject.y = numbers_in(subject.model, targets, subject.source);
  } else if (subject.model.is_classifier()) {
    subject.labels = labels_in(targets[0], subject.model.classes(), subject.source);
  } else {
    const std::vector<std::string> names = targets[0].texts();
    if (std::set<std::string>(names.begin(), names.end()).size() <= kMostColours) subject.labels = Labels::from(names);
  }
}

bool same_points(const Points& a, const Points& b) {
  if (a.size() != b.size() || a.domain() != b.domain()) return false;
  const Points both = join(a, b);
  for (Index i = 0; i < a.size(); ++i) {
    if (both.rep().compare(i, a.size() + i) != 0) return false;
  }
  return true;
}

// Models of before kept no more of their points than f needs.
bool holds_centres(const Expansion::Parts& f, const Points& scaled) {
  const bool whole = f.support.empty() && f.centres->size() == scaled.size();
  if (f.support.empty() && !whole) return false;
  return same_points(*f.centres, whole ? scaled : scaled.select(f.support));
}

// K of the fit, where x are its points. The kernel is the model's own, which need not be the one the fit began with.
std::optional<Gram> gram_of_fit(const Subject& subject) {
  const Expansion::Parts& f = subject.model.expansion().parts();
  if (f.training_size != subject.x.size()) return std::nullopt;
  if (!f.kernel) {
    const DenseRows rows = dense_rows(subject.x);
    if (rows.values.cols() != rows.values.rows()) return std::nullopt;
    try {
      return precomputed(Matrix(rows.values));
    } catch (const Error&) {
      return std::nullopt;  // not symmetric: rows of k(x, X) of other points
    }
  }
  const Points scaled = subject.model.parts().scaling.apply(subject.x);
  const std::vector<std::int64_t>& rows = subject.model.parts().provenance.rows;
  const bool same = rows.empty() ? holds_centres(f, scaled) : rows == fingerprints(subject.x);
  return same ? std::optional(gram_for(*f.kernel, scaled, {})) : std::nullopt;
}

}  // namespace

Subject subject_of(const Model& model, const workflow::Inputs& all, std::string source, const Execution& how) {
  Index without = 0;
  const workflow::Inputs inputs = all.cooked && !all.targets.empty() ? workflow::with_truth(all, without) : all;
  Subject out{.model = model, .x = inputs.points, .source = std::move(source), .how = how};
  add_truth(out, inputs.targets);
  const std::optional<Gram> K = gram_of_fit(out);
  out.fitted_to = K.has_value();
  const bool has_truth = model.is_classifier() ? out.labels.classes == model.classes() && out.labels.size() > 0
                                               : out.y.rows() > 0 || !predicts_numbers(model);
  if (!K || !has_truth) return out;
  out.training = Training{.K = *K, .weights = model.parts().provenance.weights, .how = how};
  if (model.expansion().parts().kernel) out.training->origin = Origin{out.x, model.parts().scaling};
  if (const auto& plan = model.report().plan; plan && plan->centres > 0) {
    out.training->centres = Centres(*K->kernel(), *model.expansion().parts().centres, how);
  }
  if (predicts_numbers(model)) out.training->y = Matrix(out.y);
  if (model.is_classifier()) out.training->labels = out.labels;
  return out;
}

}  // namespace mercer::report
