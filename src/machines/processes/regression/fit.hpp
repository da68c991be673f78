// A Gaussian process regression on its way from the points to a model: what is checked, learnt, solved and reported.
#pragma once

#include "base/parallel.hpp"
#include "machines/processes/approach.hpp"
#include "machines/processes/learn.hpp"
#include "mercer/machines.hpp"

namespace mercer::detail {

// Of one training, which outlives it.
class ProcessFit {
 public:
  ProcessFit(const GaussianProcess& config, const Training& training);

  Model run();
  // Where nothing is learnt and no point has weight 0: each range of points predicted from all others.
  std::vector<HeldOut> hold_out(std::span<const Range> folds);
  Evidence evidence_at_start(bool gradient);

 private:
  void note_constants(Report& report) const;
  bool wants_to_learn() const { return config_.objective != GaussianProcess::Objective::none; }
  bool learns() const { return wants_to_learn() && !telling_.empty(); }
  void plan();
  Approach::At at_values(std::optional<Kernel> kernel, VectorView extras) const;
  LogEvidence evidence(Approach& approach);
  Learnt learn(Report& report);
  Kernel in_units_of(const Matrix& y, const Kernel& k, Report& report) const;
  Model model(const std::optional<Kernel>& kernel, const Vector& values, Report report);
  Approach::Solution of_all_targets(const Approach::Solution& s, const Approach::At& where) const;

  Threads threads_;
  const GaussianProcess& config_;
  const Training& training_;
  std::vector<Index> rows_;  // points of positive weight
  ProcessData data_;
  std::vector<Index> telling_;  // targets that there is something to learn from
  std::vector<Extra> extras_;
  bool profiled_ = false;             // the signal is at its best value given the rest
  std::optional<Approach::At> last_;  // evaluated
  Approach::Solution best_{};         // of learning so far
};

}  // namespace mercer::detail
