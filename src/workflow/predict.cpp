// What a model says of new points.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>

#include "base/at.hpp"
#include "base/fail.hpp"
#include "base/parallel.hpp"
#include "data/node_columns.hpp"
#include "data/source.hpp"
#include "mercer/machines/pca.hpp"
#include "model/new_series.hpp"
#include "workflow/class_answers.hpp"
#include "workflow/inputs.hpp"
#include "workflow/uncertainty.hpp"

namespace mercer::workflow {

namespace {

// Columns of each target's mean and deviation, side by side.
void add_pair(PredictResult& answer, const std::string& name, const Matrix& mean, const Matrix& deviation, Index target,
              Index column) {
  answer.header.insert(answer.header.end(), {name, name + "_std"});
  for (Index i = 0; i < mean.rows(); ++i) {
    answer.numbers(i, column) = mean(i, target);
    answer.numbers(i, column + 1) = deviation(i, target);
  }
}

PredictResult answer_with_deviations(const Model& model, const Inputs& inputs, bool with_noise, const Execution& how) {
  const auto [mean, deviation] = beliefs(model, inputs.points, with_noise, how);
  const std::vector<std::string> names = model.score_names();
  PredictResult out{{}, Matrix(mean.rows(), 2 * mean.cols())};
  for (Index t = 0; t < mean.cols(); ++t) add_pair(out, names[at(t)], mean, deviation, t, 2 * t);
  return out;
}

// Each target and the ends of its interval, side by side.
PredictResult answer_with_intervals(const Model& model, const Inputs& inputs, const Intervals& intervals,
                                    const Execution& how) {
  const Matrix predicted = model.targets_of(inputs.scores(model, how));
  const Band band = intervals(inputs.points, predicted, how);
  const std::vector<std::string> names = model.answer_names();
  PredictResult out{{}, Matrix(predicted.rows(), 3 * predicted.cols())};
  for (Index t = 0; t < predicted.cols(); ++t) {
    const std::string& name = names[at(t)];
    out.header.insert(out.header.end(), {name, name + "_low", name + "_high"});
    for (Index i = 0; i < predicted.rows(); ++i) {
      out.numbers(i, 3 * t) = predicted(i, t);
      out.numbers(i, 3 * t + 1) = band.low(i, t);
      out.numbers(i, 3 * t + 2) = band.high(i, t);
    }
  }
  return out;
}

PredictResult answer_with_sets(const Model& model, const Inputs& inputs, const ClassSets& sets, const Execution& how) {
  const std::string name = model.answer_names()[0];
  PredictResult out{{name, name + "_set"}};
  for (const std::vector<Index>& set : sets(class_answers(model, inputs, how))) {
    std::vector<std::string>& names = out.sets.emplace_back();
    for (const Index c : set) names.push_back(model.classes()[at(c)]);
    out.labels.push_back(names.front());
  }
  return out;
}

// f, and then each addend of its kernel; of several targets one after the other.
PredictResult answer_by_components(const Model& model, const Inputs& inputs, const Execution& how) {
  const auto [mean, deviation] = beliefs(model, inputs.points, false, how);
  std::vector<Component> parts = components(model, inputs.points, how);
  const std::vector<std::string> targets = model.score_names(), names = names_of(parts);
  for (Component& part : parts) {
    for (Index i = 0; i < part.variance.rows(); ++i) {
      for (Index t = 0; t < part.variance.cols(); ++t) part.variance(i, t) = std::sqrt(part.variance(i, t));
    }
  }
  const auto pairs = static_cast<Index>(parts.size()) + 1;
  PredictResult out{{}, Matrix(mean.rows(), 2 * pairs * mean.cols())};
  for (Index t = 0; t < mean.cols(); ++t) {
    const std::string prefix = mean.cols() == 1 ? "" : targets[at(t)] + ":";
    add_pair(out, targets[at(t)], mean, deviation, t, 2 * pairs * t);
    for (std::size_t c = 0; c < parts.size(); ++c) {
      add_pair(out, prefix + names[c], parts[c].mean, parts[c].variance, t,
               2 * (pairs * t + static_cast<Index>(c) + 1));
    }
  }
  for (const Component& part : parts) out.kernels.push_back(part.kernel ? part.kernel->str() : "mean");
  return out;
}

// The inputs that the coordinates stand for: by the fixed point where there is one, else learnt.
PredictResult answer_of_pre_images(const Model& model, const Inputs& inputs, const Execution& how) {
  const Matrix coordinates = model.targets_of(inputs.scores(model, how));
  PredictResult out{model.parts().inputs.columns};
  if (has_fixed_point(model)) {
    out.numbers = pre_images(model, coordinates, how);
  } else {
    out.remarks.emplace_back("pre-images learnt from the training points, by ridge regression on their coordinates");
    out.numbers = learn_pre_images(model, parse("rbf(ell=auto)"), 1e-3, how).predict_targets(rows(coordinates.view()));
  }
  for (Index j = static_cast<Index>(out.header.size()); j < out.numbers.cols(); ++j) {
    out.header.push_back(fmt::format("x{}", j + 1));
  }
  return out;
}

PredictResult answer_of(const Model& model, const Inputs& inputs, Answers ask, bool with_noise, const Execution& how) {
  if (ask == Answers::deviations) return answer_with_deviations(model, inputs, with_noise, how);
  if (ask == Answers::components) return answer_by_components(model, inputs, how);
  if (ask == Answers::pre_images) return answer_of_pre_images(model, inputs, how);
  if (ask == Answers::scores) return {model.score_names(), inputs.scores(model, how)};
  if (ask == Answers::probabilities) return {model.classes(), class_answers(model, inputs, how).probabilities};
  if (model.parts().reading->gives == Reading::Gives::numbers) {
    return {model.answer_names(), model.targets_of(inputs.scores(model, how))};
  }
  PredictResult out{model.answer_names()};
  for (const Index c : class_answers(model, inputs, how).classes) out.labels.push_back(model.classes()[at(c)]);
  return out;
}

// What the machine found for the training points.
PredictResult fitted_answer(const Model& model) {
  const Matrix& found = model.parts().fitted;
  PredictResult out{model.answer_names()};
  if (model.finds_clusters()) {
    for (Index i = 0; i < found.rows(); ++i) out.labels.push_back(model.classes()[at(static_cast<Index>(found(i, 0)))]);
  } else {
    out.numbers = found;
  }
  return out;
}

// Refused before the data are read.
void require_answer(const Model& model, Answers ask, bool with_noise) {
  if (ask == Answers::probabilities) model.require_probabilities();
  if (ask == Answers::deviations) require_posterior(model, "predict: `deviations`");
  if (ask == Answers::components) require_posterior(model, "predict: `components`");
  if (ask == Answers::pre_images) require_pre_images(model);
  if (with_noise && model.is_classifier()) {
    fail(ErrorKind::usage, "predict: `noise`: a {} observes classes and has no noise to add", model.parts().machine);
  }
}

void require_no_widths(const IntervalOptions& options) {
  if (!options.adaptive) return;
  fail(ErrorKind::usage,
       "predict: `adaptive` is about the widths of intervals, and sets of classes have none; leave it out");
}

// What reads its answers off a space of few dimensions.
Model with_coordinates(const Model& model) {
  const Reading reading = model.parts().reading;
  if (reading != Reading::class_means && reading != Reading::mixture) {
    fail(ErrorKind::usage, "predict: `coordinates` are those of kfda and gmm; the model is one of {}",
         model.parts().machine);
  }
  return model.as_embedding();
}

// What a request asks, and of which model.
struct Asked {
  const PredictRequest& request;
  Model model;
  Answers ask;
  std::optional<Intervals> intervals = {};
  std::optional<ClassSets> sets = {};

