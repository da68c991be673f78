// Classes by ridge regression on codes: its row is that of `ridge`, with codes for targets before and classes after.
#include "mercer/machines/ridge_classifier.hpp"

#include <algorithm>

#include "base/at.hpp"
#include "machines/catalog_rows.hpp"
#include "machines/least_squares/codes.hpp"
#include "mercer/tune.hpp"
#include "model/training.hpp"

namespace mercer {

namespace {

constexpr std::string_view kName = "ridge_classifier";

// What values of f, held out, say of classes.
HeldOut of_classes(HeldOut found) {
  const Matrix f = std::move(found.values);
  found.values = {};
  const bool two = f.cols() == 1;
  found.class_scores = Matrix(f.rows(), two ? 2 : f.cols());
  for (Index i = 0; i < f.rows(); ++i) {
    double* const scores = found.class_scores.row(i);
    if (two) {
      scores[0] = -f(i, 0);
      scores[1] = f(i, 0);
    } else {
      std::copy_n(f.row(i), f.cols(), scores);
    }
    found.classes.push_back(two ? (f(i, 0) > 0 ? 1 : 0)
                                : static_cast<Index>(std::max_element(scores, scores + f.cols()) - scores));
  }
  return found;
}

std::vector<HeldOut> cross(const Machine& ridge, const Crossing& crossing) {
  const Training coded = detail::with_codes(crossing.training);
  std::vector<HeldOut> out = ridge.cross({coded, crossing.settings, crossing.folds});
  for (HeldOut& one : out) {
    if (one.failure.empty()) one = of_classes(std::move(one));
  }
  return out;
}

}  // namespace

Training detail::with_codes(const Training& training) {
  const auto classes = static_cast<Index>(training.labels.classes.size());
  Training out = training;
  out.y = Matrix(training.labels.size(), classes == 2 ? 1 : classes, -1);
  for (Index i = 0; i < out.y.rows(); ++i) {
    const Index own = training.labels.of[at(i)];
    if (classes > 2) {
      out.y(i, own) = 1;
    } else if (own == 1) {
      out.y(i, 0) = 1;
    }
  }
  out.labels = {};
  return out;
}

Model detail::with_classes(const Model& codes, const Labels& labels, std::string_view machine) {
  return codes.with([&](Model::Parts& parts) {
    parts.machine = machine;
    parts.reading = labels.classes.size() == 2 ? Reading::binary : Reading::largest;
    parts.classes = labels.classes;
    std::erase_if(parts.report.tables, [](const Report::Table& table) { return table.name == "residuals"; });
  });
}

Model KernelRidgeClassifier::fit(const Training& training) const {
  const Threads threads = detail::check_training(kName, Task::classification, training);
  return detail::with_classes(codes.fit(detail::with_codes(training)), training.labels, kName);
}

std::vector<Machine> detail::ridge_classifier_rows() {
  const Machine ridge = ridge_rows().front();
  Machine row = ridge;
  row.name = kName;
  row.purpose = "classes by kernel ridge regression on codes: the cheapest, for many points";
  row.problem = "min_f  sum_i w_i (y_i - f(x_i))^2 + ridge |f|^2 for y_i = +-1; of several classes an f for each";
  row.task = Task::classification;
  row.fit = [ridge](const Settings& settings, const Training& training) {
    const Threads threads = detail::check_training(kName, Task::classification, training);
    return with_classes(ridge.fit(settings, with_codes(training)), training.labels, kName);
  };
  row.cross = [ridge](const Crossing& crossing) { return cross(ridge, crossing); };
  row.leave_one_out = [ridge](const Model& model, const Training& training) {
    std::optional<HeldOut> found = ridge.leave_one_out(model, detail::with_codes(training));
    return found ? std::optional(of_classes(std::move(*found))) : std::nullopt;
  };
  return {row};
}

}  // namespace mercer
