// How well a model says what it says: figures by the model's reading.

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <set>

#include "base/at.hpp"
#include "base/fail.hpp"
#include "base/parallel.hpp"
#include "base/text.hpp"
#include "data/columns.hpp"
#include "mercer/metrics.hpp"
#include "workflow/class_answers.hpp"
#include "workflow/normal.hpp"
#include "workflow/table_inputs.hpp"

namespace mercer::workflow {

namespace {

struct Asked {
  const Model& model;
  const Inputs& inputs;
  const std::string& path;
  const Execution& how;
  const std::optional<IntervalOptions>& interval;

  Matrix scores() const { return inputs.scores(model, how); }
};

// How much point i counts.
double weight(const Inputs& inputs, Index i) { return inputs.weights.empty() ? 1 : inputs.weights[at(i)]; }

void require_weights(const Inputs& inputs, const std::string& path) {
  bool any = inputs.weights.empty();
  for (std::size_t i = 0; i < inputs.weights.size(); ++i) {
    const double w = inputs.weights[i];
    if (!(w >= 0) || std::isinf(w)) {
      fail(ErrorKind::data, "{}: the weight of row {} is {}; weights are finite numbers >= 0", path, i + 1, w);
    }
    any = any || w > 0;
  }
  if (!any) fail(ErrorKind::data, "{}: all weights are 0; give some row a weight", path);
}

// Numbers of the classes in the model, followed by those it has never seen.
struct Truth {
  std::vector<std::string> classes;
  std::vector<Index> of;
};
Truth truth_in(const Inputs& inputs, std::vector<std::string> classes) {
  std::map<std::string, Index> number;
  for (std::size_t c = 0; c < classes.size(); ++c) number[classes[c]] = static_cast<Index>(c);
  Truth out{std::move(classes), {}};
  for (const std::string& name : inputs.targets[0].texts()) {
    if (weight(inputs, static_cast<Index>(out.of.size())) == 0) {  // whatever it is, it does not count
      out.of.push_back(0);
      continue;
    }
    const auto [place, is_new] = number.emplace(name, static_cast<Index>(out.classes.size()));
    if (is_new) out.classes.push_back(name);
    out.of.push_back(place->second);
  }
  return out;
}

// The share of the truths that are in their sets and the mean size of these: of all points, and class by class.
void mark_sets(const Asked& asked, const Truth& truth, const detail::ClassAnswers& said, Marks& out) {
  const ClassSets sets(asked.model, asked.interval->coverage);
  out.remarks.push_back(sets.words());
  const std::vector<std::vector<Index>> found = sets(said);
  const std::size_t classes = truth.classes.size();
  Vector inside(classes), size(classes), total(classes);
  for (std::size_t i = 0; i < found.size(); ++i) {
    const double w = weight(asked.inputs, static_cast<Index>(i));
    const std::size_t c = at(truth.of[i]);
    if (std::find(found[i].begin(), found[i].end(), truth.of[i]) != found[i].end()) inside[c] += w;
    size[c] += w * static_cast<double>(found[i].size());
    total[c] += w;
  }
  const std::string stem = fmt::format("interval_{:.4g}", 100 * asked.interval->coverage);
  const auto add = [&](const std::string& suffix, double in, double sizes, double all) {
    out.figures.emplace_back(stem + "_coverage" + suffix, in / all);
    out.figures.emplace_back(stem + "_size" + suffix, sizes / all);
  };
  const auto sum = [](const Vector& all) { return std::accumulate(all.begin(), all.end(), 0.0); };
  add("", sum(inside), sum(size), sum(total));
  for (std::size_t c = 0; c < classes; ++c) {
    if (total[c] > 0) add(fmt::format("({})", truth.classes[c]), inside[c], size[c], total[c]);
  }
}

Marks mark_classes(const Asked& asked) {
  const auto& [model, inputs, path, how, interval] = asked;
  const Vector& w = inputs.weights;
  data::require_present(inputs.targets[0], path);
  const auto known = static_cast<Index>(model.classes().size());
  const Truth truth = truth_in(inputs, model.classes());
  data::require_distinct_classes(truth.classes, path);
  const detail::ClassAnswers said = class_answers(model, inputs, how);
  const std::vector<Index>& predicted = said.classes;
  const auto classes = static_cast<Index>(truth.classes.size());
  Marks out{{{"accuracy", accuracy(truth.of, predicted, w)},
             {"balanced_accuracy", balanced_accuracy(truth.of, predicted, w)},
             {"f1", f1(truth.of, predicted, classes, w)}},
            truth.classes,
            confusion(truth.of, predicted, classes, w)};
  if (interval) mark_sets(asked, truth, said, out);
  // What ranks and probabilities say of classes that the model does not know is nothing.
  std::set<Index> seen;
  for (std::size_t i = 0; i < truth.of.size(); ++i) {
    if (weight(inputs, static_cast<Index>(i)) > 0) seen.insert(truth.of[i]);
  }
  if (classes > known) return out;
  const bool sure = model.has_probabilities();
  // What the model prints is what is ranked.
  if (seen.size() > 1) {
    const Matrix ranking = sure ? said.probabilities : class_scores(model.parts().reading, said.scores, known);
    out.figures.emplace_back("auc", auc(truth.of, ranking, w));
  }
  if (sure) {
    out.figures.emplace_back("log_loss", log_loss(truth.of, said.probabilities, w));
    out.figures.emplace_back("brier", brier(truth.of, said.probabilities, w));
  }
  return out;
}

Vector column_of(const Matrix& m, Index j) {
  Vector out;
  for (Index i = 0; i < m.rows(); ++i) out.push_back(m(i, j));
  return out;
}

const Vector& numbers_of(const Column& column, const std::string& path) {
  if (column.numbers.empty()) {
    fail(ErrorKind::data, "{}: the target {} holds text; the model predicts numbers", path,
         mercer::quoted(column.name));
  }
  return column.numbers;
}

// The share of the truths within their intervals, and the mean width of these.
void mark_intervals(const Asked& asked, const Matrix& predicted, Marks& out) {
  const auto& [model, inputs, path, how, interval] = asked;
  const Intervals intervals(model, *interval, how);
  const Band band = intervals(inputs.points, predicted, how);
  out.remarks.push_back(intervals.words());
  for (Index t = 0; t < predicted.cols(); ++t) {
    const Vector& truth = numbers_of(inputs.targets[at(t)], path);
    double inside = 0, width = 0, total = 0;
    for (Index i = 0; i < predicted.rows(); ++i) {
      const double w = weight(inputs, i), low = band.low(i, t), high = band.high(i, t);
      if (w == 0) continue;
      inside += truth[at(i)] >= low && truth[at(i)] <= high ? w : 0;
      width += w * (high - low);
      total += w;
    }
    const std::string suffix = predicted.cols() == 1 ? "" : fmt::format("({})", inputs.targets[at(t)].name);
    const std::string stem = fmt::format("interval_{:.4g}", 100 * interval->coverage);
    out.figures.emplace_back(stem + "_coverage" + suffix, inside / total);
    out.figures.emplace_back(stem + "_width" + suffix, width / total);
  }
}

Marks mark_values(const Asked& asked) {
  const auto& [model, inputs, path, how, interval] = asked;
  const std::vector<Column>& truth = inputs.targets;
  const Matrix values = model.targets_of(asked.scores());
  if (static_cast<Index>(truth.size()) != values.cols()) {
    fail(ErrorKind::data, "{}: {} targets where the model predicts {}; name them with `target=a,b`", path, truth.size(),
         values.cols());
  }
  Marks out;
  // A precomputed kernel does not say k(x, x), which the variance begins with.
  const bool banded = model.has_posterior() && model.expansion().parts().kernel;
  const Matrix variances = banded ? model.variances(inputs.points, how) : Matrix();
  for (Index t = 0; t < values.cols(); ++t) {
    const Vector& given = numbers_of(truth[at(t)], path);
    const Vector predicted = column_of(values, t);
    const std::string suffix = values.cols() == 1 ? "" : fmt::format("({})", truth[at(t)].name);
    out.figures.emplace_back("rmse" + suffix, rmse(given, predicted, inputs.weights));
    out.figures.emplace_back("mae" + suffix, mae(given, predicted, inputs.weights));
    out.figures.emplace_back("r2" + suffix, r2(given, predicted, inputs.weights));
    if (!banded) continue;
    Vector variance = column_of(variances, t);
    for (double& v : variance) v += model.posterior().noise[at(t)];
    const NormalMarks marks = normal_marks(given, predicted, variance, inputs.weights);
    out.figures.emplace_back("mean_log_density" + suffix, marks.log_density);
    out.figures.emplace_back("coverage_95" + suffix, marks.coverage);
  }
  if (interval) mark_intervals(asked, values, out);
  return out;
}

// Truth of +1 for what is like the training points and anything else for what is not.
Marks mark_novelty(const Asked& asked) {
  const Matrix scores = asked.scores();
  std::vector<Index> truth, predicted;
  for (const std::string& name : asked.inputs.targets[0].texts()) truth.push_back(name == "1" ? 1 : 0);
  for (Index i = 0; i < scores.rows(); ++i) predicted.push_back(scores(i, 0) >= 0 ? 1 : 0);
  const Vector& w = asked.inputs.weights;
  return {{{"accuracy", accuracy(truth, predicted, w)}, {"balanced_accuracy", balanced_accuracy(truth, predicted, w)}},
          {"other", "1"},
          confusion(truth, predicted, 2, w)};
}

// A density is right where points are likely; it needs no truth beside them.
Marks mark_density(const Asked& asked) {
  const auto& [model, inputs, path, how, interval] = asked;
  const Matrix density = asked.scores();
  double sum = 0, total = 0;
  for (Index i = 0; i < density.rows(); ++i) {
    const double w = weight(inputs, i);
    if (w == 0) continue;
    if (!(density(i, 0) > 0)) {
      fail(ErrorKind::numeric,
           "{}: row {} has density 0, too far from the training points, so the mean log density is minus infinity; "
           "use a wider kernel, or one with heavier tails such as laplace",
           path, i + 1);
    }
    sum += w * std::log(density(i, 0));
    total += w;
  }
  return {{{"mean_log_density", sum / total}}};
}

// Of coordinates: how much of |phi(x) - mean|^2 they explain.
Marks mark_projection(const Asked& asked) {
  const Matrix scores = asked.scores();
  const Index last = scores.cols() - 1;
  double distances = 0, explained = 0, n = 0;
  for (Index i = 0; i < scores.rows(); ++i) {
    const double w = weight(asked.inputs, i);
    distances += w * scores(i, last);
    for (Index j = 0; j < last; ++j) explained += w * scores(i, j) * scores(i, j);
    n += w;
  }
  return {{{"mean_squared_distance", distances / n},
           {"mean_squared_residual", (distances - explained) / n},
           {"explained_share", distances > 0 ? explained / distances : 1}}};
}

// Of clusters: how they go together with a truth, if there is one, and how far the points are from their centres.
Marks mark_clusters(const Asked& asked) {
  const auto& [model, inputs, path, how, interval] = asked;
  const Matrix scores = asked.scores();
  const std::vector<Index> found = model.classes_of(scores);
  Marks out;
  if (model.parts().reading == Reading::clusters) {
    double sum = 0, total = 0;
    for (Index i = 0; i < scores.rows(); ++i) {
      sum += weight(inputs, i) * scores(i, found[at(i)]);
      total += weight(inputs, i);
    }
    out.figures.emplace_back("mean_squared_distance", sum / total);
  }
  if (inputs.targets.empty()) return out;
  data::require_present(inputs.targets[0], path);
  const Labels truth = Labels::from(inputs.targets[0].texts());
  out.figures.emplace_back("nmi", nmi(truth.of, found, inputs.weights));
  out.figures.emplace_back("ari", ari(truth.of, found, inputs.weights));
  out.figures.emplace_back("purity", purity(truth.of, found, inputs.weights));
  return out;
}

Marks mark_embedding(const Asked& asked) {
  fail(ErrorKind::usage, "score: {} gives coordinates, and there is no truth to hold them against; predict gives them",
       asked.model.parts().machine);
}

struct Marker {
  Reading reading;
  bool needs_truth;
  Marks (*mark)(const Asked& asked);
};

// By the reading, else by what it gives.
Marker marker_of(Reading reading) {
  static const std::vector<Marker> own = {{Reading::density, false, mark_density},
                                          {Reading::novelty, true, mark_novelty},
                                          {Reading::projection, false, mark_projection},
                                          {Reading::embedding, false, mark_embedding},
                                          {Reading::gower, false, mark_embedding}};
  for (const Marker& one : own) {
    if (one.reading == reading) return one;
  }
  if (reading->gives == Reading::Gives::classes) return {reading, true, mark_classes};
  if (reading->gives == Reading::Gives::clusters) return {reading, false, mark_clusters};
  return {reading, true, mark_values};
}

}  // namespace

Marks score(const Model& model, const Inputs& inputs, const std::string& path, const Execution& how,
            const std::optional<IntervalOptions>& interval) {
  const Marker marker = marker_of(model.parts().reading);
  if (marker.needs_truth && inputs.targets.empty()) {
    fail(ErrorKind::data, "{}: no column holds the truth to compare with{}; name it with `target`", path,
         model.parts().targets.empty() ? "" : fmt::format(" ({})", fmt::join(model.parts().targets, ", ")));
  }
  require_weights(inputs, path);
  return marker.mark({model, inputs, path, how, interval});
}

Marks score(const ScoreRequest& request, const Execution& how) {
  const Threads limit(how.threads);
  // Refused before the data are read.
  if (request.interval && request.model.is_classifier()) {
    (void)ClassSets(request.model, request.interval->coverage);
  } else if (request.interval && !Intervals::known(request.model)) {
    (void)Intervals(request.model, *request.interval);
  }
  const Inputs inputs = inputs_for(request.model, request.source, request.target, request.weights);
  how.monitor.report({"read", 1});
  if (!inputs.cooked || inputs.targets.empty()) {
    Marks out = score(request.model, inputs, request.source.path, how, request.interval);
    out.remarks.insert(out.remarks.begin(), inputs.remarks.begin(), inputs.remarks.end());
    return out;
  }
  Index left_out = 0;
  const Inputs known = with_truth(inputs, left_out);
  if (known.points.size() == 0) {
    fail(ErrorKind::data, "{}: the truth is missing in all rows; name its column by `target`", request.source.path);
  }
  Marks out = score(request.model, known, request.source.path, how, request.interval);
  out.remarks.insert(out.remarks.begin(), inputs.remarks.begin(), inputs.remarks.end());
  if (left_out > 0) {
    out.remarks.push_back(fmt::format("{} of {} rows left out, without the truth", left_out, inputs.points.size()));
  }
  return out;
}

}  // namespace mercer::workflow
