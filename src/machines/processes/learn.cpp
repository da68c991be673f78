#include "machines/processes/learn.hpp"

#include <algorithm>
#include <cmath>

#include "base/at.hpp"
#include "base/fail.hpp"
#include "base/parallel.hpp"
#include "base/random.hpp"
#include "base/text.hpp"
#include "linalg/lbfgs.hpp"
#include "model/training.hpp"

namespace mercer::detail {

namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
// Where a parameter has no bounds, how many times its start it (its odds, between two ends) may become, and its
// inverse.
constexpr double kWidest = 1e6;
// Multiples of the length scales given at which learning begins, too: from auto they are 0.005 to 5 times the range of
// a series. A random start is rarely so far away, and "all of it is noise" is a maximum wherever no length fits.
constexpr double kLengths[] = {0.3, 0.1, 0.03, 3, 10, 30};
constexpr std::size_t kShorter = 3;    // of these
constexpr std::size_t kFinalists = 3;  // of the screened starts, to be compared on all points
// How far random starts lie from the given one, in its coordinate; of numbers of any sign, in its size.
constexpr double kSpread = 1.0;
// Iterations that show which start is worth going on with, where all points can be had at once, and their tolerance for
// each point; else those after which the better half of the starts goes on.
constexpr Index kScreening = 30, kRound = 5;
constexpr double kRough = 2e-5;
// The tolerance on some of the points, in nats: the best place of some is several nats below that of all.
constexpr double kNats = 0.2;
// On some of the points each coordinate has a weak normal prior around its start, so many of its spreads wide: a length
// that few points cannot see would run off to where no gradient leads back when more points see it.
constexpr double kLeash = 2;
// Beyond the first level the place is nearly known: a longer step in a coordinate overshoots, and costs as much.
constexpr double kLongest = 3, kLongestAbove = 1;
// The tolerance given is multiplied by this where there are several levels: a step costs so much there. An
// approximation of all points is searched to a part of it, so that the last level as a rule has nothing left to gain.
constexpr double kOfMany = 100, kCloser = 0.5;
// From one level to the next.
constexpr double kMostGrowth = 2;
// As much of the progress bar as comparing starts takes.
constexpr double kScreeningShare = 0.3;

struct Coordinate {
  std::string path;
  ValueRange range;
  double start, lower, upper;  // values
  const Prior* prior = nullptr;
  std::string shown = {};  // in notes, where it is not the path
};

bool names(std::string_view prior, std::string_view path) {
  return prior == path || (path.starts_with(prior) && path.substr(prior.size()).starts_with("["));
}

class Learning {
 public:
  Learning(std::string machine, const Kernel& start, std::vector<Extra> extras, const LearnOptions& options,
           const Monitor& monitor)
      : machine_(std::move(machine)), kernel_(start), extras_(std::move(extras)), options_(options), monitor_(monitor) {
    const Params params = kernel_.params();
    positions_ = params.free();
    for (const Index p : positions_) {
      add(params[p].path, params[p].range, params[p].value, params[p].lower, params[p].upper);
    }
    for (std::size_t e = 0; e < extras_.size(); ++e) {
      const Extra& extra = extras_[e];
      if (extra.fixed) continue;
      free_extras_.push_back(e);
      add(extra.name, extra.range, extra.value, extra.lower, extra.upper);
      coordinates_.back().shown = extra.shown;
    }
    for (const auto& [name, prior] : options_.priors) attach(name, prior);
  }

  Learnt run(const std::vector<LearnLevel>& levels, Report& report) {
    best_ = start();
    if (coordinates_.empty()) {
      report.stopped = "nothing to learn: every parameter is fixed";
      return at(best_);
    }
    try {
      const linalg::Minimum found = climb(levels);
      if (!std::isfinite(found.value)) {
        fail(ErrorKind::numeric,
             "{}: the evidence cannot be computed at the start {}: the matrix is not positive definite in floating "
             "point; start elsewhere, from more noise or smaller length scales",
             machine_, describe(found.x));
      }
      report.converged = found.converged;
      report.stopped = out_of_time() && found.stopped == "stopped" ? "time limit" : found.stopped;
      report.iterations = found.iterations;
      best_ = found.x;
    } catch (const Error& error) {
      if (error.kind() != ErrorKind::cancelled || (options_.improved && kept_.empty())) throw;
      if (options_.improved) best_ = kept_;
      report.converged = false;
      report.stopped = "interrupted";
    }
    report.add("evaluations", static_cast<double>(evaluations_));
    note_bounds(best_, report);
    Learnt out = at(best_);
    out.kept = best_ == kept_;
    return out;
  }

