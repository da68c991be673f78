#include "machines/svm/classify.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>

#include "base/at.hpp"
#include "base/fail.hpp"
#include "base/text.hpp"
#include "gram/assemble.hpp"
#include "machines/svm/clock.hpp"
#include "machines/svm/folds.hpp"
#include "machines/svm/record.hpp"
#include "machines/svm/start.hpp"
#include "model/tasks.hpp"
#include "selection/equal_points.hpp"

namespace mercer::detail {

namespace {

// A matrix of alphas beyond this many numbers means that one-vs-one is the wrong way.
constexpr double kMostNumbers = 0x1p30;

// The sides of one output: class `positive` against class `negative`, or against all others (-1).
struct Sides {
  Index positive, negative;
};

std::vector<Sides> sides_of(Reading reading, Index classes) {
  if (reading == Reading::binary) return {{1, 0}};
  std::vector<Sides> out;
  for (Index a = 0; a < classes; ++a) {
    if (reading == Reading::largest) out.push_back({a, -1});
    for (Index b = a + 1; b < classes && reading == Reading::votes; ++b) out.push_back({a, b});
  }
  return out;
}

class Fit {
 public:
  Fit(const Classifier& classifier, const Training& training)
      : classifier_(classifier),
        training_(training),
        labels_(training.labels),
        weights_(weights_of(training)),
        clock_(classifier.limits.least_seconds()) {
    check_classes();
    const auto classes = static_cast<Index>(labels_.classes.size());
    reading_ = classes == 2                                       ? Reading::binary
               : classifier.multi_class == MultiClass::one_vs_one ? Reading::votes
                                                                  : Reading::largest;
    if (reading_ == Reading::votes) check_pairs(classes);
    sides_ = sides_of(reading_, classes);
    sizes_ = sizes();
    if (classifier.hard) {
      for (const double k : training.K.diagonal()) largest_phi_ = std::max(largest_phi_, std::sqrt(std::max(0.0, k)));
    }
  }

  Model on_own_rows() {
    check_nu();
    const auto start =
        starting_alphas(training_, classifier_.machine, reading_, labels_.classes, static_cast<Index>(sides_.size()));
    rows_.store = RowStore::of_fit(training_.K, labels_.of, training_.memory, execution());
    rows_.segment.resize(labels_.classes.size());
    std::iota(rows_.segment.begin(), rows_.segment.end(), Index{0});
    own_rows_ = true;
    return model([&](Index o, const Rows& rows) {
      Beginning begin;
      if (start) {
        for (const Index point : rows.points()) begin.alpha.push_back((*start)(point, o));
      }
      return begin;
    });
  }

  ClassFit on(const ClassRows& rows, std::vector<BinaryOutcome> last) {
    check_nu();
    rows_ = rows;
    Model fitted = model([&](Index o, const Rows&) { return last.empty() ? Beginning{} : last[at(o)].next(); });
    for (std::size_t o = 0; o < outcomes_.size(); ++o) found_[o].outcome = std::move(outcomes_[o]);
    return {std::move(fitted), std::move(found_)};
  }

 private:
  using Begin = std::function<Beginning(Index output, const Rows& rows)>;

  Model model(const Begin& begin) {
    Record record(training_.checkpoints, static_cast<Index>(problem_sizes().size()));
    Shares shares(clock_, problem_sizes(), side_by_side(sides_.size(), execution()));
    const bool finished = solve_all(begin, record, shares);
    Calibration calibration;
    std::vector<std::string> notes;
    if (classifier_.probability && finished) calibration = calibrate(notes, record, shares);
    record.end();
    if (classifier_.probability && calibration.kind == Calibration::Kind::none) {
      notes.emplace_back("interrupted before the probabilities were fitted: the model has none");
    }
    std::vector<std::string> names;
    for (const Sides& sides : sides_) names.push_back(name_of_sides(sides));
    Model::Parts parts = parts_of(classifier_.machine, training_, expansion_of(outcomes_, training_.K), reading_);
    parts.classes = labels_.classes;
    parts.report = report_of(outcomes_, names, reading_ == Reading::votes ? "pairs" : "classes", *rows_.store);
    if (classifier_.nu > 0 && outcomes_.size() == 1) parts.report.add("margin", outcomes_.front().spread);
    if (classifier_.probability && calibration.kind == Calibration::Kind::none) {
      parts.report.converged = false;
      parts.report.stopped = "interrupted";
    }
    note_degenerate(notes);
    parts.report.notes.insert(parts.report.notes.end(), notes.begin(), notes.end());
    parts.calibration = std::move(calibration);
    return Model(std::move(parts));
  }

