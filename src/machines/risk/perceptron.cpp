#include "mercer/machines/perceptron.hpp"

#include <algorithm>
#include <deque>

#include "base/at.hpp"
#include "base/fail.hpp"
#include "base/text.hpp"
#include "gram/assemble.hpp"
#include "machines/catalog_rows.hpp"
#include "model/needs.hpp"
#include "model/settings.hpp"
#include "model/training.hpp"
#include "points/join.hpp"

namespace mercer {

namespace {

constexpr std::size_t kCacheBytes = std::size_t{1} << 30;

std::size_t cache_bytes(const Extent& extent) { return extent.memory > 0 ? extent.memory : kCacheBytes; }

// Rows are wanted again where points are visited again, or forgotten.
Needs needs_of(const KernelPerceptron& config, const Extent& extent) {
  const auto n = static_cast<double>(extent.points);
  Needs out = detail::by_passes(extent, "one visit after the other", 1);
  if ((config.epochs == 1 && config.budget == 0) || (extent.in_memory && !extent.has_start)) return out;
  out.form = Form::cached;
  out.beside.push_back({"rows of K", std::min(static_cast<double>(cache_bytes(extent)), sizeof(double) * n * n)});
  return out;
}

// What is learned from: the centres of a start, then the points of this fit, under one Gram.
struct Lesson {
  Gram K;
  Index first = 0;                   // of this fit's points
  Matrix alpha = {};                 // where f begins
  std::vector<std::string> classes;  // those of the start, or of the labels
  std::vector<Index> class_of;       // of this fit's points
  Vector weights;
};

class Learner {
 public:
  Learner(const KernelPerceptron& config, Lesson lesson)
      : config_(config),
        lesson_(std::move(lesson)),
        K_(lesson_.K),
        alpha_(lesson_.alpha),
        late_(alpha_.rows(), alpha_.cols()),
        f_(alpha_.cols(), alpha_.rows()),
        row_(1, alpha_.rows()),
        supports_(at(alpha_.rows()), false) {
    for (Index i = 0; i < alpha_.rows(); ++i) {
      if (std::any_of(alpha_.row(i), alpha_.row(i) + alpha_.cols(), [](double a) { return a != 0; })) admit(i);
    }
    if (oldest_first_.empty()) return;
    const Matrix f = K_.multiply(alpha_.view());
    for (Index i = 0; i < f.rows(); ++i) {
      for (Index c = 0; c < f.cols(); ++c) f_(c, i) = f(i, c);
    }
    if (config_.budget > 0) forget_down_to(config_.budget);
  }

  // Returns whether f was right.
  bool visit(Index point) {
    ++visits_;
    const Index i = lesson_.first + point, own = lesson_.class_of[at(point)];
    const double step = lesson_.weights[at(point)];
    if (f_.rows() == 1) {
      const double y = own == 1 ? 1 : -1;
      if (y * f_(0, i) > 0) return true;
      prepare(i);
      add(i, 0, y * step);
    } else {
      Index rival = own == 0 ? 1 : 0;
      for (Index c = rival + 1; c < f_.rows(); ++c) {
        if (c != own && f_(c, i) > f_(rival, i)) rival = c;
      }
      if (f_(own, i) > f_(rival, i)) return true;
      prepare(i);
      add(i, own, step);
      add(i, rival, -step);
    }
    if (!supports_[at(i)]) admit(i);
    return false;
  }

  Index visits() const { return visits_; }

  // Coefficients of the last f, or of the mean of f after each visit.
  Matrix alpha() const {
    Matrix out = alpha_;
    if (!config_.averaged || visits_ == 0) return out;
    for (Index i = 0; i < out.rows(); ++i) {
      for (Index c = 0; c < out.cols(); ++c) out(i, c) -= late_(i, c) / static_cast<double>(visits_);
    }
    return out;
  }

 private:
  void admit(Index i) {
    supports_[at(i)] = true;
    oldest_first_.push_back(i);
  }

  void fetch(Index i) { K_.rows(std::span(&i, 1), row_); }

  // f_c += step k(x_i, .), whose row has been fetched.
  void add(Index i, Index c, double step) {
    alpha_(i, c) += step;
    late_(i, c) += step * static_cast<double>(visits_ - 1);  // the visits that did not have this term
    double* f = f_.row(c);
    for (Index j = 0; j < f_.cols(); ++j) f[j] += step * row_(0, j);
  }

  // Makes room for i before anything changes, so that a fit stopped in between is within its budget.
  void prepare(Index i) {
    if (config_.budget > 0 && !supports_[at(i)]) forget_down_to(config_.budget - 1);
    fetch(i);
  }

