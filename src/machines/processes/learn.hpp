// Learning the hyper-parameters of a kernel, and a few numbers beside it, from the evidence of the data.
#pragma once

#include <functional>
#include <map>
#include <mutex>
#include <string>
#include <vector>

#include "mercer/kernel.hpp"
#include "mercer/monitor.hpp"
#include "mercer/prior.hpp"
#include "mercer/report.hpp"

namespace mercer::detail {

// A number that is learnt beside those of the kernel: the noise.
struct Extra {
  std::string name;
  double value;
  double lower = 0, upper = std::numeric_limits<double>::infinity();
  bool fixed = false;
  ValueRange range = {};
  std::string shown = {};  // in notes, where the number stands for more than its name says; empty: the name
};

// log p(data) at a kernel and the extras. With `gradient`, it is set to the derivatives by the value of every parameter
// of the kernel, fixed ones included, followed by those of the extras. -inf where the evidence cannot be computed.
using LogEvidence = std::function<double(const Kernel& k, VectorView extras, Vector* gradient)>;

struct LearnOptions {
  std::map<std::string, Prior> priors = {};
  Index starts = 8;
  Index max_iterations = 200;
  double max_seconds = 0;
  double tolerance = 1e-7;  // of the objective, for each point; a hundred times as much where there are several levels
  std::uint64_t seed = 1;
  // Told when the last evaluation on all data is the best so far, to keep what a model needs of it. Then a search that
  // is cancelled ends at such a place, or, where there has been none yet, throws as others do.
  std::function<void()> improved = {};
  bool whole_decides = false;  // between the best starts: for an evidence that is cheap without derivatives
};

struct Learnt {
  Kernel kernel;
  Vector extras;
  bool kept = false;  // the place that `improved` was told of last
};

// The evidence of some of the points, or of all; that of all may also be an approximation, on the last level but one.
struct LearnLevel {
  double weight;  // so many points, or what they weigh: a point of weight 2 tells as much as two
  LogEvidence evidence;
  std::function<LogEvidence()> another = {};  // the same evidence, with room of its own: for starts side by side
};

// Maximises log evidence + log priors: from the values given, from shorter and longer length scales, and from random
// values around those given. The levels go from few points to all, which come last. Starts are compared on the first:
// after some steps the best goes on, or, where there are more levels, the better half of them again and again, side by
// side where the level says how. Each
// level begins where the one before has ended, and with the curvature found there; those of fewer points are searched
// roughly, and held near the start by a weak prior. Writes iterations, evaluations, why
// it ended, and parameters at a bound to the report. Cancellation ends it with the best found, report.converged false.
// Throws UsageError for a prior on what is not there or is fixed, NumericError when the evidence cannot be computed at
// any start.
Learnt learn(const std::string& machine, const Kernel& start, std::vector<Extra> extras,
             const std::vector<LearnLevel>& levels, const LearnOptions& options, const Monitor& monitor,
             Report& report);

// Within an evaluation only the wish to stop is of interest; the progress shown is that of learning. Outlives both its
// monitors, which may be told from several threads.
class LearnProgress {
 public:
  explicit LearnProgress(const Monitor& shown) : shown_(shown) {}
  LearnProgress(const LearnProgress&) = delete;
  Monitor learning();
  Monitor evaluating();

 private:
  const Monitor& shown_;
  double fraction_ = 0;
  bool stopped_ = false;  // nobody asks again
  std::mutex mutex_;
  bool tell(const Progress& p);
};

// How many points each level has: `screen` or all, then at most twice as many, up to all of n.
std::vector<Index> level_sizes(Index n, Index screen);

}  // namespace mercer::detail
