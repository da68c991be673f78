#include "machines/gp/learn.hpp"

#include <algorithm>
#include <cmath>

#include "base/at.hpp"
#include "base/fail.hpp"
#include "base/random.hpp"
#include "base/text.hpp"
#include "linalg/lbfgs.hpp"
#include "model/training.hpp"

namespace mercer::detail {

namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
// Where a parameter has no bounds, how many times its start it may become, and its inverse.
constexpr double kWidest = 1e6;
// Multiples of the length scales given at which learning begins, too: from auto they are 0.005 to 5 times the range of
// a series. A random start is rarely so far away, and "all of it is noise" is a maximum wherever no length fits.
constexpr double kLengths[] = {0.3, 0.1, 0.03, 3, 10, 30};
constexpr std::size_t kShorter = 3;    // of these
constexpr std::size_t kFinalists = 3;  // of the screened starts, to be compared on all points
// How far random starts lie from the given one, in logarithms.
constexpr double kSpread = 1.0;
// Iterations that show which start is worth going on with.
constexpr Index kScreening = 30;
// As much of the progress bar as comparing starts takes.
constexpr double kScreeningShare = 0.3;

struct Coordinate {
  std::string path;
  double start, lower, upper;  // values, not logarithms
  const Prior* prior = nullptr;
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
    for (const Index p : positions_) add(params[p].path, params[p].value, params[p].lower, params[p].upper);
    for (std::size_t e = 0; e < extras_.size(); ++e) {
      const Extra& extra = extras_[e];
      if (extra.fixed) continue;
      free_extras_.push_back(e);
      add(extra.name, extra.value, extra.lower, extra.upper);
    }
    for (const auto& [name, prior] : options_.priors) attach(name, prior);
  }

  Learnt run(const LogEvidence& whole, const LogEvidence& rough, Report& report) {
    Vector theta = start();
    best_ = theta;
    if (coordinates_.empty()) {
      report.stopped = "nothing to learn: every parameter is fixed";
      return at(theta);
    }
    linalg::Minimum found;
    try {
      on_all_ = !rough;
      if (options_.starts > 1) theta = compare_starts(whole, rough);
      on_all_ = true;
      best_ = theta;
      stage_from_ = options_.starts > 1 ? kScreeningShare : 0;
      stage_to_ = 1;
      best_value_ = kInfinity;
      found = descend(whole, theta, options_.max_iterations, true);
      if (!std::isfinite(found.value)) {
        fail(ErrorKind::numeric,
             "{}: the evidence cannot be computed at the start {}: the matrix is not positive definite in floating "
             "point; start elsewhere, from more noise or smaller length scales",
             machine_, describe(theta));
      }
      report.converged = found.converged;
      report.stopped = out_of_time() && found.stopped == "stopped" ? "time limit" : found.stopped;
      report.iterations = screened_ + found.iterations;
      best_ = found.x;
    } catch (const Error& error) {
      if (error.kind() != ErrorKind::cancelled || (options_.improved && kept_.empty())) throw;
      if (options_.improved) best_ = kept_;
      report.converged = false;
      report.stopped = "interrupted";
    }
    report.add("evaluations", static_cast<double>(evaluations_));
    note_bounds(best_, report);
    return at(best_);
  }

 private:
  void add(const std::string& path, double value, double lower, double upper) {
    Coordinate c{path, value, lower > 0 ? lower : value / kWidest, std::isfinite(upper) ? upper : value * kWidest};
    if (lower > 0 && !std::isfinite(upper)) c.upper = std::max(c.upper, lower * kWidest);
    coordinates_.push_back(std::move(c));
  }

  void attach(const std::string& name, const Prior& prior) {
    std::vector<std::string> known;
    bool found = false;
    for (Coordinate& c : coordinates_) {
      known.push_back(c.path);
      if (!names(name, c.path)) continue;
      c.prior = &prior;
      found = true;
    }
    if (found) return;
    fail(ErrorKind::usage, "{}: a prior on \"{}\", and no parameter of that name is learnt; there are {}{}", machine_,
         name, fmt::join(known, ", "), did_you_mean(name, known));
  }

  Vector start() const {
    Vector theta;
    for (const Coordinate& c : coordinates_) theta.push_back(std::log(c.start));
    return theta;
  }
  Vector bounds(double Coordinate::*end) const {
    Vector out;
    for (const Coordinate& c : coordinates_) out.push_back(std::log(c.*end));
    return out;
  }

  Learnt at(const Vector& theta) const {
    const Params old = kernel_.params();
    std::vector<Parameter> list(old.begin(), old.end());
    std::size_t t = 0;
    // The logarithm may have lost the last digit of a bound.
    const auto value = [&] {
      const Coordinate& c = coordinates_[t];
      return std::clamp(std::exp(theta[t++]), c.lower, c.upper);
    };
    for (const Index p : positions_) list[mercer::at(p)].value = value();
    Vector extras;
    for (const Extra& extra : extras_) extras.push_back(extra.value);
    for (const std::size_t e : free_extras_) extras[e] = value();
    return {kernel_.with(Params(std::move(list))), std::move(extras)};
  }

