#include "report/worries.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "base/at.hpp"
#include "report/answers.hpp"

namespace mercer::report {

namespace {

double share_of(std::size_t part, std::size_t whole) { return static_cast<double>(part) / static_cast<double>(whole); }

bool at_bound(const Parameter& p) {
  const double place = p.range.coordinate(p.value);
  const auto near = [&](double bound) { return std::abs(place - p.range.coordinate(bound)) < 1e-3; };
  return !p.fixed && (near(p.lower) || near(p.upper));
}

double median_of(Vector values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

}  // namespace

Json to_json(const Worry& worry) {
  return {{"level", worry.warning ? "warning" : "note"},
          {"what", worry.what},
          {"why", worry.why},
          {"advice", worry.advice}};
}

std::vector<Worry> about_fit(const Subject& subject) {
  const Model& model = subject.model;
  const Report& report = model.report();
  std::vector<Worry> out;
  if (!report.converged) {
    out.push_back({true, fmt::format("The fit is not converged: {}.", report.stopped),
                   "The solution may still move; figures and pictures are of one that is not the machine's own.",
                   "Fit again with more iterations or time, or go on from this model with --start."});
  }
  if (const double jitter = report.figure("jitter").value_or(0); jitter > 0) {
    out.push_back({true, fmt::format("{:.2g} was added to the diagonal of the matrix (jitter).", jitter),
                   "It was singular in floating point: points that are the same to the kernel, or too little noise.",
                   "Look for duplicates; use more noise or a less smooth kernel, such as matern instead of rbf."});
  }
  const bool said = std::any_of(report.notes.begin(), report.notes.end(), [](const std::string& note) {
    return note.find(" is at its ") != std::string::npos || note.find(" of the path; ") != std::string::npos;
  });
  for (const std::string& note : report.notes) {
    if (note.find(" is at its ") == std::string::npos && note.find(" of the path; ") == std::string::npos) continue;
    out.push_back({true, note + ".", "The best value may lie beyond: what was learnt is what was allowed.",
                   "Widen the range, or scale the inputs; if it stays there, the parameter is of no use."});
  }
  if (const auto& kernel = model.expansion().parts().kernel; kernel && !said) {
    for (const Parameter& p : kernel->params()) {
      if (!at_bound(p)) continue;
      out.push_back({true, fmt::format("{} = {:.4g} is at the end of its range.", p.path, p.value),
                     "The best value may lie beyond: what was learnt is what was allowed.", "Widen the range."});
    }
  }
  if (const Index n = model.expansion().parts().training_size; n > 0 && n < 30) {
    out.push_back({false, fmt::format("The model was fitted to {} points.", n),
                   "With so few, every figure here is uncertain, and more so than its interval says.",
                   "Collect more points, or trust only what is far beyond chance."});
  }
  return out;
}

std::vector<Worry> about_targets(const Subject& subject) {
  std::vector<Worry> out;
  if (is_classification(subject)) {
    std::vector<std::size_t> count(subject.labels.classes.size());
    for (const Index c : subject.labels.of) ++count[at(c)];
    const std::size_t n = subject.labels.of.size(), most = *std::max_element(count.begin(), count.end());
    for (std::size_t c = 0; c < count.size(); ++c) {
      if (count[c] == 0 || count[c] * 10 >= most) continue;
      out.push_back({true,
                     fmt::format("Class {} has {} of {} points ({:.2g} %).", subject.labels.classes[c], count[c], n,
                                 100 * share_of(count[c], n)),
                     fmt::format("Whoever never says it is right {:.1f} % of the time: accuracy says little of it.",
                                 100 - 100 * share_of(count[c], n)),
                     "Look at balanced accuracy and the row of the class among the mistakes; weigh the classes."});
    }
    for (std::size_t c = subject.model.classes().size(); c < count.size(); ++c) {
      out.push_back({true,
                     fmt::format("Class {} was not among those the model was fitted to.", subject.labels.classes[c]),
                     fmt::format("Its {} points cannot be told right.", count[c]), "Fit again with points of it."});
    }
  }
  if (!is_regression(subject)) return out;
  for (Index t = 0; t < subject.y.cols(); ++t) {
    Vector y;
    for (Index i = 0; i < subject.y.rows(); ++i) y.push_back(subject.y(i, t));
    const double middle = median_of(y);
    Vector distance;
    for (const double v : y) distance.push_back(std::abs(v - middle));
    const double most = *std::max_element(distance.begin(), distance.end());
    if (most == 0) {
      out.push_back({true, "The target is the same for all points.",
                     "There is nothing to predict, and R2 says nothing.",
                     "Check the column that is named as the target."});
      continue;
    }
    const double spread = 1.4826 * median_of(distance);
    if (spread == 0) continue;
    const auto far = static_cast<std::size_t>(
        std::count_if(distance.begin(), distance.end(), [&](double d) { return d > 10 * spread; }));
    if (far == 0) continue;
    out.push_back({false,
                   fmt::format("{} of {} targets are more than ten deviations away from the middle.", far, y.size()),
                   "Squared errors are ruled by them: RMSE and R2 say little of the other points.",
                   "Check these rows; compare MAE; predict a logarithm, or use a machine with a robust loss (svr)."});
  }
  return out;
}

std::vector<Worry> about_figures(const Subject& subject, const std::vector<Metric>& metrics) {
  std::vector<Worry> out;
  for (const Metric& metric : metrics) {
    if (!metric.interval) continue;
    if (metric.name.starts_with("r2") && metric.interval->low <= 0) {
      out.push_back({true, fmt::format("{} is {:.2g}, and may well be 0.", metric.name, metric.value),
                     "The mean of the targets could predict as well.", "Try other inputs, or a wider kernel; tune."});
    }
    if (metric.name != "accuracy") continue;
    std::vector<std::size_t> count(subject.labels.classes.size());
    for (const Index c : subject.labels.of) ++count[at(c)];
    const double most = share_of(*std::max_element(count.begin(), count.end()), subject.labels.of.size());
    if (metric.interval->low > most || most == 1) continue;
    out.push_back({true,
                   fmt::format("Accuracy is {:.1f} %, and always saying the commonest class gives {:.1f} %.",
                               100 * metric.value, 100 * most),
                   "The model may have learnt nothing.", "Try other inputs or another kernel; tune."});
  }
  return out;
}

std::vector<Worry> worries_of(const Subject& subject, const std::vector<Metric>& metrics) {
  std::vector<Worry> out;
  for (const auto& found :
       {about_fit(subject), about_figures(subject, metrics), about_errors(subject), about_columns(subject),
        about_points(subject), about_targets(subject), about_kernel(subject)}) {
    out.insert(out.end(), found.begin(), found.end());
  }
  std::stable_sort(out.begin(), out.end(), [](const Worry& a, const Worry& b) { return a.warning > b.warning; });
  return out;
}

}  // namespace mercer::report