  Asked(const PredictRequest& from, const Execution& how)
      : request(from),
        model(from.answers == Answers::coordinates ? with_coordinates(from.model) : from.model),
        ask(from.answers == Answers::coordinates ? Answers::predictions : from.answers) {
    require_answer(model, ask, request.noise);
    if (ask != Answers::intervals) return;
    if (model.is_classifier()) {
      require_no_widths(request.interval);
      sets.emplace(model, request.interval.coverage);
      return;
    }
    // Nobody waits for the data meanwhile, and who says stop is not asked before these are read.
    intervals.emplace(model, request.interval, Execution{.threads = how.threads});
  }

  PredictResult of(const Inputs& inputs, const Execution& how) const {
    if (intervals) return signed_as(answer_with_intervals(model, inputs, *intervals, how));
    if (sets) return signed_as(answer_with_sets(model, inputs, *sets, how));
    return signed_as(answer_of(model, inputs, ask, request.noise, how));
  }
  // What is said once.
  std::vector<std::string> remarks() const {
    if (intervals) return {intervals->words()};
    if (sets) return {sets->words()};
    return {};
  }
  PredictResult signed_as(PredictResult out) const {
    out.machine = model.parts().machine;
    out.answers = request.answers;
    return out;
  }
};

PredictResult answer_as_a_whole(const Asked& asked, const Execution& how) {
  const PredictRequest& request = asked.request;
  const Model& model = asked.model;
  const Answers ask = asked.ask;
  const bool of_training = data::is_empty(request.source) && ask == Answers::predictions;
  if (of_training && model.parts().fitted.rows() > 0) return asked.signed_as(fitted_answer(model));
  const Inputs inputs = inputs_for(model, request.source, request.target);
  how.monitor.report({"read", 1});
  PredictResult out = asked.of(inputs, how);
  out.remarks.insert(out.remarks.begin(), inputs.remarks.begin(), inputs.remarks.end());
  std::ranges::copy(asked.remarks(), std::back_inserter(out.remarks));
  if (const Index unseen = detail::points_of_new_series(model, inputs.points); unseen > 0) {
    out.remarks.push_back(detail::new_series_words(unseen));
  }
  if (data::is_empty(request.source)) out.nodes = data::node_names(inputs.points);
  return out;
}

void add_up(const std::map<std::string, data::Happened>& from, std::map<std::string, data::Happened>& to) {
  for (const auto& [column, happened] : from) {
    data::Happened& all = to[column];
    if (all.count == 0) all.first = happened.first;
    all.count += happened.count;
  }
}

// What there is to say of all pieces when they are over.
struct OfAll {
  std::optional<data::Cooked> cooked = {};
  Index of_new_series = 0;

