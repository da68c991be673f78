#include "model/training.hpp"

#include <algorithm>
#include <cmath>

#include "base/at.hpp"
#include "base/fail.hpp"
#include "base/text.hpp"

namespace mercer::detail {

namespace {

void check_targets(std::string_view machine, const Training& t) {
  if (t.y.cols() == 0) {
    fail(ErrorKind::usage, "{}: needs targets that are numbers, and none were given; name the target column", machine);
  }
  if (t.y.rows() != t.K.size()) {
    fail(ErrorKind::shape, "{}: {} targets for {} points", machine, t.y.rows(), t.K.size());
  }
  for (Index i = 0; i < t.y.rows(); ++i) {
    for (Index j = 0; j < t.y.cols(); ++j) {
      if (!std::isfinite(t.y(i, j))) {
        fail(ErrorKind::data, "{}: the target of row {} is {}; remove the row or fill it in", machine, i + 1,
             t.y(i, j));
      }
    }
  }
  for (Index j = 0; j < t.y.cols(); ++j) {
    if (const std::string fault = target_fault(t.y, j); !fault.empty()) {
      fail(ErrorKind::data, "{}: target {} {}", machine, j + 1, fault);
    }
  }
}

void check_labels(std::string_view machine, const Training& t, Classes needed) {
  const Labels& labels = t.labels;
  if (labels.size() == 0) fail(ErrorKind::usage, "{}: needs class labels, and none were given", machine);
  if (labels.size() != t.K.size()) {
    fail(ErrorKind::shape, "{}: {} labels for {} points", machine, labels.size(), t.K.size());
  }
  const auto classes = static_cast<Index>(labels.classes.size());
  for (const Index c : labels.of) {
    if (c < 0 || c >= classes) fail(ErrorKind::data, "{}: there is no class {} among {}", machine, c, classes);
  }
  if (t.start) return;  // more of what an earlier fit has seen
  if (needed == Classes::named && classes > 1) return;
  Index only = -1;
  for (Index i = 0; i < labels.size(); ++i) {
    if (!t.weights.empty() && t.weights[at(i)] == 0) continue;
    if (only >= 0 && labels.of[at(i)] != only) return;
    only = labels.of[at(i)];
  }
  fail(ErrorKind::data, "{}: every label{} is {}; two classes are needed to tell apart", machine,
       t.weights.empty() ? "" : " of positive weight", quoted(labels.classes[at(only)]));
}

void check_weights(std::string_view machine, const Training& t) {
  if (t.weights.empty()) return;
  if (static_cast<Index>(t.weights.size()) != t.K.size()) {
    fail(ErrorKind::shape, "{}: {} weights for {} points", machine, t.weights.size(), t.K.size());
  }
  for (std::size_t i = 0; i < t.weights.size(); ++i) {
    if (!(t.weights[i] >= 0) || std::isinf(t.weights[i])) {
      fail(ErrorKind::data, "{}: the weight of row {} is {}; weights are finite numbers >= 0", machine, i + 1,
           t.weights[i]);
    }
  }
  if (std::all_of(t.weights.begin(), t.weights.end(), [](double w) { return w == 0; })) {
    fail(ErrorKind::data, "{}: all weights are 0; give some point a weight", machine);
  }
}

}  // namespace

std::string target_fault(MatrixView y, Index column) {
  constexpr double smallest = 1e-100, largest = 1e100;
  Index row = 0;
  for (Index i = 1; i < y.rows(); ++i) {
    if (std::abs(y(i, column)) > std::abs(y(row, column))) row = i;
  }
  const double size = std::abs(y(row, column));
  if (size > largest) {
    return fmt::format("is {:.3g} in row {}, and targets may be up to {:.0e} in size; divide them by a power of ten",
                       y(row, column), row + 1, largest);
  }
  if (size > 0 && size < smallest) {
    return fmt::format(
        "is {:.3g} in row {} at most, and the largest must be at least {:.0e} in size; multiply them by a power of ten",
        y(row, column), row + 1, smallest);
  }
  return {};
}

void require_matrices(std::string_view machine, const Training& training, Index n, double matrices) {
  const Task task = training.labels.size() > 0 ? Task::classification : mercer::machine(machine).task;
  require_room(machine, task, {.size = n, .matrices = matrices}, extent_of(training));
}

Threads check_training(std::string_view machine, Task task, const Training& training, Classes needed) {
  if (training.K.size() == 0) fail(ErrorKind::data, "{}: there are no points to fit to", machine);
  check_weights(machine, training);
  if (task->target == Task::Target::numbers) check_targets(machine, training);
  if (task->target == Task::Target::classes) check_labels(machine, training, needed);
  return Threads(training.how.threads);
}

Vector weights_of(const Training& training) {
  return training.weights.empty() ? Vector(at(training.K.size()), 1.0) : training.weights;
}

std::vector<Index> weighted_points(const Training& training) {
  std::vector<Index> which;
  for (Index i = 0; i < training.K.size(); ++i) {
    if (training.weights.empty() || training.weights[at(i)] > 0) which.push_back(i);
  }
  return which;
}

namespace {

void require_finite(std::string_view machine, const char* what, const double* values, Index count) {
  const double* bad = std::find_if(values, values + count, [](double v) { return !std::isfinite(v); });
  if (bad == values + count) return;
  fail(ErrorKind::numeric,
       "{}: {} has a {} in it: the targets, the weights or the kernel are too large or too small for double precision; "
       "scale them",
       machine, what, *bad);
}

}  // namespace

Model::Parts parts_of(std::string_view machine, const Training& training, Expansion f, Reading reading) {
  const Expansion::Parts& own = f.parts();
  require_finite(machine, "alpha", own.alpha.data(), own.alpha.rows() * own.alpha.cols());
  require_finite(machine, "b", own.bias.data(), static_cast<Index>(own.bias.size()));
  require_finite(machine, "|f|^2", own.squared_norms.data(), static_cast<Index>(own.squared_norms.size()));
  Model::Parts parts{.machine = std::string(machine), .f = std::move(f), .reading = reading};
  if (const auto points = training.K.points()) parts.inputs = Schema::of(*points);
  return parts;
}

namespace {

constexpr std::string_view kTheTime = "the time of ";

}  // namespace

std::string time_was_over(double seconds) { return fmt::format("{}{:.3g} s was over", kTheTime, seconds); }
bool is_over_time(std::string_view stopped) { return stopped.starts_with(kTheTime); }

Training training_on(const Gram& K, VectorView y) {
  return {.K = K, .y = Matrix(MatrixView(y.data(), static_cast<Index>(y.size()), 1))};
}

}  // namespace mercer::detail