  std::string name_of_sides(const Sides& sides) const {
    return quoted(labels_.classes[at(sides.positive)]) +
           (sides.negative < 0 ? " against the rest" : " against " + quoted(labels_.classes[at(sides.negative)]));
  }

  void check_classes() {
    class_weight_.assign(labels_.classes.size(), 0.0);
    for (std::size_t i = 0; i < labels_.of.size(); ++i) class_weight_[at(labels_.of[i])] += weights_[i];
    std::vector<std::string> present;
    for (std::size_t c = 0; c < class_weight_.size(); ++c) {
      if (class_weight_[c] > 0) present.push_back(quoted(labels_.classes[c]));
    }
    if (present.size() >= 2) return;
    fail(ErrorKind::data, "{}: every point of positive weight is of class {}; two classes are needed to tell apart",
         classifier_.machine, fmt::join(present, ", "));
  }

  void check_pairs(Index classes) const {
    const double pairs = static_cast<double>(classes) * static_cast<double>(classes - 1) / 2;
    if (pairs * static_cast<double>(labels_.size()) <= kMostNumbers) return;
    fail(ErrorKind::usage, "{}: {} classes make {:.0f} pairs, too many for {} points; use multi_class = one_vs_rest",
         classifier_.machine, classes, pairs, labels_.size());
  }

  // sum_i |alpha_i| = nu W, half of it on each side, with |alpha_i| <= w_i.
  void check_nu() const {
    if (classifier_.nu <= 0) return;
    const double all = std::accumulate(class_weight_.begin(), class_weight_.end(), 0.0);
    for (const Sides& sides : sides_) {
      const double a = class_weight_[at(sides.positive)];
      const double b = sides.negative < 0 ? all - a : class_weight_[at(sides.negative)];
      if (a == 0 || b == 0) continue;
      const double most = 2 * std::min(a, b) / (a + b);
      if (classifier_.nu <= most * (1 + 1e-12)) continue;
      fail(ErrorKind::data,
           "{}: nu = {} is infeasible for {}, which weigh {} and {}; the largest feasible nu is {:.6g}",
           classifier_.machine, classifier_.nu, name_of_sides(sides), a, b, std::floor(most * 1e6) / 1e6);
    }
  }

  bool has_both(const Sides& sides) const {
    const double a = class_weight_[at(sides.positive)];
    if (sides.negative >= 0) return a > 0 && class_weight_[at(sides.negative)] > 0;
    return a > 0 && a < std::accumulate(class_weight_.begin(), class_weight_.end(), 0.0);
  }

  Rows rows_of(const Sides& sides) const {
    if (sides_.size() == 1 || sides.negative < 0) return Rows(rows_.store);
    return Rows(rows_.store, {rows_.segment[at(sides.positive)], rows_.segment[at(sides.negative)]});
  }

  BinaryProblem problem_of(const Sides& sides, const Rows& rows) const {
    BinaryProblem out{.sign = Vector(at(rows.size())),
                      .cost = Vector(at(rows.size())),
                      .nu = classifier_.nu,
                      .bias = classifier_.bias,
                      .hard = classifier_.hard,
                      .largest_phi = largest_phi_};
    double m = 0;
    for (std::size_t i = 0; i < out.sign.size(); ++i) {
      const std::size_t point = at(rows.points()[i]);
      out.sign[i] = labels_.of[point] == sides.positive ? 1 : -1;
      out.cost[i] = classifier_.cost[point];
      m += weights_[point];
    }
    if (classifier_.over_m) {
      for (double& cost : out.cost) cost /= m;
    }
    return out;
  }