 private:
  void add(const std::string& path, const ValueRange& range, double value, double lower, double upper) {
    Coordinate c{path, range, value, lower, upper};
    if (range.scale == ValueRange::Scale::logarithm) {
      if (!(lower > 0)) c.lower = value / kWidest;
      if (!std::isfinite(upper)) c.upper = lower > 0 ? std::max(value * kWidest, lower * kWidest) : value * kWidest;
    } else if (range.scale == ValueRange::Scale::logit) {
      const double odds = range.coordinate(value), reach = std::log(kWidest);
      if (lower <= range.lower) c.lower = range.value(odds - reach);
      if (upper >= range.upper) c.upper = range.value(odds + reach);
    }
    coordinates_.push_back(std::move(c));
  }

  void attach(const std::string& name, const Prior& prior) {
    std::vector<std::string> known;
    bool found = false;
    for (Coordinate& c : coordinates_) {
      known.push_back(c.path);
      if (!names(name, c.path)) continue;
      if (!prior.of_any_sign() && c.lower < 0) {
        fail(ErrorKind::usage, "{}: the prior {} is of numbers above 0, and {} may be below; use normal(mean, sigma)",
             machine_, prior.str(), c.path);
      }
      if (prior.of_any_sign() && c.range.scale == ValueRange::Scale::logarithm) {
        fail(ErrorKind::usage,
             "{}: the prior {} is of numbers of any sign, and {} is above 0; use lognormal or another", machine_,
             prior.str(), c.path);
      }
      c.prior = &prior;
      found = true;
    }
    if (found) return;
    fail(ErrorKind::usage, "{}: a prior on \"{}\", and no parameter of that name is learnt; there are {}{}", machine_,
         name, fmt::join(known, ", "), did_you_mean(name, known));
  }

  Vector start() const {
    Vector theta;
    for (const Coordinate& c : coordinates_) theta.push_back(c.range.coordinate(c.start));
    return theta;
  }
  Vector bounds(double Coordinate::*end) const {
    Vector out;
    for (const Coordinate& c : coordinates_) out.push_back(c.range.coordinate(c.*end));
    return out;
  }

  Learnt at(const Vector& theta) const {
    const Params old = kernel_.params();
    std::vector<Parameter> list(old.begin(), old.end());
    std::size_t t = 0;
    // The coordinate may have lost the last digit of a bound.
    const auto value = [&] {
      const Coordinate& c = coordinates_[t];
      return std::clamp(c.range.value(theta[t++]), c.lower, c.upper);
    };
    for (const Index p : positions_) list[mercer::at(p)].value = value();
    Vector extras;
    for (const Extra& extra : extras_) extras.push_back(extra.value);
    for (const std::size_t e : free_extras_) extras[e] = value();
    return {kernel_.with(Params(std::move(list))), std::move(extras)};
  }

  // -(log evidence + log priors), and its derivatives by the coordinates of the free parameters.
  double cost(const LogEvidence& evidence, VectorView theta, VectorRef gradient) {
    Vector all;
    const Vector point(theta.begin(), theta.end());
    const double value = value_at(evidence, point, &all);
    if (!std::isfinite(value)) return kInfinity;
    const std::size_t kernel_parameters = all.size() - extras_.size();
    std::size_t t = 0;
    for (const Index p : positions_) gradient[t++] = -all[mercer::at(p)];
    for (const std::size_t e : free_extras_) gradient[t++] = -all[kernel_parameters + e];
    for (t = 0; t < coordinates_.size(); ++t) {
      const Coordinate& c = coordinates_[t];
      const double v = c.range.value(theta[t]);
      if (c.prior != nullptr) gradient[t] -= c.prior->slope(v);
      gradient[t] *= c.range.slope(v);
      if (leashed_) gradient[t] += strain(c, theta[t]) / leash(c);
    }
    const std::lock_guard lock(mutex_);
    if (value < best_value_) {
      best_value_ = value;
      best_ = point;
      if (on_all_ && options_.improved) {
        options_.improved();
        kept_ = point;
      }
    }
    return value;
  }

