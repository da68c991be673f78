#include "selection/errors_held_out.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "base/at.hpp"
#include "base/fail.hpp"
#include "mercer/intervals.hpp"
#include "selection/equal_points.hpp"
#include "selection/held_out.hpp"

namespace mercer {

namespace {

constexpr std::string_view kHeldOut = "held_out";
constexpr Index kFolds = 5;
// Probabilities that differ by less are the same, added up in another order.
constexpr double kTie = 1e-12;

// Of a class that a fit without the fold could not know.
constexpr double kUnknown = std::numeric_limits<double>::infinity();

// Without the fold only one class is left, and there is nothing to fit.
bool is_of_one_class(const Training& training) {
  Index first = -1;
  for (Index i = 0; i < training.labels.size(); ++i) {
    if (!training.weights.empty() && training.weights[at(i)] == 0) continue;
    const Index c = training.labels.of[at(i)];
    if (first >= 0 && c != first) return false;
    first = c;
  }
  return training.labels.size() > 0;
}

// One row for each point of the fold, one column for each target.
Matrix errors_in_fold(const Model& model, const Training& training, const Fold& fold) {
  const detail::Cut cut(training, fold);
  Training rest = cut.rest();
  rest.how = training.how;
  const auto n = static_cast<Index>(fold.size());
  if (!model.is_classifier()) {
    Matrix out = cut.say(fit(model.parts().machine, model.parts().settings, rest), training.how).values;
    for (Index i = 0; i < n; ++i) {
      for (Index t = 0; t < out.cols(); ++t) out(i, t) = training.y(fold[at(i)], t) - out(i, t);
    }
    return out;
  }
  Matrix out(n, 1);
  const std::vector<std::string>& known = rest.labels.classes;
  const auto is_known = [&](Index i) {
    return std::find(known.begin(), known.end(), training.labels.classes[at(training.labels.of[at(fold[at(i)])])]) !=
           known.end();
  };
  if (is_of_one_class(rest)) {
    for (Index i = 0; i < n; ++i) out(i, 0) = is_known(i) ? 0 : kUnknown;
    return out;
  }
  const HeldOut held = cut.say(fit(model.parts().machine, model.parts().settings, rest), training.how);
  const Matrix& said = held.ranking();
  for (Index i = 0; i < n; ++i) {
    const Vector errors =
        detail::errors_of_classes(said.row(i), said.cols(), held.classes[at(i)], held.probabilities.rows() > 0);
    out(i, 0) = is_known(i) ? errors[at(training.labels.of[at(fold[at(i)])])] : kUnknown;
  }
  return out;
}

}  // namespace

namespace detail {

double quantile(Vector& values, const Vector& count, double share) {
  constexpr double kRounding = 1e-12;
  const double all =
      count.empty() ? static_cast<double>(values.size()) : std::accumulate(count.begin(), count.end(), 0.0);
  const double wanted = share * (all + 1) * (1 - kRounding);
  if (!(wanted <= all)) return std::numeric_limits<double>::infinity();
  if (count.empty()) {
    const auto nth = values.begin() + static_cast<std::ptrdiff_t>(std::max(1.0, std::ceil(wanted))) - 1;
    std::nth_element(values.begin(), nth, values.end());
    return *nth;
  }
  std::vector<Index> order(values.size());
  std::iota(order.begin(), order.end(), Index{0});
  std::sort(order.begin(), order.end(), [&](Index a, Index b) { return values[at(a)] < values[at(b)]; });
  double below = 0;
  for (const Index i : order) {
    below += count[at(i)];
    if (below >= wanted) return values[at(i)];
  }
  return values[at(order.back())];
}

bool is_table_of_errors(const Report::Table& table, const Model& model) {
  const Index targets = static_cast<Index>(model.answer_names().size());
  if (table.rows.rows() == 0 || table.rows.cols() != 1 + targets) return false;
  const bool of_classes = model.is_classifier();
  for (Index i = 0; i < table.rows.rows(); ++i) {
    const double weight = table.rows(i, 0);
    if (!(weight > 0) || std::isinf(weight)) return false;
    for (Index j = 1; j < table.rows.cols(); ++j) {
      if (of_classes ? !(table.rows(i, j) >= 0) : !std::isfinite(table.rows(i, j))) return false;
    }
  }
  return true;
}

const Report::Table* errors_held_out(const Model& model) {
  const Report::Table* const found = model.report().table(kHeldOut);
  return found != nullptr && is_table_of_errors(*found, model) ? found : nullptr;
}

Vector weights_in(const Report::Table& table) {
  Vector out;
  bool all_one = true;
  for (Index i = 0; i < table.rows.rows(); ++i) {
    out.push_back(table.rows(i, 0));
    all_one = all_one && out.back() == 1;
  }
  return all_one ? Vector() : out;
}

bool predicts_numbers(const Model& model) {
  return machine(model.parts().machine).task_for(model.parts().settings) == Task::regression;
}

Vector errors_of_classes(const double* said, Index classes, Index predicted, bool are_probabilities) {
  std::vector<Index> order(at(classes));
  std::iota(order.begin(), order.end(), Index{0});
  std::stable_sort(order.begin(), order.end(), [&](Index a, Index b) { return said[a] > said[b]; });
  const double largest = said[order[0]];
  Vector out(at(classes), 0.0);
  double above = 0, tied = 0, level = largest;  // of those likelier, and of those like the last
  for (const Index c : order) {
    if (!are_probabilities) {
      out[at(c)] = largest - said[c];
      continue;
    }
    if (level - said[c] > kTie) {
      above += tied;
      tied = 0;
      level = said[c];
    }
    out[at(c)] = above;
    tied += said[c];
  }
  out[at(predicted)] = 0;
  return out;
}

void require_coverage(double coverage) {
  if (coverage > 0 && coverage < 1) return;
  fail(ErrorKind::usage, "intervals: a coverage above 0 and below 1, such as 0.9, not {}", coverage);
}

std::string too_few_words(double coverage, double points) {
  if (!(coverage * (points + 1) > points * (1 + 1e-12))) return "";
  return fmt::format("; so few points tell no end of them: ask for at most {:.4g} %", 100 * points / (points + 1));
}

}  // namespace detail

Model with_errors_held_out(Model model, const Training& given) {
  if (!detail::predicts_numbers(model) && !model.is_classifier()) {
    fail(ErrorKind::usage, "intervals: {} predicts no numbers and no classes", model.parts().machine);
  }
  Training training = given;
  const auto& kernel = model.expansion().parts().kernel;
  if (kernel && training.K.kernel() != kernel) training.K = gram_for(*kernel, *training.K.points(), {});
  const Index different = detail::count_points(training, detail::first_equal(training.K)).different;
  if (different < 2) {
    fail(ErrorKind::usage, "intervals: none of {} different points can be held out; give more points", different);
  }
  Report::Table table{std::string(kHeldOut), {"weight"}, {}};
  for (const std::string& name : model.answer_names()) table.columns.push_back("error(" + name + ")");
  std::vector<double> rows;
  for (const Fold& fold : divide(training, std::min(kFolds, different)).folds) {
    const Matrix errors = errors_in_fold(model, training, fold);
    for (std::size_t i = 0; i < fold.size(); ++i) {
      const double weight = training.weights.empty() ? 1 : training.weights[at(fold[i])];
      if (weight == 0) continue;
      rows.push_back(weight);
      rows.insert(rows.end(), errors.row(static_cast<Index>(i)), errors.row(static_cast<Index>(i)) + errors.cols());
    }
  }
  const auto columns = static_cast<Index>(table.columns.size());
  table.rows = Matrix(MatrixView(rows.data(), static_cast<Index>(rows.size()) / columns, columns));
  return std::move(model).with([&](Model::Parts& parts) { parts.report.tables.push_back(std::move(table)); });
}

}  // namespace mercer