  // A side without points: f is the constant that the other side asks for.
  Outcome one_sided(const Sides& sides) const {
    Outcome out;
    out.rho = class_weight_[at(sides.positive)] > 0 ? -1 : 1;
    if (sides.negative >= 0 && class_weight_[at(sides.positive)] + class_weight_[at(sides.negative)] == 0) out.rho = 0;
    out.converged = true;
    out.stopped = "one class only";
    return out;
  }

  std::vector<double> sizes() const {
    std::vector<double> count(labels_.classes.size()), out;
    for (const Index c : labels_.of) ++count[at(c)];
    for (const Sides& sides : sides_) {
      const double n = sides.negative < 0 ? static_cast<double>(labels_.size())
                                          : count[at(sides.positive)] + count[at(sides.negative)];
      out.push_back(n * n);  // the number of kernel values is what a problem costs
    }
    return out;
  }

  // Of all problems: the outputs, and where there are probabilities the folds of each.
  std::vector<double> problem_sizes() const {
    std::vector<double> out = sizes_;
    if (!classifier_.probability) return out;
    for (const double n : sizes_) out.insert(out.end(), kFolds, n);
    return out;
  }

  // Problems that one thread is done with before another wakes up get one.
  Execution execution() const {
    constexpr double kWorthThreads = 5e5;
    Execution how = training_.how;
    if (std::accumulate(sizes_.begin(), sizes_.end(), 0.0) < kWorthThreads) how.threads = 1;
    return how;
  }

  bool solve_all(const Begin& begin, Record& record, Shares& shares) {
    outcomes_.resize(sides_.size());
    found_.resize(sides_.size());
    const bool finished = run_tasks(sizes_, execution(), classifier_.machine, [&](Index o, const Execution& how) {
      const Sides& sides = sides_[at(o)];
      if (!has_both(sides)) {
        outcomes_[at(o)] = one_sided(sides);
        return;
      }
      Rows rows = rows_of(sides);
      DualOptions options = options_of(classifier_.limits, shares.seconds(o), record.of(o));
      // Else the next fit begins from f, or the margin is read off it.
      options.f_where_it_decides = own_rows_ && classifier_.nu <= 0 && !classifier_.hard;
      found_[at(o)] = solve_binary(problem_of(sides, rows), rows, begin(o, rows), options, how);
      outcomes_[at(o)] = std::move(found_[at(o)].outcome);
    });
    for (std::size_t o = 0; o < sides_.size(); ++o) {
      if (found_[o].separable) continue;
      const auto kernel = training_.K.kernel();
      if (classifier_.nu > 0) {
        fail(ErrorKind::data,
             "{}: nu = {} is infeasible for {}: more of the points than that overlap, so the margin is 0 to rounding, "
             "and f with it; raise nu, or take a kernel with a shorter reach",
             classifier_.machine, classifier_.nu, name_of_sides(sides_[o]));
      }
      fail(ErrorKind::data,
           "{}: {} with C = inf: {} does not separate them (the margin is below 1e-5 of the largest |phi(x)|); give a "
           "finite C, or a kernel with a shorter reach",
           classifier_.machine, name_of_sides(sides_[o]), kernel ? kernel->str() : "the precomputed kernel");
    }
    return finished;
  }