  double value_at(const LogEvidence& evidence, const Vector& theta, Vector* gradient) {
    {
      const std::lock_guard lock(mutex_);
      ++evaluations_;
      monitor_.report({"learn", progress_});
    }
    const Learnt here = at(theta);
    double value = -evidence(here.kernel, here.extras, gradient);
    for (std::size_t t = 0; t < coordinates_.size(); ++t) {
      const Coordinate& c = coordinates_[t];
      if (c.prior != nullptr) value -= c.prior->log_density(c.range.value(theta[t]));
      if (leashed_) value += strain(c, theta[t]) * strain(c, theta[t]) / 2;
    }
    return std::isfinite(value) ? value : kInfinity;
  }
  static double leash(const Coordinate& c) { return kLeash * spread(c); }
  static double strain(const Coordinate& c, double theta) { return (theta - c.range.coordinate(c.start)) / leash(c); }
  bool out_of_time() const { return options_.max_seconds > 0 && watch_.seconds() > options_.max_seconds; }

  // Of the progress bar.
  struct Stage {
    double from, to;
  };

  // Goes on from there, for so many iterations; where its gradient is that of another evidence, without it.
  void descend(const LogEvidence& evidence, linalg::Minimum& from, Index iterations, double tolerance, Stage stage,
               double longest_step = kLongest, bool known_well = false) {
    const Vector lower = bounds(&Coordinate::lower), upper = bounds(&Coordinate::upper);
    linalg::Descent how{.max_iterations = iterations,
                        .tolerance = tolerance,
                        .promises = several_ && (on_all_ || leashed_),
                        .longest_step = longest_step,
                        .known = std::move(from.known),
                        .value = from.value,
                        .gradient = std::move(from.gradient),
                        .known_well = known_well};
    how.proceed = [&](Index iteration, double) {
      const std::lock_guard lock(mutex_);
      const double part = static_cast<double>(iteration) / static_cast<double>(std::max<Index>(1, iterations));
      progress_ = std::max(progress_, stage.from + (stage.to - stage.from) * part);
      return !out_of_time();
    };
    linalg::Minimum found = linalg::minimise([&](VectorView theta, VectorRef g) { return cost(evidence, theta, g); },
                                             std::move(from.x), lower, upper, how);
    found.iterations += from.iterations;
    from = std::move(found);
  }

  // From the best of the starts up the levels.
  linalg::Minimum climb(const std::vector<LearnLevel>& levels) {
    on_all_ = levels.size() == 1;
    several_ = leashed_ = !on_all_;
    linalg::Minimum found{.x = start()};
    std::size_t level = 0;
    bool climbed = false;
    if (options_.starts > 1) {
      found = compare_starts(levels.front());
      if (levels.size() > 1 && options_.whole_decides && shorter_is_better(levels.back().evidence, found)) {
        level = levels.size() - 1;
      }
    } else {
      level = levels.size() - 1;
    }
    for (; level < levels.size(); ++level) {
      on_all_ = level + 1 == levels.size();
      leashed_ = levels[level].weight < levels.back().weight;
      const bool again = climbed && levels[level - 1].weight == levels[level].weight;  // the same points
      const Stage stage{progress_, on_all_ ? 1 : (1 + progress_) / 2};
      if (level > 0 || on_all_) found.gradient.clear();
      best_ = found.x;
      best_value_ = found.gradient.empty() ? kInfinity : found.value;
      const bool stands_for_all = !on_all_ && !leashed_;
      const double tolerance = options_.tolerance * (levels.size() > 1 ? kOfMany : 1) * levels[level].weight *
                               (stands_for_all ? kCloser : 1);
      descend(levels[level].evidence, found, options_.max_iterations, leashed_ ? kNats : tolerance, stage,
              climbed ? kLongestAbove : kLongest, again && found.converged);
      climbed = true;
      if (on_all_) break;
      const double growth = levels[level + 1].weight / levels[level].weight;
      for (linalg::Secant& secant : found.known) {
        for (double& change : secant.change) change *= growth;
      }
    }
    return found;
  }