  void forget_down_to(Index count) {
    while (static_cast<Index>(oldest_first_.size()) > count) {
      const Index i = oldest_first_.front();
      fetch(i);
      for (Index c = 0; c < f_.rows(); ++c) {
        if (alpha_(i, c) != 0) add(i, c, -alpha_(i, c));
      }
      oldest_first_.pop_front();
      supports_[at(i)] = false;
    }
  }

  const KernelPerceptron& config_;
  const Lesson lesson_;
  const Gram& K_;
  Matrix alpha_, late_;  // points x outputs
  Matrix f_;             // outputs x points
  Matrix row_;
  std::vector<bool> supports_;
  std::deque<Index> oldest_first_;
  Index visits_ = 0;
};

// Tells the monitor often enough for a stop to be quick, and not more often.
class Pulse {
 public:
  explicit Pulse(const Monitor& monitor) : monitor_(monitor) {}
  void beat(double fraction) {
    if (fraction < told_ + 0.005 && watch_.seconds() < 0.1) return;
    told_ = fraction;
    watch_ = Stopwatch();
    monitor_.report({"perceptron", fraction});
  }

 private:
  const Monitor& monitor_;
  double told_ = -1;
  Stopwatch watch_;
};

Report learn(const KernelPerceptron& config, const Training& training, Learner& learner) {
  Report report;
  const std::vector<Index> order = detail::weighted_points(training);
  const double planned = static_cast<double>(config.epochs) * static_cast<double>(order.size());
  Pulse pulse(training.how.monitor);
  std::vector<Index> mistakes;
  try {
    while (static_cast<Index>(mistakes.size()) < config.epochs && (mistakes.empty() || mistakes.back() > 0)) {
      mistakes.push_back(0);
      for (const Index i : order) {
        pulse.beat(static_cast<double>(learner.visits()) / planned);
        if (!learner.visit(i)) ++mistakes.back();
      }
    }
    report.stopped = mistakes.back() == 0 ? "a pass without a mistake" : "all passes made";
  } catch (const Error& error) {
    if (error.kind() != ErrorKind::cancelled) throw;
    report.converged = false;
    report.stopped = "interrupted";
  }
  report.iterations = learner.visits();
  Report::Table passes{"passes", {"pass", "mistakes"}, Matrix(static_cast<Index>(mistakes.size()), 2)};
  double all = 0;
  for (std::size_t p = 0; p < mistakes.size(); ++p) {
    passes.rows(static_cast<Index>(p), 0) = static_cast<double>(p + 1);
    all += passes.rows(static_cast<Index>(p), 1) = static_cast<double>(mistakes[p]);
  }
  report.add("mistakes", all);
  report.add("mistakes_in_last_pass", static_cast<double>(mistakes.back()));
  report.add("passes", static_cast<double>(mistakes.size()));
  report.add("visits", static_cast<double>(learner.visits()));
  if (mistakes.size() > 1) report.tables.push_back(std::move(passes));
  return report;
}

// The numbers, among the classes of the start, of the classes of new labels.
std::vector<Index> renumbered(const Labels& labels, const std::vector<std::string>& classes) {
  std::vector<Index> number;
  for (const std::string& name : labels.classes) {
    number.push_back(std::find(classes.begin(), classes.end(), name) - classes.begin());
  }
  std::vector<Index> out;
  for (const Index c : labels.of) {
    if (number[at(c)] == static_cast<Index>(classes.size())) {
      fail(ErrorKind::usage, "perceptron: class {} is not among those of the model to start from: {}",
           quoted(labels.classes[at(c)]), fmt::join(classes, ", "));
    }
    out.push_back(number[at(c)]);
  }
  return out;
}

Lesson first_lesson(const Training& training) {
  const auto classes = static_cast<Index>(training.labels.classes.size());
  return {.K = training.K,
          .alpha = Matrix(training.K.size(), classes == 2 ? 1 : classes),
          .classes = training.labels.classes,
          .class_of = training.labels.of,
          .weights = detail::weights_of(training)};
}

Lesson next_lesson(const Training& training) {
  const Model& start = *training.start;
  const Expansion::Parts& old = start.expansion().parts();
  if (start.parts().machine != "perceptron") {
    fail(ErrorKind::usage, "perceptron: the model to start from is a {}; give a perceptron", start.parts().machine);
  }
  Lesson lesson{.K = training.K,
                .classes = start.classes(),
                .class_of = renumbered(training.labels, start.classes()),
                .weights = detail::weights_of(training)};
  const Index outputs = start.expansion().outputs();
  if (old.kernel) {
    if (training.K.kernel() != old.kernel) {
      fail(ErrorKind::usage,
           "perceptron: the model to start from has the kernel {}, the new points have {}; go on with the former",
           old.kernel->str(), training.K.kernel() ? training.K.kernel()->str() : "numbers for one");
    }
    lesson.first = start.expansion().size();
    lesson.K = lazy(*old.kernel, join(*old.centres, *training.K.points()));
    lesson.alpha = Matrix(lesson.K.size(), outputs);
    for (Index i = 0; i < lesson.first; ++i) std::copy_n(old.alpha.row(i), outputs, lesson.alpha.row(i));
    return lesson;
  }
  if (training.K.kernel() || training.K.size() != old.training_size) {
    fail(ErrorKind::usage,
         "perceptron: the model to start from was fitted to a matrix of numbers for {} points; go on with the same "
         "points",
         old.training_size);
  }
  lesson.alpha = Matrix(lesson.K.size(), outputs);
  for (std::size_t s = 0; s < old.support.size(); ++s) {
    std::copy_n(old.alpha.row(static_cast<Index>(s)), outputs, lesson.alpha.row(old.support[s]));
  }
  return lesson;
}

// Centres that came from several fits are no longer numbered by the points of one.
Expansion expansion_over(const Lesson& lesson, const Matrix& alpha, Index seen_before) {
  Expansion all = lesson.K.expansion(alpha);
  if (lesson.first == 0) return all;
  Expansion::Parts parts = all.parts();
  parts.support.clear();
  parts.training_size = seen_before + lesson.K.size() - lesson.first;
  return Expansion(std::move(parts));
}

}  // namespace

Model KernelPerceptron::fit(const Training& training) const { return partial_fit(training); }

Model KernelPerceptron::partial_fit(const Training& training) const {
  if (epochs < 1) fail(ErrorKind::usage, "perceptron: epochs must be at least 1, not {}", epochs);
  if (budget < 0) fail(ErrorKind::usage, "perceptron: the budget must be at least 0, not {}", budget);
  if (averaged && budget > 0) {
    fail(ErrorKind::usage, "perceptron: an average remembers the points that a budget forgets; choose one of the two");
  }
  const Threads threads = detail::check_training("perceptron", Task::classification, training, detail::Classes::named);
  detail::require_plain(training.K);
  const Stopwatch watch;
  Lesson lesson = training.start ? next_lesson(training) : first_lesson(training);
  Lesson kept = lesson;
  if (const Extent extent = extent_of(training);
      needs_of(*this, extent).form == Form::cached && lesson.K.dense().empty()) {
    kept.K = cached(lesson.K, cache_bytes(extent));
  }
  Learner learner(*this, std::move(kept));
  Report report = learn(*this, training, learner);

  const Index seen_before = training.start ? training.start->expansion().parts().training_size : 0;
  Expansion f = expansion_over(lesson, learner.alpha(), seen_before);
  report.add("support_points", static_cast<double>(f.size()));
  report.seconds = watch.seconds();
  Model::Parts parts = detail::parts_of("perceptron", training, std::move(f),
                                        lesson.alpha.cols() == 1 ? Reading::binary : Reading::largest);
  if (training.start) {
    parts.scaling = training.start->parts().scaling;
    parts.inputs = training.start->parts().inputs;
  }
  parts.classes = std::move(lesson.classes);
  parts.report = std::move(report);
  return Model(std::move(parts));
}

namespace detail {

std::vector<Machine> perceptron_rows() {
  Machine row;
  row.name = "perceptron";
  row.purpose = "learns from one point after the other, from its mistakes only";
  row.problem =
      "f = 0; for each point i: if y_i f(x_i) <= 0 then f += y_i k(x_i, .). Predicts +1 where f > 0, and -1 at f = 0";
  row.task = Task::classification;
  row.iterative = row.takes_start = true;
  row.exceptions = {{Exception::Law::order, "it learns from one point after the other"},
                    {Exception::Law::weights, "a weight is the size of a step"}};
  row.options = {
      {"epochs", "1", "Passes over the data at most; ends after one without a mistake"},
      {"averaged", "false", "The mean of f over all visits, not the last f", true},
      {"budget", "0", "Support points at most, the oldest is forgotten; 0: any number"},
  };
  row.fit = [row](const Settings& settings, const Training& training) {
    const SettingsReader read(row, settings);
    return KernelPerceptron{
        .epochs = read.whole("epochs", 1), .averaged = read.flag("averaged"), .budget = read.whole("budget", 0)}
        .fit(training);
  };
  row.choosing = [](const Settings&, const Training*) {
    return Choosing{.stages = {{{"ell", {4, 2, 1, 0.5, 0.25}, Trial::Unit::automatic}, {"epochs", {1, 3, 10}}}}};
  };
  row.centres = OnCentres::as_features;
  row.needs = [row](const Settings& settings, const Extent& extent) {
    const SettingsReader read(row, settings);
    return needs_of({.epochs = read.whole("epochs", 1), .budget = read.whole("budget", 0)}, extent);
  };
  return {row};
}

}  // namespace detail

}  // namespace mercer