  // -(log evidence + log priors), and its derivatives by the logarithms of the free parameters.
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
      const double v = std::exp(theta[t]);
      if (const Prior* prior = coordinates_[t].prior) gradient[t] -= prior->slope(v);
      gradient[t] *= v;
    }
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
    ++evaluations_;
    monitor_.report({"learn", progress_});
    const Learnt here = at(theta);
    double value = -evidence(here.kernel, here.extras, gradient);
    for (std::size_t t = 0; t < coordinates_.size(); ++t) {
      if (const Prior* prior = coordinates_[t].prior) value -= prior->log_density(std::exp(theta[t]));
    }
    return std::isfinite(value) ? value : kInfinity;
  }
  bool out_of_time() const { return options_.max_seconds > 0 && watch_.seconds() > options_.max_seconds; }

  linalg::Minimum descend(const LogEvidence& evidence, const Vector& from, Index iterations, bool to_the_end) {
    const Vector lower = bounds(&Coordinate::lower), upper = bounds(&Coordinate::upper);
    linalg::Descent how{.max_iterations = iterations, .tolerance = to_the_end ? options_.tolerance : 1e-5};
    how.proceed = [&](Index iteration, double) {
      progress_ = stage_from_ + (stage_to_ - stage_from_) * static_cast<double>(iteration) /
                                    static_cast<double>(std::max<Index>(1, iterations));
      return !out_of_time();
    };
    return linalg::minimise([&](VectorView theta, VectorRef g) { return cost(evidence, theta, g); }, from, lower, upper,
                            how);
  }

  // The values given; all lengths shorter, or longer; random ones around them.
  std::vector<Vector> all_starts() const {
    std::vector<Vector> out = {start()};
    const auto more = [&] { return static_cast<Index>(out.size()) < options_.starts; };
    const auto is_length = [](const Coordinate& c) {
      return c.path.substr(c.path.rfind('.') + 1).starts_with("ell");  // ell, ell[3]
    };
    const bool any = std::any_of(coordinates_.begin(), coordinates_.end(), is_length);
    for (const double factor : kLengths) {
      if (!any || !more()) break;
      out.push_back(start());
      for (std::size_t t = 0; t < coordinates_.size(); ++t) {
        const Coordinate& c = coordinates_[t];
        if (is_length(c)) out.back()[t] = std::log(std::clamp(factor * c.start, c.lower, c.upper));
      }
    }
    Random random(options_.seed);
    while (more()) {
      out.push_back(start());
      for (double& theta : out.back()) theta += kSpread * random.normal();
    }
    return out;
  }

  // A few iterations from each start, and the lowest goes on. Some of the points cannot see what is shorter than the
  // distances between them: where it is asked for, all points decide between the lowest and shorter lengths.
  Vector compare_starts(const LogEvidence& whole, const LogEvidence& rough) {
    const std::vector<Vector> starts = all_starts();
    std::vector<linalg::Minimum> ends;
    for (std::size_t s = 0; s < starts.size() && !out_of_time(); ++s) {
      stage_from_ = kScreeningShare * static_cast<double>(s) / static_cast<double>(starts.size());
      stage_to_ = kScreeningShare * static_cast<double>(s + 1) / static_cast<double>(starts.size());
      ends.push_back(descend(rough ? rough : whole, starts[s], kScreening, false));
    }
    std::stable_sort(ends.begin(), ends.end(), [](const auto& a, const auto& b) { return a.value < b.value; });
    if (ends.empty()) return starts.front();
    screened_ = ends.front().iterations;
    if (!rough || !options_.whole_decides) return ends.front().x;
    ends.resize(std::min(ends.size(), kFinalists));
    for (std::size_t s = 1; s < starts.size() && s <= kShorter; ++s) ends.emplace_back().x = starts[s];
    std::size_t best = 0;
    for (std::size_t e = 0; e < ends.size() && !out_of_time(); ++e) {
      ends[e].value = value_at(whole, ends[e].x, nullptr);
      if (ends[e].value < ends[best].value) best = e;
    }
    screened_ = ends[best].iterations;
    return ends[best].x;
  }

  std::string describe(const Vector& theta) const {
    std::vector<std::string> out;
    for (std::size_t t = 0; t < theta.size(); ++t) {
      out.push_back(fmt::format("{} = {:.4g}", coordinates_[t].path, std::exp(theta[t])));
    }
    return fmt::format("{}", fmt::join(out, ", "));
  }

  void note_bounds(const Vector& theta, Report& report) const {
    for (std::size_t t = 0; t < theta.size(); ++t) {
      const Coordinate& c = coordinates_[t];
      const bool low = theta[t] <= std::log(c.lower) + 1e-6, high = theta[t] >= std::log(c.upper) - 1e-6;
      if (!low && !high) continue;
      report.notes.push_back(
          fmt::format("{} = {:.4g} is at its {} bound", c.path, std::exp(theta[t]), low ? "lower" : "upper"));
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
  Vector best_, kept_;  // the latter: the last of which options_.improved was told
  bool on_all_ = true;  // evaluations are of all data
  double best_value_ = kInfinity, progress_ = 0, stage_from_ = 0, stage_to_ = kScreeningShare;
  Index evaluations_ = 0, screened_ = 0;  // the latter: iterations of the start that went on
};

}  // namespace

Learnt learn(const std::string& machine, const Kernel& start, std::vector<Extra> extras, const LogEvidence& evidence,
             const LogEvidence& rough, const LearnOptions& options, const Monitor& monitor, Report& report) {
  return Learning(machine, start, std::move(extras), options, monitor).run(evidence, rough, report);
}

}  // namespace mercer::detail
