// Scoring candidates on folds: what `tune` and `choose` have in common.
#pragma once

#include "selection/criterion.hpp"

namespace mercer::detail {

// Fills in scores, mean, sd, converged and failure. Candidates with one kernel share its Gram. False when the monitor
// said stop and some are done (the others have a failure); Error(cancelled) when none is.
bool score_candidates(const Machine& machine, const Criterion& criterion, const Training& training,
                      const std::vector<Fold>& folds, std::vector<Candidate>& candidates);

// The failure of a candidate without the name of its kind.
std::string words_of(const std::string& failure);

}  // namespace mercer::detail