  Calibration calibrate(std::vector<std::string>& notes, Record& record, Shares& shares) {
    const auto outputs = static_cast<Index>(sides_.size());
    std::vector<FoldScores> held_out(sides_.size());
    std::vector<double> size;
    const std::vector<Index> equal_to = first_equal(training_.K);
    if (const Counted counted = count_points(training_, equal_to); counted.some_equal()) {
      notes.push_back(fmt::format("probabilities: of {} points {} are different; equal ones are held out together",
                                  counted.points, counted.different));
    }
    for (Index o = 0; o < outputs; ++o) {
      const Sides& sides = sides_[at(o)];
      if (!has_both(sides)) continue;
      const Rows rows = rows_of(sides);
      std::vector<Index> group;
      for (const Index point : rows.points()) group.push_back(equal_to[at(point)]);
      held_out[at(o)] = hold_out(problem_of(sides, rows), group);
    }
    for (const double n : sizes_) size.insert(size.end(), kFolds, n);
    std::vector<std::uint8_t> converged(size.size(), 1);
    const std::string stage = classifier_.machine + ": probabilities";
    // Folds begin at the outputs: where these have not ended, what comes of them is not kept.
    const bool kept = !record.has_unfinished();
    const bool finished = run_tasks(size, execution(), stage, [&](Index task, const Execution& how) {
      const Index o = task / kFolds, fold = task % kFolds;
      const Sides& sides = sides_[at(o)];
      if (!has_both(sides)) return;
      Rows rows = rows_of(sides);
      const Index problem = outputs + task;
      const DualOptions options =
          options_of(classifier_.limits, shares.seconds(problem), kept ? record.of(problem) : nullptr);
      converged[at(task)] =
          score_fold(problem_of(sides, rows), rows, outcomes_[at(o)].alpha, fold, options, how, held_out[at(o)]);
    });
    if (!finished) return {};
    const auto unfinished = std::count(converged.begin(), converged.end(), 0);
    if (unfinished > 0) {
      notes.push_back(fmt::format("probabilities: {} of {} folds did not converge", unfinished, converged.size()));
    }
    Calibration out{.kind = Calibration::Kind::sigmoids, .sigmoids = {}};
    for (std::size_t o = 0; o < sides_.size(); ++o) {
      out.sigmoids.push_back(has_both(sides_[o]) ? sigmoid_of(held_out[o], weights_, rows_of(sides_[o]).points())
                                                 : Sigmoid{});
    }
    return out;
  }

  void note_degenerate(std::vector<std::string>& notes) const {
    for (std::size_t c = 0; c < class_weight_.size(); ++c) {
      if (class_weight_[c] > 0) continue;
      notes.push_back(fmt::format("class {} has no point of positive weight and is never predicted by what was learnt",
                                  quoted(labels_.classes[c])));
    }
    for (std::size_t o = 0; o < sides_.size(); ++o) {
      if (classifier_.nu <= 0 || outcomes_[o].spread > 0 || outcomes_[o].support == 0) continue;
      notes.push_back(fmt::format("{}: the margin is 0 at this nu, so f is not scaled", name_of_sides(sides_[o])));
    }
  }

  const Classifier& classifier_;
  const Training& training_;
  const Labels& labels_;
  const Vector weights_;
  const Clock clock_;
  Vector class_weight_;
  Reading reading_ = Reading::binary;
  std::vector<Sides> sides_;
  std::vector<double> sizes_;  // of the outputs
  double largest_phi_ = 0;
  bool own_rows_ = false;  // and nothing to be left for a next fit
  ClassRows rows_;
  std::vector<Outcome> outcomes_;
  std::vector<BinaryOutcome> found_;  // less the outcomes
};

}  // namespace

Model fit_classes(const Classifier& classifier, const Training& training) {
  const Threads threads(training.how.threads);  // what is trained on was looked at for the classifier
  check_limits(classifier.machine, classifier.limits);
  require_plain(training.K);
  return Fit(classifier, training).on_own_rows();
}

ClassFit fit_classes(const Classifier& classifier, const Training& training, const ClassRows& rows,
                     std::vector<BinaryOutcome> last) {
  check_limits(classifier.machine, classifier.limits);
  return Fit(classifier, training).on(rows, std::move(last));
}

}  // namespace mercer::detail
