#include "mercer/machines/rfm.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "base/at.hpp"
#include "base/fail.hpp"
#include "machines/catalog_rows.hpp"
#include "machines/least_squares/codes.hpp"
#include "machines/least_squares/ridge_needs.hpp"
#include "model/settings.hpp"
#include "model/training.hpp"
#include "points/rep.hpp"
#include "selection/equal_points.hpp"
#include "selection/held_out.hpp"

namespace mercer {

namespace {

constexpr std::string_view kRfm = "rfm", kRfmClassifier = "rfm_classifier";
constexpr Index kLearntFrom = 1000;  // points
constexpr Index kRoundFolds = 5;
constexpr double kLongest = 1e3;  // as in the header
constexpr int kMostSteps = 3;     // of s to either side
constexpr double kNear = 1e-10;   // in lengths: the derivative of exp(-r) at a centre is none

// exp(-r) of |u|_2, exp(-r^2/2) of it, exp(-r) of |u|_1, for u_c = (x_c - z_c) / ell_c.
enum class Shape { exponential, rbf, laplace };
struct Lengths {
  Shape shape = Shape::exponential;
  Vector ell;

  const char* name() const {
    return shape == Shape::exponential ? "exponential" : shape == Shape::rbf ? "rbf" : "laplace";
  }
  Kernel kernel() const { return parse(fmt::format("{}(ell=[{}])", name(), fmt::join(ell, ", "))); }
};

// Those that can be learnt.
std::optional<Lengths> lengths_of(const Gram& K) {
  if (!K.kernel() || !K.points() || K.points()->domain().kind != "reals") return std::nullopt;
  const Params params = K.kernel()->params();
  const Index columns = K.points()->domain().dimension;
  Lengths out;
  for (const Parameter& one : params) {
    if (one.fixed) return std::nullopt;
    out.ell.push_back(one.value);
  }
  const bool is_one = params.size() == 1;
  if (is_one) out.ell.assign(at(columns), out.ell[0]);
  if (static_cast<Index>(out.ell.size()) != columns) return std::nullopt;
  for (const Shape shape : {Shape::exponential, Shape::rbf, Shape::laplace}) {
    out.shape = shape;
    if (*K.kernel() == out.kernel()) return out;
    if (is_one && *K.kernel() == parse(fmt::format("{}(ell={})", out.name(), out.ell[0]))) return out;
  }
  return std::nullopt;
}

struct Weighted {
  Matrix x;
  Vector weight;    // adds to 1
  Vector variance;  // of each column
};

Weighted weighted(const Training& training) {
  Weighted out{Matrix(dense_rows(*training.K.points()).values), detail::weights_of(training), {}};
  const double all = std::accumulate(out.weight.begin(), out.weight.end(), 0.0);
  for (double& w : out.weight) w /= all;
  for (Index c = 0; c < out.x.cols(); ++c) {
    double mean = 0, square = 0;
    for (Index i = 0; i < out.x.rows(); ++i) mean += out.weight[at(i)] * out.x(i, c);
    for (Index i = 0; i < out.x.rows(); ++i) square += out.weight[at(i)] * std::pow(out.x(i, c) - mean, 2);
    out.variance.push_back(square);
  }
  return out;
}

// Adds alpha_t dk(x, z)/dz_c of one centre x to row t of `slope`.
void add_slope(const Lengths& k, const double* x, const double* z, const double* alpha, Matrix& slope) {
  double size = 0;
  for (std::size_t c = 0; c < k.ell.size(); ++c) {
    const double u = (x[c] - z[c]) / k.ell[c];
    size += k.shape == Shape::laplace ? std::abs(u) : u * u;
  }
  const double r = k.shape == Shape::exponential ? std::sqrt(size) : size;
  if (k.shape == Shape::exponential && r < kNear) return;
  const double value = k.shape == Shape::rbf           ? std::exp(-r / 2)
                       : k.shape == Shape::exponential ? std::exp(-r) / r
                                                       : std::exp(-r);
  for (std::size_t c = 0; c < k.ell.size(); ++c) {
    const double away = x[c] - z[c];
    const double along = k.shape == Shape::laplace ? static_cast<double>((away > 0) - (away < 0)) / k.ell[c]
                                                   : away / (k.ell[c] * k.ell[c]);
    for (Index t = 0; t < slope.rows(); ++t) slope(t, static_cast<Index>(c)) += alpha[t] * value * along;
  }
}

// g_c of the header.
Vector mean_square_slopes(const Model& model, const Lengths& k, const Weighted& points, const Execution& how) {
  const Expansion::Parts& f = model.expansion().parts();
  const Matrix centres(dense_rows(*f.centres).values);
  const Index columns = points.x.cols(), n = points.x.rows();
  Matrix squares(n, columns);
  parallel_for(n, thread_count(how.threads), how.monitor, "slopes", [&](Index i, int) {
    Matrix slope(f.alpha.cols(), columns);
    for (Index j = 0; j < centres.rows(); ++j) add_slope(k, centres.row(j), points.x.row(i), f.alpha.row(j), slope);
    for (Index t = 0; t < slope.rows(); ++t) {
      for (Index c = 0; c < columns; ++c) squares(i, c) += slope(t, c) * slope(t, c);
    }
  });
  Vector out(at(columns));
  for (Index i = 0; i < n; ++i) {
    for (Index c = 0; c < columns; ++c) out[at(c)] += points.weight[at(i)] * squares(i, c);
  }
  return out;
}

// Where the mean squared distance is what it was; nothing where f is the same everywhere.
std::optional<Lengths> next_lengths(const Lengths& before, Vector slopes, const Vector& variance) {
  double most = 0, was = 0, is = 0;
  for (std::size_t c = 0; c < slopes.size(); ++c) most = std::max(most, slopes[c] * variance[c]);
  if (!(most > 0) || std::isinf(most)) return std::nullopt;
  for (std::size_t c = 0; c < slopes.size(); ++c) {
    if (variance[c] > 0) slopes[c] = std::max(slopes[c], most / (kLongest * kLongest) / variance[c]);
    was += variance[c] / (before.ell[c] * before.ell[c]);
    is += variance[c] * slopes[c];
  }
  Lengths out = before;
  for (std::size_t c = 0; c < slopes.size(); ++c) {
    if (variance[c] > 0) out.ell[c] = std::sqrt(is / was / slopes[c]);
  }
  return out;
}

struct Round {
  std::optional<Lengths> lengths;  // none: the kernel as it was given
  Model model;
};

Model fit_with(const std::optional<double>& ridge, const Kernel& k, Training training) {
  training.K = gram_for(k, *training.K.points(), {});
  return KernelRidge{.ridge = ridge, .loo = ridge.has_value()}.fit(training);
}

double left_out_error(const Model& model) { return *model.report().figure("leave_one_out_rmse"); }

// The best of s, s/2, s/4, ... and of s, 2 s, ..., as far as it gets better.
Round best_width(const std::optional<double>& ridge, const Lengths& start, const Training& training) {
  Round best{start, fit_with(ridge, start.kernel(), training)};
  for (const double factor : {2.0, 0.5}) {
    bool better = false;
    for (int step = 0; step < kMostSteps; ++step) {
      Lengths next = *best.lengths;
      for (double& ell : next.ell) ell *= factor;
      Model model = fit_with(ridge, next.kernel(), training);
      if (!(left_out_error(model) < left_out_error(best.model))) break;
      best = {next, std::move(model)};
      better = true;
    }
    if (better) break;
  }
  return best;
}

// From the kernel as it is on; fewer where f is the same everywhere.
std::vector<Round> rounds_of(const std::optional<double>& ridge, const Lengths& given, Index count,
                             const Training& training) {
  std::vector<Round> out;
  out.push_back({std::nullopt, fit_with(ridge, *training.K.kernel(), training)});
  const Weighted points = weighted(training);
  while (static_cast<Index>(out.size()) <= count) {
    const Lengths now = out.back().lengths.value_or(given);
    const Vector slopes = mean_square_slopes(out.back().model, now, points, training.how);
    const std::optional<Lengths> next = next_lengths(now, slopes, points.variance);
    if (!next) break;
    out.push_back(best_width(ridge, *next, training));
  }
  return out;
}

// Of each number of rounds the mean squared error of points held out, their lengths learnt without them.
Vector errors_held_out(const std::optional<double>& ridge, const Lengths& given, const Training& training,
                       const std::vector<Fold>& folds) {
  Vector out(at(RecursiveFeatureMachine::kMostRounds + 1));
  const Vector weights = detail::weights_of(training);
  const double all = std::accumulate(weights.begin(), weights.end(), 0.0);
  for (const Fold& fold : folds) {
    Training rest = detail::part_of(training, detail::outside(fold, training.K.size()));
    rest.how = training.how;
    const std::vector<Round> rounds = rounds_of(ridge, given, RecursiveFeatureMachine::kMostRounds, rest);
    const Points held = training.K.points()->select(fold);
    for (std::size_t r = 0; r < out.size(); ++r) {
      const Matrix said = rounds[std::min(r, rounds.size() - 1)].model.predict_targets(held, training.how);
      for (std::size_t i = 0; i < fold.size(); ++i) {
        for (Index t = 0; t < said.cols(); ++t) {
          out[r] += weights[at(fold[i])] / all * std::pow(training.y(fold[i], t) - said(static_cast<Index>(i), t), 2);
        }
      }
    }
  }
  return out;
}

// Those that lengths are learnt from, in the order of their contents: so the order of the rows does not matter, neither
// to which they are nor to the folds.
Training some_of(const Training& training) {
  std::vector<Index> which = detail::weighted_points(training);
  const Points x = *training.K.points();
  std::stable_sort(which.begin(), which.end(), [&](Index i, Index j) { return x.rep().compare(i, j) < 0; });
  if (const Index n = static_cast<Index>(which.size()); n > kLearntFrom) {
    for (Index i = 0; i < kLearntFrom; ++i) which[at(i)] = which[at(i * n / kLearntFrom)];
    which.resize(at(kLearntFrom));
  }
  Training out = detail::part_of(training, which);
  out.how = training.how;
  return out;
}

void add_relevance(const Lengths& lengths, const Vector& slopes, const Vector& variance, Report& report) {
  Report::Table table{"relevance", {"ell", "mean_square_slope", "share"}, Matrix(static_cast<Index>(slopes.size()), 3)};
  double all = 0;
  for (std::size_t c = 0; c < slopes.size(); ++c) all += slopes[c] * variance[c];
  for (std::size_t c = 0; c < slopes.size(); ++c) {
    const auto row = static_cast<Index>(c);
    table.rows(row, 0) = lengths.ell[c];
    table.rows(row, 1) = slopes[c];
    table.rows(row, 2) = all > 0 ? slopes[c] * variance[c] / all : 0;
  }
  report.tables.push_back(std::move(table));
}

Model learnt(const RecursiveFeatureMachine& config, const Lengths& given, const Training& training) {
  const Training some = some_of(training);
  Index count = 0;
  std::string words;
  if (config.rounds) {
    count = *config.rounds;
  } else if (const Index different = detail::count_points(some, detail::first_equal(some.K)).different; different > 1) {
    const Vector errors =
        errors_held_out(config.ridge, given, some, divide(some, std::min(kRoundFolds, different)).folds);
    count = std::min_element(errors.begin(), errors.end()) - errors.begin();
    words = fmt::format("{} round{}, by the squared error of points held out: {:.4g} without, then {:.4g}", count,
                        count == 1 ? "" : "s", errors[0], fmt::join(errors.begin() + 1, errors.end(), ", "));
  }
  const std::vector<Round> rounds = rounds_of(config.ridge, given, count, some);
  const Lengths lengths = rounds.back().lengths.value_or(given);
  const Weighted points = weighted(some);
  const Vector slopes = mean_square_slopes(rounds.back().model, lengths, points, training.how);
  Training all = training;
  if (rounds.back().lengths) all.K = gram_for(lengths.kernel(), *training.K.points(), {});
  return KernelRidge{.ridge = config.ridge}.fit(all).with([&](Model::Parts& parts) {
    parts.report.add("rounds", static_cast<double>(rounds.size() - 1));
    add_relevance(lengths, slopes, points.variance, parts.report);
    if (!words.empty()) parts.report.notes.push_back(words);
    if (some.K.size() == kLearntFrom && training.K.size() > kLearntFrom) {
      parts.report.notes.push_back(fmt::format("lengths were learnt from {} points", kLearntFrom));
    }
  });
}

RecursiveFeatureMachine config_from(const Machine& row, const Settings& settings) {
  const detail::SettingsReader read(row, settings);
  RecursiveFeatureMachine out;
  if (read.text("ridge") != "auto") out.ridge = read.number("ridge");
  if (read.text("rounds") != "auto") out.rounds = read.whole("rounds", 0);
  return out;
}

// A ridge to all points, and the fits before it.
Needs needs_of(const RecursiveFeatureMachine& config, const Extent& extent) {
  Needs out = detail::needs_of_ridge({.ridge = config.ridge}, extent);
  const double n = static_cast<double>(std::min(extent.points, kLearntFrom));
  constexpr double kFits = 100, kCubes = 6;
  out.flops += (config.rounds ? static_cast<double>(*config.rounds) * kMostSteps : kFits) * kCubes * n * n * n;
  return out;
}

Machine rfm_row() {
  Machine row{
      .name = std::string(kRfm),
      .purpose = "kernel ridge regression that learns a length for each column from the slopes of its own f",
      .problem = "min_f  sum_i w_i (y_i - f(x_i))^2 + ridge |f|^2, again with ell_c ~ 1 / sqrt(mean (df/dx_c)^2)",
      .task = Task::regression,
      .options = {{"ridge", "auto", "The price of |f|^2, > 0, or auto: chosen by leave-one-out in each round"},
                  {"rounds", "auto",
                   "How often lengths are learnt anew, a whole number >= 0, or auto: 0 to 3, by the error of points "
                   "held out in 5 folds"}},
      .fit = {},  // below: it asks the row
      .kernel = "exponential(ell=auto)",
  };
  row.fit = [row](const Settings& settings, const Training& training) {
    return config_from(row, settings).fit(training);
  };
  row.needs = [row](const Settings& settings, const Extent& extent) {
    return needs_of(config_from(row, settings), extent);
  };
  return row;
}

}  // namespace

Model RecursiveFeatureMachine::fit(const Training& training) const {
  const Threads threads = detail::check_training(kRfm, Task::regression, training);
  if (ridge) detail::require_ridge(*ridge);
  if (rounds && *rounds < 0) fail(ErrorKind::usage, "rfm: rounds: a whole number >= 0, not {}", *rounds);
  const std::optional<Lengths> given = lengths_of(training.K);
  const bool learns = given && (!rounds || *rounds > 0);
  const Model model = learns ? learnt(*this, *given, training) : KernelRidge{.ridge = ridge}.fit(training);
  return model.with([&](Model::Parts& parts) {
    parts.machine = kRfm;
    if (given) return;
    parts.report.notes.emplace_back(
        "this kernel has no lengths of columns that could be learnt, and is as it was given");
  });
}

Model RecursiveFeatureMachine::fit(const Gram& K, VectorView y) const { return fit(detail::training_on(K, y)); }

Model RecursiveFeatureClassifier::fit(const Training& training) const {
  const Threads threads = detail::check_training(kRfmClassifier, Task::classification, training);
  return detail::with_classes(codes.fit(detail::with_codes(training)), training.labels, kRfmClassifier);
}

std::vector<Machine> detail::rfm_rows() {
  const Machine numbers = rfm_row();
  Machine classes = numbers;
  classes.name = kRfmClassifier;
  classes.purpose = "classes by the same on codes, as ridge_classifier has them: one kernel for all classes";
  classes.problem = numbers.problem + ", for y_i = +-1; of several classes an f for each";
  classes.task = Task::classification;
  classes.fit = [numbers](const Settings& settings, const Training& training) {
    const Threads threads = detail::check_training(kRfmClassifier, Task::classification, training);
    return with_classes(numbers.fit(settings, with_codes(training)), training.labels, kRfmClassifier);
  };
  return {numbers, classes};
}

}  // namespace mercer