  // ell, ell[3]; of periodic it is a share of the period, which few points see as well as many.
  enum class Lengths { all, along_inputs };
  static bool is_length(const Coordinate& c, Lengths which) {
    const std::size_t dot = c.path.rfind('.');
    if (!c.path.substr(dot + 1).starts_with("ell")) return false;
    return which == Lengths::all || c.path.find("periodic") == std::string::npos;
  }

  // The values given; all lengths shorter, or longer; random ones around them.
  std::vector<Vector> all_starts(Lengths lengths = Lengths::all) const {
    std::vector<Vector> out = {start()};
    const auto more = [&] { return static_cast<Index>(out.size()) < options_.starts; };
    const bool any = std::ranges::any_of(coordinates_, [&](const Coordinate& c) { return is_length(c, lengths); });
    for (const double factor : kLengths) {
      if (!any || !more()) break;
      out.push_back(start());
      for (std::size_t t = 0; t < coordinates_.size(); ++t) {
        const Coordinate& c = coordinates_[t];
        if (is_length(c, lengths)) out.back()[t] = c.range.coordinate(std::clamp(factor * c.start, c.lower, c.upper));
      }
    }
    Random random(options_.seed);
    while (more()) {
      out.push_back(start());
      for (std::size_t t = 0; t < coordinates_.size(); ++t) out.back()[t] += spread(coordinates_[t]) * random.normal();
    }
    return out;
  }

  static double spread(const Coordinate& c) {
    const bool any_sign = c.range.scale == ValueRange::Scale::identity && c.start != 0;
    return kSpread * (any_sign ? std::abs(c.start) : 1);
  }

  // Passes on the wish to stop.
  Monitor still_learning() {
    return Monitor([this](const Progress&) {
      const std::lock_guard lock(mutex_);
      monitor_.report({"learn", progress_});
      return true;
    });
  }

  // Some iterations from each, and the best goes on, or the better half until one is left.
  linalg::Minimum compare_starts(const LearnLevel& level) {
    std::vector<linalg::Minimum> ends;
    for (Vector& x : all_starts()) ends.push_back({.x = std::move(x), .value = kInfinity});
    Index done = 0;
    const auto all = static_cast<double>(2 * ends.size());
    for (std::size_t left = ends.size(); left > 1 && !out_of_time(); left = on_all_ ? 1 : (left + 1) / 2) {
      const auto go_on = [&](std::size_t s, const LogEvidence& evidence) {
        const double before = static_cast<double>(done) + static_cast<double>(s);
        descend(evidence, ends[s], on_all_ ? kScreening : kRound, on_all_ ? kRough * level.weight : kNats,
                {kScreeningShare * before / all, kScreeningShare * (before + 1) / all});
      };
      // Side by side they begin at no mode but their own, so that the number of threads changes nothing.
      parallel_for(static_cast<Index>(left), level.another ? thread_count(0) : 1, still_learning(), "learn",
                   [&](Index s, int) {
                     if (ends[mercer::at(s)].converged || out_of_time()) return;
                     go_on(mercer::at(s), level.another ? level.another() : level.evidence);
                   });
      done += static_cast<Index>(left);
      std::stable_sort(ends.begin(), ends.begin() + static_cast<Index>(left),
                       [](const auto& a, const auto& b) { return a.value < b.value; });
    }
    finalists_.assign(ends.begin(), ends.begin() + static_cast<Index>(std::min(ends.size(), kFinalists)));
    return ends.front();
  }