  void add(const Inputs& inputs, Index unseen) {
    of_new_series += unseen;
    if (!inputs.cooked) return;
    if (!cooked) {
      cooked = inputs.cooked;
      return;
    }
    add_up(inputs.cooked->filled, cooked->filled);
    add_up(inputs.cooked->unseen, cooked->unseen);
  }
  std::vector<std::string> remarks() const {
    std::vector<std::string> out = cooked ? remarks_of(*cooked) : std::vector<std::string>();
    if (of_new_series > 0) out.push_back(detail::new_series_words(of_new_series));
    return out;
  }
};

// Errors behind the reader count rows from the first of the piece, and say so. What was filled and what is new is added
// up over all pieces; other remarks are those of the first.
PredictResult answer_of_piece(const Asked& asked, Dataset piece, Index first_row, OfAll& of_all, const Execution& how) {
  const PredictRequest& request = asked.request;
  try {
    const Inputs inputs = inputs_of(asked.model, std::move(piece), request.source, request.target);
    PredictResult out = asked.of(inputs, how);
    if (!inputs.cooked && first_row == 0) out.remarks = inputs.remarks;
    if (first_row == 0) std::ranges::copy(asked.remarks(), std::back_inserter(out.remarks));
    of_all.add(inputs, detail::points_of_new_series(asked.model, inputs.points));
    return out;
  } catch (const Error& error) {
    if (first_row == 0 || error.kind() == ErrorKind::cancelled) throw;
    fail(error.kind(), "{} (rows are counted here from row {} of the data, where a piece of them begins)",
         error.message(), first_row + 1);
  }
}

}  // namespace

PredictResult predict(const PredictRequest& request, const Execution& how) {
  const Threads limit(how.threads);
  return answer_as_a_whole(Asked(request, how), how);
}

void predict(const PredictRequest& request, const std::function<bool(const PredictResult&)>& take, const Execution& how,
             Index rows_at_once) {
  const Threads limit(how.threads);
  const Asked asked(request, how);
  const Source& source = request.source;
  const bool row_by_row = asked.ask != Answers::pre_images && !data::is_file_beside(source, request.target);
  std::optional<RowReader> rows;
  if (row_by_row) rows = data::open_rows(source, reading_for(asked.model, request.target));
  if (!rows) {
    take(answer_as_a_whole(asked, how));
    return;
  }
  Execution some = how;
  some.monitor = Monitor([&](const Progress&) {
    how.monitor.report({"predict", rows->passed()});
    return true;
  });
  OfAll of_all;
  for (Index first = 0;; first = rows->row()) {
    std::optional<Dataset> piece = rows->next(rows_at_once);
    if (!piece) {
      // No rows, but what there is to say of all of them.
      if (!of_all.remarks().empty()) take(asked.signed_as({.remarks = of_all.remarks()}));
      return;
    }
    if (first == 0) how.monitor.report({"read", 1});
    if (!take(answer_of_piece(asked, std::move(*piece), first, of_all, some))) return;
    how.monitor.report({"predict", rows->passed()});
  }
}

}  // namespace mercer::workflow