  // Some of the points cannot see what is shorter than the distances between them: all points decide between the lowest
  // ends and shorter lengths. True where it is one of the latter.
  bool shorter_is_better(const LogEvidence& whole, linalg::Minimum& found) {
    on_all_ = true;
    leashed_ = false;
    const std::vector<Vector> starts = all_starts(Lengths::along_inputs);
    std::vector<linalg::Minimum> ends = finalists_;
    for (std::size_t s = 1; s < starts.size() && s <= kShorter; ++s) ends.push_back({.x = starts[s]});
    std::size_t best = 0;
    double least = kInfinity;
    for (std::size_t e = 0; e < ends.size() && !out_of_time(); ++e) {
      const double value = value_at(whole, ends[e].x, nullptr);
      if (value < least) {
        least = value;
        best = e;
      }
    }
    found = std::move(ends[best]);
    return best >= finalists_.size();
  }

  std::string describe(const Vector& theta) const {
    std::vector<std::string> out;
    for (std::size_t t = 0; t < theta.size(); ++t) {
      out.push_back(fmt::format("{} = {:.4g}", coordinates_[t].path, coordinates_[t].range.value(theta[t])));
    }
    return fmt::format("{}", fmt::join(out, ", "));
  }

  void note_bounds(const Vector& theta, Report& report) const {
    for (std::size_t t = 0; t < theta.size(); ++t) {
      const Coordinate& c = coordinates_[t];
      const bool low = theta[t] <= c.range.coordinate(c.lower) + 1e-6,
                 high = theta[t] >= c.range.coordinate(c.upper) - 1e-6;
      if (!low && !high) continue;
      report.notes.push_back(fmt::format("{} = {:.4g} is at its {} bound", c.shown.empty() ? c.path : c.shown,
                                         c.range.value(theta[t]), low ? "lower" : "upper"));
    }
  }

  std::string machine_;
  Kernel kernel_;
  std::vector<Extra> extras_;
  const LearnOptions& options_;
  const Monitor& monitor_;
  std::vector<Coordinate> coordinates_;
  std::vector<Index> positions_;  // of the kernel's free parameters
  std::vector<std::size_t> free_extras_;
  Stopwatch watch_;
  Vector best_, kept_;    // the latter: the last of which options_.improved was told
  bool on_all_ = true;    // evaluations are of all data, and exact
  bool leashed_ = false;  // of some of the points
  bool several_ = false;  // levels: then an evaluation of all points costs much
  double best_value_ = kInfinity, progress_ = 0;
  std::mutex mutex_;                        // of what starts side by side tell: the best, the evaluations, the progress
  std::vector<linalg::Minimum> finalists_;  // the best starts
  Index evaluations_ = 0;
};

}  // namespace

std::vector<Index> level_sizes(Index n, Index screen) {
  if (n <= screen) return {n};
  const double growth = static_cast<double>(n) / static_cast<double>(screen);
  const double steps = std::ceil(std::log(growth) / std::log(kMostGrowth) - 1e-9);
  std::vector<Index> out;
  for (double k = 0; k < steps; ++k) {
    out.push_back(static_cast<Index>(std::lround(static_cast<double>(screen) * std::pow(growth, k / steps))));
  }
  out.push_back(n);
  return out;
}

Learnt learn(const std::string& machine, const Kernel& start, std::vector<Extra> extras,
             const std::vector<LearnLevel>& levels, const LearnOptions& options, const Monitor& monitor,
             Report& report) {
  return Learning(machine, start, std::move(extras), options, monitor).run(levels, report);
}

bool LearnProgress::tell(const Progress& p) {
  if (stopped_) return false;
  stopped_ = true;
  shown_.report(p);
  stopped_ = false;
  return true;
}

Monitor LearnProgress::learning() {
  return Monitor([this](const Progress& p) {
    const std::lock_guard lock(mutex_);
    fraction_ = p.fraction;
    return tell(p);
  });
}

Monitor LearnProgress::evaluating() {
  return Monitor([this](const Progress&) {
    const std::lock_guard lock(mutex_);
    return tell({"learn", fraction_});
  });
}

}  // namespace mercer::detail
